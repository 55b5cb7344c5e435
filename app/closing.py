"""Closing tabs and windows: never without asking when work would be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.workspace import Workspace

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Closer:
    """Closes what is in one window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def close_current(self) -> None:
        """Close the tab that is shown."""
        self.close_tab(self._window.current)

    def close_tab(self, workspace: Workspace) -> None:
        """Close a tab, unless the user keeps it. The last one takes its window along, if there is
        another window; else an empty graph takes its place."""
        tabs = self._window.tabs
        if len(tabs) == 1 and len(self._window.windows) > 1:
            self._window.close()
        elif self._may_close(workspace):
            if len(tabs) == 1:
                tabs.add()
            tabs.remove(workspace)

    def close_others(self) -> None:
        """Close all tabs but the one shown, unless the user keeps one."""
        tabs, kept = self._window.tabs, self._window.current
        others = [workspace for workspace in tabs if workspace is not kept]
        if all(self._may_close(workspace) for workspace in others):
            for workspace in others:
                tabs.remove(workspace)
        tabs.show_workspace(kept)

    def may_close_all(self) -> bool:
        """Whether the window may close: the user keeps none of its tabs."""
        return all(self._may_close(workspace) for workspace in self._window.tabs)

    def _may_close(self, workspace: Workspace) -> bool:
        if workspace.document.modified:  # show what the question is about
            self._window.tabs.show_workspace(workspace)
            self._window.raise_()
            self._window.activateWindow()
        return workspace.saver.may_close()
