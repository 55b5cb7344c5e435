"""The whole JAX program: leaves, one function of them, its pullback, and what a run does."""

from __future__ import annotations

import numpy as np

from core.export.exported import Exported, Line, Writer
from core.export.handwritten.rules import Formula, Rules
from core.export.jax.spelling import formula, formulas_only
from core.export.literals import ArrayWords
from core.export.outline import Operand, Outline, Step, statement
from core.graph import (
    CAST,
    DETACH,
    INPUT,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Run,
    ZeroGrad,
)
from core.graph.actions import Cotangent, cotangents_of, roots_of
from core.session import Snapshot


def jax_program(graph: Graph, run: Run | None, snapshot: Snapshot | None = None) -> Exported:
    """The program that computes ``graph`` and the gradients of ``run`` by ``jax.vjp``."""
    outline = Outline(graph, ArrayWords("jnp", "array"), snapshot)
    program = _Program(outline)
    program.write(run)
    return Exported(
        "jax",
        (*program.head(), *program.body.lines),
        outline.identifiers,
        outline.arrays,
        tuple(outline.left_out),
    )


class _Program:
    """Writes the parts in order."""

    def __init__(self, outline: Outline) -> None:
        self.outline, self.body = outline, Writer()
        self._words = outline.words
        self._rules: Rules = formulas_only(outline.names)
        self._roots: list[Operand] = []
        self._totals: dict[str, str] = {}
        self._gradients: dict[GradRef, str] = {}
        self._model = outline.names.take("model")
        self._pull = outline.names.take("pull")

    def head(self) -> list[Line]:
        """The imports, and double precision."""
        used = "\n".join(line.text for line in self.body.lines)
        lines = ["import jax", "import jax.numpy as jnp"]
        if "np.load(" in used or " np." in used or "[np." in used:
            lines.append("import numpy as np")
        lines += ["", 'jax.config.update("jax_enable_x64", True)', ""]
        return [Line(line) for line in lines]

    def write(self, run: Run | None) -> None:
        """Inputs, the function, its pullback, the actions."""
        outline = self.outline
        for step in outline.steps:
            if step.node.op == INPUT:
                value = outline.input_text(step)
                if value.startswith("np.load"):
                    value = f"jnp.asarray({value})"
                self.body.add(f"{step.result} = {value}", step.node.id)
        self.body.blank()
        self._roots = self._found_roots(run)
        leaves = ", ".join(s.result for s in outline.leaves())
        self.body.blank(2)
        with self.body.block(f"def {self._model}({leaves}):"):
            self._forward()
            self.body.add(f"return {', '.join(y.text for y in self._roots) or 'None'}")
        self.body.blank(2)
        self._call()
        if run is not None:
            self.body.blank()
            self.body.add(f"# {' '.join(run.name.split())}")
            self._actions(run)

    def _found_roots(self, run: Run | None) -> list[Operand]:
        """What the run goes back from; without one, what nothing uses."""
        found: dict[str, Operand] = {}
        if run is not None:
            for action in run.actions:
                for root in roots_of(action):
                    if not isinstance(root, GradRef) and root in self.outline.outputs:
                        y = self.outline.outputs[root]
                        found[y.text] = y
        if not found:
            for step in self.outline.steps:
                if not self.outline.graph.wires_from(step.node.id) and step.inputs:
                    found.update((y.text, y) for y in step.outputs)
        return list(found.values())

    # -- the function -----------------------------------------------------------------------------

    def _forward(self) -> None:
        quiet = self.outline.graph.no_grad_nodes
        for step in self.outline.steps:
            if step.node.op == INPUT:
                continue
            made = self._formula(step)
            if made is None:
                self.body.add(f"# {step.node.op} has no spelling in JAX here: its value, constant")
                self.outline.left_out[step.node.id] = "no spelling in JAX"
                value = ", ".join(self._words.array(np.asarray(y.value)) for y in step.outputs)
                self.body.add(f"{step.result} = {value}", step.node.id)
                continue
            for name, text in made.before:
                self.body.add(statement(name, text), step.node.id)
            text = made.text
            if step.node.id in quiet:
                text = f"jax.lax.stop_gradient({text})"
            self.body.add(statement(step.result, text), step.node.id)
        for node_id, why in self.outline.left_out.items():
            name = self.outline.graph.nodes[node_id].name
            if self.outline.step(node_id) is None:
                self.body.add(f"# left out: {name} ({' '.join(why.split())})", node_id)

    def _formula(self, step: Step) -> Formula | None:
        (first, *_) = step.given
        if step.node.op == DETACH:
            return Formula(f"jax.lax.stop_gradient({first.text})")
        if step.node.op == CAST:
            real = ".real" if first.dtype.kind == "c" and step.outputs[0].dtype.kind != "c" else ""
            return Formula(f"{first.text}{real}.astype(jnp.{step.outputs[0].dtype.name})")
        return formula(step, self._rules)

    def _call(self) -> None:
        leaves = [s.result for s in self.outline.leaves()]
        target = ", ".join(y.text for y in self._roots) or "_"
        if not leaves:
            self.body.add(f"{target} = {self._model}()")
            return
        shown = f"({target})" if len(self._roots) > 1 else target
        self.body.add(f"{shown}, {self._pull} = jax.vjp({self._model}, {', '.join(leaves)})")

    # -- actions ----------------------------------------------------------------------------------

    def _actions(self, run: Run) -> None:
        for number, action in enumerate(run.actions, 1):
            match action:
                case Backward() | Grad():
                    why = self._beyond(action)
                    if why:
                        self.body.add(f"# left out: action {number}; {why}")
                    else:
                        self._backward(action, number - 1)
                case ZeroGrad(nodes=nodes):
                    for node in nodes or list(self._totals):
                        if node in self._totals:
                            leaf = self.outline.identifiers[node]
                            self.body.add(f"{self._totals[node]} = jnp.zeros_like({leaf})", node)
                case Assign(node=node, value=value):
                    name = self.outline.identifiers[node]
                    text = self._words.array(value, lead=len(name) + 3)
                    self.body.add(f"{name} = {text}", node)
                case Forward():
                    self._call()
        for node, name in self._totals.items():
            self.body.add(f'print("{name} =", {name})', node)
        for ref, name in self._gradients.items():
            self.body.add(f'print("{name} =", {name})', ref.node)

    def _beyond(self, action: Backward | Grad) -> str | None:
        """Why an action is not written, or None."""
        if any(isinstance(root, GradRef) for root in roots_of(action)):
            return "the gradient of a gradient: take jax.vjp of a function that calls jax.vjp"
        leaves = {s.node.id for s in self.outline.leaves()}
        if not leaves:
            return "nothing requires grad"
        if not set(action.inputs or ()) <= leaves:
            return "its inputs are no leaves"
        if any(root not in self.outline.outputs for root in roots_of(action)):
            return "a root has no value"
        refs = [c for c in cotangents_of(action) if isinstance(c, GradRef)]
        return None if all(ref in self._gradients for ref in refs) else "a cotangent was left out"

    def _backward(self, action: Backward | Grad, number: int) -> None:
        given = dict.fromkeys((y.text for y in self._roots), "")
        cotangents = cotangents_of(action) or (None,) * len(roots_of(action))
        for root, cotangent in zip(roots_of(action), cotangents, strict=True):
            assert not isinstance(root, GradRef)
            y = self.outline.outputs[root]
            text = self._cotangent(y, cotangent)
            if y.dtype.kind == "c":  # JAX's VJP of complex values is the plain transpose
                text = f"jnp.conj({text})"
            given[y.text] = f"{given[y.text]} + {text}" if given[y.text] else text
        words = [text or f"jnp.zeros_like({name})" for name, text in given.items()]
        argument = words[0] if len(words) == 1 else f"({', '.join(words)})"
        leaves = self.outline.leaves()
        names = [self.outline.names.take(f"{s.result}_bar") for s in leaves]
        target = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
        nodes = tuple(dict.fromkeys(r[0] for r in roots_of(action) if not isinstance(r, GradRef)))
        self.body.add(statement(target, f"{self._pull}({argument})"), *nodes)
        for step, bar in zip(leaves, names, strict=True):
            if action.inputs is None or step.node.id in action.inputs:
                self._received(action, number, step, bar)

    def _received(self, action: Backward | Grad, number: int, step: Step, bar: str) -> None:
        node = step.node.id
        if step.outputs[0].dtype.kind == "c":
            bar = f"jnp.conj({bar})"
        if isinstance(action, Grad):
            name = self.outline.names.take(f"d_{step.result}")
            self._gradients[GradRef(number, node)] = name
            self.body.add(f"{name} = {bar}", node)
        elif node in self._totals:
            total = self._totals[node]
            self.body.add(f"{total} = {total} + {bar}", node)
        else:
            self._totals[node] = self.outline.names.take(f"{step.result}_grad")
            self.body.add(f"{self._totals[node]} = {bar}", node)

    def _cotangent(self, y: Operand, cotangent: Cotangent) -> str:
        if cotangent is None:
            return f"jnp.ones_like({y.text})"
        if isinstance(cotangent, GradRef):
            return self._gradients[cotangent]
        return self._words.array(cotangent, lead=8)
