"""The parts of a file put together: ids, names, ports, loops and runs must fit each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from core import ops, topology
from core.errors import EditRefusedError, UnknownOpError, did_you_mean
from core.files import arrays, params
from core.files.schema import (
    ActionRecord,
    ArrayRecord,
    AssignRecord,
    BackwardRecord,
    FileRecord,
    ForwardRecord,
    FrameRecord,
    FunctionRecord,
    GradRecord,
    NodeRecord,
    RunRecord,
    WireRecord,
    ZeroGradRecord,
)
from core.graph import (
    ARGUMENT,
    CALL,
    INPUT,
    RESULT,
    UNKNOWN,
    Action,
    Assign,
    Backward,
    Forward,
    Frame,
    Function,
    Grad,
    GradRef,
    Graph,
    Node,
    Run,
    Wire,
    ZeroGrad,
    naming,
)
from core.graph.actions import problem
from core.graph.function import check_ends, check_limits
from core.graph.nodes import SPECIAL, Array
from core.graph.params import ParamError, checked
from core.graph.places import checked_frame, checked_point
from core.graph.ports import fixed_inputs, fixed_outputs, has_input, has_output
from core.library.spec import OpSpec

#: Gives the text of every node of a function by its position, or of the document for None.
RawTexts = Callable[[int | None], list[str]]

#: Lists in lists in parameters nobody reads but that must be written again.
DEEPEST = 64
#: Operations that are not in the library, as files name them.
_BUILT_IN = SPECIAL.keys() - {UNKNOWN}


class MisfitError(ValueError):
    """What does not fit, and where; what to do, when that is known."""

    def __init__(self, what: str, next_step: str = "", place: str = "") -> None:
        super().__init__(what)
        self.what = what.rstrip(".")
        self.next_step = next_step
        self.place = place

    def at(self, place: str) -> MisfitError:
        """The same, found at a place such as ``wires[5] 'w7'``."""
        return MisfitError(self.what, self.next_step, place)


#: What the parts raise when they are not what they should be.
_ERRORS = (MisfitError, ParamError, EditRefusedError, arrays.ArrayError, params.IndexFormatError)


def _misfit(error: Exception) -> MisfitError:
    what, next_step = getattr(error, "what", str(error)), getattr(error, "next_step", "")
    return MisfitError(what, next_step)


def graph(record: FileRecord, raw_nodes: RawTexts) -> Graph:
    """The graph of a file.

    Args:
        raw_nodes: gives the text of every node, of the function of a position or, for None, of
            the document itself; asked only when an operation is unknown.

    Raises:
        MisfitError: if the parts do not fit each other.
    """
    functions = _functions(record.functions, raw_nodes) if record.functions else {}
    bare = _body(record, lambda: raw_nodes(None), functions)
    try:
        check_limits(bare)
    except EditRefusedError as error:
        raise _misfit(error).at("functions") from None
    return replace(bare, functions=functions, runs=_runs(record.runs, bare))


def _body(
    record: FileRecord | FunctionRecord,
    raw_nodes: Callable[[], list[str]],
    functions: Mapping[str, Function],
    inside: str = "",
) -> Graph:
    """What the graph of a document and the body of a function have in common."""
    nodes = _nodes(record.nodes, raw_nodes, functions, inside)
    wires = _wires(record.wires, nodes)
    frames = _frames(record.frames)
    _check_next_id(record.next_id, (*nodes, *wires, *frames))
    bare = Graph.of(nodes, wires, frames, (), record.next_id, inside=inside)
    try:
        bare.order()
    except topology.LoopError as error:
        loop = " → ".join(nodes[node_id].name for node_id in error.loop)
        raise MisfitError(f"they close a loop: {loop}", place="wires") from None
    return bare


# -- functions -----------------------------------------------------------------------------------


def _functions(records: list[FunctionRecord], raw_nodes: RawTexts) -> dict[str, Function]:
    """The functions in the order of the file, made in an order in which each has what it calls."""
    _refuse_repeated("functions", "the id '{}' is used twice", [r.id for r in records])
    _refuse_repeated("functions", "the name '{}' is used twice", [r.name for r in records])
    position = {record.id: i for i, record in enumerate(records)}
    made: dict[str, Function] = {}
    for function_id in _order(records, position):
        i = position[function_id]
        place = _place("functions", i, records[i].name)
        try:
            made[function_id] = _function(records[i], partial(raw_nodes, i), made)
        except MisfitError as error:
            raise error.at(f"{place}, {error.place}" if error.place else place) from None
    return {record.id: made[record.id] for record in records}


def _function(
    record: FunctionRecord, raw_nodes: Callable[[], list[str]], made: Mapping[str, Function]
) -> Function:
    flaw = naming.flaw(record.name)
    if flaw:
        raise MisfitError(f"the name {flaw}")
    function = Function(record.id, record.name, _body(record, raw_nodes, made, record.id))
    try:
        check_ends(function)
        check_limits(function.body)
    except EditRefusedError as error:
        raise _misfit(error) from None
    return function


def _order(records: list[FunctionRecord], position: Mapping[str, int]) -> tuple[str, ...]:
    """Ids of the functions, each after all that it calls."""
    callers: dict[str, list[str]] = {record.id: [] for record in records}
    for record in records:
        for node in record.nodes:
            called = node.params.get("function")
            if node.op == CALL and isinstance(called, str) and called in callers:
                callers[called].append(record.id)
    try:
        return topology.order(callers, callers.__getitem__)
    except topology.LoopError as error:
        names = [records[position[i]].name for i in reversed(error.loop)]
        what = f"they call themselves: {' → '.join(names)}"
        raise MisfitError(what, place="functions") from None


def _place(kind: str, position: int, name: str) -> str:
    return f"{kind}[{position}] {name[:40]!r}"


def _refuse_repeated(kind: str, what: str, values: list[Any]) -> None:
    """Refuse the first of ``values``, one a record, that was there before."""
    if len(set(values)) == len(values):  # the walk below is for the few that are wrong
        return
    seen: set[Any] = set()
    for i, value in enumerate(values):
        if value in seen:
            raise MisfitError(what.format(value), place=f"{kind}[{i}]")
        seen.add(value)


# -- nodes ---------------------------------------------------------------------------------------


def _nodes(
    records: list[NodeRecord],
    raw_nodes: Callable[[], list[str]],
    functions: Mapping[str, Function],
    inside: str,
) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for i, record in enumerate(records):
        try:
            flaw = naming.flaw(record.name)
            if flaw:
                raise MisfitError(f"the name {flaw}")
            if record.op in (ARGUMENT, RESULT) and not inside:
                raise MisfitError(f"'{record.op}' stands in a function only")
            nodes[record.id] = _node(record, functions) or _placeholder(record, raw_nodes()[i])
        except _ERRORS as error:
            raise _misfit(error).at(_place("nodes", i, record.name)) from None
    _refuse_repeated("nodes", "the id '{}' is used twice", [record.id for record in records])
    _refuse_repeated("nodes", "the name '{}' is used twice", [record.name for record in records])
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
            hint = _ports_hint(node, port)
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


def _ports_hint(node: Node, port: str) -> str:
    known = node.params["function"].inputs if node.op == CALL else ()
    return did_you_mean(port, node.spec.ports if node.spec else known, "")


# -- wires and frames ----------------------------------------------------------------------------


def _wires(records: list[WireRecord], nodes: dict[str, Node]) -> dict[str, Wire]:
    wires: dict[str, Wire] = {}
    for i, record in enumerate(records):
        try:
            wires[record.id] = _wire(record, nodes)
        except (MisfitError, EditRefusedError) as error:
            raise _misfit(error).at(_place("wires", i, record.id)) from None
    _refuse_repeated("wires", "the id '{}' is used twice", [record.id for record in records])
    ends = [record.target for record in records]
    _refuse_repeated("wires", "there is another wire at input '{0[1]}' of node '{0[0]}'", ends)
    return wires


def _wire(record: WireRecord, nodes: Mapping[str, Node]) -> Wire:
    (source_id, output), (target_id, port) = record.source, record.target
    source, target = nodes.get(source_id), nodes.get(target_id)
    if source is None or target is None:
        missing = source_id if source is None else target_id
        raise MisfitError(f"there is no node '{missing}'")
    # Nearly all operations have the same ports always, and those need no closer look.
    if output not in (fixed_outputs(source.op) or ()) and not has_output(source, output):
        raise MisfitError(f"'{source.name}' has no output '{output}'")
    if port not in (fixed_inputs(target.op) or ()) and not has_input(target, port):
        hint = _ports_hint(target, port)
        raise MisfitError(f"'{target.name}' has no input '{port}'", hint)
    points = tuple(checked_point(point) for point in record.points) if record.points else ()
    return Wire(record.id, source.id, output, target.id, port, points)


def _frames(records: list[FrameRecord]) -> dict[str, Frame]:
    frames: dict[str, Frame] = {}
    for i, record in enumerate(records):
        place = f"frames[{i}] {record.title[:40]!r}"
        if record.id in frames:
            raise MisfitError(f"the id '{record.id}' is used twice", place=place)
        try:
            frames[record.id] = checked_frame(Frame(**msgspec.structs.asdict(record)))
        except EditRefusedError as error:
            raise _misfit(error).at(place) from None
    return frames


def _check_next_id(next_id: int, ids: Iterable[str]) -> None:
    """The counter must be past every id it may have given, or it would give one twice."""
    limit = str(next_id)
    width = 1 + len(limit)
    for used in ids:
        if len(used) < width or (len(used) == width and used[1:] < limit):
            continue  # nearly all: as text, too, the number is smaller
        number = used[1:]
        if number.isdecimal() and len(number) < 18 and int(number) >= next_id:
            what = f"{next_id} is too small: the id '{used}' is in use"
            raise MisfitError(what, place="next_id")


# -- runs ----------------------------------------------------------------------------------------


def _runs(records: list[RunRecord], bare: Graph) -> tuple[Run, ...]:
    runs: dict[str, Run] = {}
    for i, record in enumerate(records):
        place = f"runs[{i}] {record.name[:40]!r}"
        flaw = "is used twice" if record.name in runs else naming.flaw(record.name)
        if flaw:
            raise MisfitError(f"the name {flaw}", place=place)
        try:
            run = Run(record.name, tuple(_action(action) for action in record.actions))
        except arrays.ArrayError as error:
            raise _misfit(error).at(place) from None
        wrong = problem(run, bare.knows)
        if wrong:
            raise MisfitError(wrong, place=place)
        runs[run.name] = run
    return tuple(runs.values())


def _action(record: ActionRecord) -> Action:
    match record:
        case BackwardRecord():
            return Backward(
                tuple(_root(root) for root in record.roots),
                _cotangents(record.cotangents),
                record.retain_graph,
                record.create_graph,
                None if record.inputs is None else tuple(record.inputs),
            )
        case GradRecord():
            return Grad(
                tuple(_root(root) for root in record.outputs),
                tuple(record.inputs),
                _cotangents(record.cotangents),
                record.retain_graph,
                record.create_graph,
                record.allow_unused,
                record.materialize_grads,
            )
        case ZeroGradRecord():
            nodes = None if record.nodes is None else tuple(record.nodes)
            return ZeroGrad(nodes, record.set_to_none)
        case AssignRecord():
            return Assign(record.node, arrays.decode(record.value))
        case ForwardRecord():
            return Forward()


def _root(root: tuple[str, str | int]) -> tuple[str, str] | GradRef:
    node, of = root
    return (node, of) if isinstance(of, str) else GradRef(of, node)


def _cotangents(records: list[ArrayRecord | tuple[str, int] | None] | None) -> Any:
    if records is None:
        return None
    return tuple(
        arrays.decode(c)
        if isinstance(c, ArrayRecord)
        else None
        if c is None
        else GradRef(c[1], c[0])
        for c in records
    )
