"""How a window looks: theme, projector size, full screen, and the choices that settings keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from app.settings import CHOICES
from app.theme import Theme, apply_theme, dark, light

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Looks:
    """Dresses one window; a switch in one window is a switch in all."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What to do for the switches of the View menu and of the settings."""
        return {
            "light_theme": self._switch_theme,
            "projector": self._switch_projector,
            "full_screen": self._switch_full_screen,
            **{name: partial(self._switch, name) for name in CHOICES},
        }

    def dress(self) -> None:
        """Put on the theme that the settings say, and tick the other choices."""
        window = self._window
        window.theme = chosen_theme(window.settings.theme)
        for part in (
            window.action_table, window.tabs, window.palette_panel, window.popup, window.finder,
            window.connector, window.commands, window.messages_button,
        ):  # fmt: skip
            part.set_theme(window.theme)
        window.action_table["light_theme"].setChecked(not window.theme.is_dark)
        self.show_choices()

    def show_choices(self) -> None:
        """Tick what the settings say is on."""
        for name in CHOICES:
            action = self._window.action_table[name]
            action.setChecked(self._window.settings.is_chosen(name))

    @property
    def is_large(self) -> bool:
        """Whether the canvas has all the room, to be read from the back of a room."""
        return self._window.action_table["projector"].isChecked()

    def _switch_theme(self) -> None:
        is_light = self._window.action_table["light_theme"].isChecked()
        self._window.settings.theme = "light" if is_light else "dark"
        for window in self._window.windows:
            window.looks.dress()

    def _switch(self, choice: str) -> None:
        is_on = self._window.action_table[choice].isChecked()
        self._window.settings.choose(choice, is_on)
        for window in self._window.windows:
            window.looks.show_choices()

    def _switch_projector(self) -> None:
        """Everything to the canvas, as large as it goes; and back to where all was."""
        docks = self._window.docks
        docks.hide_all() if self.is_large else docks.bring_back()
        for workspace in self._window.tabs:
            workspace.page.set_large(self.is_large)

    def _switch_full_screen(self) -> None:
        full = self._window.action_table["full_screen"].isChecked()
        self._window.showFullScreen() if full else self._window.showNormal()


def chosen_theme(name: str) -> Theme:
    """The theme of this name, put on the whole program."""
    theme = light() if name == "light" else dark()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply_theme(app, theme)
    return theme
