"""Exported code as files: the text, and beside it the values that it loads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.export.exported import Exported


def write_code(exported: Exported, path: Path) -> None:
    """Write the text to ``path``, and each array it loads to a file beside it.

    Raises:
        OSError: one of them cannot be written.
    """
    for name, array in exported.arrays.items():
        with (path.parent / name).open("wb") as file:
            np.save(file, array)
    path.write_text(exported.text, "utf-8")
