"""How pulses look: the part of a wire they lit, ripples where they set out, and their light."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from app.canvas import glow
from app.canvas.flying import RADIUS, Flying, device_places
from app.canvas.geometry import Geometry
from app.canvas.node_painter import draw_port
from app.canvas.nodes_painter import FULL_ZOOM
from app.canvas.painting import draw_fragments, fragments
from app.canvas.picture import Picture
from app.canvas.view import View
from app.canvas.wire_painter import paint_lit
from app.colors import Theme, faded
from core.moments import InFlight
from core.schedule import TRAVEL

#: Beyond so many pulses they lose their trails, and all is repainted instead of parts.
FEW = 400
#: Up to so many pulses in sight, light adds up by screen blending and lit parts glow.
RICH = 24
#: No ripples when more nodes than this fire at once.
_MOST_RIPPLES = 8
_RIPPLE = 0.35
_LEAST_RADIUS = 8.0
_RADIUS_STEP = 4


def radius(view: View) -> int:
    """Reach of a pulse's light in device pixels, in steps: an atlas serves several zooms."""
    reach = max(_LEAST_RADIUS, RADIUS * min(view.zoom, 2.0)) * view.dpr
    return _RADIUS_STEP * round(reach / _RADIUS_STEP)


def paint_tails(
    painter: QPainter, flying: Flying, picture: Picture, view: View, theme: Theme
) -> None:
    """The part of each wire that its pulse has passed."""
    geometry = picture.geometry
    curve, part = geometry.curve_at(flying.wires, flying.t)
    passed, since, owner = [curve], [part], [np.arange(len(flying))]
    last = geometry.first_curve[flying.wires + 1] - 1
    for k in np.flatnonzero(curve < last):
        rest = np.arange(curve[k] + 1, last[k] + 1)
        passed.append(rest)
        since.append(np.zeros(len(rest)))
        owner.append(np.full(len(rest), k))
    owners = np.concatenate(owner)
    paint_lit(
        painter,
        geometry.control[:, :, np.concatenate(passed)],
        flying.signed[owners],
        flying.magnitude[owners],
        view,
        theme,
        since=np.concatenate(since),
        glow=len(flying) <= RICH,
    )
    if view.zoom >= FULL_ZOOM and len(flying) <= RICH:
        _paint_ports(painter, flying.flights, picture, view, theme)


def _paint_ports(
    painter: QPainter, flights: Sequence[InFlight], picture: Picture, view: View, theme: Theme
) -> None:
    """The ports that pulses came from, which their lit wires would cover."""
    geometry = picture.geometry
    painter.save()
    painter.translate(-view.x, -view.y)
    painter.scale(view.scale, view.scale)
    for flight in flights:
        row = geometry.row[flight.node]
        ports, content = geometry.ports[row], picture.content(row)
        if flight.flow.port in ports.inputs:
            at = QPointF(*geometry.input_pos(flight.node, flight.flow.port))
            port = content.inputs[ports.inputs.index(flight.flow.port)]
            draw_port(painter, at, port, theme.port, theme.background)
    painter.restore()


def paint_ripples(
    painter: QPainter, flying: Flying, picture: Picture, view: View, theme: Theme
) -> None:
    """Rings around the outputs that fire."""
    if len({flight.node for flight in flying.flights}) > _MOST_RIPPLES:
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    done: set[str] = set()
    geometry = picture.geometry
    for flight, signed in zip(flying.flights, flying.signed.tolist(), strict=False):
        age = flight.progress * TRAVEL / _RIPPLE
        if flight.node in done or age >= 1.0:
            continue
        done.add(flight.node)
        color = theme.gradient_color(signed)
        center = QPointF(*fired_at(flight, geometry)) * view.scale - QPointF(view.x, view.y)
        spread = 1 - (1 - age) ** 3
        for reach, alpha in ((10, 0.75), (17, 0.35), (25, 0.14)):
            painter.setPen(QPen(faded(color, alpha * (1 - age)), 1.6 * view.scale))
            ring = reach * (0.6 + 0.4 * spread) * view.scale
            painter.drawEllipse(center, ring, ring)


def fired_at(flight: InFlight, geometry: Geometry) -> tuple[float, float]:
    """The output of the node that sent a flow, in scene units."""
    outputs = geometry.ports[geometry.row[flight.node]].outputs
    return geometry.output_pos(flight.node, outputs[0])


def paint_light(
    painter: QPainter, flying: Flying, geometry: Geometry, view: View, theme: Theme
) -> None:
    light = glow.atlas(theme, radius(view))
    tint = glow.tint_of(flying.signed)
    if theme.is_dark and len(flying) <= RICH:  # elsewhere its slowness would show
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Screen)
    if len(flying) <= FEW:
        back = np.arange(glow.TRAIL, 0, -1)[:, None] * glow.TRAIL_STEP
        t = np.minimum(1.0, flying.t[None, :] + back)
        wires = np.broadcast_to(flying.wires, t.shape).ravel()
        x, y = device_places(geometry, wires, t.ravel(), view)
        places = fragments(x, y, light.trail, light.trail)
        places[:, 2] = np.broadcast_to(tint, t.shape).ravel() * light.trail
        places[:, 3] = np.repeat(np.arange(glow.TRAIL - 1, -1, -1), len(tint)) * light.trail
        draw_fragments(painter, places, light.trails)
    x, y = device_places(geometry, flying.wires, flying.t, view)
    places = fragments(x, y, light.head, light.head)
    places[:, 2] = tint * light.head
    draw_fragments(painter, places, light.heads)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
