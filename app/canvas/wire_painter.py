"""Paints wires: sorted into bins of equal pen, each bin as lines in one call.

All colours are opaque. The glow under a lit wire is the background tinted, not a translucent
stroke: lines that overlap at their joints then show no beads, and square caps keep them fast (a
path stroked with round caps costs ten times as much).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.canvas import curves
from app.canvas.curves import Floats, Ints
from app.canvas.geometry import Geometry
from app.canvas.metrics import WIRE_MARGIN
from app.canvas.painting import draw_lines
from app.canvas.picture import WireKind, WireStyles
from app.canvas.view import Box, View
from app.colors import Theme, mix

#: Lit wires are drawn in so many colours and widths.
_TINTS = 17
_WIDTHS = 8
_DASH_PERIOD = 9.3
#: Below this zoom wires lose their glow and core, and dashes merge.
_DETAIL_ZOOM = 0.3


def lit_width(magnitude: Floats | float) -> Floats | float:
    """Width of a lit wire in scene units."""
    return 1.6 + 5.2 * magnitude**1.5


def visible_curves(geometry: Geometry, box: Box) -> Ints:
    """Rows of the curves that may touch a part of the scene."""
    left, top, right, bottom = box
    boxes, margin = geometry.boxes, WIRE_MARGIN
    return np.flatnonzero(
        (boxes[:, 0] <= right + margin)
        & (boxes[:, 2] >= left - margin)
        & (boxes[:, 1] <= bottom + margin)
        & (boxes[:, 3] >= top - margin)
    )


def paint_wires(
    painter: QPainter,
    geometry: Geometry,
    styles: WireStyles,
    view: View,
    rect: Box,
    theme: Theme,
) -> None:
    """The wires that touch ``rect`` (device pixels), on a painter in device pixels."""
    shown = visible_curves(geometry, view.scene_box(*rect))
    if not shown.size:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    kinds = styles.kind[geometry.curve_wire[shown]]
    detailed = view.zoom >= _DETAIL_ZOOM
    plain = shown[kinds == WireKind.PLAIN]
    unlit = mix(theme.wire, theme.background, 0.0 if detailed else 0.25)
    _stroke(painter, geometry.control[:, :, plain], unlit, 2.0, view)
    without = shown[kinds == WireKind.NO_GRAD]
    faint = mix(theme.wire, theme.background, 0.25 if detailed else 0.5)
    if detailed:
        _stroke_dashed(painter, geometry.control[:, :, without], faint, view)
    else:
        _stroke(painter, geometry.control[:, :, without], faint, 1.5, view)
    lit = shown[kinds == WireKind.LIT]
    wires = geometry.curve_wire[lit]
    paint_lit(
        painter,
        geometry.control[:, :, lit],
        styles.signed[wires],
        styles.magnitude[wires],
        view,
        theme,
    )


def paint_lit(
    painter: QPainter,
    control: Floats,
    signed: Floats,
    magnitude: Floats,
    view: View,
    theme: Theme,
) -> None:
    """Curves lit in the colour and width of a gradient: glow below, then wire, then core."""
    if not control.shape[2]:
        return
    bins = list(_bins(signed, magnitude, theme))
    if view.zoom >= _DETAIL_ZOOM:
        ground = mix(theme.background, theme.background_lift, 0.5)
        glows = ((12.0, 0.10), (6.0, 0.24)) if theme.is_dark else ((6.0, 0.16),)
        for grow, share in glows:
            for chosen, color, thickness in bins:
                glow = mix(ground, color, share)
                _stroke(painter, control[:, :, chosen], glow, thickness + grow, view)
    for chosen, color, thickness in bins:
        _stroke(painter, control[:, :, chosen], color, thickness, view)
        if theme.is_dark and view.zoom >= _DETAIL_ZOOM:
            core = mix(color, QColor("#FFFFFF"), 0.33)
            _stroke(painter, control[:, :, chosen], core, max(1.0, thickness * 0.28), view)


def _bins(signed: Floats, magnitude: Floats, theme: Theme) -> Iterator[tuple[Ints, QColor, float]]:
    """Curves of one colour and width together, thin ones first."""
    tint = np.rint((signed + 1.0) / 2.0 * (_TINTS - 1)).astype(np.intp)
    thickness = np.rint(magnitude * (_WIDTHS - 1)).astype(np.intp)
    keys = thickness * _TINTS + tint
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    for chosen in np.split(order, starts[1:]):
        key = int(keys[chosen[0]])
        color = theme.gradient_color(key % _TINTS / (_TINTS - 1) * 2.0 - 1.0)
        yield chosen, color, float(lit_width(key // _TINTS / (_WIDTHS - 1)))


def _stroke(
    painter: QPainter, control: Floats, color: QColor, thickness: float, view: View
) -> None:
    if not control.shape[2]:
        return
    lines = curves.flatten(control, pieces(view.zoom))
    _draw(painter, lines, color, thickness, view)


def _stroke_dashed(painter: QPainter, control: Floats, color: QColor, view: View) -> None:
    _draw(painter, curves.dashes(control, _DASH_PERIOD), color, 1.5, view)


def _draw(painter: QPainter, lines: Floats, color: QColor, thickness: float, view: View) -> None:
    lines = lines * view.scale
    lines[:, 0::2] -= view.x
    lines[:, 1::2] -= view.y
    device = thickness * view.scale
    # A pen of at most one pixel is drawn by a much faster routine.
    pen = QPen(color, device if device > 1.05 else 0.0)
    pen.setCapStyle(Qt.PenCapStyle.SquareCap if device > 2.5 else Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    draw_lines(painter, lines)


def pieces(zoom: float) -> int:
    """Into how many lines a curve is cut."""
    for limit, count in ((0.1, 1), (0.25, 4), (0.5, 8), (1.0, 16), (2.0, 24)):
        if zoom < limit:
            return count
    return 40
