"""The whole NumPy program: helpers, leaves, the forward, and each backward node by node."""

from __future__ import annotations

from core.export.exported import Exported, Line, Writer
from core.export.handwritten.backward import BackwardWriter
from core.export.handwritten.helpers import Helpers
from core.export.handwritten.rules import Formula, Rules
from core.export.literals import ArrayWords
from core.export.outline import Outline, Step, statement
from core.graph import CAST, DETACH, INPUT, Forward, Graph, Run
from core.session import Snapshot

_UNBROADCAST = '''\
def unbroadcast(g, shape):
    """Sum over the axes that broadcasting a value of this shape added."""
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return g.sum(axis=axes, keepdims=True)'''


def numpy_program(graph: Graph, run: Run | None, snapshot: Snapshot | None = None) -> Exported:
    """The program that computes ``graph`` and the gradients of ``run``, without a tape."""
    words = ArrayWords("np", "array")
    outline = Outline(graph, words, snapshot)
    helpers = Helpers(outline.names)
    rules = Rules(helpers, outline.names)
    body = Writer()
    for step in outline.steps:
        if step.node.op == INPUT:
            body.add(f"{step.result} = {outline.input_text(step)}", step.node.id)
    body.blank()
    backward = BackwardWriter(outline, body, words, rules)
    if run is not None and any(isinstance(action, Forward) for action in run.actions):
        computed = [s.result for s in outline.steps if s.node.op != INPUT]
        body.blank(2)
        with body.block("def forward():"):
            body.add(f"global {', '.join(computed)}" if computed else "pass")
            _forward(outline, body, rules)
        body.blank(2)
        body.add("forward()")
    else:
        _forward(outline, body, rules)
    if run is not None:
        backward.write(run)
    return Exported(
        "numpy",
        (*_head(helpers, backward), *body.lines),
        outline.identifiers,
        outline.arrays,
        tuple(outline.left_out),
    )


def _head(helpers: Helpers, backward: BackwardWriter) -> list[Line]:
    """Imports, and the functions that the rest calls."""
    plain = sorted(
        (line for line in helpers.imports if not line.startswith("from numpy")),
        key=lambda line: (line.startswith("from"), line),
    )
    of_numpy = sorted(line for line in helpers.imports if line.startswith("from numpy"))
    lines = [*plain, *([""] if plain else []), "import numpy as np", *of_numpy, ""]
    blocks = [*([_UNBROADCAST] if backward.broadcasts else []), *helpers.blocks]
    for block in blocks:
        if block.startswith(("def ", "class ", "@")):
            lines.append("")
        lines += [*block.split("\n"), ""]
    if blocks:
        lines.append("")
    return [Line(line) for line in lines]


def _forward(outline: Outline, body: Writer, rules: Rules) -> None:
    for step in outline.steps:
        if step.node.op != INPUT:
            formula = _formula(step, rules)
            for name, text in formula.before:
                body.add(statement(name, text), step.node.id)
            body.add(statement(step.result, formula.text), step.node.id)
    for node_id, why in outline.left_out.items():
        name = outline.graph.nodes[node_id].name
        body.add(f"# left out: {name} ({' '.join(why.split())})", node_id)


def _formula(step: Step, rules: Rules) -> Formula:
    (first, *_) = step.given
    if step.node.op == DETACH:
        return Formula(first.text)
    if step.node.op == CAST:
        real = ".real" if first.dtype.kind == "c" and step.outputs[0].dtype.kind != "c" else ""
        return Formula(f"{first.text}{real}.astype(np.{step.outputs[0].dtype.name})")
    return rules.forward(step)
