"""A double-click on an input edits its value where it is."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest


@pytest.fixture
def field(user):
    """The field over the value of a leaf that a double-click opened."""
    user.add("leaf")
    user.until_idle()
    canvas = user.canvas
    x, y = user.tab.document.graph.named("x").pos
    middle = canvas.to_screen(QPointF(x + 60, y + 15))
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=middle.toPoint())
    field = user.tab.value_on_node.field
    assert field.isVisible()
    return field


def value(user):
    return user.tab.document.graph.named("x").params["value"]


def test_what_is_entered_is_the_value_and_one_undo_entry(user, field):
    count = user.tab.document.undo_stack.count()
    QTest.keyClicks(field, "2, 3")
    QTest.keyClick(field, Qt.Key.Key_Return)
    user.until_idle()
    np.testing.assert_array_equal(value(user), [2, 3])
    assert user.tab.document.undo_stack.count() == count + 1
    assert not field.isVisible()
    assert user.focus() is user.canvas


def test_esc_drops_what_was_typed(user, field):
    before = value(user)
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible()
    assert value(user) is before


def test_what_is_no_number_is_refused_and_stays_to_be_mended(user, field):
    before = value(user)
    QTest.keyClicks(field, "two")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.isVisible()
    assert field.toolTip()
    assert value(user) is before
