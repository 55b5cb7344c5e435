"""Paints wires: sorted into bins of equal pen, each bin as lines in one call.

All colours are opaque. The glow under a lit wire is the background tinted, not a translucent
stroke: lines that overlap at their joints then show no beads. Flat caps keep them fast (a path
stroked with round caps costs ten times as much); lines are a little longer than they need be, so
that no gaps open on the outside of bends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.canvas import curves
from app.canvas.area import Area
from app.canvas.curves import Floats, Ints
from app.canvas.geometry import Geometry
from app.canvas.metrics import WIRE_MARGIN
from app.canvas.painting import draw_lines
from app.canvas.styles import WireKind, WireStyles
from app.canvas.view import View
from app.colors import Theme, mix

#: Lit wires are drawn in so many colours and widths.
_TINTS = 17
_WIDTHS = 8
_DASH_PERIOD = 9.3
#: Below this zoom wires lose their glow and core, and dashes merge.
_DETAIL_ZOOM = 0.3
#: From so many device pixels per logical one on, halos have no smooth edges.
_FINE = 1.5
#: By what part of its thickness a line is longer at each end.
_OVERLAP = 0.16


def lit_width(magnitude: Floats | float) -> Floats | float:
    """Width of a lit wire in scene units."""
    return 1.6 + 5.2 * magnitude**1.5


def visible_curves(geometry: Geometry, area: Area) -> Ints:
    """Rows of the curves that may touch a part of the scene."""
    return area.touched(geometry.boxes, WIRE_MARGIN)


def paint_wires(
    painter: QPainter,
    geometry: Geometry,
    styles: WireStyles,
    view: View,
    shown: Ints,
    theme: Theme,
) -> None:
    """The curves in rows ``shown``, on a painter in device pixels."""
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
    *,
    since: Floats | None = None,
    glow: bool = True,
) -> None:
    """Curves lit in the colour and width of a gradient: glow below, then wire, then core.

    Args:
        since: where on each curve, from 0 to 1, the lit part begins; None: at its start.
        glow: whether there is anything but the wire and its core.
    """
    if not control.shape[2]:
        return
    tint = np.rint((signed + 1.0) / 2.0 * (_TINTS - 1)).astype(np.intp)
    step = np.rint(magnitude * (_WIDTHS - 1)).astype(np.intp)
    keys = step * _TINTS + tint  # thin ones first
    order = np.argsort(keys, kind="stable")
    since = np.zeros(len(keys)) if since is None else since
    lines, curve = curves.tails(control[:, :, order], since[order], pieces(view.scale))
    lines = _to_device(lines, view)
    keys = keys[order][curve]
    starts = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    ends = [*starts[1:].tolist(), len(keys)]
    tints = (keys[starts] % _TINTS).tolist()
    thickness = np.asarray(lit_width(keys // _TINTS / (_WIDTHS - 1)))
    light = _light(theme)
    layers = [(light.wires, thickness)]
    if glow and view.zoom >= _DETAIL_ZOOM:
        layers = [(colors, thickness + grow) for grow, colors in light.halos] + layers
        if light.cores:
            layers.append((light.cores, np.maximum(1.0, thickness * 0.28)))
    for colors, widths in layers:
        # Steps at the edge of a faint tint are too small to see where pixels are fine.
        is_halo = colors is not light.wires and colors is not light.cores
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, not is_halo or view.dpr < _FINE)
        longer = _lengthened(lines, widths * view.scale)
        for start, end, k in zip(starts.tolist(), ends, tints, strict=True):
            _draw(painter, longer[start:end], colors[k], float(widths[start]) * view.scale)


@dataclass(frozen=True)
class _Light:
    """Colours of lit wires by tint: halos with how far they reach, wires, cores (dark only)."""

    halos: tuple[tuple[float, tuple[QColor, ...]], ...]
    wires: tuple[QColor, ...]
    cores: tuple[QColor, ...]


@lru_cache(maxsize=4)
def _light(theme: Theme) -> _Light:
    wires = tuple(theme.gradient_color(k / (_TINTS - 1) * 2.0 - 1.0) for k in range(_TINTS))
    ground = mix(theme.background, theme.background_lift, 0.5)
    shares = ((12.0, 0.10), (6.0, 0.24)) if theme.is_dark else ((6.0, 0.16),)
    halos = tuple(
        (reach, tuple(mix(ground, color, share) for color in wires)) for reach, share in shares
    )
    white = QColor("#FFFFFF")
    cores = tuple(mix(color, white, 0.33) for color in wires) if theme.is_dark else ()
    return _Light(halos, wires, cores)


def _stroke(
    painter: QPainter, control: Floats, color: QColor, thickness: float, view: View
) -> None:
    if control.shape[2]:
        lines = _to_device(curves.flatten(control, pieces(view.scale)), view)
        device = thickness * view.scale
        _draw(painter, _lengthened(lines, np.full(len(lines), device)), color, device)


def _stroke_dashed(painter: QPainter, control: Floats, color: QColor, view: View) -> None:
    lines = _to_device(curves.dashes(control, _DASH_PERIOD), view)
    _draw(painter, lines, color, 1.5 * view.scale)


def _to_device(lines: Floats, view: View) -> Floats:
    lines *= view.scale
    lines[:, 0::2] -= view.x
    lines[:, 1::2] -= view.y
    return lines


def _lengthened(lines: Floats, widths: Floats) -> Floats:
    """Lines a little longer at both ends, by the width of each."""
    if widths.max() < 2.0:
        return lines
    step = lines[:, 2:] - lines[:, :2]
    step *= (_OVERLAP * widths / np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-9))[:, None]
    return np.concatenate([lines[:, :2] - step, lines[:, 2:] + step], axis=1)


def _draw(painter: QPainter, lines: Floats, color: QColor, thickness: float) -> None:
    # A pen of at most one pixel is drawn by a much faster routine.
    pen = QPen(color, thickness if thickness > 1.05 else 0.0)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    draw_lines(painter, lines)


def pieces(scale: float) -> int:
    """Into how many lines a curve is cut, at so many device pixels per scene unit."""
    for limit, count in ((0.1, 1), (0.25, 4), (0.5, 7), (0.8, 12), (1.3, 16), (2.1, 22)):
        if scale < limit:
            return count
    return 36
