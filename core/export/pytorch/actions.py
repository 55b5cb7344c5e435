"""What a run does, in PyTorch: backward, grad, gradients cleared, leaves changed in place."""

from __future__ import annotations

from core.export.exported import WIDTH, Writer
from core.export.literals import ArrayWords
from core.export.outline import Outline
from core.graph import Action, Assign, Backward, Forward, Grad, GradRef, Run, ZeroGrad
from core.graph.actions import Cotangent, Root, nodes_of, roots_of


class ActionWriter:
    """Writes the actions of one run."""

    def __init__(self, outline: Outline, body: Writer, words: ArrayWords) -> None:
        self._outline, self._body, self._words = outline, body, words
        self._gradients: dict[GradRef, str] = {}

    def write(self, run: Run) -> None:
        """The actions in order, and at the end what came of them."""
        for number, action in enumerate(run.actions):
            missing = [n for n in _named(action) if self._outline.step(n) is None]
            if missing:
                names = ", ".join(self._outline.graph.nodes[n].name for n in missing)
                self._body.add(f"# left out: an action, for want of {names}", *missing)
                continue
            match action:
                case Backward():
                    self._backward(action)
                case Grad():
                    self._grad(action, number)
                case ZeroGrad():
                    self._zero_grad(action)
                case Assign():
                    self._assign(action)
                case Forward():
                    self.forward(run)
        for step in self._outline.leaves():
            self._body.add(f'print("{step.result}.grad =", {step.result}.grad)', step.node.id)
        for ref, name in self._gradients.items():
            self._body.add(f'print("{name} =", {name})', ref.node)

    # -- the forward, when it is done more than once ----------------------------------------------

    def recomputed(self, run: Run | None) -> list[str]:
        """What a forward must give back: the values that the run names."""
        assert run is not None
        found: dict[str, None] = {}
        for action in run.actions:
            places = [root for root in roots_of(action) if not isinstance(root, GradRef)]
            for node, output in (*places, *((node, "") for node in nodes_of(action))):
                step = self._outline.step(node)
                if step is not None and step.inputs:
                    made = self._outline.outputs.get((node, output), step.outputs[0])
                    found[made.text] = None
        return list(found) or ["None"]

    def forward(self, run: Run | None) -> None:
        """The call of ``forward``."""
        names = ", ".join(self.recomputed(run))
        self._body.add("forward()" if names == "None" else f"{names} = forward()")

    # -- actions ----------------------------------------------------------------------------------

    def _backward(self, action: Backward) -> None:
        options = self._options(action)
        if action.inputs is not None:
            options.append(f"inputs={self._list(action.inputs)}")
        cotangents = action.cotangents or (None,) * len(action.roots)
        nodes = self._nodes(action.roots)
        if len(action.roots) == 1:
            (root,), (cotangent,) = action.roots, cotangents
            name = self._root(root)
            if cotangent is not None:
                lead = len(name) + len(".backward(")
                options.insert(0, self._cotangent(cotangent, lead))
            self._body.add(f"{name}.backward({', '.join(options)})", *nodes)
            return
        arguments = [f"[{', '.join(map(self._root, action.roots))}]"]
        if action.cotangents is not None:
            arguments.append(f"[{', '.join(self._cotangent(c, 4) for c in cotangents)}]")
        self._call("torch.autograd.backward", [*arguments, *options], nodes)

    def _grad(self, action: Grad, number: int) -> None:
        names = []
        for node in action.inputs:
            name = self._outline.names.take(f"d_{self._outline.identifiers[node]}")
            self._gradients[GradRef(number, node)] = name
            names.append(name)
        options = self._options(action)
        if action.allow_unused is not None:
            options.append(f"allow_unused={action.allow_unused}")
        if action.materialize_grads:
            options.append("materialize_grads=True")
        arguments = [f"[{', '.join(map(self._root, action.outputs))}]", self._list(action.inputs)]
        if action.cotangents is not None:
            arguments.append(f"[{', '.join(self._cotangent(c, 4) for c in action.cotangents)}]")
        target = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
        self._call(
            f"{target} = torch.autograd.grad",
            [*arguments, *options],
            (*self._nodes(action.outputs), *action.inputs),
        )

    def _zero_grad(self, action: ZeroGrad) -> None:
        if action.nodes is None:
            nodes = tuple(step.node.id for step in self._outline.leaves())
        else:
            nodes = action.nodes
        for node in nodes:
            name = self._outline.identifiers[node]
            if action.set_to_none:
                self._body.add(f"{name}.grad = None", node)
            else:
                with self._body.block(f"if {name}.grad is not None:", node):
                    self._body.add(f"{name}.grad.zero_()", node)

    def _assign(self, action: Assign) -> None:
        name = self._outline.identifiers[action.node]
        with self._body.block("with torch.no_grad():", action.node):
            value = self._words.array(action.value, lead=len(name) + len(".copy_("))
            self._body.add(f"{name}.copy_({value})", action.node)

    # -- parts ------------------------------------------------------------------------------------

    def _options(self, action: Backward | Grad) -> list[str]:
        options = []
        if action.retain_graph is not None:
            options.append(f"retain_graph={action.retain_graph}")
        if action.create_graph:
            options.append("create_graph=True")
        return options

    def _call(self, head: str, arguments: list[str], nodes: tuple[str, ...]) -> None:
        text = f"{head}({', '.join(arguments)})"
        if len(text) > WIDTH or "\n" in text:
            inner = "".join(f"    {argument},\n" for argument in arguments)
            text = f"{head}(\n{inner})"
        self._body.add(text, *nodes)

    def _root(self, root: Root) -> str:
        if isinstance(root, GradRef):
            return self._gradients[root]
        return self._outline.outputs[root].text

    def _cotangent(self, cotangent: Cotangent, lead: int) -> str:
        if cotangent is None:
            return "None"
        if isinstance(cotangent, GradRef):
            return self._gradients[cotangent]
        return self._words.array(cotangent, lead=lead)

    def _list(self, nodes: tuple[str, ...]) -> str:
        return f"[{', '.join(self._outline.identifiers[n] for n in nodes)}]"

    def _nodes(self, roots: tuple[Root, ...]) -> tuple[str, ...]:
        return tuple(r.node if isinstance(r, GradRef) else r[0] for r in roots)


def _named(action: Action) -> tuple[str, ...]:
    """Ids of all nodes that an action cannot do without."""
    roots = tuple(r.node if isinstance(r, GradRef) else r[0] for r in roots_of(action))
    return (*roots, *nodes_of(action))
