"""A graph as an ONNX model that gives the same outputs.

Leaves that require grad are initializers; other inputs are inputs of the model, with their values
as defaults, so that it runs as it is and takes other data. Constants stand in Constant nodes.
Frames become the scopes in the names of the nodes. Gradients and runs have no place in ONNX.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from core.errors import UnsupportedError
from core.graph import INPUT, UNKNOWN, Backward, Grad, Graph, Node, flattened, naming
from core.graph.actions import roots_of
from core.graph.nodes import Wire
from core.graph.ports import output_ports
from core.onnx.protobuf import OPSET, serialise
from core.onnx.records import Array, OnnxModel, OnnxNode, OnnxValue
from core.onnx.writing.emit import Emit, Inexpressible, Operand
from core.onnx.writing.table import RULES
from core.session import Session


def dump_onnx(graph: Graph, name: str = "graph") -> bytes:
    """The bytes of a model's file, which ONNX's own checker has passed.

    Raises:
        UnsupportedError: ONNX has nothing to write a node with; it has the node's id.
        PullbackError: a node of the graph cannot be computed.
        FileFormatError: the package ``onnx`` is missing, or the file would be too large.
    """
    return serialise(onnx_model(graph), name)


def onnx_model(graph: Graph) -> OnnxModel:
    """The model of a graph, as plain records; raises as ``dump_onnx`` does."""
    return _Writing(flattened(graph)).model()


class _Writing:
    """One graph being written."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        snapshot = Session(graph).snapshot()
        self._values, self._errors = snapshot.values, snapshot.errors
        self._operands: dict[tuple[str, str], Operand] = {}
        self._nodes: list[OnnxNode] = []
        self._constants: dict[str, Array] = {}
        self._labels: set[str] = set()

    def model(self) -> OnnxModel:
        """Everything, in order."""
        initializers: dict[str, Array] = {}
        inputs: list[OnnxValue] = []
        for node_id in self._graph.order():
            node = self._graph.nodes[node_id]
            if node.op == INPUT:
                value = self._value(node)[0]
                initializers[node.name] = value
                self._operands[node_id, "y"] = Operand(node.name, value)
                if not node.params["requires_grad"]:
                    inputs.append(OnnxValue(node.name, value.dtype, value.shape))
            else:
                self._write(node)
        outputs = [
            OnnxValue(operand.name, operand.dtype, operand.shape) for operand in self._outputs()
        ]
        if not outputs:
            raise UnsupportedError(
                "The graph has no operations, so there is nothing for a model to compute.",
                next_step="Add a node and export again.",
            )
        used = {name for written in self._nodes for name in written.inputs}
        return OnnxModel(
            nodes=tuple(self._nodes),
            initializers={k: v for k, v in initializers.items() if k in used},
            inputs=tuple(value for value in inputs if value.name in used),
            outputs=tuple(outputs),
            opset=OPSET,
        )

    # -- one node ---------------------------------------------------------------------------------

    def _value(self, node: Node) -> tuple[Array, ...]:
        """A node's outputs; every type but text and the like has a place in ONNX."""
        if node.id not in self._values:
            error = self._errors.get(node.id)
            if error is not None:
                raise error
            raise UnsupportedError(
                f"'{node.name}' has no value, so its shapes are not known.",
                next_step="Give its inputs values, or take it out, and export again.",
                node=node.id,
            )
        values = self._values[node.id]
        if any(y.dtype.kind == "c" for y in values):
            raise self._refusal(node, "its values are complex, which few readers of ONNX take")
        return values

    def _refusal(self, node: Node, why: str) -> UnsupportedError:
        return UnsupportedError(
            f"'{node.name}' ({node.label}) cannot be written in ONNX: {why}.",
            next_step="Take it out, or compute it in another way, and export again.",
            node=node.id,
        )

    def _write(self, node: Node) -> None:
        if node.op == UNKNOWN:
            raise self._refusal(node, "it is a placeholder for something that is not here")
        values = self._value(node)
        rule = RULES.get(node.op)
        if rule is None:
            raise self._refusal(node, "no way to write it is known")
        spec = node.spec
        params = {**(spec.defaults if spec is not None else {}), **node.params}
        label = naming.free_name("/" + "/".join((*self._scope(node), node.name)), self._labels)
        self._labels.add(label)
        operands = [self._operand(node, given) for _, given in self._graph.operands(node.id)]
        emit = Emit(label, params, operands, values)
        try:
            with np.errstate(all="ignore"):
                made = rule(emit)
        except Inexpressible as error:
            raise self._refusal(node, str(error)) from None
        names = made if isinstance(made, tuple) else (made,)
        ports = output_ports(node, self._graph)
        ports = ports if len(ports) >= len(values) else tuple(f"y[{k}]" for k in range(len(values)))
        ends = [node.name if port == "y" else f"{node.name}.{port}" for port in ports]
        self._nodes += _finished(emit, names, ends)
        for port, end, value in zip(ports, ends, values, strict=False):
            self._operands[node.id, port] = Operand(end, value)

    def _operand(self, node: Node, given: Wire | Array | None) -> Operand | None:
        if given is None:
            return None
        if isinstance(given, Wire):
            return self._operands[given.source, given.output]
        name = f"{node.name}/typed_{len(self._constants)}"
        self._constants[name] = given
        self._nodes.append(OnnxNode("Constant", (), (name,), {"value": given}))
        return Operand(name, given)

    def _scope(self, node: Node) -> list[str]:
        """The titles of the frames around a node, the widest first."""
        frames = [frame for frame in self._graph.frames.values() if frame.holds(node)]
        frames.sort(key=lambda frame: -frame.rect[2] * frame.rect[3])
        scope: list[str] = []
        for frame in frames:
            title = frame.title.strip("/") or "frame"
            prefix = "/".join(scope) + "/"  # a frame of a scope within has that scope in its title
            scope.append(title.removeprefix(prefix).replace("/", "."))
        return scope

    # -- what comes out ---------------------------------------------------------------------------

    def _outputs(self) -> list[Operand]:
        """What nothing in the graph takes, and where its runs begin."""
        roots = {
            root
            for run in self._graph.runs
            for action in run.actions
            if isinstance(action, Backward | Grad)
            for root in roots_of(action)
            if isinstance(root, tuple)
        }
        return [
            operand
            for (node_id, port), operand in self._operands.items()
            if self._graph.nodes[node_id].op != INPUT
            and (not self._graph.wires_from(node_id) or (node_id, port) in roots)
        ]


