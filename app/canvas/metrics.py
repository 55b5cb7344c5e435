"""Measures of what is drawn, in scene units (logical pixels at 100 %)."""

from __future__ import annotations

NODE_WIDTH = 162.0
NODE_RADIUS = 10.0
HEADER_HEIGHT = 30.0
#: Of nodes too small for more than a name: there is room, and the name can be read.
SMALL_HEADER = 46.0

#: Room above the first port row, height of a port row, room below the last one.
PORTS_TOP = 7.0
PORT_ROW = 19.0
PORTS_BOTTOM = 9.0

#: Height of the value and gradient rows, of the rows that not every node has, room at the foot.
ROW = 21.0
#: Outputs of one node whose values and gradients are shown; the inspector shows all.
MOST_OUTPUT_ROWS = 4
SAVED_ROW = 21.0
TALLY_ROW = 21.0
MESSAGE_ROW = 25.0
FOOT = 8.0

#: How far shadow, glow and badges reach beyond a node; how far glow reaches beyond a wire.
NODE_MARGIN = 26.0
WIRE_MARGIN = 14.0

#: Distance of the dots behind the graph.
GRID = 24.0

#: Bounds of the zoom: logical pixels per scene unit.
MIN_ZOOM = 0.01
MAX_ZOOM = 4.0


def port_y(index: int) -> float:
    """Height of a port's centre below the top of its node."""
    return HEADER_HEIGHT + PORTS_TOP + PORT_ROW * (index + 0.5)


def rows_top(ports: int) -> float:
    """Top of the value row below the top of a node with that many port rows."""
    return HEADER_HEIGHT + PORTS_TOP + PORT_ROW * ports + PORTS_BOTTOM


def base_height(ports: int, outputs: int = 1) -> float:
    """Height of a node with that many port rows and outputs, and none of the optional rows."""
    return rows_top(ports) + 2 * ROW * min(max(outputs, 1), MOST_OUTPUT_ROWS) + FOOT
