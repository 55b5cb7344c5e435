"""How the program looks: one door to colours and fonts, and ``apply_theme``."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from app.colors import (
    FRAME_COLORS,
    Theme,
    contrast,
    dark,
    faded,
    light,
    magnitude,
    mix,
    signed_magnitude,
)
from app.fonts import load_fonts, mono_font, ui_font
from app.stylesheet import palette, stylesheet

__all__ = [
    "FRAME_COLORS",
    "Theme",
    "apply_theme",
    "contrast",
    "dark",
    "faded",
    "light",
    "load_fonts",
    "magnitude",
    "mix",
    "mono_font",
    "signed_magnitude",
    "ui_font",
]

_UI_SIZE = 13


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Dress the whole program: Fusion style, palette, style sheet and font."""
    worn = app.property("theme")
    if worn == theme.name:
        return
    load_fonts()
    if worn is None:
        # Once only: another setStyle deletes the style that living widgets still use.
        app.setStyle("Fusion")
    app.setPalette(palette(theme))
    app.setFont(ui_font(_UI_SIZE))
    app.setStyleSheet(stylesheet(theme))
    app.setProperty("theme", theme.name)