def _finished(emit: Emit, names: tuple[str, ...], ends: list[str]) -> list[OnnxNode]:
    """The ONNX nodes of one node, its outputs under their own names."""
    made = {output for node in emit.nodes for output in node.outputs}
    new: dict[str, str] = {}
    extra: list[OnnxNode] = []
    for name, end in zip(names, ends, strict=False):
        if name in made and name not in new:
            new[name] = end
        else:  # an input passed on, or one value twice
            extra.append(OnnxNode("Identity", (new.get(name, name),), (end,)))
    written = [*emit.nodes, *extra]
    labels = [emit.label] if len(written) == 1 else _numbered(emit.label, written)
    return [_renamed(node, new, label) for node, label in zip(written, labels, strict=True)]


def _numbered(label: str, nodes: Iterable[OnnxNode]) -> list[str]:
    """A name for each, none twice: runtimes refuse models where two nodes have one name."""
    counts: Counter[str] = Counter()
    names = []
    for node in nodes:
        counts[node.op] += 1
        number = counts[node.op]
        names.append(f"{label}/{node.op}" if number == 1 else f"{label}/{node.op}_{number}")
    return names


def _renamed(node: OnnxNode, new: Mapping[str, str], label: str) -> OnnxNode:
    inputs, outputs = (tuple(new.get(n, n) for n in names) for names in (node.inputs, node.outputs))
    return OnnxNode(node.op, inputs, outputs, node.attributes, label)
