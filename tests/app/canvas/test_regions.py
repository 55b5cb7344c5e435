"""Regions cover what they must, in few pieces."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect
from PySide6.QtGui import QRegion

from app.canvas.regions import covering, logical, rects

WINDOW = QRect(0, 0, 1000, 700)
corner = st.integers(-200, 1200)
boxes = st.lists(st.tuples(corner, corner, st.integers(1, 90), st.integers(1, 90)), max_size=60)


@given(boxes)
def test_every_box_is_covered_inside_the_window_and_nothing_outside(found) -> None:
    sides = np.array([(x, y, x + w, y + h) for x, y, w, h in found], dtype=float).reshape(-1, 4)
    region = covering(sides, WINDOW)

    for x, y, width, height in found:
        assert (QRegion(x, y, width, height) & QRegion(WINDOW) - region).isEmpty()
    assert (region - QRegion(WINDOW)).isEmpty()
    assert len(rects(region)) <= 60


@given(boxes, st.sampled_from([1.0, 1.25, 1.5, 2.0]))
def test_logical_pixels_hold_the_device_pixels(found, dpr: float) -> None:
    device = QRegion()
    for x, y, width, height in found:
        device += QRegion(x, y, width, height)
    held = logical(device, dpr)
    for rect in rects(device):
        for x, y in ((rect.left(), rect.top()), (rect.right(), rect.bottom())):
            assert any(
                r.x() * dpr <= x < (r.x() + r.width()) * dpr
                and r.y() * dpr <= y < (r.y() + r.height()) * dpr
                for r in rects(held)
            )
