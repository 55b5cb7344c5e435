"""PySide6 6.12.0 on Python 3.11 loses a reference to None with every void Qt call, and the process
dies of it after a while. The pin in pyproject.toml keeps such a version out; this keeps the pin."""

import sys

from PySide6.QtWidgets import QLabel


def test_void_qt_calls_do_not_wear_none_out(qtbot):
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for i in range(1000):
        label.setText(str(i))
    assert sys.getrefcount(None) > before - 100
