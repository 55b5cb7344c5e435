"""Comments on the canvas, and the corner by which they and frames are resized."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from core.files import dumps, loads

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def user(make_user, square):
    user = make_user()
    user.document.set_graph(square)
    user.until_idle()
    user.canvas.frame_all(animated=False)
    return user


def commented(user, text="Both gradients meet here."):
    """Write a comment at a free place; its id."""
    place = user.pixel(user.canvas.to_scene(QPointF(60, 60)).toTuple())
    QTest.mouseMove(user.canvas, place)
    user.key(Qt.Key.Key_C, Qt.KeyboardModifier.ShiftModifier, on=user.canvas)
    user.type(text)
    (comment,) = [i for i, frame in user.graph.frames.items() if frame.comment]
    return comment


def corner(user, frame):
    x, y, width, height = user.graph.frames[frame].rect
    return user.pixel((x + width, y + height))


def test_a_comment_is_written_where_the_mouse_is(user):
    comment = commented(user)
    there = user.graph.frames[comment]
    assert there.note == "Both gradients meet here."
    assert user.pixel(there.rect[:2]) == QPoint(60, 60)
    user.key(Qt.Key.Key_Z, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_Z, CONTROL, on=user.canvas)
    assert not user.graph.frames


def test_a_comment_holds_no_node_and_moves_alone(user):
    comment = commented(user)
    before = {node.id: node.pos for node in user.graph.nodes.values()}
    inside = user.pixel(user.graph.frames[comment].rect[:2]) + QPoint(30, 30)
    user.drag(inside, inside + user.middle("x") - QPoint(80, 60))
    moved = user.graph.frames[comment]
    assert user.pixel(moved.rect[:2]) != QPoint(60, 60)
    assert {node.id: node.pos for node in user.graph.nodes.values()} == before
    assert not any(moved.holds(node) for node in user.graph.nodes.values())
    assert user.document.undo_stack.undoText() == "Move a comment"


def test_dragging_the_corner_resizes_in_one_step_and_esc_leaves_none(user):
    comment = commented(user)
    size = user.graph.frames[comment].rect[2:]
    steps = user.document.undo_stack.count()
    start = corner(user, comment)
    user.drag(start, start + QPoint(50, 40))
    grown = user.graph.frames[comment].rect[2:]
    zoom = user.canvas.view.zoom
    assert grown == pytest.approx((size[0] + 50 / zoom, size[1] + 40 / zoom), abs=2 / zoom)
    assert user.document.undo_stack.count() == steps + 1

    start = corner(user, comment)
    QTest.mousePress(user.canvas, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(user.canvas, start + QPoint(30, 30))
    user.key(Qt.Key.Key_Escape, on=user.canvas)
    QTest.mouseRelease(user.canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(30, 30))
    assert user.graph.frames[comment].rect[2:] == grown
    assert user.document.undo_stack.count() == steps + 1


def test_a_frame_is_never_dragged_smaller_than_its_title(user):
    user.key(Qt.Key.Key_A, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_G, CONTROL, on=user.canvas)
    user.canvas.frame_all(animated=False)
    (frame,) = user.graph.frames
    user.drag(corner(user, frame), QPoint(2, 2))
    _, _, width, height = user.graph.frames[frame].rect
    assert width > 0
    assert height > 0


def test_comments_are_kept_in_files(user):
    comment = commented(user, "Why None?")
    again = loads(dumps(user.graph))
    assert again.frames[comment] == user.graph.frames[comment]
