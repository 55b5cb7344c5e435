"""The edits of a graph's frames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from core.graph.nodes import Frame
from core.graph.parts import Parts
from core.graph.places import checked_frame


class FrameEdits(Parts):
    """Each returns a new graph, or raises."""

    def with_frame(
        self,
        title: str,
        rect: tuple[float, float, float, float],
        note: str = "",
        color: str = "blue",
        no_grad: bool = False,
        comment: bool = False,
    ) -> tuple[Self, str]:
        """A frame more, and its id."""
        frame_id = f"f{self.next_id}"
        frame = checked_frame(Frame(frame_id, title, rect, note, color, no_grad, comment))
        frames = {**self.frames, frame.id: frame}
        return replace(self, frames=frames, next_id=self.next_id + 1), frame.id

    def with_frame_changed(self, frame_id: str, **changes: Any) -> Self:
        """With some of a frame's attributes changed (its id stays)."""
        frame = self.frames[frame_id]
        changed = checked_frame(replace(frame, **changes))
        return (
            self if changed == frame else replace(self, frames={**self.frames, frame_id: changed})
        )
