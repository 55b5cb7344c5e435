"""The middle of the window: the canvas, with the transport bar floating over its foot."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.canvas import legend, minimap
from app.canvas.canvas import Canvas
from app.canvas.painting import draw_panel
from app.theme import Theme

_BAR_WIDTH, _BAR_HEIGHT, _RADIUS = 620, 56, 14
#: Narrower than this the bar is no use: the minimap, then the legend make room for it.
_LEAST_WIDTH = 430
_GAP = 14
#: Zoom that is enough for the last row.
_LARGEST = 2.5


class _Ground(QWidget):
    """What the bar lies on: the same surface and shadow as the canvas's own panels.

    It is painted with every frame of the canvas, so its picture is kept.
    """

    def __init__(self) -> None:
        super().__init__()
        self._theme: Theme | None = None
        self._picture = QPixmap()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._theme = theme
        self._picture = QPixmap()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._theme is None:
            return
        size = self.size() * self.devicePixelRatioF()
        if self._picture.size() != size:
            self._picture = self._drawn(self._theme, size)
        QPainter(self).drawPixmap(0, 0, self._picture)

    def _drawn(self, theme: Theme, size: QSize) -> QPixmap:
        picture = QPixmap(size)
        picture.setDevicePixelRatio(self.devicePixelRatioF())
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = legend.SHADOW
        rect = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        draw_panel(painter, rect, theme, _RADIUS)
        painter.end()
        return picture


class CanvasArea(QWidget):
    """Gives the canvas all the room, and lays the bar between its legend and its minimap."""

    def __init__(self, canvas: Canvas, bar: QWidget, pill: QWidget, breadcrumb: QWidget) -> None:
        super().__init__()
        self._canvas = canvas
        self._bar = bar
        self._is_large = False
        self.setMinimumSize(canvas.minimumSize())
        self._ground = _Ground()
        self._busy = QLabel()
        self._busy.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._pill = pill
        self._breadcrumb = breadcrumb
        for child in (canvas, self._ground, bar, breadcrumb, self._busy, pill):
            child.setParent(self)
        self._busy.hide()
        breadcrumb.move(_GAP, _GAP)

    def show_busy(self, busy: bool) -> None:
        """Say at the top that the engine is at work, or no longer."""
        self._say("Computing…  Ctrl+. stops waiting" if busy else "")

    def show_reading(self, file_name: str) -> None:
        """Say that a file is being read; "" when it no longer is."""
        self._say(f"Reading {file_name}…" if file_name else "")

    def show_writing(self, file_name: str) -> None:
        """Say that a file is being written; "" when it no longer is."""
        self._say(f"Writing {file_name}…" if file_name else "")

    def _say(self, what: str) -> None:
        self._busy.setText(what)
        self._busy.setVisible(bool(what))
        self._busy.adjustSize()
        self.place_pill()

    def place_pill(self) -> None:
        """What is said at the top goes to the middle, below the way back if that is so long."""
        busy, pill, top = self._busy, self._pill, _GAP
        left = (self.width() - busy.width()) // 2
        if self._breadcrumb.isVisible() and self._breadcrumb.geometry().right() > left - _GAP:
            top = self._breadcrumb.geometry().bottom() + _GAP
        busy.move(left, top)
        pill.move((self.width() - pill.width()) // 2, top + busy.sizeHint().height() + _GAP)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        self._ground.set_theme(theme)
        self._ground.update()
        self._busy.setStyleSheet(
            f"background: {theme.pill.name()}; color: {theme.text.name()};"
            f" border: 1px solid {theme.border.name()}; border-radius: 10px; padding: 6px 12px;"
        )

    def set_large(self, large: bool) -> None:
        """Keep the graph as large as it goes, to be read from the back of a room."""
        self._is_large = large
        if large:
            self._enlarge()
        else:
            self._canvas.frame_all()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._canvas.setGeometry(self.rect())
        self.place_pill()
        left = legend.INSET + legend.WIDTH + _GAP
        right = legend.INSET + minimap.WIDTH + _GAP
        has_legend = self.width() - left - right >= _LEAST_WIDTH
        has_minimap = self.width() - right - legend.INSET >= _LEAST_WIDTH
        self._canvas.set_overlays(legend=has_legend, minimap=has_minimap)
        room_left = left if has_legend else legend.INSET
        room_right = self.width() - (right if has_minimap else legend.INSET)
        width = min(_BAR_WIDTH, room_right - room_left)
        # In the middle of the window, unless the legend or the minimap is in the way.
        x = min(max((self.width() - width) // 2, room_left), room_right - width)
        y = self.height() - legend.INSET - _BAR_HEIGHT
        bar = QRect(x, y, width, _BAR_HEIGHT)
        reach = legend.SHADOW
        self._bar.setGeometry(bar)
        self._ground.setGeometry(bar.adjusted(-reach, -reach, reach, reach))
        if self._is_large:
            self._enlarge()

    def _enlarge(self) -> None:
        room = self.height() - _BAR_HEIGHT - 2 * legend.INSET
        box = self._canvas.picture.bounds()
        view = self._canvas.view.fitted(box, self.width(), max(100, room), _LARGEST)
        self._canvas.set_view(view)
