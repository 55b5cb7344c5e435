"""The open windows: they share one process, its settings and its clipboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Windows:
    """Those that are open, oldest first."""

    def __init__(self) -> None:
        self._open: list[MainWindow] = []

    def __iter__(self) -> Iterator[MainWindow]:
        return iter(tuple(self._open))

    def __len__(self) -> int:
        return len(self._open)

    def add(self, window: MainWindow) -> None:
        """A window was made."""
        self._open.append(window)

    def remove(self, window: MainWindow) -> None:
        """A window was closed: it goes as soon as its last event is served."""
        self._open.remove(window)
        window.deleteLater()

    @property
    def active(self) -> MainWindow | None:
        """The one that has the keys; while another program has them, the one opened last."""
        active = [window for window in self._open if window.isActiveWindow()]
        return next(iter(active or reversed(self._open)), None)

    def has(self, path: Path) -> bool:
        """Whether a file is open in any tab."""
        return any(window.tabs.holding(path) is not None for window in self._open)

    def show_file(self, path: Path) -> bool:
        """Bring the tab of a file to the front, if one has it open."""
        for window in self._open:
            workspace = window.tabs.holding(path)
            if workspace is not None:
                window.tabs.show_workspace(workspace)
                if window.isMinimized():
                    window.showNormal()
                window.activateWindow()
                window.raise_()
                return True
        return False

    def close_all(self) -> None:
        """Close every window, until the user keeps one open."""
        for window in self:
            if not window.close():
                return
