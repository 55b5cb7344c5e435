"""The entry of ``pullback``: says its version at once, and leaves the rest to ``command_line``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from app import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of ``pullback`` and ``python -m app``."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:  # reading arguments takes longer than Python to start
        print(f"pullback {__version__}")
        return 0
    from app.command_line import run

    return run(arguments)
