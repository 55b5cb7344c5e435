"""A part of the scene that is to be painted: a rectangle, or only some pieces of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.canvas.curves import Floats, Ints
from app.canvas.view import Box


@dataclass(frozen=True, slots=True)
class Area:
    """``bounds`` in scene units; of it only ``pieces`` matter, if there are any."""

    bounds: Box
    pieces: tuple[Box, ...] = ()

    def touched(self, boxes: Floats, margin: float) -> Ints:
        """Rows of the boxes (x0, y0, x1, y1) that come within ``margin`` of the area."""
        left, top, right, bottom = self.bounds
        rows = np.flatnonzero(
            (boxes[:, 0] <= right + margin)
            & (boxes[:, 2] >= left - margin)
            & (boxes[:, 1] <= bottom + margin)
            & (boxes[:, 3] >= top - margin)
        )
        if not self.pieces or not rows.size:
            return rows
        near = boxes[rows, None]
        pieces = np.array(self.pieces)
        hit: Ints = rows[
            (
                (near[..., 0] <= pieces[:, 2] + margin)
                & (near[..., 2] >= pieces[:, 0] - margin)
                & (near[..., 1] <= pieces[:, 3] + margin)
                & (near[..., 3] >= pieces[:, 1] - margin)
            ).any(axis=1)
        ]
        return hit
