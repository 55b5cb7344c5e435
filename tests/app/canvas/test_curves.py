"""Curves as lines."""

from __future__ import annotations

import numpy as np

from app.canvas import curves

STARTS = np.array([[0.0, 0.0], [10.0, 5.0]])
ENDS = np.array([[200.0, 80.0], [60.0, -40.0]])


def test_tails_are_the_last_lines_of_whole_curves() -> None:
    control = curves.control_points(STARTS, ENDS)
    whole = curves.flatten(control, 8).reshape(2, 8, 4)
    since = np.array([0.0, 0.7])

    lines, curve = curves.tails(control, since, 8)

    np.testing.assert_array_equal(curve, [0] * 8 + [1] * 3)
    np.testing.assert_allclose(lines[:8], whole[0])
    np.testing.assert_array_equal(lines[9:], whole[1, 6:])
    x, y = curves.evaluate(control, since)
    np.testing.assert_array_equal(lines[8], [x[1], y[1], *whole[1, 5, 2:]])


def test_a_tail_from_the_very_end_is_a_point() -> None:
    control = curves.control_points(STARTS, ENDS)
    lines, _ = curves.tails(control, np.ones(2), 8)
    np.testing.assert_allclose(lines, np.hstack([ENDS, ENDS]))
