"""The whole program: imports, leaves, the forward, and what the run does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.export.exported import Exported, Line, Writer
from core.export.literals import ArrayWords
from core.export.outline import Outline, Step, statement
from core.export.pytorch import layers, linalg, pointwise, reductions, shapes
from core.export.pytorch.actions import ActionWriter
from core.export.pytorch.types import adapted
from core.export.spelling import Spelling
from core.graph import CAST, DETACH, INPUT, Forward, Graph, Run
from core.session import Snapshot

#: How every operation is written.
SPELLINGS: Mapping[str, Spelling] = {
    **pointwise.TABLE, **reductions.TABLE, **shapes.TABLE, **linalg.TABLE, **layers.TABLE,
}  # fmt: skip


def pytorch_program(graph: Graph, run: Run | None, snapshot: Snapshot | None = None) -> Exported:
    """The program that computes ``graph`` and then does what ``run`` does."""
    words = ArrayWords("torch", "tensor", _default_type(graph))
    outline = Outline(graph, words, snapshot)
    body = Writer()
    for step in outline.steps:
        if step.node.op == INPUT:
            body.add(_leaf(outline, step), step.node.id)
    body.blank()
    again = run is not None and any(isinstance(action, Forward) for action in run.actions)
    actions = ActionWriter(outline, body, words)
    if again:
        body.blank(2)
        with body.block("def forward():"):
            _forward(outline, body)
            body.add(f"return {', '.join(actions.recomputed(run))}")
        body.blank(2)
        actions.forward(run)
    else:
        _forward(outline, body)
    begins = len(body.lines)
    if run is not None:
        body.blank()
        begins = len(body.lines)
        body.add(f"# {' '.join(run.name.split())}")
        actions.write(run)
    head = _head(words, body, outline)
    return Exported(
        "pytorch",
        (*head, *body.lines),
        outline.identifiers,
        outline.arrays,
        tuple(outline.left_out),
        {y.text: place for place, y in outline.outputs.items()},
        len(head) + begins,
    )


def _default_type(graph: Graph) -> str:
    """The type of most floating values written out: float64 unless float32 is in use alone."""
    inputs = [node.params["value"] for node in graph.nodes.values() if node.op == INPUT]
    typed = [x for node in graph.nodes.values() for x in node.inline.values()]
    kinds = {x.dtype.name for x in (*inputs, *typed) if x.dtype.kind in "fc"}
    return "float32" if kinds and kinds <= {"float32", "complex64", "float16"} else "float64"


def _head(words: ArrayWords, body: Writer, outline: Outline) -> list[Line]:
    """The imports that are needed, and the default type."""
    text = "\n".join(line.text for line in body.lines)
    head = ["import numpy as np", ""] if outline.arrays else []
    head.append("import torch")
    if "F." in text:
        head.append("import torch.nn.functional as F")
    if words.default != "float32":
        head += ["", f"torch.set_default_dtype(torch.{words.default})"]
    return [Line(line) for line in (*head, "")]


def _leaf(outline: Outline, step: Step) -> str:
    """An input: a leaf, or a constant."""
    options = ["requires_grad=True"] if step.node.params["requires_grad"] else []
    value = outline.input_text(step, *options)
    if value.startswith("np.load"):
        shape = "×".join(map(str, step.outputs[0].shape))
        marked = ".requires_grad_(True)" if options else ""
        kind = step.outputs[0].dtype.name
        return f"{step.result} = torch.from_numpy({value}){marked}  # {shape}, {kind}"
    return f"{step.result} = {value}"


def _forward(outline: Outline, body: Writer) -> None:
    """Every node that is no input, in order; those of no_grad frames under their ``with``."""
    quiet = outline.graph.no_grad_nodes
    computed = [step for step in outline.steps if step.node.op != INPUT]
    place = 0
    while place < len(computed):
        end = place
        inside = computed[place].node.id in quiet
        while end < len(computed) and (computed[end].node.id in quiet) == inside:
            end += 1
        group = computed[place:end]
        if inside:
            with body.block("with torch.no_grad():"):
                _steps(group, body)
        else:
            _steps(group, body)
        place = end
    for node_id, why in outline.left_out.items():
        name = outline.graph.nodes[node_id].name
        body.add(f"# left out: {name} ({' '.join(why.split())})", node_id)


def _steps(steps: list[Step], body: Writer) -> None:
    for step in steps:
        body.add(statement(step.result, _expression(step)), step.node.id)


def _expression(step: Step) -> str:
    (first, *_) = step.given
    if step.node.op == DETACH:
        return f"{first.text}.detach()"
    if step.node.op == CAST:
        return f"{first.text}.to(torch.{np.dtype(step.params['dtype']).name})"
    return SPELLINGS[step.node.op](adapted(step))
