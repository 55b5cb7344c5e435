from collections import Counter

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence

from app.actions import ACTIONS, MENUS, Actions
from app.icons import icon
from app.settings import Settings
from app.theme import dark


def test_no_key_means_two_things():
    # All contexts can be alive at once: the canvas has the focus, inside the window.
    keys = Counter(
        QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)
        for spec in ACTIONS
        for key in spec.keys
    )
    assert [key for key, count in keys.items() if count > 1] == []
    assert "" not in keys


def test_single_letters_are_dead_outside_the_canvas():
    single = [s.id for s in ACTIONS if s.context == "window" for key in s.keys if len(key) == 1]
    assert single == []


def test_every_action_is_named_once_and_in_a_menu_that_exists():
    assert len({spec.id for spec in ACTIONS}) == len(ACTIONS)
    assert {spec.menu for spec in ACTIONS} <= {*MENUS, ""}


@pytest.mark.parametrize("spec", [s for s in ACTIONS if s.icon], ids=lambda s: s.id)
def test_every_icon_exists(qtbot, spec):
    assert not icon(spec.icon, dark().text).isNull()


def test_keys_can_be_changed_and_changed_back(qtbot):
    settings, owner = Settings(), QObject()
    actions = Actions(owner, settings)
    settings.set_keys("backward", ["Ctrl+B"])
    actions.load_keys()
    assert [key.toString() for key in actions["backward"].shortcuts()] == ["Ctrl+B"]

    settings.set_keys("backward", [])
    actions.load_keys()
    assert actions["backward"].shortcuts() == []

    settings.set_keys("backward", None)
    actions.load_keys()
    assert [key.toString() for key in actions["backward"].shortcuts()] == ["F5"]
