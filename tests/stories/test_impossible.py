"""What users of other node editors complain of, and what must be impossible here."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from app.saving import write
from core.files import dumps
from core.graph import INPUT, UNKNOWN, Graph

CONTROL = Qt.KeyboardModifier.ControlModifier
KEY = Qt.Key
ROOT = Path(__file__).parents[2]
CHILDREN = Path(__file__).parent / "children"


def squares(count):
    """x·x, that times itself, and so on: 2**count paths from x to the end."""
    leaf = {"value": np.array(1.0), "requires_grad": True}
    graph, last = Graph().with_node(INPUT, (0, 0), "x", leaf)
    for i in range(1, count + 1):
        graph, node = graph.with_node("multiply", (260 * (i % 20), 200 * (i // 20)), f"m{i}")
        graph, _ = graph.with_wire(last, "y", node, "a")
        graph, _ = graph.with_wire(last, "y", node, "b")
        last = node
    return graph


def effort(do):
    """How many functions are called, in Python and C: what work costs, on any machine."""
    calls = 0

    def note(_frame, event, _what):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        do()
    finally:
        sys.setprofile(None)
    return calls


def growth(make_user, do, few=100, many=400):
    """How much more a thing costs in a graph that is ``many / few`` times as large."""
    costs = []
    for count in (few, many):
        user = make_user()
        user.document.set_graph(squares(count))
        user.until_idle()
        user.canvas.grab()
        costs.append(effort(lambda user=user: do(user)))
    return costs[1] / costs[0]


def shown(user):
    """What the user would lose: the graph, its history, its file."""
    stack = user.document.undo_stack
    return dumps(user.graph), stack.count(), stack.index(), user.document.path


def run_child(name, *arguments, **environment):
    """Run a program of ``children`` in a process of its own; it must end well."""
    done = subprocess.run(
        [sys.executable, str(CHILDREN / f"{name}.py"), *arguments],
        # This tree, whichever is installed.
        env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# -- a loop check that is exponential on x·x chains -----------------------------------------------


def test_a_wire_over_a_chain_of_x_times_x_is_checked_at_once(make_user):
    def drag_back(user):
        user.drag(user.output(user.graph.order()[-1] and f"m{len(user.graph.nodes) - 1}"),
                  user.input("m1", "a"))  # fmt: skip
        assert "loop" in user.tab.messages.cards[0].what.text()

    assert growth(make_user, drag_back) < 8


# -- loading a broken file wipes the open graph ---------------------------------------------------


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"version": 2', '"version": 99'),
        lambda text: text.replace('"from": ["n1", "y"]', '"from": ["n9", "y"]'),
        lambda text: text.replace("float64", "object"),
        lambda text: "\x00" * 1000,
    ],
    ids=["empty", "cut off", "newer", "wire from nowhere", "objects", "zeros"],
)
def test_a_broken_file_leaves_the_open_graph(make_user, square, tmp_path, spoil):
    good, broken = tmp_path / "good.pullback", tmp_path / "broken.pullback"
    write(square, good)
    spoilt = spoil(good.read_text())
    assert spoilt != good.read_text()
    broken.write_text(spoilt)
    user = make_user(good)
    user.add("tanh")
    before = shown(user)
    user.window.opener.open_path(broken)
    assert shown(user) == before
    assert len(user.window.tabs) == 1
    assert "broken" in user.tab.messages.cards[0].what.text()


# -- unknown node types dropped silently, then lost on save ---------------------------------------


def test_a_node_of_an_unknown_kind_is_shown_and_saved_as_it_was(make_user, square, tmp_path):
    path = tmp_path / "newer.pullback"
    strange = '{"id": "n9", "op": "warp", "name": "w", "pos": [1.0, 2.5], "params": {"k": [1, {}]}}'
    text = dumps(square).replace('"nodes": [\n', f'"nodes": [\n{strange},\n')
    path.write_text(text.replace('"next_id": 5', '"next_id": 10'))
    user = make_user(path)
    assert user.graph.nodes["n9"].op == UNKNOWN
    assert user.message("w")
    user.add("leaf")
    user.key(KEY.Key_S, CONTROL, on=user.canvas)
    assert strange in path.read_text()


# -- cut and paste of everything locks the editor -------------------------------------------------


def test_everything_is_cut_pasted_and_duplicated_in_one_go(make_user):
    user = make_user()
    user.document.set_graph(squares(300))
    for key, count in ((KEY.Key_A, 301), (KEY.Key_X, 0), (KEY.Key_V, 301), (KEY.Key_D, 602)):
        user.key(key, CONTROL, on=user.canvas)
        assert len(user.graph.nodes) == count
    user.until_idle()
    assert len(user.graph.wires) == 1200
    assert user.document.undo_stack.count() == 3


@pytest.mark.parametrize("keys", [[KEY.Key_X, KEY.Key_V], [KEY.Key_D]], ids=["paste", "duplicate"])
def test_what_everything_costs_grows_with_the_graph_and_no_faster(make_user, keys):
    def copy_all(user):
        for key in (KEY.Key_A, *keys):
            user.key(key, CONTROL, on=user.canvas)

    assert growth(make_user, copy_all) < 8


# -- a file that runs code on load ----------------------------------------------------------------


def test_nothing_in_a_file_is_run(make_user, square, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "open('trap', 'w')"
    evil = square.with_name("n2", code)
    text = dumps(evil).replace('"op": "multiply"', f'"op": "{code}"')
    run = f'{{"name": "{code}", "actions": []}}'
    path = tmp_path / "evil.pullback"
    path.write_text(text.replace('"runs": []', f'"runs": [{run}]'))
    user = make_user(path)
    assert user.graph.nodes["n2"].op == UNKNOWN
    user.click(user.middle(code))
    user.key(KEY.Key_F5, on=user.canvas)
    user.until_idle()
    assert not (tmp_path / "trap").exists()


# -- undo, delete or close crashing ---------------------------------------------------------------


def test_random_steps_in_tabs_and_windows_then_closing_ends_the_program_well():
    run_child("random_steps", "5")


# -- a wire dropped on its own port ---------------------------------------------------------------


def test_a_wire_picked_up_and_dropped_on_its_own_port_stays(make_user, square, tmp_path):
    user = make_user()
    user.document.set_graph(square)
    before = shown(user)
    end = user.input("y", "a")
    user.drag(end, end + QPoint(-12, 5))
    assert shown(user) == before
    assert user.canvas.gesture is None


# -- autosave writing over the user's file; a recovery prompt while another instance is alive -----


def test_only_saving_writes_to_the_users_file(make_user, square, tmp_path):
    path = tmp_path / "mine.pullback"
    write(square, path)
    before = path.read_bytes()
    user = make_user(path)
    user.add("tanh")
    user.key(KEY.Key_N, CONTROL, on=user.canvas)
    user.key(KEY.Key_Tab, CONTROL, on=user.canvas)
    user.tab.backward.rows[0].set_cotangent(np.ones(2))
    user.key(KEY.Key_F5, on=user.canvas)
    user.play_to_end()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]
    user.key(KEY.Key_S, CONTROL, on=user.canvas)
    assert path.read_bytes() != before


def test_a_second_start_asks_nothing_while_the_first_has_changes(make_user, monkeypatch):
    one = make_user()
    one.add("leaf")
    for kind, name in ((QMessageBox, "question"), (QMessageBox, "exec"), (QDialog, "exec")):
        monkeypatch.setattr(kind, name, lambda *_: pytest.fail("a prompt"))
    other = make_user()
    assert not other.graph.nodes
    assert QApplication.activeModalWidget() is None


# -- hover and select-all quadratic in nodes ------------------------------------------------------


def test_pointing_costs_the_same_in_any_graph(make_user):
    def hover(user):
        for x in range(200, 700, 25):
            QTest.mouseMove(user.canvas, QPoint(x, x // 2))
            QApplication.processEvents()

    assert growth(make_user, hover) < 2


def test_selecting_all_grows_with_the_graph_and_no_faster(make_user):
    def select_all(user):
        user.key(KEY.Key_A, CONTROL, on=user.canvas)
        user.canvas.frame_selection(animated=False)
        user.canvas.grab()

    assert growth(make_user, select_all) < 6


# -- Delete in a text field removing nodes --------------------------------------------------------


def test_keys_of_the_canvas_are_dead_in_every_text_field(make_user, square):
    user = make_user()
    user.document.set_graph(square)
    user.until_idle()
    user.key(KEY.Key_A, CONTROL, on=user.canvas)
    user.click(user.middle("x"))
    before = shown(user)
    inspector = user.tab.inspector
    for field in (
        user.window.palette_panel.search_field,
        inspector.view.head.name_field,
        inspector.view.value.value_field,
        user.tab.backward.rows[0].findChild(type(inspector.view.value.value_field)),
    ):
        user.window.docks.bring_up("inspector" if inspector.isAncestorOf(field) else "backward")
        field.setFocus()
        assert user.window.focusWidget() is field
        for key in (KEY.Key_Delete, KEY.Key_Backspace, KEY.Key_H, KEY.Key_L, KEY.Key_X, KEY.Key_R):
            user.key(key, on=field)
        for key in (KEY.Key_X, KEY.Key_Z, KEY.Key_A):
            user.key(key, CONTROL, on=field)
        user.key(KEY.Key_Escape, on=field)
    assert shown(user) == before


# -- wrong layout at 125 % scaling ----------------------------------------------------------------


@pytest.mark.parametrize("scale", ["1.25", "1.5"])
def test_what_is_painted_is_what_is_hit_at_any_scale(scale):
    run_child("scaled", scale, QT_SCALE_FACTOR=scale)
