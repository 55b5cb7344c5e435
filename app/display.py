"""Whether a window can be opened here. Qt itself aborts the process when it cannot.

Run as a module (``python -m app.display``) it answers with its exit code.
"""

from __future__ import annotations

import os
import sys

HEADLESS = (
    "Without a window: 'pullback run FILE' prints values and gradients, "
    "'pullback render FILE -o OUT.gif' draws the playback."
)


def why_no_window() -> str | None:
    """One sentence on why no window can be opened, or None if one can."""
    if sys.platform.startswith("linux"):
        chosen = os.environ.get("QT_QPA_PLATFORM", "")
        if not chosen and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            return "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)."
    if os.name == "posix" and sys.platform != "darwin":
        return _tried_in_a_child()
    return None


def _tried_in_a_child() -> str | None:
    """Let a child process open the display first: if Qt aborts, it aborts there."""
    from PySide6.QtGui import QGuiApplication

    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        QGuiApplication(["pullback"])
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status == 0:
        return None
    display = os.environ.get("QT_QPA_PLATFORM") or os.environ.get("DISPLAY") or "the display"
    return (
        f"Qt cannot open a window on {display}: the display is not there, or a system library "
        "is missing (on Debian and Ubuntu: sudo apt-get install libxcb-cursor0 libxcb-icccm4 "
        "libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0 libegl1)."
    )


if __name__ == "__main__":
    sys.exit(why_no_window() is not None)
