"""The graphs that come with the program."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from app.saving import ENDING


def examples() -> list[Path]:
    """Their files, in the order of the menu; the first one opens on the first start."""
    folder = Path(str(files("resources") / "examples"))
    return sorted(folder.glob(f"*{ENDING}"))


def title(path: Path) -> str:
    """What an example is called in the menu: "01_square" is "Square"."""
    words = path.stem.lstrip("0123456789_- ").replace("_", " ")
    return words[:1].upper() + words[1:]
