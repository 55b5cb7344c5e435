"""Icons from the bundled SVGs, in any colour."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_SIZES = (16, 20, 24, 32)


def icon(name: str, color: QColor, dpr: float = 1.0) -> QIcon:
    """The icon ``name`` (see ``resources/icons``) drawn in ``color``.

    Args:
        name: file name without ``.svg``.
        color: of the strokes.
        dpr: device pixels per logical pixel of the screen it is for.

    Raises:
        FileNotFoundError: if there is no such icon.
    """
    return _icon(name, color.name(QColor.NameFormat.HexArgb), dpr)


def icon_pixmap(name: str, color: QColor, size: int, dpr: float = 1.0) -> QPixmap:
    """One icon as a square pixmap, ``size`` logical pixels wide."""
    return _pixmap(name, color.name(QColor.NameFormat.HexArgb), size, dpr)


@lru_cache(maxsize=512)
def _icon(name: str, color: str, dpr: float) -> QIcon:
    result = QIcon()
    for size in _SIZES:
        result.addPixmap(_pixmap(name, color, size, dpr))
    return result


@lru_cache(maxsize=1024)
def _pixmap(name: str, color: str, size: int, dpr: float) -> QPixmap:
    pixmap = QPixmap(round(size * dpr), round(size * dpr))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    rgb = QColor(color)
    _renderer(name, rgb.name()).render(painter, QRectF(pixmap.rect()))
    # QtSvg knows no alpha in stroke colours: the opacity is applied to the finished picture.
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
    painter.fillRect(pixmap.rect(), QColor(0, 0, 0, rgb.alpha()))
    painter.end()
    pixmap.setDevicePixelRatio(dpr)
    return pixmap


@lru_cache(maxsize=512)
def _renderer(name: str, rgb: str) -> QSvgRenderer:
    # QtSvg draws currentColor black.
    svg = (files("resources") / "icons" / f"{name}.svg").read_bytes()
    return QSvgRenderer(QByteArray(svg.replace(b"currentColor", rgb.encode())))
