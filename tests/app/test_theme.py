"""Colours that must be told apart and read: headers, text, gradients; fonts and icons."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QFontInfo, QRawFont
from PySide6.QtWidgets import QApplication

from app.canvas.node_painter import freed_header, freed_text
from app.colors import mix
from app.icons import icon_pixmap
from app.theme import (
    Theme,
    apply_theme,
    contrast,
    dark,
    light,
    magnitude,
    mono_font,
    signed_magnitude,
    ui_font,
)

themes = pytest.mark.parametrize("theme", [dark(), light()], ids=["dark", "light"])
categories = pytest.mark.parametrize("category", sorted(dark().categories))


@themes
@categories
def test_header_text_reads_anywhere_on_its_header(theme: Theme, category: str) -> None:
    text = theme.header_text(category)
    assert all(contrast(text, ground) >= 4.5 for ground in theme.header(category))


@themes
@categories
def test_the_name_of_a_freed_node_is_still_read(theme: Theme, category: str) -> None:
    surface = mix(theme.surface, theme.background, 0.55)
    assert contrast(freed_text(theme), freed_header(category, surface, theme)) >= 4.5


@themes
@categories
def test_no_header_is_the_colour_of_a_gradient(theme: Theme, category: str) -> None:
    header = theme.categories[category]
    is_blue_or_orange = header.hue() in range(195, 218) or header.hue() in range(15, 45)
    assert not (is_blue_or_orange and header.saturationF() > 0.4)


@themes
def test_text_reads_on_surfaces(theme: Theme) -> None:
    for surface in (theme.surface, theme.background, theme.pill):
        assert contrast(theme.text, surface) >= 12
        assert contrast(theme.text_muted, surface) >= 4.5
        assert contrast(theme.error_text, surface) >= 4.5
        assert contrast(theme.text_faint, surface) >= 3.4


@themes
def test_gradient_numbers_read_at_any_magnitude(theme: Theme) -> None:
    for step in range(-10, 11):
        assert contrast(theme.gradient_text(step / 10), theme.surface) >= 3.9


@themes
def test_gradient_ends_are_the_themes_and_the_middle_is_neutral(theme: Theme) -> None:
    assert theme.gradient_color(1.0) == theme.positive
    assert theme.gradient_color(-1.0) == theme.negative
    assert theme.gradient_color(0.0) == theme.neutral


def test_magnitude_is_logarithmic_and_bounded() -> None:
    assert magnitude(0.0) == 0.0
    assert magnitude(1e-3) == 0.0
    assert magnitude(0.1) == pytest.approx(0.5)
    assert magnitude(10.0) == magnitude(1e9) == 1.0


def test_mixed_arrays_lean_to_neither_side() -> None:
    assert signed_magnitude(0.0, 1.0) == 0.0
    assert signed_magnitude(-1.0, 1.0) == pytest.approx(-0.75)


def test_bundled_fonts_are_used_and_draw_mathematics(qapp: QApplication) -> None:
    assert QFontInfo(ui_font(13)).family() == "Inter"
    assert QFontInfo(mono_font(12)).family() == "JetBrains Mono"
    for font in (ui_font(13), mono_font(12)):
        faces = [QRawFont.fromFont(font)]
        faces += [QRawFont.fromFont(_with_family(font, name)) for name in font.families()]
        for letter in "∂Σ√²ᵀḡ₁·−∇⊙ȳλ":
            assert any(face.supportsCharacter(ord(letter)) for face in faces), letter


def _with_family(font, name):  # type: ignore[no-untyped-def]
    other = type(font)(font)
    other.setFamilies([name])
    return other


@themes
def test_theme_applies_to_the_program(qapp: QApplication, theme: Theme) -> None:
    apply_theme(qapp, theme)
    assert "@" not in qapp.styleSheet()
    assert qapp.palette().base().color() == theme.surface
    qapp.setStyleSheet("")


def test_icons_take_the_colour_they_are_given(qapp: QApplication) -> None:
    image = icon_pixmap("square", QColor("#FF0000"), 16, dpr=2.0).toImage()
    assert image.width() == 32
    colors = {
        image.pixelColor(x, 16).name() for x in range(32) if image.pixelColor(x, 16).alpha() > 200
    }
    assert colors == {"#ff0000"}
