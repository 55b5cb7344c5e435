"""The panels around the canvas: docks whose content follows the tab that is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QByteArray, QObject, Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QWidget,
)

_AREAS = Qt.DockWidgetArea
#: Heading and place of the panels that every open graph has of its own.
_PANELS: Mapping[str, tuple[str, Qt.DockWidgetArea]] = {
    "inspector": ("Inspector", _AREAS.RightDockWidgetArea),
    "backward": ("Backward", _AREAS.RightDockWidgetArea),
    "code": ("Code", _AREAS.RightDockWidgetArea),
    "messages": ("Messages", _AREAS.BottomDockWidgetArea),
    "values": ("Values", _AREAS.BottomDockWidgetArea),
}
#: Palette and inspector in a wide and in a narrow window, messages.
_WIDE, _NARROW, _BOTTOM = (250, 310), (190, 260), 150
_NARROW_WINDOW = 1200


class Docks(QObject):
    """Adds the docks to a window, and shows in each the panel of one open graph.

    Args:
        palette: the panel that all graphs share.

    Attributes:
        docks: by name.
    """

    def __init__(self, window: QMainWindow, palette: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._before_hiding = QByteArray()
        self._stacks = {name: QStackedWidget() for name in _PANELS}
        self.docks = {"palette": self._dock("Operations", palette, _AREAS.LeftDockWidgetArea)}
        for name, (heading, area) in _PANELS.items():
            self.docks[name] = self._dock(heading, self._stacks[name], area)
            self.docks[name].setTitleBarWidget(QWidget())  # its tab says it
        window.setTabPosition(_AREAS.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.tabifyDockWidget(self.docks["inspector"], self.docks["backward"])
        window.tabifyDockWidget(self.docks["backward"], self.docks["code"])
        window.tabifyDockWidget(self.docks["messages"], self.docks["values"])
        window.setCorner(Qt.Corner.BottomLeftCorner, _AREAS.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, _AREAS.RightDockWidgetArea)
        for name in ("messages", "values"):
            self.docks[name].hide()
        self.docks["backward"].raise_()
        self._stale_tabs_timer = QTimer(self, singleShot=True, interval=0)
        self._stale_tabs_timer.timeout.connect(self._hide_stale_tab_bars)
        for dock in self.docks.values():
            dock.visibilityChanged.connect(lambda _: self._stale_tabs_timer.start())

    def __getitem__(self, name: str) -> QDockWidget:
        return self.docks[name]

    # -- panels --------------------------------------------------------------------------------

    def add(self, panels: Mapping[str, QWidget]) -> None:
        """Take the panels of another graph, by the name of their dock."""
        for name, panel in panels.items():
            self._stacks[name].addWidget(panel)

    def show(self, panels: Mapping[str, QWidget]) -> None:
        """Show the panels of this graph."""
        for name, panel in panels.items():
            self._stacks[name].setCurrentWidget(panel)

    def remove(self, panels: Mapping[str, QWidget]) -> None:
        """Let the panels of a graph go."""
        for name, panel in panels.items():
            self._stacks[name].removeWidget(panel)

    # -- showing and hiding --------------------------------------------------------------------

    def bring_up(self, name: str) -> None:
        """Show a dock, in front of those it shares its place with."""
        self.docks[name].show()
        self.docks[name].raise_()

    def toggle(self, name: str) -> None:
        """Hide a dock that is seen, show one that is not."""
        if self.docks[name].isVisible():
            self.docks[name].hide()
        else:
            self.bring_up(name)

    def hide_all(self) -> None:
        """Leave all the room to the canvas."""
        self._before_hiding = self._window.saveState()
        for dock in self.docks.values():
            dock.hide()

    def bring_back(self) -> None:
        """Put everything where it was before ``hide_all``."""
        self._window.restoreState(self._before_hiding)

    def set_first_sizes(self) -> None:
        """The sizes of a window that has never been arranged."""
        widths = _WIDE if self._window.width() >= _NARROW_WINDOW else _NARROW
        sides = [self.docks["palette"], self.docks["backward"]]
        self._window.resizeDocks(sides, list(widths), Qt.Orientation.Horizontal)
        bottom = [self.docks["messages"]]
        self._window.resizeDocks(bottom, [_BOTTOM], Qt.Orientation.Vertical)

    # ------------------------------------------------------------------------------------------

    def _dock(self, heading: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(heading, self._window)
        dock.setObjectName(heading)
        dock.setWidget(panel)
        feature = QDockWidget.DockWidgetFeature
        dock.setFeatures(feature.DockWidgetMovable | feature.DockWidgetClosable)
        dock.toggleViewAction().setObjectName(f"dock_{heading.lower()}")
        self._window.addDockWidget(area, dock)
        return dock

    def _hide_stale_tab_bars(self) -> None:
        """WORKAROUND: Qt leaves the tab bars of docks that were tabbed and hidden on the window."""
        kind = Qt.FindChildOption.FindDirectChildrenOnly
        shown = [dock for dock in self.docks.values() if dock.isVisible()]
        for bar in self._window.findChildren(QTabBar, options=kind):
            titles = {bar.tabText(i) for i in range(bar.count())}
            used = any(
                dock.windowTitle() in titles and (dock.x(), dock.width()) == (bar.x(), bar.width())
                for dock in shown
            )
            if not used:
                bar.hide()


def focus_next(stops: Sequence[QWidget]) -> None:
    """Move the focus to the next of these that can be seen; Tab belongs to the canvas."""
    seen = [stop for stop in stops if not stop.visibleRegion().isEmpty()]
    focus = QApplication.focusWidget()
    inside = [i for i, stop in enumerate(seen) if focus and stop.isAncestorOf(focus)]
    here = inside[0] if inside else seen.index(focus) if focus in seen else -1
    target = seen[(here + 1) % len(seen)]
    if target.focusPolicy() == Qt.FocusPolicy.NoFocus:
        target = target.nextInFocusChain() or target
    target.setFocus(Qt.FocusReason.TabFocusReason)
