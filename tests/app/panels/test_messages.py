import pytest
from PySide6.QtCore import Qt

from app.panels.messages import Messages
from core.errors import EditRefusedError, GraphFreedError
from core.session import Session

FREED = GraphFreedError("multiply needs b, but it is freed.", next_step="Retain.", node="n2")


@pytest.fixture
def messages(shown, theme, square):
    messages = Messages(theme)
    messages.show_snapshot(Session(square).snapshot())
    return shown(messages, 500, 260)


def test_a_click_leads_to_the_node(qtbot, messages):
    messages.add(FREED)
    with qtbot.waitSignal(messages.node_asked) as asked:
        qtbot.mouseClick(messages.cards[0], Qt.MouseButton.LeftButton)
    assert asked.args == ["n2"]


@pytest.mark.parametrize("way", ["retain", "forward"])
def test_freed_values_have_two_ways_out(qtbot, messages, way):
    messages.add(FREED)
    with qtbot.waitSignal(messages.way_chosen) as chosen:
        qtbot.mouseClick(messages.cards[0].buttons[way], Qt.MouseButton.LeftButton)
    assert chosen.args == [way]
    assert messages.cards == []


def test_what_is_wrong_with_the_graph_stands_until_it_is_repaired(qtbot, messages, square):
    graph, add = square.with_node("add")
    with qtbot.waitSignal(messages.counted) as count:
        messages.show_snapshot(Session(graph).snapshot())
    assert count.args == [1]
    assert "add" in messages.cards[0].what.text()

    messages.show_snapshot(Session(graph.without([add])).snapshot())
    assert messages.cards == []


def test_a_failure_is_there_until_it_is_dismissed(messages):
    messages.add(EditRefusedError("The name is taken.", next_step="Give another one."))
    messages.cards[0].dismissed.emit()
    assert messages.cards == []


def test_what_fails_twice_is_said_once(messages):
    for name in ("taken", "free", "taken"):
        messages.add(EditRefusedError(f"The name is {name}.", next_step="Give another one."))
    assert [card.error.what for card in messages.cards] == [
        "The name is taken.",
        "The name is free.",
    ]
