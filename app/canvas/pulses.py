"""The moving overlay: pulses on wires, the part of a wire they have lit, ripples and labels.

All of it is a function of the moment shown. Positions of all pulses come from one evaluation, and
all their sprites from one atlas in one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap, QRegion

from app.canvas import curves, glow
from app.canvas import format as fmt
from app.canvas.curves import Floats, Ints
from app.canvas.flight_labels import LABEL_ZOOM, FlightLabels
from app.canvas.geometry import Geometry
from app.canvas.metrics import WIRE_MARGIN
from app.canvas.node_painter import draw_port
from app.canvas.nodes_painter import FULL_ZOOM
from app.canvas.painting import draw_fragments, fragments
from app.canvas.picture import Picture
from app.canvas.view import View
from app.canvas.wire_painter import paint_lit
from app.colors import Theme, faded, magnitude, signed_magnitude
from core.trace import TRAVEL, Flow, InFlight

#: Beyond so many pulses they lose their trails, and all is repainted instead of parts.
FEW = 400
#: Up to so many pulses in sight, light adds up by screen blending and lit parts glow.
_RICH = 24
#: Labels when there are more pulses than that: the largest gradients'.
_CROWD_LABELS = 8
#: No ripples when more nodes than this fire at once.
_MOST_RIPPLES = 8
#: More dirty pieces than this cost more than their common rectangle.
_MOST_PIECES = 24
_RIPPLE = 0.35
_RADIUS = 30.0
_LEAST_RADIUS = 8.0
_RADIUS_STEP = 4
#: How far behind a pulse its trail reaches, as a part of the wire.
_TRAIL = glow.TRAIL * glow.TRAIL_STEP + 0.06


def ease(progress: Floats) -> Floats:
    """Ease in and out, cubic."""
    return np.where(progress < 0.5, 4 * progress**3, 1 - (2 - 2 * progress) ** 3 / 2)


@dataclass(frozen=True)
class Flying:
    """Pulses as arrays, one entry each.

    Attributes:
        wires: rows of their wires.
        t: where on the wire, from 1 at the target to 0 at the source.
        signed, magnitude: of what they carry.
        flights: what they stand for; may be empty.
    """

    wires: Ints
    t: Floats
    signed: Floats
    magnitude: Floats
    flights: Sequence[InFlight] = ()

    def __len__(self) -> int:
        return len(self.wires)

    def in_sight(self, geometry: Geometry, view: View, size: tuple[float, float]) -> Flying:
        """Those whose wires touch a window of ``size`` device pixels."""
        if not len(self.wires):
            return self
        left, top, right, bottom = view.scene_box(0, 0, *size)
        margin = _RADIUS / min(view.zoom, 1.0) + WIRE_MARGIN
        first, last = geometry.first_curve[self.wires], geometry.first_curve[self.wires + 1] - 1
        low = np.minimum(geometry.boxes[first, :2], geometry.boxes[last, :2])
        high = np.maximum(geometry.boxes[first, 2:], geometry.boxes[last, 2:])
        seen = np.flatnonzero(
            (low[:, 0] <= right + margin)
            & (high[:, 0] >= left - margin)
            & (low[:, 1] <= bottom + margin)
            & (high[:, 1] >= top - margin)
        )
        if len(seen) == len(self.wires):
            return self
        return self.only(seen)

    def only(self, rows: Ints) -> Flying:
        """The pulses in these rows."""
        flights = [self.flights[k] for k in rows.tolist()] if self.flights else ()
        return Flying(
            self.wires[rows], self.t[rows], self.signed[rows], self.magnitude[rows], flights
        )


_NONE = Flying(np.empty(0, dtype=np.intp), np.empty(0), np.empty(0), np.empty(0))


class Pulses:
    """What moves now."""

    def __init__(self) -> None:
        self.reduced_motion = False
        self._flying = _NONE
        self._sizes: dict[int, tuple[Flow, float, float]] = {}
        self._labels = FlightLabels()

    def __len__(self) -> int:
        return len(self._flying)

    def follow(self, picture: Picture) -> None:
        """Take over what is in flight in the picture's moment."""
        moment = picture.moment
        if moment is None or not moment.in_flight:
            self._flying = _NONE
            self._sizes.clear()
            self._labels.keep(())
            return
        entry = picture.geometry.entry
        found = [(entry.get((f.node, f.flow.port)), f) for f in moment.in_flight]
        known = [(wire, flight) for wire, flight in found if wire is not None]
        sizes = [self._size(flight.flow) for _, flight in known]
        self._labels.keep([flight for _, flight in known])
        self.show(
            np.array([wire for wire, _ in known], dtype=np.intp),
            np.array([flight.progress for _, flight in known], dtype=float),
            np.array([signed for signed, _ in sizes], dtype=float),
            np.array([size for _, size in sizes], dtype=float),
            [flight for _, flight in known],
        )

    def show(
        self,
        wires: Ints,
        progress: Floats,
        signed: Floats,
        size: Floats,
        flights: Sequence[InFlight] = (),
    ) -> None:
        """Show pulses on wires; ``progress`` from 0 at the target to 1 at the source."""
        t = np.zeros(len(wires)) if self.reduced_motion else 1.0 - ease(progress)
        self._flying = Flying(wires, t, signed, size, flights)

    def _size(self, flow: Flow) -> tuple[float, float]:
        known = self._sizes.get(id(flow))
        if known is None:
            size = fmt.size_of(flow.contribution)
            signed = float(np.nan_to_num(signed_magnitude(size.mean, size.rms), nan=1.0))
            known = (flow, signed, float(np.nan_to_num(magnitude(size.rms), nan=1.0)))
            self._sizes[id(flow)] = known
        return known[1], known[2]

    # -- painting -----------------------------------------------------------------------------

    def paint(self, painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
        """Everything that moves, on a painter in device pixels."""
        if not len(self._flying):
            return
        device = painter.device()
        ratio = device.devicePixelRatioF()
        size = (device.width() * ratio, device.height() * ratio)
        flying = self._flying.in_sight(picture.geometry, view, size)
        if not len(flying):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if len(flying) <= FEW:
            _paint_tails(painter, flying, picture, view, theme)
        if not self.reduced_motion:
            if len(flying) <= FEW:
                _paint_ripples(painter, flying, picture, view, theme)
            _paint_light(painter, flying, picture.geometry, view, theme)
        if flying.flights and view.zoom >= LABEL_ZOOM:
            for corner, pixmap in self._placed(flying, picture, view, theme):
                painter.drawPixmap(corner, pixmap)

    def region(
        self, picture: Picture, view: View, size: tuple[float, float], theme: Theme
    ) -> QRegion | None:
        """Logical pixels of a window of ``size`` device pixels that painting touches.

        None: too many to tell apart.
        """
        flying = self._flying.in_sight(picture.geometry, view, size)
        if len(flying) > FEW:
            return None
        if not len(flying):
            return QRegion()
        geometry = picture.geometry
        margin = radius(view) + 4
        t = np.clip(np.linspace(0.0, _TRAIL, 5)[:, None] + flying.t[None, :], 0, 1)
        x, y = _device(geometry, np.broadcast_to(flying.wires, t.shape).ravel(), t.ravel(), view)
        x, y = x.reshape(t.shape), y.reshape(t.shape)
        boxes = np.stack([x.min(axis=0), y.min(axis=0), x.max(axis=0), y.max(axis=0)], axis=1)
        boxes += (-margin, -margin, margin, margin)
        if flying.flights:
            boxes = np.vstack([boxes, _ripple_boxes(flying, geometry, view)])
        rects = _logical(boxes, view.dpr)
        if flying.flights and view.zoom >= LABEL_ZOOM:
            for corner, pixmap in self._placed(flying, picture, view, theme):
                box = (corner.x(), corner.y(), corner.x() + pixmap.width(),
                       corner.y() + pixmap.height())  # fmt: skip
                rects += _logical(np.array([box]), view.dpr)
        if len(rects) > _MOST_PIECES:  # a clip of many pieces slows every copy down
            boxes = np.array([rect.getCoords() for rect in rects])
            low, high = boxes[:, :2].min(axis=0).tolist(), boxes[:, 2:].max(axis=0).tolist()
            return QRegion(QRect(QPoint(*low), QPoint(*high)))
        region = QRegion()
        for rect in rects:
            region += QRegion(rect)
        return region

    def _placed(
        self, flying: Flying, picture: Picture, view: View, theme: Theme
    ) -> list[tuple[QPoint, QPixmap]]:
        """Labels of all pulses, or of the largest where all would be a crowd."""
        if len(flying) > _RICH:
            flying = flying.only(np.argsort(-flying.magnitude, kind="stable")[:_CROWD_LABELS])
        t = np.full(len(flying), 0.5) if self.reduced_motion else flying.t
        x, y = _device(picture.geometry, flying.wires, t, view)
        return self._labels.placed(flying.flights, flying.wires, x, y, picture, view, theme)


def radius(view: View) -> int:
    """Reach of a pulse's light in device pixels, in steps: an atlas serves several zooms."""
    reach = max(_LEAST_RADIUS, _RADIUS * min(view.zoom, 2.0)) * view.dpr
    return _RADIUS_STEP * round(reach / _RADIUS_STEP)


def _paint_tails(
    painter: QPainter, flying: Flying, picture: Picture, view: View, theme: Theme
) -> None:
    """The part of each wire that its pulse has passed."""
    geometry = picture.geometry
    curve, part = geometry.curve_at(flying.wires, flying.t)
    control = [curves.tails(geometry.control[:, :, curve], part)]
    owner = [np.arange(len(flying))]
    last = geometry.first_curve[flying.wires + 1] - 1
    for k in np.flatnonzero(curve < last):
        rest = np.arange(curve[k] + 1, last[k] + 1)
        control.append(geometry.control[:, :, rest])
        owner.append(np.full(len(rest), k))
    owners = np.concatenate(owner)
    paint_lit(
        painter,
        np.concatenate(control, axis=2),
        flying.signed[owners],
        flying.magnitude[owners],
        view,
        theme,
        glow=len(flying) <= _RICH,
    )
    if view.zoom >= FULL_ZOOM and len(flying) <= _RICH:
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


def _paint_ripples(
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
        center = QPointF(*_fired_at(flight, geometry)) * view.scale - QPointF(view.x, view.y)
        spread = 1 - (1 - age) ** 3
        for reach, alpha in ((10, 0.75), (17, 0.35), (25, 0.14)):
            painter.setPen(QPen(faded(color, alpha * (1 - age)), 1.6 * view.scale))
            ring = reach * (0.6 + 0.4 * spread) * view.scale
            painter.drawEllipse(center, ring, ring)


def _fired_at(flight: InFlight, geometry: Geometry) -> tuple[float, float]:
    """The output of the node that sent a flow, in scene units."""
    outputs = geometry.ports[geometry.row[flight.node]].outputs
    return geometry.output_pos(flight.node, outputs[0])


def _ripple_boxes(flying: Flying, geometry: Geometry, view: View) -> Floats:
    nodes = {flight.node: flight for flight in flying.flights}
    centers = np.array([_fired_at(flight, geometry) for flight in nodes.values()])
    centers = centers * view.scale - (view.x, view.y)
    reach = 27 * view.scale
    return np.hstack([centers - reach, centers + reach])


def _paint_light(
    painter: QPainter, flying: Flying, geometry: Geometry, view: View, theme: Theme
) -> None:
    light = glow.atlas(theme, radius(view))
    tint = glow.tint_of(flying.signed)
    if theme.is_dark and len(flying) <= _RICH:  # elsewhere its slowness would show
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Screen)
    if len(flying) <= FEW:
        back = np.arange(glow.TRAIL, 0, -1)[:, None] * glow.TRAIL_STEP
        t = np.minimum(1.0, flying.t[None, :] + back)
        wires = np.broadcast_to(flying.wires, t.shape).ravel()
        x, y = _device(geometry, wires, t.ravel(), view)
        places = fragments(x, y, light.trail, light.trail)
        places[:, 2] = np.broadcast_to(tint, t.shape).ravel() * light.trail
        places[:, 3] = np.repeat(np.arange(glow.TRAIL - 1, -1, -1), len(tint)) * light.trail
        draw_fragments(painter, places, light.trails)
    x, y = _device(geometry, flying.wires, flying.t, view)
    places = fragments(x, y, light.head, light.head)
    places[:, 2] = tint * light.head
    draw_fragments(painter, places, light.heads)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)


def _device(geometry: Geometry, wires: Ints, t: Floats, view: View) -> tuple[Floats, Floats]:
    """Places on wires in whole device pixels."""
    x, y = geometry.along(wires, t)
    return np.rint(x * view.scale - view.x), np.rint(y * view.scale - view.y)


def _logical(boxes: Floats, dpr: float) -> list[QRect]:
    """Boxes of device pixels (n, 4) as rectangles of logical pixels that hold them."""
    low = np.floor(boxes[:, :2] / dpr).astype(int) - 1
    high = np.ceil(boxes[:, 2:] / dpr).astype(int) + 1
    sizes = high - low
    return [
        QRectF(x, y, width, height).toRect()
        for (x, y), (width, height) in zip(low.tolist(), sizes.tolist(), strict=True)
    ]
