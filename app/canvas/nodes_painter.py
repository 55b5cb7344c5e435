"""Paints many nodes: in full when they are large enough to read, else as small pictures."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.canvas.area import Area
from app.canvas.curves import Floats, Ints
from app.canvas.geometry import Geometry
from app.canvas.metrics import NODE_MARGIN, SMALL_HEADER
from app.canvas.painting import draw_fragments, draw_text, font, fragments
from app.canvas.picture import Picture
from app.canvas.sprites import SHADES, Sprites
from app.canvas.view import View

#: From this zoom on nodes show all they have to say; from the lower one on their names.
FULL_ZOOM = 0.45
NAME_ZOOM = 0.28
#: Size of the names of small nodes in scene units.
_NAME_PX = 23.0


def visible_nodes(geometry: Geometry, area: Area) -> Ints:
    """Rows of the nodes that may touch a part of the scene, shadows and badges included."""
    return area.touched(geometry.node_boxes(), NODE_MARGIN)


def device_corners(geometry: Geometry, rows: Ints, view: View) -> Floats:
    """Top left corners of nodes in whole device pixels, (n, 2).

    Rounded down after adding a half, not to even: a panned picture is then an exact copy.
    """
    return np.floor(geometry.pos[rows] * view.scale - (view.x, view.y) + 0.5)


def paint_nodes(
    painter: QPainter, picture: Picture, sprites: Sprites, view: View, rows: Ints
) -> None:
    """The nodes in ``rows``, on a painter in device pixels."""
    geometry = picture.geometry
    if not rows.size:
        return
    corners = device_corners(geometry, rows, view)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if view.zoom >= FULL_ZOOM:
        margin = sprites.margin
        for row, (x, y) in zip(rows.tolist(), corners.tolist(), strict=True):
            pixmap = sprites.node(geometry.nodes[row], picture.content(row))
            painter.drawPixmap(int(x) - margin, int(y) - margin, pixmap)
        return
    _paint_small(painter, picture, sprites, rows, corners)
    if view.zoom >= NAME_ZOOM:
        _paint_names(painter, picture, sprites, rows, corners)


def _paint_small(
    painter: QPainter, picture: Picture, sprites: Sprites, rows: Ints, corners: Floats
) -> None:
    geometry, styles = picture.geometry, picture.nodes
    heights = np.maximum(2, np.rint(geometry.heights[rows] * sprites.scale)).astype(np.intp)
    tallest = int(heights.max()) + 1
    keys = (styles.category[rows] * 8 + styles.status[rows]) * tallest + heights
    width = sprites.small_width
    for key in np.unique(keys).tolist():
        chosen = keys == key
        kind, height = divmod(key, tallest)
        category, status = divmod(kind, 8)
        pixmap = sprites.small(styles.categories[category], status, height)
        x = corners[chosen, 0] + width / 2
        y = corners[chosen, 1] + height / 2
        draw_fragments(painter, fragments(x, y, width, height), pixmap)
    _paint_bars(painter, picture, sprites, rows, corners)


def _paint_bars(
    painter: QPainter, picture: Picture, sprites: Sprites, rows: Ints, corners: Floats
) -> None:
    """A bar in the colour of what arrived, on every node that has got something."""
    signed = picture.nodes.signed[rows]
    has = np.isfinite(signed)
    if not has.any():
        return
    palette, width, height = sprites.palette()
    shade = np.rint((signed[has] + 1) / 2 * (SHADES - 1))
    node_heights = picture.geometry.heights[rows][has] * sprites.scale
    header = SMALL_HEADER * sprites.scale
    x = corners[has, 0] + sprites.small_width // 2 + width % 2 / 2
    y = corners[has, 1] + np.floor(header + (node_heights - header) * 0.5) + height % 2 / 2
    bars = fragments(x, y, width, height)
    bars[:, 2] = shade * width
    draw_fragments(painter, bars, palette)


def _paint_names(
    painter: QPainter, picture: Picture, sprites: Sprites, rows: Ints, corners: Floats
) -> None:
    """Names alone, larger than to scale so that they can still be read."""
    graph, nodes = picture.graph, picture.geometry.nodes
    name_font = font(max(6, round(_NAME_PX * sprites.scale)), "semibold")
    width, height = sprites.small_width, SMALL_HEADER * sprites.scale
    pad = 9 * sprites.scale
    styles = picture.nodes
    inks = [sprites.theme.header_text(name) for name in styles.categories]
    freed = sprites.theme.text_muted
    for row, (x, y) in zip(rows.tolist(), corners.tolist(), strict=True):
        ink = freed if styles.status[row] == 1 else inks[styles.category[row]]
        room = QRectF(x + pad, y, width - 2 * pad, height)
        draw_text(painter, room, graph.nodes[nodes[row]].name, name_font, ink)
