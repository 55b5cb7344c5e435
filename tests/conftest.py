"""Shared fixtures. GUI tests run without a screen unless QT_QPA_PLATFORM says otherwise."""

import os

# Without a display Qt ends the process: this must come before Qt is imported.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
from PySide6.QtCore import QSettings

from app.garbage import collect_anywhere
from core.graph import INPUT, Graph


@pytest.fixture(autouse=True, scope="module")
def _collects_garbage_again():
    """Windows leave the collecting of garbage to their event loop; after them it is Python's."""
    yield
    collect_anywhere()


@pytest.fixture(autouse=True)
def _own_settings(tmp_path_factory):
    """Settings go to a folder of the test's own, never to the user's."""
    folder = str(tmp_path_factory.mktemp("settings"))
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)


@pytest.fixture
def square() -> Graph:
    """x of (2, 3) times itself: the smallest graph where gradients must add. y = multiply."""
    graph, x = Graph().with_node(
        INPUT, (0, 0), "x", {"value": np.array([2.0, 3.0]), "requires_grad": True}
    )
    graph, y = graph.with_node("multiply", (300, 0), "y")
    graph, _ = graph.with_wire(x, "y", y, "a")
    return graph.with_wire(x, "y", y, "b")[0]
