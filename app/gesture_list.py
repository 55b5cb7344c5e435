"""What the mouse can do on the canvas, in words: for whoever asks for the keys."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GestureWords:
    """One gesture: what it does, and how it is made."""

    does: str
    how: str


GESTURES: tuple[GestureWords, ...] = (
    GestureWords("Zoom at the cursor", "Wheel, pinch, or Ctrl+two fingers"),
    GestureWords("Pan", "Middle-drag, Space+drag, or two fingers"),
    GestureWords("Go to a place", "Click or drag on the minimap"),
    GestureWords("Select", "Click; Shift adds, Ctrl toggles"),
    GestureWords("Select an area", "Drag over empty ground; Shift adds, Ctrl removes"),
    GestureWords("Add a node", "Double-click empty ground, or drag from the list"),
    GestureWords("Edit a value where it is", "Double-click an input"),
    GestureWords("Move", "Drag a node or a frame's title; Ctrl moves freely"),
    GestureWords("Duplicate", "Alt-drag"),
    GestureWords("Put a node into a wire", "Drop it on the wire; Shift prevents it"),
    GestureWords("Draw a wire", "Drag from port to port or node; or click both"),
    GestureWords("Draw a wire to a new node", "Drop it on empty ground"),
    GestureWords("Move an end of a wire", "Drag it off its input"),
    GestureWords("Take a wire off", "Drop its end with Shift, or Alt-click it"),
    GestureWords("Cut several wires", "Ctrl+right-drag across them"),
    GestureWords("Lead a wire through a point", "Double-click the wire; drag the point"),
    GestureWords("Remove such a point", "Double-click it, or drop it on an end"),
    GestureWords("Resize a frame or a comment", "Drag its lower right corner"),
    GestureWords("Menu", "Right-click"),
    GestureWords("Move the view while dragging", "Hold it at the edge"),
    GestureWords("Give up any of these", "Esc before you let go"),
)
