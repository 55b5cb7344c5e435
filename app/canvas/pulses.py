"""The moving overlay: pulses on wires, the wire they have lit, ripples and labels.

All of it is a function of the moment shown. Positions of all pulses come from one evaluation, and
all their sprites from one atlas in one call.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QRegion

from app.canvas import curves, glow
from app.canvas import format as fmt
from app.canvas.curves import Floats, Ints
from app.canvas.labels import LabelSprite, label_of, place
from app.canvas.nodes_painter import visible_nodes
from app.canvas.painting import draw_fragments, fragments
from app.canvas.picture import Picture
from app.canvas.view import View
from app.canvas.wire_painter import paint_lit
from app.colors import Theme, faded, magnitude, signed_magnitude
from core.trace import TRAVEL, Flow, InFlight

#: Beyond so many pulses they lose their trails, and all is repainted instead of parts.
FEW = 400
#: At most so many labels, and none below this zoom.
_LABELS = 24
_LABEL_ZOOM = 0.3
#: Up to so many pulses light adds up by screen blending, which is slower than laying over.
_SCREENED = 24
_RIPPLE = 0.35
_RADIUS = 30.0
_LEAST_RADIUS = 7.0


def ease(progress: Floats) -> Floats:
    """Ease in and out, cubic."""
    return np.where(progress < 0.5, 4 * progress**3, 1 - (2 - 2 * progress) ** 3 / 2)


class Pulses:
    """What moves now.

    Attributes:
        wires: rows of the wires with a pulse; ``t`` is where it is, from 1 at the target to 0 at
            the source.
    """

    def __init__(self) -> None:
        self.wires: Ints = np.empty(0, dtype=np.intp)
        self.t: Floats = np.empty(0)
        self.reduced_motion = False
        self._moving: list[InFlight] = []
        self._progress: Floats = np.empty(0)
        self._signed: Floats = np.empty(0)
        self._magnitude: Floats = np.empty(0)
        self._sizes: dict[int, tuple[Flow, float, float]] = {}
        self._labels: dict[int, tuple[Flow, tuple[object, ...], LabelSprite, float, float]] = {}

    def __len__(self) -> int:
        return len(self.wires)

    def follow(self, picture: Picture) -> None:
        """Take over what is in flight in the picture's moment."""
        moment = picture.moment
        moving = moment.in_flight if moment is not None else ()
        entry = picture.geometry.entry
        found = [(entry.get((flight.node, flight.flow.port)), flight) for flight in moving]
        known = [(wire, flight) for wire, flight in found if wire is not None]
        self._moving = [flight for _, flight in known]
        flows = {id(flight.flow) for flight in self._moving}
        self._labels = {key: kept for key, kept in self._labels.items() if key in flows}
        sizes = [self._size(flight.flow) for flight in self._moving]
        if not moving:
            self._sizes.clear()
        self.show(
            np.array([wire for wire, _ in known], dtype=np.intp),
            np.array([flight.progress for flight in self._moving], dtype=float),
            np.array([signed for signed, _ in sizes], dtype=float),
            np.array([size for _, size in sizes], dtype=float),
        )

    def show(self, wires: Ints, progress: Floats, signed: Floats, size: Floats) -> None:
        """Show pulses on wires; ``progress`` from 0 at the target to 1 at the source."""
        self.wires = wires
        self._progress = progress
        self.t = np.zeros(len(wires)) if self.reduced_motion else 1.0 - ease(progress)
        self._signed, self._magnitude = signed, size

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
        if not len(self.wires):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if len(self.wires) <= FEW:
            self._paint_tails(painter, picture, view, theme)
            if not self.reduced_motion:
                self._paint_ripples(painter, picture, view, theme)
        if not self.reduced_motion:
            self._paint_light(painter, picture, view, theme)
        if self._moving and view.zoom >= _LABEL_ZOOM:
            self._paint_labels(painter, picture, view, theme)

    def _paint_tails(self, painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
        """The part of each wire that its pulse has passed."""
        geometry = picture.geometry
        curve, part = geometry.curve_at(self.wires, self.t)
        control = [curves.tails(geometry.control[:, :, curve], part)]
        owner = [np.arange(len(self.wires))]
        last = geometry.first_curve[self.wires + 1] - 1
        for k in np.flatnonzero(curve < last):
            rest = np.arange(curve[k] + 1, last[k] + 1)
            control.append(geometry.control[:, :, rest])
            owner.append(np.full(len(rest), k))
        owners = np.concatenate(owner)
        paint_lit(
            painter,
            np.concatenate(control, axis=2),
            self._signed[owners],
            self._magnitude[owners],
            view,
            theme,
        )

    def _paint_light(self, painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
        light = glow.atlas(theme, self.radius(view))
        tint = glow.tint_of(self._signed)
        blend = QPainter.CompositionMode
        if theme.is_dark and len(self.wires) <= _SCREENED:
            painter.setCompositionMode(blend.CompositionMode_Screen)
        if len(self.wires) <= FEW:
            back = np.arange(glow.TRAIL, 0, -1)[:, None] * glow.TRAIL_STEP
            t = np.minimum(1.0, self.t[None, :] + back)
            wires = np.broadcast_to(self.wires, t.shape).ravel()
            x, y = self._device(picture, wires, t.ravel(), view)
            places = fragments(x, y, light.trail, light.trail)
            places[:, 2] = np.broadcast_to(tint, t.shape).ravel() * light.trail
            places[:, 3] = np.repeat(np.arange(glow.TRAIL - 1, -1, -1), len(tint)) * light.trail
            draw_fragments(painter, places, light.trails)
        x, y = self._device(picture, self.wires, self.t, view)
        places = fragments(x, y, light.head, light.head)
        places[:, 2] = tint * light.head
        draw_fragments(painter, places, light.heads)
        painter.setCompositionMode(blend.CompositionMode_SourceOver)

    def _paint_ripples(self, painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
        """Rings around the outputs that fire."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        done: set[str] = set()
        geometry = picture.geometry
        for flight, signed in zip(self._moving, self._signed, strict=True):
            age = flight.progress * TRAVEL / _RIPPLE
            if flight.node in done or age >= 1.0:
                continue
            done.add(flight.node)
            color = theme.gradient_color(float(signed))
            outputs = geometry.ports[geometry.row[flight.node]].outputs
            x, y = view.to_screen(*geometry.output_pos(flight.node, outputs[0]))
            center = QPointF(x * view.dpr, y * view.dpr)
            spread = 1 - (1 - age) ** 3
            for reach, alpha in ((10, 0.75), (17, 0.35), (25, 0.14)):
                painter.setPen(QPen(faded(color, alpha * (1 - age)), 1.6 * view.scale))
                ring = reach * (0.6 + 0.4 * spread) * view.scale
                painter.drawEllipse(center, ring, ring)

    def _paint_labels(self, painter: QPainter, picture: Picture, view: View, theme: Theme) -> None:
        for rect, sprite in self._placed_labels(picture, view, theme):
            painter.drawPixmap(rect.topLeft(), sprite.pixmap)

    def _placed_labels(
        self, picture: Picture, view: View, theme: Theme
    ) -> list[tuple[QRectF, LabelSprite]]:
        scale = view.dpr * min(1.6, max(0.85, view.zoom))
        count = min(len(self._moving), _LABELS)
        t = np.full(count, 0.5) if self.reduced_motion else self.t[:count]
        x, y = self._device(picture, self.wires[:count], t, view)
        placed = []
        for k, flight in enumerate(self._moving[:count]):
            key = (view.zoom, scale, theme.name)
            known = self._labels.get(id(flight.flow))
            if known is None or known[1] != key:
                sprite, left, top = self._make_label(k, flight, picture, view, theme, scale)
                known = (flight.flow, key, sprite, left, top)
                self._labels[id(flight.flow)] = known
            sprite, left, top = known[2], known[3], known[4]
            placed.append((sprite.rect(float(x[k]) + left, float(y[k]) + top), sprite))
        return placed

    def _make_label(
        self,
        k: int,
        flight: InFlight,
        picture: Picture,
        view: View,
        theme: Theme,
        scale: float,
    ) -> tuple[LabelSprite, float, float]:
        geometry = picture.geometry
        label = label_of(flight, picture.facts)
        to_units = view.scale / scale
        route = np.repeat(self.wires[k], 7)
        path = np.stack(geometry.along(route, np.linspace(0.1, 0.9, 7)), axis=1)
        low, high = path.min(axis=0) - 220 / to_units, path.max(axis=0) + 220 / to_units
        rows = visible_nodes(geometry, (low[0], low[1], high[0], high[1]))
        boxes = geometry.node_boxes(rows)
        left, top, above = place(label.size, path * to_units, boxes * to_units)
        return LabelSprite(label, theme, scale, above=above), left * scale, top * scale

    # -- where --------------------------------------------------------------------------------

    def radius(self, view: View) -> int:
        """Reach of a pulse's light in device pixels."""
        return round(max(_LEAST_RADIUS, _RADIUS * min(view.zoom, 2.0)) * view.dpr)

    def region(self, picture: Picture, view: View, theme: Theme) -> QRegion | None:
        """Logical pixels that painting touches or has just left; None: too many to tell apart."""
        if len(self.wires) > FEW:
            return None
        margin = self.radius(view) + 4
        t = np.clip(np.linspace(0.0, 0.4, 6)[:, None] + self.t[None, :], 0, 1)
        x, y = self._device(picture, np.broadcast_to(self.wires, t.shape).ravel(), t.ravel(), view)
        x, y = x.reshape(t.shape), y.reshape(t.shape)
        region = QRegion()
        boxes = np.stack([x.min(axis=0), y.min(axis=0), x.max(axis=0), y.max(axis=0)], axis=1)
        for left, top, right, bottom in boxes.tolist():
            rect = QRectF(left - margin, top - margin, 0, 0)
            rect.setBottomRight(QPointF(right + margin, bottom + margin))
            region += _logical(rect, view.dpr)
        geometry = picture.geometry
        for node in {flight.node for flight in self._moving}:
            box = geometry.node_boxes(np.array([geometry.row[node]]))[0]
            left, top = view.to_screen(box[2] - 30, box[1])
            right, bottom = view.to_screen(box[2] + 30, box[3])
            region += QRect(int(left), int(top), int(right - left) + 1, int(bottom - top) + 1)
        if self._moving and view.zoom >= _LABEL_ZOOM:
            for rect, _ in self._placed_labels(picture, view, theme):
                region += _logical(rect, view.dpr)
        return region

    def _device(
        self, picture: Picture, wires: Ints, t: Floats, view: View
    ) -> tuple[Floats, Floats]:
        x, y = picture.geometry.along(wires, t)
        return np.rint(x * view.scale - view.x), np.rint(y * view.scale - view.y)


def _logical(rect: QRectF, dpr: float) -> QRect:
    return QRectF(
        rect.x() / dpr, rect.y() / dpr, rect.width() / dpr, rect.height() / dpr
    ).toAlignedRect().adjusted(-1, -1, 1, 1)  # fmt: skip
