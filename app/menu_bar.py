"""The menus, made from the table of actions; with the files opened last and the examples."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu

from app.actions import ACTIONS, MENUS, Actions
from app.availability import why_not
from app.examples import examples, title
from app.opening import Opener
from app.settings import Settings
from app.tabs import Tabs


def fill_menu_bar(
    window: QMainWindow,
    actions: Actions,
    opener: Opener,
    settings: Settings,
    docks: dict[str, QDockWidget],
    tabs: Tabs,
) -> None:
    """Put every action of the table into its menu, a line between its groups."""
    menus = {name: window.menuBar().addMenu(name) for name in MENUS}
    groups: dict[str, int] = {}
    for spec in ACTIONS:
        if not spec.menu:
            continue
        if groups.setdefault(spec.menu, spec.group) != spec.group:
            menus[spec.menu].addSeparator()
        groups[spec.menu] = spec.group
        menus[spec.menu].addAction(actions[spec.id])
    for menu in menus.values():
        _grey_what_does_nothing(menu, tabs)
    recent = QMenu("Open recent", window)
    recent.aboutToShow.connect(lambda: _fill_recent(recent, opener, settings))
    for menu in (recent, _examples(window, opener)):
        menus["File"].insertMenu(actions["save"], menu)
    menus["View"].addSeparator()
    for dock in docks.values():
        menus["View"].addAction(dock.toggleViewAction())


def _grey_what_does_nothing(menu: QMenu, tabs: Tabs) -> None:
    """Only while the menu is open: a disabled action would lose its key, which says why instead."""
    greyed: list[QAction] = []

    def grey() -> None:
        for action in menu.actions():
            if action.isEnabled() and why_not(action.objectName(), tabs):
                action.setEnabled(False)
                greyed.append(action)

    def free() -> None:
        for action in greyed:
            action.setEnabled(True)
        greyed.clear()

    menu.aboutToShow.connect(grey)
    menu.aboutToHide.connect(free)


def _examples(window: QMainWindow, opener: Opener) -> QMenu:
    menu = QMenu("Examples", window)
    for path in examples():
        entry = menu.addAction(title(path))
        entry.triggered.connect(lambda _on=False, p=path: opener.open_copy(p))
    return menu


def _fill_recent(menu: QMenu, opener: Opener, settings: Settings) -> None:
    menu.clear()
    for path in settings.recent():
        entry = menu.addAction(path.name)
        entry.setToolTip(str(path))
        entry.triggered.connect(lambda _on=False, p=path: opener.open_path(p))
    if menu.isEmpty():
        menu.addAction("Nothing yet").setEnabled(False)
