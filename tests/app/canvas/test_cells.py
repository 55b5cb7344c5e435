"""Strips: an array beside its name, with numbers where they fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from app.canvas.cells import draw_cell
from app.canvas.content import Cell, gradient_cell, value_cell
from app.colors import dark


def painted(cell: Cell, room: float) -> QImage:
    image = QImage(80, 24, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    draw_cell(painter, QRectF(0, 0, room, 24), cell, dark())
    painter.end()
    return image


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("cell", "room", "has_numbers"),
    [
        (value_cell(np.array([-np.inf, 0.0, 0.6931])), 63, True),  # −∞ 0 .69
        (gradient_cell(np.array([0.25, -0.75, 1.0])), 81, True),  # +.25 −.75 +1
        (value_cell(np.array([1e-8, 2e-8, 3e-8])), 63, False),  # 1e−8
    ],
)
def test_numbers_are_shortened_until_they_fit(cell: Cell, room: float, has_numbers: bool) -> None:
    without = replace(cell, numbers=(-1.234e-300,) * 3)  # they never fit
    assert (painted(cell, room) != painted(without, room)) == has_numbers
