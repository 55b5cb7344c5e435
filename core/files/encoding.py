"""A graph as text: one record a line, keys in a fixed order, so that files diff well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from core.files import arrays, params
from core.files.schema import (
    FORMAT,
    VERSION,
    ActionRecord,
    ArrayRecord,
    AssignRecord,
    BackwardRecord,
    ForwardRecord,
    FrameRecord,
    GradRecord,
    NodeRecord,
    OutsideRecord,
    RunRecord,
    WireRecord,
    ZeroGradRecord,
)
from core.graph import (
    CALL,
    CAST,
    INPUT,
    UNKNOWN,
    Action,
    Assign,
    Backward,
    Forward,
    Fragment,
    Frame,
    Function,
    Grad,
    GradRef,
    Graph,
    Node,
    OutsideWire,
    Run,
    Wire,
    ZeroGrad,
    cut,
)

_ENCODER = msgspec.json.Encoder()


def dumps(graph: Graph) -> str:
    """The text of a ``.pullback`` file."""
    return encode(graph).decode()


def encode(graph: Graph) -> bytes:
    """The bytes of a ``.pullback`` file."""
    return _text(graph, ())


def dumps_fragment(graph: Graph, node_ids: Iterable[str], frame_ids: Iterable[str] = ()) -> str:
    """Some nodes and frames of a graph as text for the clipboard.

    The wires among them come along, and a note of those that come from outside.
    """
    return fragment_text(cut(graph, node_ids, frame_ids))


def fragment_text(fragment: Fragment) -> str:
    """A fragment as text; it is a file, too."""
    return _text(fragment.graph, fragment.outside).decode()


def _text(graph: Graph, outside: Iterable[OutsideWire]) -> bytes:
    lists = {"functions": [_function(f) for f in _callees_first(graph)]} if graph.functions else {}
    lists |= _lists(graph) | {"runs": [_line(_run(run)) for run in graph.runs]}
    notes = [_line(_outside(wire)) for wire in outside]
    if notes:
        lists["outside"] = notes
    head = f'{{"format": "{FORMAT}", "version": {VERSION}, "next_id": {graph.next_id}'
    return b"".join(_joined(head.encode(), lists))  # at once: a line may be of many megabytes


def _lists(graph: Graph) -> dict[str, list[bytes]]:
    """What the graph of a document and the body of a function have, one line a record."""
    return {
        "nodes": [_node(node) for node in graph.nodes.values()],
        "wires": [_line(_wire(wire)) for wire in graph.wires.values()],
        "frames": [_line(_frame(frame)) for frame in graph.frames.values()],
    }


def _joined(head: bytes, lists: Mapping[str, list[bytes]], end: bytes = b"}\n") -> Iterator[bytes]:
    """The pieces of an object: its first keys, then lists with a record a line."""
    yield head
    for key, lines in lists.items():
        yield f',\n"{key}": ['.encode()
        for i, line in enumerate(lines):
            yield b",\n" if i else b"\n"
            yield line
        yield b"\n]" if lines else b"]"
    yield end


def _callees_first(graph: Graph) -> list[Function]:
    return sorted(graph.functions.values(), key=lambda function: function.depth)


def _function(function: Function) -> bytes:
    """Its record, with lines of its own for what is inside."""
    names = _ENCODER.encode(function.id), _ENCODER.encode(function.name)
    head = b'{"id": %b, "name": %b, "next_id": %d' % (*names, function.body.next_id)
    return b"".join(_joined(head, _lists(function.body), end=b"}"))


#: From so many bytes on, a line is left as it is: an array of a hundred thousand numbers.
_LONG = 1_000_000


def _line(record: Any) -> bytes:
    line: bytes = _ENCODER.encode(record)
    # Blanks after commas are for people; nobody reads what is that long.
    return msgspec.json.format(line, indent=0) if len(line) < _LONG else line


def _node(node: Node) -> bytes:
    if node.op == UNKNOWN:
        return _unknown(node)
    return _line(
        NodeRecord(
            node.id,
            node.op,
            node.name,
            node.pos,
            _params(node),
            {port: arrays.encode(value) for port, value in node.inline.items()},
            node.collapsed,
            node.pinned,
        )
    )


def _params(node: Node) -> dict[str, Any]:
    if node.op == INPUT:
        kept = {k: v for k, v in node.params.items() if v is not None and v is not False}
        return {**kept, "value": arrays.encode(node.params["value"])}
    if node.op == CAST:
        return dict(node.params)
    if node.op == CALL:
        return {"function": node.params["function"].id}
    spec = node.spec
    if spec is None or not node.params:
        return {}
    kinds = params.kinds(spec)
    return {name: params.encode(kinds[name], value) for name, value in node.params.items()}


def _unknown(node: Node) -> bytes:
    """The text the node was read from; changed only where the user changed it."""
    text: str = node.params["record"]
    record: dict[str, Any] = msgspec.json.decode(text)
    read = msgspec.convert(record, NodeRecord)
    now: Mapping[str, Any] = {
        "id": node.id,
        "name": node.name,
        "pos": node.pos,
        "collapsed": node.collapsed,
        "pinned": node.pinned,
    }
    changed = {key: value for key, value in now.items() if value != getattr(read, key)}
    return _line({**record, **changed}) if changed else text.encode()


def _wire(wire: Wire) -> WireRecord:
    ends = (wire.source, wire.output), (wire.target, wire.port)
    return WireRecord(wire.id, *ends, wire.points)


def _outside(wire: OutsideWire) -> OutsideRecord:
    return OutsideRecord((wire.source, wire.output), (wire.target, wire.port), wire.name)


def _frame(frame: Frame) -> FrameRecord:
    return FrameRecord(**asdict(frame))


def _run(run: Run) -> RunRecord:
    return RunRecord(run.name, [_action(action) for action in run.actions])


def _action(action: Action) -> ActionRecord:
    match action:
        case Backward():
            return BackwardRecord(
                roots=[_root(root) for root in action.roots],
                cotangents=_cotangents(action),
                retain_graph=action.retain_graph,
                create_graph=action.create_graph,
                inputs=None if action.inputs is None else list(action.inputs),
            )
        case Grad():
            return GradRecord(
                outputs=[_root(root) for root in action.outputs],
                inputs=list(action.inputs),
                cotangents=_cotangents(action),
                retain_graph=action.retain_graph,
                create_graph=action.create_graph,
                allow_unused=action.allow_unused,
                materialize_grads=action.materialize_grads,
            )
        case ZeroGrad():
            nodes = None if action.nodes is None else list(action.nodes)
            return ZeroGradRecord(nodes, action.set_to_none)
        case Assign():
            return AssignRecord(action.node, arrays.encode(action.value))
        case Forward():
            return ForwardRecord()


def _root(root: tuple[str, str] | GradRef) -> tuple[str, str | int]:
    return (root.node, root.action) if isinstance(root, GradRef) else root


def _cotangents(action: Backward | Grad) -> list[ArrayRecord | tuple[str, int] | None] | None:
    if action.cotangents is None:
        return None
    return [
        None if c is None else (c.node, c.action) if isinstance(c, GradRef) else arrays.encode(c)
        for c in action.cotangents
    ]
