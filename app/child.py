"""Processes that this program starts of itself."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QProcessEnvironment

import core

#: Milliseconds to wait for a killed process at the end.
LAST_WAIT_MS = 2000


def child_environment() -> QProcessEnvironment:
    """Ours, with this program's own packages to be found first."""
    environment = QProcessEnvironment.systemEnvironment()
    here = str(Path(core.__file__).parents[1])
    others = environment.value("PYTHONPATH")
    environment.insert("PYTHONPATH", os.pathsep.join(filter(None, [here, others])))
    return environment
