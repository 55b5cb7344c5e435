import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.panels.values import ValuesPanel
from core.graph import INPUT, Backward, Graph
from core.schedule import Schedule
from core.session import Session

DISPLAY = Qt.ItemDataRole.DisplayRole


@pytest.fixture
def session():
    value = np.arange(24.0).reshape(2, 3, 4) - 5
    value[0, 0, 1] = np.nan
    graph, x = Graph().with_node(INPUT, name="x", params={"value": value, "requires_grad": True})
    graph, y = graph.with_node("sum", name="y")
    return Session(graph.with_wire(x, "y", y, "x")[0])


@pytest.fixture
def panel(shown, theme, session):
    panel = shown(ValuesPanel(theme), 900, 220)
    session.perform(Backward((("n2", "y"),)))
    panel.show_snapshot(session.snapshot())
    return panel


def test_without_a_selection_it_says_what_to_do(panel):
    assert panel.currentIndex() == 0


def test_value_and_gradient_side_by_side(panel):
    panel.select({"n1"})
    assert panel.currentIndex() == 1
    assert panel.value.model.data(panel.value.model.index(2, 3), DISPLAY) == "6"
    assert panel.value.model.data(panel.value.model.index(0, 1), DISPLAY) == "NaN"
    assert panel.gradient.model.data(panel.gradient.model.index(2, 3), DISPLAY) == "+1"


def test_deeper_arrays_are_shown_slice_by_slice(panel):
    panel.select({"n1"})
    assert panel.value.slices == 2
    panel.index_box.setValue(1)
    assert panel.value.model.data(panel.value.model.index(0, 0), DISPLAY) == "7"


@pytest.mark.parametrize("mode", [1, 2])
def test_pictures_are_drawn_with_nan_in_them(qtbot, panel, mode):
    panel.select({"n1"})
    panel.mode_box.setCurrentIndex(mode)
    picture = panel.grab().toImage()
    colors = {picture.pixel(x, y) for x in range(0, 900, 9) for y in range(40, 200, 5)}
    assert len(colors) > 5


def test_several_selected_nodes_show_none(panel):
    panel.select({"n1", "n2"})
    assert panel.currentIndex() == 0


def test_each_output_can_be_chosen(qtbot, panel):
    params = {"value": [[3.0, 1.0], [4.0, 2.0]], "requires_grad": True}
    graph, x = Graph().with_node(INPUT, params=params)
    graph, qr = graph.with_node("linalg.qr")
    graph, total = graph.with_node("sum")
    graph, _ = graph.with_wire(x, "y", qr, "x")
    graph, _ = graph.with_wire(qr, "R", total, "x")
    session = Session(graph)
    trace = session.perform(Backward(((total, "y"),))).trace
    panel.show_snapshot(session.snapshot())
    panel.show_moment(Schedule(trace).at(1e9))
    panel.select({total})
    assert not panel.output_box.isVisible()
    panel.select({qr})

    assert [panel.output_box.itemText(i) for i in range(2)] == ["Q", "R"]
    assert panel.value.model.data(panel.value.model.index(0, 0), DISPLAY) == "\N{MINUS SIGN}0.6"
    panel.output_box.setFocus()
    qtbot.keyClick(panel.output_box, Qt.Key.Key_Down)
    assert panel.value.model.data(panel.value.model.index(0, 0), DISPLAY) == "\N{MINUS SIGN}5"
    assert panel.gradient.model.data(panel.gradient.model.index(0, 0), DISPLAY) == "+1"
