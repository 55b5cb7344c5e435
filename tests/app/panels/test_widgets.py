import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.panels.widgets import Field


class Window(QWidget):
    """Holds a field, and counts the Escs that the field does not want."""

    def __init__(self):
        super().__init__()
        self.escapes = 0
        self.field = Field("before")
        QVBoxLayout(self).addWidget(self.field)

    def keyPressEvent(self, event):
        self.escapes += event.key() == Qt.Key.Key_Escape


@pytest.fixture
def window(shown):
    window = shown(Window())
    window.field.setFocus()
    return window


def test_escape_puts_the_text_back_and_the_next_one_is_the_windows(qtbot, window):
    qtbot.keyClicks(window.field, " and after")
    qtbot.keyClick(window.field, Qt.Key.Key_Escape)
    assert window.field.text() == "before"
    assert window.escapes == 0
    qtbot.keyClick(window.field, Qt.Key.Key_Escape)
    assert window.escapes == 1


def test_what_the_program_shows_meanwhile_is_what_comes_back(qtbot, window):
    qtbot.keyClicks(window.field, "x")
    window.field.setText("undone")
    qtbot.keyClicks(window.field, "y")
    qtbot.keyClick(window.field, Qt.Key.Key_Escape)
    assert window.field.text() == "undone"
