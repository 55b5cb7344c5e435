"""How much room a layout leaves, in scene units, and the types of what it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Point = tuple[float, float]
Sizes = Mapping[str, Point]
Edges = Sequence[tuple[str, str]]
Positions = dict[str, Point]
#: The group that a node, or a group, is directly in.
Groups = Mapping[str, str]

#: Between the right edge of a column and the left edge of the next.
COLUMN_GAP = 110.0
#: Least room between the bottom of a node and the top of the next in its column. Between two
#: nodes of usual height it comes to about 36, because they are centred on their port lines.
ROW_GAP = 14.0
#: From a node's top to its first row of ports, which the layout puts on a line so that the wires
#: of a main path run straight.
PORT_LINE = 46.5
#: Between a frame and the nodes in it, and the height of its title above them.
FRAME_ROOM = 28.0
FRAME_TITLE = 34.0
