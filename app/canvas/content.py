"""What a node says: plain data that painting, tool tips and tests read alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.canvas import format as fmt
from app.canvas.curves import Floats
from app.canvas.facts import Facts
from app.canvas.geometry import NodePorts
from app.canvas.metrics import MOST_OUTPUT_ROWS
from app.colors import magnitude, signed_magnitude
from core.graph import ARGUMENT, CALL, DETACH, INPUT, RESULT, Node
from core.graph.ports import numbered

Tone = Literal["value", "gradient", "muted", "error"]

#: Cells of a strip with at most this many elements carry their numbers.
_NUMBERED_CELLS = 3
_GLYPHS = {DETACH: "⊘", "cast": "→", "unknown": "?", CALL: "ƒ", ARGUMENT: "in", RESULT: "out"}
_OF_FUNCTIONS = (CALL, ARGUMENT, RESULT)


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """What the right side of a row shows.

    Attributes:
        text: a number or a word; empty when there is a strip.
        strip: numbers from -1 to 1, (rows, columns).
        numbers: what is written in the cells of a short strip.
        signed: magnitude and side of a gradient, see ``colors.signed_magnitude``.
        pending: nothing yet, but something will come.
    """

    text: str = ""
    tone: Tone = "muted"
    strip: Floats | None = None
    numbers: tuple[float, ...] = ()
    signed: float = 0.0
    pending: bool = False


@dataclass(frozen=True, slots=True)
class Port:
    """A port as painted: ``rank`` 0 is a circle, 1 a square, 2 and more a window."""

    name: str
    rank: int


@dataclass(frozen=True, slots=True)
class SavedChip:
    """One value that a node keeps for its VJP."""

    name: str
    freed: bool


@dataclass(frozen=True, slots=True, eq=False)
class NodeContent:
    """Everything painted on one node.

    Attributes:
        title: the node's name; ``subtitle`` its operation where that is not the same.
        shape: type and shape of its value.
        mark: ``"leaf"``, ``"constant"`` or ``""``.
        rows: label and cell of the value row and of the gradient row; of several outputs, a row
            each.
        tally: how many contributions have arrived, such as ``"1 of 2"``.
        message: what went wrong or is worth knowing.
        busy: counts up from 1 while it is being computed; 0 at all other times.
        stacked: whether there is more inside: a function.
        active: whether it fires now; ``freed`` whether a backward let its saved values go.
    """

    title: str
    subtitle: str
    glyph: str
    category: str
    shape: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    mark: str
    rows: tuple[tuple[str, Cell], ...]
    tally: str
    saved: tuple[SavedChip, ...]
    message: str
    is_error: bool
    busy: int
    active: bool
    freed: bool
    root: bool
    collapsed: bool
    pinned: bool
    height: float
    stacked: bool = False


def category_of(node: Node) -> str:
    """The theme's category: inputs by whether they require grad, then the operation's."""
    if node.op == INPUT:
        return "parameter" if node.params.get("requires_grad") else "data"
    if node.op in _OF_FUNCTIONS:
        return node.category
    spec = node.spec
    return "graph" if spec is None else spec.category


def node_content(node: Node, ports: NodePorts, facts: Facts) -> NodeContent:
    """What ``node`` says, given all that is known."""
    value = facts.value(node.id)
    label = "" if node.op == INPUT else node.label
    message, is_error = facts.message(node.id)
    return NodeContent(
        title=node.name,
        subtitle="" if label == node.name else label,
        glyph=_glyph(node),
        category=category_of(node),
        shape="" if value is None else fmt.shape_text(value),
        inputs=tuple(_input(node, name, facts) for name in ports.inputs),
        outputs=tuple(
            Port(_output_label(node, name), _rank(facts.value(node.id, k)))
            for k, name in enumerate(ports.outputs)
        ),
        mark=_mark(node),
        rows=(*_value_rows(node, ports, facts), *_gradient_rows(node, ports, facts)),
        tally=facts.tally(node.id),
        saved=tuple(SavedChip(name, freed) for name, freed in facts.saved(node.id)),
        message=message,
        is_error=is_error,
        busy=facts.beat(node.id),
        active=facts.is_active(node.id),
        freed=facts.is_freed(node.id),
        root=facts.is_root(node.id),
        collapsed=node.collapsed,
        pinned=node.pinned,
        height=ports.height + (0.0 if node.collapsed else facts.extra_height(node.id)),
        stacked=node.op == CALL,
    )


def value_cell(value: fmt.Shown) -> Cell:
    """A value as a number or a strip of greys."""
    if value.shape == () or _count(value) == 1:
        item = fmt.elements(value)[0]
        return Cell(fmt.number(item), "value" if np.isfinite(item) else "error")
    return Cell(tone="value", strip=fmt.strip(value), numbers=_numbers(value))


def gradient_cell(value: fmt.Shown) -> Cell:
    """A cotangent or gradient as a signed number or a diverging strip."""
    size = fmt.size_of(value)
    signed = signed_magnitude(size.mean, size.rms)
    if value.shape == () or _count(value) == 1:
        item = fmt.elements(value)[0]
        tone: Tone = "gradient" if np.isfinite(item) else "error"
        return Cell(fmt.number(item, signed=True), tone, signed=signed)
    # Cells are coloured by their own size on the log scale, not by the array's.
    finite = np.abs(fmt.elements(value))
    finite = finite[np.isfinite(finite)]
    scale = magnitude(float(finite.max(initial=0.0)))
    grid = fmt.strip(value)
    shaded = np.sign(grid) * np.abs(grid) ** 0.6 * max(0.35, min(1.0, scale + 0.1))
    return Cell(tone="gradient", strip=shaded, numbers=_numbers(value), signed=signed)


def _value_rows(node: Node, ports: NodePorts, facts: Facts) -> tuple[tuple[str, Cell], ...]:
    """What is on the outputs; a single one is called "value"."""
    _, is_error = facts.message(node.id)
    busy = facts.beat(node.id) > 0
    names = [_short(name) for name in ports.outputs[:MOST_OUTPUT_ROWS]]
    return tuple(
        (name, _value_cell(facts.value(node.id, k), is_error=is_error, busy=busy))
        for k, name in enumerate(names if len(ports.outputs) > 1 else ["value"])
    )


def _gradient_rows(node: Node, ports: NodePorts, facts: Facts) -> tuple[tuple[str, Cell], ...]:
    """What has come back: of a single output in words, else "∂" and the output's name."""
    if len(ports.outputs) <= 1:
        return (_gradient_row(node, facts),)
    return tuple(
        (f"∂{_short(name)}", _cotangent_cell(node, facts, k))
        for k, name in enumerate(ports.outputs[:MOST_OUTPUT_ROWS])
    )


