"""What a right-click offers, by what it hit."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QWidget

from app.actions import Actions
from app.canvas.hit import Hit

#: Actions by what was hit; None is a line.
_NODE = (
    "edit_first", "rename", "use_as_roots", None,
    "cut", "copy", "duplicate", "delete", None,
    "collapse", "frame", "unframe", "frame_selection", None,
    "select_upstream", "select_downstream",
)  # fmt: skip
_WIRE = ("delete",)
_FRAME = ("unframe", "delete")
_EMPTY = ("add_node", "paste", None, "select_all", "frame_all", "arrange", None, "backward")
_MENUS: dict[str, tuple[str | None, ...]] = {
    "node": _NODE, "input": _NODE, "output": _NODE, "wire": _WIRE, "frame": _FRAME
}  # fmt: skip


def context_menu(hit: Hit | None, actions: Actions, parent: QWidget) -> QMenu:
    """The menu for a right-click on ``hit``, or on nothing."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    for name in _MENUS[hit.kind] if hit else _EMPTY:
        if name is None:
            menu.addSeparator()
        else:
            menu.addAction(actions[name])
    return menu
