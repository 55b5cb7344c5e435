"""A document with an engine behind it, and panels that follow it, as the window wires them."""

import pytest
from PySide6.QtWidgets import QApplication

from app.document import Document
from app.evaluator import Evaluator
from app.theme import apply_theme, dark
from app.worker import wait_for_threads


@pytest.fixture
def theme(qtbot):
    theme = dark()
    apply_theme(QApplication.instance(), theme)
    return theme


@pytest.fixture
def document(qtbot, square):
    return Document(square)


@pytest.fixture
def evaluator(qtbot, document):
    evaluator = Evaluator(document)
    yield evaluator
    evaluator.close()
    assert wait_for_threads(2.0)


@pytest.fixture
def shown(qtbot):
    """Shows a widget and waits until it is there."""

    def show(widget, width=300, height=700):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        with qtbot.waitExposed(widget):
            widget.show()
        return widget

    return show