def _cotangent_cell(node: Node, facts: Facts, output: int) -> Cell:
    arrived = facts.cotangent(node.id, output)
    if arrived is not None:
        return gradient_cell(arrived)
    if not facts.needs_grad(node):
        return Cell("no grad")
    is_awaited = facts.will_be_reached(node.id) and facts.cotangent(node.id) is None
    return Cell(pending=True) if is_awaited else Cell("—")


def _value_cell(value: fmt.Shown | None, *, is_error: bool, busy: bool) -> Cell:
    if busy:
        return Cell("computing…", "muted")
    if value is None:
        return Cell("—", "error" if is_error else "muted")
    return value_cell(value)


def _gradient_row(node: Node, facts: Facts) -> tuple[str, Cell]:
    """Leaves and retained nodes: what is kept. Others: what arrived in this backward."""
    arrived = facts.cotangent(node.id)
    if facts.keeps_grad(node):
        grad = facts.grad(node.id)
        if facts.is_arriving(node.id) and arrived is not None:
            return "arriving", gradient_cell(arrived)
        if grad is not None:
            return "grad", gradient_cell(grad)
        if facts.will_be_reached(node.id):
            return "grad", Cell(pending=True)
        return "grad", Cell("None")
    if not facts.needs_grad(node):
        return ("grad" if node.op == INPUT else "cotangent"), Cell(
            "detached" if node.op == DETACH else "no grad"
        )
    if arrived is not None:
        return "cotangent", gradient_cell(arrived)
    if facts.will_be_reached(node.id):
        return "cotangent", Cell(pending=True)
    if facts.is_root(node.id):
        given = facts.given_cotangent(node.id)
        return "cotangent", Cell("missing", "error") if given is None else gradient_cell(given)
    return "cotangent", Cell("—")


def _mark(node: Node) -> str:
    if node.op != INPUT:
        return ""
    return "leaf" if node.params.get("requires_grad") else "constant"


def _glyph(node: Node) -> str:
    if node.op == INPUT:
        return node.name[:1]
    spec = node.spec
    if spec is None:
        return _GLYPHS.get(node.op, "?")
    return spec.glyph or spec.label[:2]


def _input(node: Node, name: str, facts: Facts) -> Port:
    inline = node.inline.get(name)
    value = facts.arriving_value(node.id, name)
    return Port(_short(name), _rank(inline if value is None else value))


def _output_label(node: Node, name: str) -> str:
    """A single output is called like its node when that is short."""
    if name == "y" and len(node.name) <= 3:
        return node.name
    return _short(name)


def _short(name: str) -> str:
    """``xs[1]`` as ``xs₁``."""
    number = numbered(name)
    if number is None:
        return name
    stem, index = number
    return stem + str(index).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _rank(value: fmt.Shown | None) -> int:
    return 0 if value is None else min(2, len(value.shape))


def _count(value: fmt.Shown) -> int:
    return int(np.prod(value.shape, dtype=np.int64))


def _numbers(value: fmt.Shown) -> tuple[float, ...]:
    if len(value.shape) != 1 or not 0 < value.shape[0] <= _NUMBERED_CELLS:
        return ()
    flat = fmt.elements(value)
    return () if flat.dtype.kind == "c" else tuple(float(x) for x in flat)
