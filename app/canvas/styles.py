"""How nodes and wires look where they are too many to be told apart: arrays by row."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from app.canvas.content import category_of
from app.canvas.curves import Floats
from app.canvas.facts import Facts
from app.canvas.geometry import Geometry
from app.canvas.rows import among, rows_before
from app.canvas.sizes import Sizes


class WireKind(IntEnum):
    """How a wire is drawn."""

    PLAIN = 0
    NO_GRAD = 1
    LIT = 2


class Status(IntEnum):
    """How a node is drawn when it is too small for its content."""

    NORMAL = 0
    FREED = 1
    ERROR = 2
    ACTIVE = 3


@dataclass
class WireStyles:
    """By wire row: kind, and of lit wires the gradient's signed magnitude and magnitude."""

    kind: np.ndarray[tuple[int], np.dtype[np.uint8]]
    signed: Floats
    magnitude: Floats

    @classmethod
    def plain(cls, count: int) -> WireStyles:
        """Styles of so many unlit wires."""
        return cls(np.zeros(count, np.uint8), np.zeros(count), np.zeros(count))


@dataclass
class NodeStyles:
    """By node row: category (its place in ``categories``), status, and the gradient's side."""

    category: np.ndarray[tuple[int], np.dtype[np.intp]]
    status: np.ndarray[tuple[int], np.dtype[np.uint8]]
    signed: Floats
    categories: list[str] = field(default_factory=list)


def node_styles(geometry: Geometry, facts: Facts, sizes: Sizes) -> NodeStyles:
    """Styles of all nodes."""
    names = [category_of(node) for node in geometry.graph.nodes.values()]
    categories = sorted(set(names))
    index = {name: k for k, name in enumerate(categories)}
    styles = NodeStyles(
        category=np.array([index[name] for name in names], dtype=np.intp),
        status=np.zeros(len(names), np.uint8),
        signed=np.full(len(names), np.nan),
        categories=categories,
    )
    style_nodes(styles, facts.marked_nodes() & geometry.row.keys(), geometry, facts, sizes)
    return styles


def node_styles_after(
    before: NodeStyles,
    was: Geometry,
    touched: Container[str],
    geometry: Geometry,
    facts: Facts,
    sizes: Sizes,
) -> NodeStyles:
    """Styles of all nodes after an edit; only those it added or touched are asked.

    Args:
        was: what ``before`` are the styles of.
        touched: ids of nodes that the edit may have changed.
    """
    if not was.nodes:
        return node_styles(geometry, facts, sizes)
    rows = rows_before(geometry.nodes, was.row)
    asked = np.flatnonzero((rows < 0) | among(geometry.nodes, touched)).tolist()
    nodes = [geometry.nodes[row] for row in asked]
    names = [category_of(geometry.graph.nodes[node]) for node in nodes]
    if not set(names) <= set(before.categories):
        return node_styles(geometry, facts, sizes)
    styles = NodeStyles(
        before.category[rows], before.status[rows], before.signed[rows], before.categories
    )
    styles.category[asked] = [before.categories.index(name) for name in names]
    style_nodes(styles, nodes, geometry, facts, sizes)
    return styles


def style_nodes(
    styles: NodeStyles, nodes: Iterable[str], geometry: Geometry, facts: Facts, sizes: Sizes
) -> None:
    """Bring the status and the gradient of some nodes up to date."""
    rows, statuses, signed = [], [], []
    for node in nodes:
        shown = facts.cotangent(node)
        if shown is None:
            shown = facts.grad(node)
        rows.append(geometry.row[node])
        statuses.append(_status(node, facts))
        signed.append(np.nan if shown is None else sizes.of(shown)[0])
    styles.status[rows] = statuses
    styles.signed[rows] = signed


def _status(node: str, facts: Facts) -> Status:
    if facts.is_active(node) or facts.beat(node):
        return Status.ACTIVE
    if facts.message(node)[1]:
        return Status.ERROR
    return Status.FREED if facts.is_freed(node) else Status.NORMAL


def wire_styles(geometry: Geometry, facts: Facts, sizes: Sizes) -> WireStyles:
    """Styles of all wires."""
    styles = WireStyles.plain(len(geometry.wires))
    if geometry.wires:
        without = np.array([facts.has_no_grad(node) for node in geometry.nodes], dtype=bool)
        styles.kind[without[geometry.source]] = WireKind.NO_GRAD
    if facts.moment is not None:
        entry = geometry.entry
        lit = [entry[key] for key in facts.moment.arrived if key in entry]
        style_wires(styles, lit, geometry, facts, sizes)
    return styles


def wire_styles_after(
    before: WireStyles,
    was: Geometry,
    touched: Container[str],
    geometry: Geometry,
    facts: Facts,
    sizes: Sizes,
) -> WireStyles:
    """Styles of all wires after an edit, see ``node_styles_after``."""
    if not was.wires:
        return wire_styles(geometry, facts, sizes)
    rows = rows_before(geometry.wires, was.wire_row)
    at = among(geometry.nodes, touched)
    asked = np.flatnonzero((rows < 0) | at[geometry.source] | at[geometry.target])
    styles = WireStyles(before.kind[rows], before.signed[rows], before.magnitude[rows])
    styles.signed[asked] = styles.magnitude[asked] = 0.0
    style_wires(styles, asked.tolist(), geometry, facts, sizes)
    return styles


def style_wires(
    styles: WireStyles, wires: Iterable[int], geometry: Geometry, facts: Facts, sizes: Sizes
) -> None:
    """Bring the look of some wires (rows) up to date."""
    arrived = facts.moment.arrived if facts.moment is not None else {}
    graph_wires, ids = geometry.graph.wires, geometry.wires
    lit, measures, dashed, plain = [], [], [], []
    for row in wires:
        wire = graph_wires[ids[row]]
        flow = arrived.get((wire.target, wire.port))
        if flow is not None:
            lit.append(row)
            measures.append(sizes.of_wire(flow.contribution))
        elif facts.has_no_grad(wire.source):
            dashed.append(row)
        else:
            plain.append(row)
    for rows, kind in ((plain, WireKind.PLAIN), (dashed, WireKind.NO_GRAD), (lit, WireKind.LIT)):
        styles.kind[rows] = kind
    styles.signed[lit], styles.magnitude[lit] = np.array(measures).reshape(-1, 2).T
