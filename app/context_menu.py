"""What a right-click offers, by what it hit."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QMenu, QWidget

from app.actions import Actions
from app.canvas.hit import Hit

_Entry = str | None | tuple[str, ...]

#: Actions by what was hit; None is a line, a tuple a menu of its own with its title before.
_ARRANGE = (
    "Arrange", "arrange_selection", "align_left", "align_column", "align_right", "align_top",
    "align_row", "align_bottom", "distribute_row", "distribute_column",
)  # fmt: skip
_SELECT = ("Select", "select_upstream", "select_downstream", "select_inverse")
_NODE: tuple[_Entry, ...] = (
    "edit_first", "rename", "connect", "disconnect", "use_as_roots", None,
    "cut", "copy", "duplicate", "delete", None,
    "make_function", "open_function", "flatten", None,
    "collapse", "pin", "frame", "unframe", "frame_selection", None,
    _ARRANGE, _SELECT,
)  # fmt: skip
_WIRE = ("delete",)
_FRAME = ("unframe", "delete")
_EMPTY = (
    "add_node",
    "comment",
    "paste",
    None,
    "select_all",
    "frame_all",
    "arrange",
    None,
    "backward",
)
_MENUS: dict[str, tuple[_Entry, ...]] = {
    "node": _NODE, "input": _NODE, "output": _NODE, "wire": _WIRE, "frame": _FRAME, "corner": _FRAME
}  # fmt: skip

_TAB: tuple[_Entry, ...] = (
    "save", "save_as", None, "close_tab", "close_others", None, "new", "new_window"
)  # fmt: skip


def tab_menu(actions: Actions, parent: QWidget) -> QMenu:
    """The menu for a right-click on a tab."""
    return _menu(_TAB, actions, parent)


def context_menu(hit: Hit | None, actions: Actions, parent: QWidget) -> QMenu:
    """The menu for a right-click on ``hit``, or on nothing."""
    return _menu(_MENUS[hit.kind] if hit else _EMPTY, actions, parent)


def _menu(entries: Iterable[_Entry], actions: Actions, parent: QWidget) -> QMenu:
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        elif isinstance(entry, tuple):
            inner = menu.addMenu(entry[0])
            for name in entry[1:]:
                inner.addAction(actions[name])
        else:
            menu.addAction(actions[entry])
    return menu
