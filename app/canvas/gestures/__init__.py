"""What the mouse can do on the canvas, one small class each. A gesture ends in one edit or none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent

from app import edits, wire_edits
from app.canvas.canvas import Canvas
from app.canvas.editor import CanvasEditor
from app.canvas.gesture import Gesture
from app.canvas.gestures.area import Knife, RubberBand
from app.canvas.gestures.base import has
from app.canvas.gestures.frames import DragFrame, ResizeFrame
from app.canvas.gestures.nodes import DragNodes
from app.canvas.gestures.points import DragPoint
from app.canvas.gestures.wire import DragWire
from app.canvas.hit import PORT_REACH, Hit
from app.edits import WireEnd


def gestures_for(editor: CanvasEditor) -> Callable[[Canvas, QMouseEvent], Gesture | None]:
    """The function that decides which gesture a press begins."""

    def begin(canvas: Canvas, event: QMouseEvent) -> Gesture | None:
        left = event.button() == Qt.MouseButton.LeftButton
        control = has(event, Qt.KeyboardModifier.ControlModifier)
        hit = canvas.hit(event.position())
        if event.button() == Qt.MouseButton.RightButton:
            if control:
                return Knife(editor, event)
            if hit is not None and hit.id not in canvas.selection:
                canvas.select([hit.id])
            return None
        return _begin_at(editor, event, hit) if left else None

    return begin


def _begin_at(editor: CanvasEditor, event: QMouseEvent, hit: Hit | None) -> Gesture | None:
    if hit is None:
        return RubberBand(editor, event)
    if hit.kind == "output":
        return DragWire(editor, event, WireEnd(hit.id, hit.port, is_output=True))
    if hit.kind == "input":
        wire = editor.document.graph.wires_into(hit.id).get(hit.port)
        if wire is None:
            return DragWire(editor, event, WireEnd(hit.id, hit.port, is_output=False))
        return DragWire(editor, event, WireEnd(wire.source, wire.output, is_output=True), wire)
    if hit.kind == "node":
        return DragNodes(editor, event, hit.id)
    if hit.kind == "frame":
        return DragFrame(editor, event, hit.id)
    if hit.kind == "corner":
        return ResizeFrame(editor, event, hit.id)
    return _begin_at_wire(editor, event, hit.id)


def _begin_at_wire(editor: CanvasEditor, event: QMouseEvent, wire: str) -> Gesture | None:
    """Alt breaks the wire; else it is selected, and a reroute point can be dragged."""
    canvas, graph = editor.canvas, editor.document.graph
    if has(event, Qt.KeyboardModifier.AltModifier):
        editor.make(edits.delete(graph, (), [wire]))
        return None
    place = canvas.to_scene(event.position())
    point = wire_edits.point_near(
        graph, wire, (place.x(), place.y()), PORT_REACH / canvas.view.zoom
    )
    if point is not None:
        return DragPoint(editor, event, wire, point)
    adds = has(event, Qt.KeyboardModifier.ShiftModifier)
    canvas.select([wire], "add" if adds else "replace")
    return None
