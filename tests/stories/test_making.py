"""Values made by recipes, in the inspector: constants, ranges, random numbers."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.files import dumps, loads
from core.making import make


@pytest.fixture
def form(user):
    """The recipe of x, a leaf of value 1."""
    user.add("leaf")
    user.canvas.select([user.id("x")])
    user.window.docks.bring_up("inspector")
    return user.tab.inspector.view.value.recipe


def choose(form, text):
    box = form.kind_box
    box.setFocus()
    box.setCurrentIndex(box.findText(text))
    box.activated.emit(box.currentIndex())


def enter(field, text):
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def x(user):
    return user.graph.named("x").params


def test_random_numbers_of_a_shape_with_a_seed(user, form):
    choose(form, "random, normal")
    enter(form.fields["shape"], "2, 3")
    enter(form.fields["seed"], "7")
    user.until_idle()
    source = {"kind": "normal", "shape": [2, 3], "mean": 0.0, "deviation": 1.0, "seed": 7}
    assert x(user)["source"] == source
    np.testing.assert_array_equal(x(user)["value"], make(source))
    assert x(user)["requires_grad"]
    assert user.document.undo_stack.count() == 4

    again = loads(dumps(user.graph).encode())
    assert again.named("x").params["source"] == source


def test_redraw_gives_other_numbers_and_can_be_undone(user, form):
    choose(form, "random, uniform")
    enter(form.fields["shape"], "3")
    before = x(user)["value"]
    user.press_button(form.redraw_button)
    assert (x(user)["value"] != before).all()
    assert form.fields["seed"].text() == str(x(user)["source"]["seed"])
    user.document.undo_stack.undo()
    np.testing.assert_array_equal(x(user)["value"], before)
    assert form.fields["seed"].text() == "0"


def test_ranges_and_the_identity(user, form):
    choose(form, "range by count")
    enter(form.fields["count"], "3")
    assert x(user)["value"].tolist() == [0.0, 0.5, 1.0]
    choose(form, "identity matrix")
    enter(form.fields["columns"], "2")
    enter(form.fields["rows"], "2")
    assert x(user)["value"].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_what_cannot_be_made_is_said_on_the_field_and_changes_nothing(user, form):
    choose(form, "zeros")
    enter(form.fields["shape"], "2")
    graph = user.graph
    enter(form.fields["shape"], "99999, 99999")
    assert user.graph is graph
    assert "more than" in form.fields["shape"].toolTip()
    enter(form.fields["shape"], "two")
    assert user.graph is graph
    assert form.fields["shape"].toolTip()


def test_a_typed_value_forgets_the_recipe(user, form):
    choose(form, "ones")
    enter(user.tab.inspector.view.value.value_field, "5")
    assert x(user)["source"] is None
    assert form.kind_box.currentText() == "typed"
    assert form.fields == {}


def test_another_dtype_is_made_by_the_same_recipe(user, form):
    choose(form, "random, normal")
    enter(form.fields["shape"], "4")
    fields = user.tab.inspector.view.value
    for dtype in ("float32", "float64"):
        fields.dtype_box.setCurrentText(dtype)
        fields.dtype_box.textActivated.emit(dtype)
        assert x(user)["value"].dtype == dtype
    np.testing.assert_array_equal(x(user)["value"], make(x(user)["source"]))


@pytest.mark.parametrize(("word", "name"), [("randn", "W"), ("linspace", "t"), ("eye", "I")])
def test_the_palette_makes_them_too(user, word, name):
    user.add(word)
    params = user.graph.named(name).params
    np.testing.assert_array_equal(params["value"], make(params["source"]))
    user.window.docks.bring_up("inspector")
    assert user.tab.inspector.view.value.recipe.source == params["source"]


@pytest.mark.parametrize(
    "source", [None, {"kind": "file", "file": "a very long name of a file.npy"}]
)
def test_the_inspector_stays_narrow(user, form, source):
    """260 pixels are what it gets in a small window."""
    value = np.random.default_rng(0).normal(size=(4, 4))
    x = user.id("x")
    user.document.edit("Set x", user.graph.with_params(x, value=value, source=source))
    user.until_idle()
    assert user.tab.inspector.view.minimumSizeHint().width() <= 260
    choose(form, "random, uniform")
    assert user.tab.inspector.view.minimumSizeHint().width() <= 260
