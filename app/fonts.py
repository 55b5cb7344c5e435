"""The bundled fonts: Inter for words, JetBrains Mono for numbers, DejaVu Sans for rare signs."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtGui import QFont, QFontDatabase

_FILES = (
    "Inter-Regular.otf",
    "Inter-Medium.otf",
    "Inter-SemiBold.otf",
    "Inter-MediumItalic.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-Medium.ttf",
    "DejaVuSans.ttf",
)


@cache
def load_fonts() -> None:
    """Make the bundled fonts known to Qt, once; needs a QGuiApplication."""
    folder = files("resources") / "fonts"
    for name in _FILES:
        QFontDatabase.addApplicationFontFromData((folder / name).read_bytes())


def ui_font(
    px: float, weight: QFont.Weight = QFont.Weight.Normal, *, italic: bool = False
) -> QFont:
    """Inter, ``px`` logical pixels high."""
    return _font(["Inter", "DejaVu Sans"], px, weight, italic)


def mono_font(px: float, weight: QFont.Weight = QFont.Weight.Medium) -> QFont:
    """JetBrains Mono, ``px`` logical pixels high."""
    return _font(["JetBrains Mono", "DejaVu Sans"], px, weight, italic=False)


def _font(families: list[str], px: float, weight: QFont.Weight, italic: bool) -> QFont:
    load_fonts()
    font = QFont(families)
    font.setPixelSize(max(1, round(px)))  # whole pixels: zooming scales the painter instead
    font.setWeight(weight)
    font.setItalic(italic)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
