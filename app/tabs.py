"""The open graphs of a window: a strip of tabs over the one that is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.panels.tab_bar import TabStrip
from app.panels.widgets import column
from app.theme import Theme
from app.workspace import Workspace

#: Makes a workspace with this name for its graph while it has no file.
MakeWorkspace = Callable[[str], Workspace]


class Tabs(QWidget):
    """Owns the workspaces of a window and shows one of them. There is always one.

    Attributes:
        current: the workspace that is shown.

    Signals:
        added: a workspace was made (Workspace); comes before it is shown.
        switched: another workspace is shown (Workspace).
        removed: a workspace is about to be let go (Workspace).
        close_asked: the user wants this Workspace closed.
        menu_asked: the user wants the menu of the current tab, at a point of the screen.
    """

    added = Signal(object)
    switched = Signal(object)
    removed = Signal(object)
    close_asked = Signal(object)
    menu_asked = Signal(QPoint)

    def __init__(self, make: MakeWorkspace, theme: Theme) -> None:
        super().__init__()
        self._make = make
        self._theme = theme
        self._workspaces: list[Workspace] = []
        self._shown: Workspace | None = None
        self._made = 0
        self.strip = TabStrip(theme)
        self._pages = QStackedWidget()
        layout = column(self, spacing=0)
        layout.addWidget(self.strip)
        layout.addWidget(self._pages, stretch=1)
        self.strip.chosen.connect(self._on_chosen)
        self.strip.moved.connect(self._on_moved)
        self.strip.close_asked.connect(lambda i: self.close_asked.emit(self._workspaces[i]))
        self.strip.new_asked.connect(self.add)
        self.strip.menu_asked.connect(self.menu_asked)

    def __iter__(self) -> Iterator[Workspace]:
        return iter(tuple(self._workspaces))

    def __len__(self) -> int:
        return len(self._workspaces)

    def add(self) -> Workspace:
        """Open an empty graph beside the current tab, and show it."""
        self._made += 1
        name = "Untitled" if self._made == 1 else f"Untitled {self._made}"
        workspace = self._make(name)
        place = self.strip.bar.currentIndex() + 1
        self._workspaces.insert(place, workspace)
        self._pages.addWidget(workspace.page)
        workspace.document.file_changed.connect(self._show_titles)
        self.added.emit(workspace)
        self.strip.add(place)
        self._show_titles()
        self.show_workspace(workspace)
        return workspace

    @property
    def current(self) -> Workspace:
        """The workspace that is shown."""
        return self._workspaces[self.strip.bar.currentIndex()]

    def show_workspace(self, workspace: Workspace) -> None:
        """Bring a tab to the front."""
        self.strip.bar.setCurrentIndex(self._workspaces.index(workspace))

    def step(self, by: int) -> None:
        """Go to the next tab, or the one before; from the last to the first."""
        self.strip.bar.setCurrentIndex((self.strip.bar.currentIndex() + by) % len(self))

    def holding(self, path: Path) -> Workspace | None:
        """The workspace that has this file open."""
        return next((w for w in self._workspaces if w.document.is_in(path)), None)

    def remove(self, workspace: Workspace) -> None:
        """Close a tab without asking, and everything in it. Not the only one."""
        index = self._workspaces.index(workspace)
        if index == self.strip.bar.currentIndex():
            self.step(1 if index == 0 else -1)
        self._workspaces.pop(index)
        self.strip.remove(index)
        self._let_go(workspace)
        self._show_titles()

    def close_all(self) -> None:
        """The window closes: let everything go."""
        for workspace in self._workspaces:
            self._let_go(workspace)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self.strip.set_theme(theme)
        for workspace in self._workspaces:
            workspace.set_theme(theme)

    # ------------------------------------------------------------------------------------------

    def _let_go(self, workspace: Workspace) -> None:
        workspace.document.file_changed.disconnect(self._show_titles)
        self.removed.emit(workspace)
        self._pages.removeWidget(workspace.page)
        workspace.close()

    def _on_chosen(self, index: int) -> None:
        current = self._workspaces[index]
        if current is self._shown:
            return  # only its place changed
        if self._shown is not None:
            self._shown.set_shown(False)
        self._shown = current
        self._pages.setCurrentWidget(current.page)
        current.set_shown(True)
        self.switched.emit(current)

    def _on_moved(self, start: int, end: int) -> None:
        self._workspaces.insert(end, self._workspaces.pop(start))

    def _show_titles(self) -> None:
        """Every title; two files of one name are told apart by their folders."""
        titles = [workspace.document.title for workspace in self._workspaces]
        for index, workspace in enumerate(self._workspaces):
            document, title = workspace.document, titles[index]
            if document.path is not None and titles.count(title) > 1:
                title = f"{title} ({document.path.parent.name})"
            tip = str(document.path or "Not saved yet")
            self.strip.show_title(index, title, tip, modified=document.modified)
