"""What is under the mouse: one vectorised look at the geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.canvas import curves
from app.canvas.curves import Ints
from app.canvas.geometry import Geometry
from app.canvas.metrics import HEADER_HEIGHT, NODE_WIDTH

Kind = Literal["node", "input", "output", "wire", "frame", "corner"]

#: How near a wire and a port must be, in screen pixels, unless asked otherwise.
WIRE_REACH = 6.0
PORT_REACH = 9.0
#: A port dropped upon may be this far away.
DROP_REACH = 20.0
#: Within a node its ports reach no farther than this, in scene units.
_INNER_REACH = 24.0


@dataclass(frozen=True, slots=True)
class Hit:
    """What was hit.

    Attributes:
        kind: what it is.
        id: of the node, wire or frame; of what a port or a lower right corner belongs to.
        port: name of the input or output port.
    """

    kind: Kind
    id: str
    port: str = ""


def hit(
    geometry: Geometry,
    x: float,
    y: float,
    zoom: float,
    *,
    reach: float = PORT_REACH,
    wires: bool = True,
) -> Hit | None:
    """The topmost thing at a place in the scene, or None.

    Ports go before nodes, nodes before wires, wires before frames. Of a node that looks small
    the middle remains the node's.

    Args:
        x, y: scene units.
        zoom: screen pixels per scene unit.
        reach: how many screen pixels a port may be away.
        wires: whether wires count.
    """
    found = _nodes_near(geometry, x, y, 0.0)
    port = port_near(
        geometry, x, y, min(reach / zoom, _INNER_REACH) if found.size else reach / zoom
    )
    if port is not None:
        return port
    if found.size:
        return Hit("node", geometry.nodes[found[-1]])
    wire = wire_near(geometry, x, y, WIRE_REACH / zoom) if wires else None
    return wire or _frame_at(geometry, x, y, reach / zoom)


def port_near(geometry: Geometry, x: float, y: float, reach: float) -> Hit | None:
    """The port nearest to a place, within ``reach`` scene units."""
    best, best_gap = None, reach
    for row in _nodes_near(geometry, x, y, reach)[::-1]:
        node, ports = geometry.nodes[row], geometry.ports[row]
        at = x - geometry.pos[row, 0], y - geometry.pos[row, 1]
        places = [("input", name, ports.input_offset(name)) for name in ports.inputs]
        places += [("output", name, ports.output_offset(name)) for name in ports.outputs]
        for kind, name, offset in places:
            gap = float(np.hypot(at[0] - offset[0], at[1] - offset[1]))
            if gap < best_gap:
                best_gap = gap
                best = Hit("input" if kind == "input" else "output", node, name)
    return best


def wire_near(geometry: Geometry, x: float, y: float, reach: float) -> Hit | None:
    """The wire nearest to a place, within ``reach`` scene units."""
    boxes = geometry.boxes
    near = np.flatnonzero((boxes[:, 0] <= x + reach) & (boxes[:, 2] >= x - reach))
    near = near[(boxes[near, 1] <= y + reach) & (boxes[near, 3] >= y - reach)]
    if not near.size:
        return None
    gaps = curves.distances(geometry.control[:, :, near], x, y)
    nearest = int(np.argmin(gaps))
    if gaps[nearest] > reach:
        return None
    return Hit("wire", geometry.wires[geometry.curve_wire[near[nearest]]])


def _nodes_near(geometry: Geometry, x: float, y: float, reach: float) -> Ints:
    """Rows of the nodes within ``reach`` of a place; across first, as that leaves few."""
    left = geometry.pos[:, 0]
    near = np.flatnonzero((left <= x + reach) & (left >= x - reach - NODE_WIDTH))
    top = geometry.pos[near, 1]
    found: Ints = near[(top <= y + reach) & (top + geometry.heights[near] >= y - reach)]
    return found


def _frame_at(geometry: Geometry, x: float, y: float, reach: float) -> Hit | None:
    """A frame by its title bar, a comment by all of it, and the lower right corner of both.

    The inside of a frame belongs to what lies there.
    """
    for frame in reversed(list(geometry.graph.frames.values())):
        left, top, width, height = frame.rect
        if abs(x - left - width) <= reach and abs(y - top - height) <= reach:
            return Hit("corner", frame.id)
        depth = height if frame.comment else HEADER_HEIGHT
        if left <= x <= left + width and top <= y <= top + depth:
            return Hit("frame", frame.id)
    return None


def nodes_in(geometry: Geometry, left: float, top: float, right: float, bottom: float) -> list[str]:
    """Ids of the nodes that a rectangle touches."""
    boxes = geometry.node_boxes()
    inside = (
        (boxes[:, 0] <= right)
        & (boxes[:, 2] >= left)
        & (boxes[:, 1] <= bottom)
        & (boxes[:, 3] >= top)
    )
    return [geometry.nodes[row] for row in np.flatnonzero(inside)]
