"""The whole program on a screen that nobody sees, driven by real mouse and key events."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from app.main_window import MainWindow
from app.settings import Settings
from app.windows import Windows
from app.worker import wait_for_threads

NO = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


class User:
    """Does what a person does with the window, and reads what is shown."""

    def __init__(self, qtbot, window: MainWindow) -> None:
        self._qtbot = qtbot
        self.window = window

    # -- looking -------------------------------------------------------------------------------

    @property
    def tab(self):
        """The graph whose tab is shown, with all that is its own."""
        return self.window.current

    @property
    def canvas(self):
        """The canvas of that tab."""
        return self.tab.canvas

    @property
    def document(self):
        """The document of that tab."""
        return self.tab.document

    @property
    def graph(self):
        """The graph that is shown: the document's, or the inside of a function."""
        return self.tab.level.graph

    def id(self, name: str) -> str:
        """The id of the node of this name."""
        return self.graph.named(name).id

    def output(self, name: str, port: str = "y") -> QPoint:
        """Where an output port is on the canvas."""
        return self.pixel(self.canvas.geometry_arrays.output_pos(self.id(name), port))

    def input(self, name: str, port: str) -> QPoint:
        """Where an input port is on the canvas."""
        return self.pixel(self.canvas.geometry_arrays.input_pos(self.id(name), port))

    def middle(self, name: str) -> QPoint:
        """The middle of a node's header."""
        x, y = self.graph.named(name).pos
        return self.pixel((x + 81.0, y + 15.0))

    def rows(self, name: str) -> dict[str, object]:
        """What the rows of a node on the canvas show: texts, or numbers in cells."""
        picture = self.canvas.picture
        content = picture.content(picture.geometry.row[self.id(name)])
        return {label: cell.text or list(cell.numbers) for label, cell in content.rows}

    def message(self, name: str) -> str:
        """What is written on a node in words."""
        picture = self.canvas.picture
        return picture.content(picture.geometry.row[self.id(name)]).message

    def pixel(self, place) -> QPoint:
        """Where a place in the scene is on the canvas."""
        return self.canvas.to_screen(QPointF(*place)).toPoint()

    # -- mouse ---------------------------------------------------------------------------------

    def click(self, pos: QPoint, modifiers=NO, button=LEFT) -> None:
        """Click on the canvas."""
        QTest.mouseClick(self.canvas, button, modifiers, pos)

    def drag(self, start: QPoint, end: QPoint, modifiers=NO, button=LEFT) -> None:
        """Press, move, let go."""
        QTest.mousePress(self.canvas, button, modifiers, start)
        for share in (0.3, 0.7, 1.0):
            QTest.mouseMove(self.canvas, start + (end - start) * share)
        QTest.mouseRelease(self.canvas, button, modifiers, end)

    def choose(self, pos: QPoint, *path: str) -> None:
        """Right-click on the canvas, and choose from the menu, and from the menus in it."""
        self.click(pos, button=Qt.MouseButton.RightButton)
        reason = QContextMenuEvent.Reason.Mouse
        event = QContextMenuEvent(reason, pos, self.canvas.mapToGlobal(pos))
        QApplication.sendEvent(self.canvas, event)
        for words in path:
            menu = QApplication.activePopupWidget()
            (action,) = [a for a in menu.actions() if a.text() == words]
            menu.setActiveAction(action)
            QTest.keyClick(menu, Qt.Key.Key_Return)

    def press_button(self, button) -> None:
        """Click a button of a panel."""
        QTest.mouseClick(button, LEFT)

    def tick(self, box) -> None:
        """Click the box of a check box."""
        QTest.mouseClick(box, LEFT, NO, QPoint(8, box.height() // 2))

    # -- keys ----------------------------------------------------------------------------------

    def key(self, key: Qt.Key, modifiers=NO, on=None) -> None:
        """Press a key where the focus is, or on a widget."""
        QTest.keyClick(on or self.focus(), key, modifiers)

    def type(self, text: str) -> None:
        """Type where the focus is."""
        QTest.keyClicks(self.focus(), text)

    def focus(self):
        """The widget that gets the keys."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            return popup.focusWidget()
        return self.window.focusWidget() or self.canvas

    def add(self, word: str) -> None:
        """Tab, a word, Enter: the palette by keyboard."""
        self.canvas.setFocus()
        self.key(Qt.Key.Key_Tab)
        self.type(word)
        self.key(Qt.Key.Key_Return)
        self.canvas.finish_animation()

    def come_here(self) -> None:
        """Bring this window to the front, so that it gets the keys."""
        with self._qtbot.waitActive(self.window):
            self.window.activateWindow()

    # -- waiting -------------------------------------------------------------------------------

    def until_idle(self) -> None:
        """Wait for everything that was asked of the engine."""
        evaluator = self.tab.evaluator
        if not evaluator.is_idle:
            self._qtbot.waitUntil(lambda: evaluator.is_idle)

    def play_to_end(self) -> None:
        """Let the backward that is playing arrive."""
        self.until_idle()
        self.tab.player.to_end()


@pytest.fixture
def windows(qtbot, monkeypatch):
    """The windows of the program; they close without asking at the end, and leave nothing."""
    windows = Windows()
    yield windows
    button = QMessageBox.StandardButton
    monkeypatch.setattr(QMessageBox, "question", lambda *_: button.Discard)
    windows.close_all()
    assert not list(windows)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert wait_for_threads(2.0)


@pytest.fixture
def make_user(qtbot, windows):
    """Opens windows of one program."""

    def make(*paths, first_start=False) -> User:
        if not first_start:
            Settings().is_first_start()
        window = MainWindow(windows)
        window.resize(1400, 880)
        with qtbot.waitActive(window):
            window.show()
        window.start(paths)
        user = User(qtbot, window)
        user.until_idle()
        return user

    return make


@pytest.fixture
def user(make_user) -> User:
    """An empty graph in a fresh window."""
    return make_user()
