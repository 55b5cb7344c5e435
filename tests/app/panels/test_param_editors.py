import math

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.panels.param_editors import EDITORS, make_editor, parse_shape
from core import ops
from core.errors import EditRefusedError
from core.graph import Graph
from core.library.spec import Param

KINDS = [
    (Param("alpha", "float", 1.0), "0.5", 0.5),
    (Param("limit", "float", 1.0), "inf", math.inf),
    (Param("n", "int", 1), "-3", -3),
    (Param("axis", "axis", 0), "1", 1),
    (Param("axis", "axes"), "", None),
    (Param("axis", "axes"), "0, 1", (0, 1)),
    (Param("k", "ints", 1), "[[1, 2], [3, 4]]", ((1, 2), (3, 4))),
    (Param("k", "ints", 1), "2", 2),
    (Param("shape", "shape", (1,)), "2, 3", (2, 3)),
    (Param("shape", "shape", (1,)), "(-1,)", (-1,)),
    (Param("shape", "shape", (1,)), "()", ()),
    (Param("index", "index", 0), "..., 1:", (Ellipsis, slice(1, None))),
    (Param("equation", "text", ""), "ij,jk->ik", "ij,jk->ik"),
]


@pytest.fixture
def typed(qtbot, shown, theme):
    kept = []  # qtbot holds widgets by weak references only

    def type_text(param, text):
        editor = shown(make_editor(param), 200, 40)
        kept.append(editor)
        editor.set_value(param.default)
        field = editor.focusProxy()
        field.selectAll()
        got = []
        editor.edited.connect(lambda value, _merge: got.append(value))
        qtbot.keyClick(field, Qt.Key.Key_Delete)
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        return field, got

    return type_text


@pytest.mark.parametrize(("param", "text", "value"), KINDS, ids=lambda x: getattr(x, "kind", None))
def test_every_kind_takes_text(typed, param, text, value):
    field, got = typed(param, text)
    if param.default is None and value is None:
        assert got in ([], [None])
    else:
        assert got == [value]
    assert field.property("invalid") != "true"


@pytest.mark.parametrize(
    ("kind", "text"),
    [("float", "x"), ("int", "1.5"), ("axis", "a"), ("ints", "[1, 2"), ("index", "1:2:3:4")],
)
def test_what_cannot_be_read_is_marked_and_changes_nothing(typed, kind, text):
    field, got = typed(Param("p", kind, 1), text)
    assert got == []
    assert field.property("invalid") == "true"
    assert field.toolTip()


def test_arrow_keys_nudge_whole_numbers_into_one_undo(qtbot, shown, theme):
    editor = shown(make_editor(Param("axis", "axis", 0)), 200, 40)
    editor.set_value(0)
    got = []
    editor.edited.connect(lambda *args: got.append(args))
    qtbot.keyClick(editor.focusProxy(), Qt.Key.Key_Up)
    qtbot.keyClick(editor.focusProxy(), Qt.Key.Key_Down)
    assert got == [(1, "nudge"), (0, "nudge")]


def test_escape_takes_typed_text_back(qtbot, shown, theme):
    editor = shown(make_editor(Param("axis", "axis", 0)), 200, 40)
    editor.set_value(7)
    qtbot.keyClicks(editor.focusProxy(), "9")
    qtbot.keyClick(editor.focusProxy(), Qt.Key.Key_Escape)
    assert editor.focusProxy().text() == "7"


def test_choices_and_switches(qtbot, shown, theme):
    choice = shown(make_editor(Param("mode", "choice", "full", choices=("full", "same"))), 200, 40)
    choice.set_value("full")
    with qtbot.waitSignal(choice.edited) as edited:
        qtbot.keyClick(choice.focusProxy(), Qt.Key.Key_Down)
    assert edited.args[0] == "same"

    switch = shown(make_editor(Param("keepdims", "bool", default=False)), 200, 40)
    switch.set_value(False)
    with qtbot.waitSignal(switch.edited) as edited:
        qtbot.keyClick(switch.focusProxy(), Qt.Key.Key_Space)
    assert edited.args[0] is True


@pytest.mark.parametrize("text", ["a", "2, x", "(2"])
def test_a_shape_is_whole_numbers(text):
    with pytest.raises(EditRefusedError):
        parse_shape(text)


@pytest.mark.parametrize("name", [n for n in ops.names() if ops.find(n).params])
def test_every_parameter_of_every_operation_has_an_editor_that_shows_its_default(
    qtbot, theme, name
):
    for param in ops.find(name).params:
        assert param.kind in EDITORS
        editor = make_editor(param)
        qtbot.addWidget(editor)
        editor.set_value(param.default)


@pytest.mark.parametrize("name", [n for n in ops.names() if ops.find(n).params])
def test_what_an_editor_shows_of_a_default_is_accepted_by_the_graph(qtbot, theme, name):
    graph, node = Graph().with_node(name)
    for param in ops.find(name).params:
        if param.default is None or param.kind in ("bool", "choice") or param.choices:
            continue
        editor = make_editor(param)
        qtbot.addWidget(editor)
        editor.set_value(param.default)
        field = editor.focusProxy()
        got = []
        editor.edited.connect(lambda value, _merge, got=got: got.append(value))
        field.setModified(True)
        field.editingFinished.emit()
        after = graph.with_params(node, **{param.name: got[0]})
        default = ops.find(name).defaults[param.name]
        stored = after.nodes[node].params.get(param.name, default)
        assert np.array_equal(np.asarray(stored, object), np.asarray(default, object)) or (
            stored == default
        )


def test_a_word_that_the_parameter_knows_is_taken_as_it_is(shown, qtbot):
    editor = shown(make_editor(Param("padding", "ints", 0, words=("same", "valid"))), 200, 40)
    editor.set_value(0)
    got = []
    editor.edited.connect(lambda value, _merge: got.append(value))
    for text in ("same", "2, 3"):
        editor.focusProxy().selectAll()
        qtbot.keyClicks(editor.focusProxy(), text)
        qtbot.keyClick(editor.focusProxy(), Qt.Key.Key_Return)
    assert got == ["same", (2, 3)]
