"""Backward by hand: from the roots down, each node hands its cotangent on by its VJPs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from core.export.exported import Writer
from core.export.handwritten.rules import Formula, Rules, is_complex, result_like
from core.export.literals import ArrayWords
from core.export.outline import Operand, Outline, Step, statement
from core.graph import (
    CAST,
    DETACH,
    INPUT,
    Action,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Run,
    Wire,
    ZeroGrad,
)
from core.graph.actions import Cotangent, cotangents_of, nodes_of, roots_of

_NO_TAPE = "a gradient of a gradient needs a tape: see the PyTorch or JAX program"
Place = tuple[str, str]  # a node and one of its outputs


class BackwardWriter:
    """Writes what a run does.

    Attributes:
        broadcasts: whether anything was summed over broadcast axes.
    """

    def __init__(self, outline: Outline, body: Writer, words: ArrayWords, rules: Rules) -> None:
        self._outline, self._body, self._words, self._rules = outline, body, words, rules
        self._bars = {
            place: outline.names.take(f"{y.text}_bar") for place, y in outline.outputs.items()
        }
        self._totals: dict[str, str] = {}  # .grad of each node that has one so far
        self._gradients: dict[GradRef, str] = {}
        self.broadcasts = False

    def write(self, run: Run) -> None:
        """The actions in order, and at the end what came of them."""
        for number, action in enumerate(run.actions):
            reason = self._beyond(action)
            if reason:
                self._body.add(f"# left out: action {number + 1}; {reason}")
                continue
            match action:
                case Backward() | Grad():
                    self._backward(action, number, run)
                case ZeroGrad():
                    self._zero_grad(action)
                case Assign():
                    name = self._outline.identifiers[action.node]
                    value = self._words.array(action.value, lead=len(name) + 6)
                    self._body.add(f"{name} = {value}", action.node)
                case Forward():
                    self._body.add("forward()")
        self._body.blank()
        for node, name in self._totals.items():
            self._body.add(f'print("{name} =", {name})', node)
        for ref, name in self._gradients.items():
            self._body.add(f'print("{name} =", {name})', ref.node)

    def _beyond(self, action: Action) -> str | None:
        """Why an action cannot be written, or None."""
        if any(isinstance(root, GradRef) for root in roots_of(action)):
            return _NO_TAPE
        nodes = [*nodes_of(action), *(n for n, _ in _places(action))]
        missing = [n for n in nodes if self._outline.step(n) is None]
        if missing:
            return f"'{self._outline.graph.nodes[missing[0]].name}' has no value"
        refs = [c for c in cotangents_of(action) if isinstance(c, GradRef)]
        return _NO_TAPE if any(ref not in self._gradients for ref in refs) else None

    # -- one backward -----------------------------------------------------------------------------

    def _backward(self, action: Backward | Grad, number: int, run: Run) -> None:
        title = " ".join(run.name.split())
        count = sum(isinstance(a, Backward | Grad) for a in run.actions)
        self._body.blank()
        self._body.add(f"# backward: {title}" + (f", {number + 1}" if count > 1 else ""))
        reached: set[Place] = set()
        cotangents = cotangents_of(action) or (None,) * len(roots_of(action))
        for place, cotangent in zip(_places(action), cotangents, strict=True):
            self._give(place, self._cotangent(place, cotangent), reached, place[0])
        wanted = self._wanted(action)
        for step in reversed(self._outline.steps):
            if step.node.id in wanted:
                self._through(step, reached, wanted)
        if isinstance(action, Backward):
            self._accumulate(action, reached)
        else:
            self._hand_out(action, number, reached)

    def _wanted(self, action: Backward | Grad) -> set[str]:
        """The nodes whose cotangents are needed."""
        graph, needed = self._outline.graph, set(self._outline.needs_grad)
        if action.inputs is None:
            return needed
        below = set(action.inputs)
        for node in action.inputs:
            below |= graph.descendants(node)
        return needed & below

    def _through(self, step: Step, reached: set[Place], wanted: set[str]) -> None:
        """The VJPs of one node, if anything has arrived at it."""
        outputs = [place for place in self._outline.outputs if place[0] == step.node.id]
        if step.node.op in (INPUT, DETACH) or reached.isdisjoint(outputs):
            return
        g = [
            Operand(self._bars[place] if place in reached else f"np.zeros_like({y.text})", y.value)
            for place, y in zip(outputs, step.outputs, strict=True)
        ]
        known: dict[str, str] = {}
        for k, (port, wire) in enumerate(self._outline.graph.operands(step.node.id)):
            if isinstance(wire, Wire) and wire.source in wanted and _differentiable(step, port):
                formula = (
                    Formula(g[0].text)
                    if step.node.op == CAST
                    else self._rules.vjp(step, k, g, known)
                )
                for name, text in formula.before:
                    self._body.add(statement(name, text), step.node.id)
                fitted = self._fitted(step, k, formula.text)
                self._give((wire.source, wire.output), fitted, reached, step.node.id)

    def _fitted(self, step: Step, k: int, made: str) -> str:
        """Summed over broadcast axes and cast to the input's type, where need be."""
        x = step.inputs[k]
        assert x is not None
        if step.node.op == CAST:
            shape, dtype = x.shape, step.outputs[0].dtype
        else:
            shape, dtype = result_like(step, k)
        if dtype.kind == "c" and x.dtype.kind != "c":
            made, dtype = f"np.real({made})", np.empty(0, dtype).real.dtype
        if shape != x.shape:
            self.broadcasts = True
            made = f"unbroadcast({made}, {x.text}.shape)"
        if dtype != x.dtype and not is_complex(step):
            whole = f"({made})" if " " in made else made
            made = f"{whole}.astype({x.text}.dtype)"
        return made

    def _give(self, place: Place, made: str, reached: set[Place], by: str) -> None:
        """A contribution arrives: the first is the cotangent, the others are added."""
        name = self._bars[place]
        if place in reached:
            made = f"{name} + ({made})" if _is_sum(made) else f"{name} + {made}"
        reached.add(place)
        text = statement(name, made)
        through = self._outline.graph.nodes[by].name if by != place[0] else ""
        comment = f"  # through {' '.join(through.split())}" if through else ""
        if comment and "\n" not in text and len(text) + len(comment) <= 100:
            text += comment
        self._body.add(text, by, place[0])

    def _cotangent(self, place: Place, cotangent: Cotangent) -> str:
        if cotangent is None:
            return f"np.ones_like({self._outline.outputs[place].text})"
        if isinstance(cotangent, GradRef):
            return self._gradients[cotangent]
        return self._words.array(cotangent, lead=len(self._bars[place]) + 3)

    # -- what comes of it -------------------------------------------------------------------------

    def _accumulate(self, action: Backward, reached: set[Place]) -> None:
        """.grad of the leaves, or of the inputs that were named."""
        nodes = action.inputs or [s.node.id for s in self._outline.leaves()]
        for node in nodes:
            if (node, "y") in self._bars and (node, "y") not in reached:
                continue
            bar = self._bars[self._first(node)]
            total = self._totals.get(node)
            if total is None:
                total = self._totals[node] = self._outline.names.take(
                    f"{self._outline.identifiers[node]}_grad"
                )
                self._body.add(f"{total} = {bar}", node)
            else:
                self._body.add(f"{total} = {total} + {bar}", node)

    def _hand_out(self, action: Grad, number: int, reached: set[Place]) -> None:
        for node in action.inputs:
            name = self._outline.names.take(f"d_{self._outline.identifiers[node]}")
            self._gradients[GradRef(number, node)] = name
            place = self._first(node)
            if place in reached:
                found = self._bars[place]
            else:
                text = self._outline.outputs[place].text
                found = f"np.zeros_like({text})" if action.materialize_grads else "None"
            self._body.add(f"{name} = {found}", node)

    def _zero_grad(self, action: ZeroGrad) -> None:
        nodes: Iterable[str] = self._totals if action.nodes is None else action.nodes
        for node in list(nodes):
            if node in self._totals:
                name, leaf = self._totals[node], self._outline.identifiers[node]
                if action.set_to_none:
                    self._body.add(f"{name} = np.zeros_like({leaf})  # None", node)
                else:
                    self._body.add(f"{name} = np.zeros_like({leaf})", node)

    def _first(self, node: str) -> Place:
        return next(place for place in self._bars if place[0] == node)


def _places(action: Action) -> Sequence[Place]:
    return [root for root in roots_of(action) if not isinstance(root, GradRef)]


def _differentiable(step: Step, port: str) -> bool:
    if step.spec is None:
        return step.node.op == CAST
    base = port.partition("[")[0]
    return base in step.spec.vjps and base not in step.spec.nondiff_ports


def _is_sum(text: str) -> bool:
    return any(sign in text for sign in (" + ", " - ", " if ")) or text.startswith("-")
