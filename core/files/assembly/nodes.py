"""The nodes of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from core import ops
from core.errors import UnknownOpError, did_you_mean
from core.files import arrays, params
from core.files.assembly.misfits import ERRORS, MisfitError, misfit, place_of, refuse_repeated
from core.files.schema import ArrayRecord, NodeRecord
from core.graph import ARGUMENT, CALL, INPUT, RESULT, UNKNOWN, Function, Node, naming
from core.graph.nodes import SPECIAL, Array
from core.graph.params import ParamError, checked
from core.graph.places import checked_point
from core.graph.ports import has_input
from core.library.spec import OpSpec

#: Lists in lists in parameters nobody reads but that must be written again.
DEEPEST = 64
#: Operations that are not in the library, as files name them.
_BUILT_IN = SPECIAL.keys() - {UNKNOWN}


def nodes_of(
    records: list[NodeRecord],
    raw_nodes: Callable[[], list[str]],
    functions: Mapping[str, Function],
    inside: str,
) -> dict[str, Node]:
    """The nodes by id; ``raw_nodes`` gives their texts, for those of unknown operations.

    Raises:
        MisfitError: if one is no node, or two have one id or name.
    """
    nodes: dict[str, Node] = {}
    for i, record in enumerate(records):
        try:
            flaw = naming.flaw(record.name)
            if flaw:
                raise MisfitError(f"the name {flaw}")
            if record.op in (ARGUMENT, RESULT) and not inside:
                raise MisfitError(f"'{record.op}' stands in a function only")
            nodes[record.id] = _node(record, functions) or _placeholder(record, raw_nodes()[i])
        except ERRORS as error:
            raise misfit(error).at(place_of("nodes", i, record.name)) from None
    refuse_repeated("nodes", "the id '{}' is used twice", [record.id for record in records])
    refuse_repeated("nodes", "the name '{}' is used twice", [record.name for record in records])
    return nodes


def _node(record: NodeRecord, functions: Mapping[str, Function]) -> Node | None:
    """The node, or None if this program does not have its operation."""
    op, spec = record.op, None
    if op not in _BUILT_IN:
        try:
            spec = ops.find(op)
        except UnknownOpError:
            return None
        op = spec.name  # an old name is an alias of today's
    given = _given_params(record, spec, functions) if record.params else record.params
    inline = _inline(record.inline) if record.inline else {}
    node = Node(
        record.id,
        op,
        record.name,
        checked_point(record.pos),
        checked(op, spec, given),
        inline,
        record.collapsed,
        record.pinned,
    )
    for port in inline:
        if not has_input(node, port):
            hint = ports_hint(node, port)
            raise ParamError(f"there is no input '{port}' to hold a value", hint)
    return node


def _inline(records: Mapping[str, ArrayRecord]) -> dict[str, Array]:
    return {port: arrays.decode(record) for port, record in records.items()}


def _given_params(
    record: NodeRecord, spec: OpSpec | None, functions: Mapping[str, Function]
) -> dict[str, Any]:
    """The parameters of a record, out of their JSON form."""
    if spec is not None:
        kinds = params.kinds(spec)
        return {
            name: params.decode(kinds[name], value) if name in kinds else value
            for name, value in record.params.items()
        }
    if record.op == CALL and "function" in record.params:
        called = record.params["function"]
        if not isinstance(called, str) or called not in functions:
            raise MisfitError(f"there is no function {str(called)[:40]!r}")
        return {**record.params, "function": functions[called]}
    return _input_params(record.params) if record.op == INPUT else record.params


def _input_params(given: dict[str, Any]) -> dict[str, Any]:
    if "source" in given and _depth(given["source"]) > DEEPEST:
        raise MisfitError("its source is nested too deeply")
    if "value" not in given:
        return given
    try:
        value = msgspec.convert(given["value"], ArrayRecord)
    except msgspec.ValidationError as error:
        what = "it is not base64" if "base64" in str(error) else "it has other keys or types"
        raise arrays.ArrayError(f"the value is not an array with dtype and data: {what}") from None
    return {**given, "value": arrays.decode(value)}


def _placeholder(record: NodeRecord, text: str) -> Node:
    """A node that computes nothing and is saved as it was read."""
    if _depth([record.params, [value.data for value in record.inline.values()]]) > DEEPEST:
        raise MisfitError("its parameters are nested too deeply")
    kept = {"op": record.op, "record": text}
    pos = checked_point(record.pos)
    folded, pinned = record.collapsed, record.pinned
    return Node(record.id, UNKNOWN, record.name, pos, kept, {}, folded, pinned)


def _depth(value: Any) -> int:
    """How deeply lists and objects are nested in each other, without recursion."""
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        inner = [x for x in level if isinstance(x, list | dict)]
        level = [y for x in inner for y in (x.values() if isinstance(x, dict) else x)]
        depth += 1
    return depth


def ports_hint(node: Node, port: str) -> str:
    """The input port that may have been meant."""
    known = node.params["function"].inputs if node.op == CALL else ()
    return did_you_mean(port, node.spec.ports if node.spec else known, "")
