"""What the program remembers between two starts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

MOST_RECENT = 10
#: What is switched on or off by the action of the same name, and whether it is on at first.
CHOICES = {"snaps": True, "wheel_pans": False}


class Settings:
    """The program's ``QSettings``, with a name and a type for everything in it."""

    def __init__(self) -> None:
        self._store = QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Pullback", "pullback"
        )

    def is_first_start(self) -> bool:
        """True once: whether the program was never started before."""
        first = not self._store.value("started", False, type=bool)
        self._store.setValue("started", True)
        return first

    @property
    def theme(self) -> str:
        """``"dark"`` or ``"light"``."""
        return str(self._store.value("theme", "dark", type=str))

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def reduced_motion(self) -> bool:
        """Whether steps are shown without travel."""
        return bool(self._store.value("reduced_motion", False, type=bool))

    @reduced_motion.setter
    def reduced_motion(self, on: bool) -> None:
        self._store.setValue("reduced_motion", on)

    def is_chosen(self, choice: str) -> bool:
        """Whether a choice is on, a key of ``CHOICES``."""
        return bool(self._store.value(choice, CHOICES[choice], type=bool))

    def choose(self, choice: str, on: bool) -> None:
        """Switch a choice on or off."""
        self._store.setValue(choice, on)

    # -- files ---------------------------------------------------------------------------------

    def recent(self) -> list[Path]:
        """The files opened or saved last, newest first, without those that are gone."""
        return [path for path in map(Path, self._list("recent")) if path.exists()]

    def note_recent(self, path: Path) -> None:
        """Put a file at the head of the list."""
        paths = [path, *(other for other in self.recent() if other != path)]
        self._store.setValue("recent", [str(p) for p in paths[:MOST_RECENT]])

    def folder(self) -> Path:
        """Where file dialogs begin: beside the file used last, else at home."""
        last = next(iter(self.recent()), None)
        return last.parent if last else Path.home()

    # -- the window ----------------------------------------------------------------------------

    def window_state(self) -> tuple[QByteArray, QByteArray]:
        """Geometry and dock state; empty before the first close."""
        return self._bytes("window/geometry"), self._bytes("window/state")

    def keep_window_state(self, geometry: QByteArray, state: QByteArray) -> None:
        """Keep where the window and its docks are."""
        self._store.setValue("window/geometry", geometry)
        self._store.setValue("window/state", state)

    # -- commands ------------------------------------------------------------------------------

    def recent_commands(self) -> list[str]:
        """Ids of the commands chosen last from the list of all, newest first."""
        return self._list("commands")

    def note_command(self, command: str) -> None:
        """Put a command at the head of them."""
        commands = [command, *(other for other in self.recent_commands() if other != command)]
        self._store.setValue("commands", commands[:MOST_RECENT])

    # -- keys ----------------------------------------------------------------------------------

    def keys(self, action: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """The keys of an action: those the user chose, else the default ones."""
        name = f"keys/{action}"
        if not self._store.contains(name):
            return default
        return tuple(self._list(name))

    def set_keys(self, action: str, keys: Iterable[str] | None) -> None:
        """Choose other keys for an action; None goes back to the default ones."""
        if keys is None:
            self._store.remove(f"keys/{action}")
        else:
            self._store.setValue(f"keys/{action}", list(keys))

    # ------------------------------------------------------------------------------------------

    def _list(self, key: str) -> list[str]:
        stored = self._store.value(key, [], type=list)
        return [str(entry) for entry in stored] if isinstance(stored, list) else []

    def _bytes(self, key: str) -> QByteArray:
        stored = self._store.value(key, QByteArray(), type=QByteArray)
        return stored if isinstance(stored, QByteArray) else QByteArray()
