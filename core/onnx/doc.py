"""What is read and written, as Markdown: ``python -m core.onnx.doc`` writes docs/onnx.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core import ops
from core.errors import UnsupportedError
from core.graph import INPUT, Graph
from core.library.spec import OpSpec, Sample
from core.onnx.protobuf import OPSET
from core.onnx.reading.table import CONSTANTS, OPERATORS
from core.onnx.writer import onnx_model

PATH = Path(__file__).parents[2] / "docs" / "onnx.md"

_HEAD = """\
# ONNX models

File > Open, `pullback run`, `pullback convert model.onnx graph.pullback` and `core.onnx.read_onnx`
read models; File > Export as ONNX, `pullback convert graph.pullback model.onnx` and
`core.onnx.dump_onnx` write them. All need the package `onnx`: `pip install 'pullback[onnx]'`. This
page is written by `python -m core.onnx.doc`.

## Reading

- Initializers are leaves that require grad and keep their names; one used twice is one node.
  Running means and the like, which no gradient reaches, and whole numbers are plain inputs.
- A model's inputs get a value: their default if they have one, else random numbers (with a seed
  that is kept) or zeros; an axis of no fixed length is 1 long.
- What only depends on constants and shapes is computed while the model is read, and needs no nodes.
  Settings that a model computes from its data are fixed at what they are; the notes say so.
- Scopes in the names of nodes (`/layer1/conv`) become frames, and so does an operator that takes
  several of our nodes.
- An operator that is not here, or has settings that are not here, becomes a grey node with its
  wires. Nothing is lost, the notes list it, and what depends on it waits.
- Nothing in a model is executed. A file that is broken, or would make arrays too large to compute,
  is refused or read in part.

`python -m benchmarks.onnx_nodes` runs ONNX's own tests of these operators.

These operators are read, of all versions since 7:

"""

_WRITING = f"""\

## Writing

- Operator set {OPSET}. Every model has passed ONNX's own checker.
- Leaves that require grad are initializers. Other inputs are inputs of the model with their value
  as the default: it runs as it is, and takes other data of the same shapes.
- What no node takes is an output, and so is where a run begins. Gradients, cotangents and runs have
  no place in ONNX.
- Types stay as they are: float64 is written as float64, for which many runtimes lack operators that
  they have for float32. Where an attribute of ONNX, which is a
  float32, would move a float64 result, the operation is written out with constants.
- Functions are flattened; frames become scopes.
- A node that ONNX cannot tell is refused by its name; complex values are, too.

| operation | ONNX |
|---|---|
"""


def markdown() -> str:
    """The page."""
    rows = [_row(ops.find(name)) for name in ops.names()]
    operators = _wrapped(sorted(OPERATORS))
    constants = _wrapped(sorted(CONSTANTS))
    return (
        f"{_HEAD}{operators}\n\nand these where they only depend on constants and shapes:\n\n"
        f"{constants}\n{_WRITING}" + "\n".join(rows) + "\n"
    )


def _wrapped(names: list[str]) -> str:
    lines, line = [], ""
    for name in names:
        if len(line) + len(name) > 96:
            lines.append(line.rstrip())
            line = ""
        line += f"{name}, "
    return "\n".join([*lines, line.rstrip(" ,") + "."])


def _row(spec: OpSpec) -> str:
    """How an operation is written: by its first sample that is."""
    why = ""
    for sample in spec.samples:
        try:
            return f"| {spec.name} | {_operators(_applied(spec, sample))} |"
        except UnsupportedError as error:
            why = why or error.what.partition("cannot be written in ONNX: ")[2].rstrip(".")
    return f"| {spec.name} | *refused: {why}* |"


def _applied(spec: OpSpec, sample: Sample) -> Graph:
    """A graph of one operation on real values."""
    graph, node_id = Graph().with_node(spec.name, params=sample.params)
    for k, value in enumerate(sample.draw(np.random.default_rng(0))):
        if value is None:
            continue
        real = value.real if value.dtype.kind == "c" else value
        graph, source = graph.with_node(INPUT, params={"value": real})
        port = f"{spec.ports[0]}[{k}]" if spec.variadic else spec.ports[k]
        graph, _ = graph.with_wire(source, "y", node_id, port)
    return graph


def _operators(graph: Graph) -> str:
    """The operators that a graph is written with, in order."""
    used = [node.op for node in onnx_model(graph).nodes if node.op != "Constant"]
    return ", ".join(dict.fromkeys(used))


if __name__ == "__main__":
    PATH.write_text(markdown(), "utf-8")
