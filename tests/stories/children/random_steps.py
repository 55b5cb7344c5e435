"""Runs the real program, does 500 things at random in its tabs and windows, and closes it.

The exit code is 0 when it did all of them and ended by itself. The argument is the seed.
"""

import random
import sys
import tempfile

from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

QSettings.setPath(
    QSettings.Format.IniFormat, QSettings.Scope.UserScope, tempfile.mkdtemp(prefix="pullback-")
)

from app.actions import ACTIONS  # noqa: E402
from app.examples import examples  # noqa: E402
from app.launch import run_window  # noqa: E402
from app.main_window import MainWindow  # noqa: E402
from core.files import dumps, loads  # noqa: E402
from core.graph import CALL  # noqa: E402

STEPS, STEPS_AT_ONCE = 500, 10
#: What opens a dialog, ends the program, or takes long with what it does.
LEFT_OUT = {
    "open", "save", "save_as", "import_values", "export_model", "export_picture",
    "quit", "keys", "about", "commands",
    "add_node", "find", "full_screen", "arrange",
}  # fmt: skip
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
rng = random.Random(int(sys.argv[1]))
done = 0


def windows():
    """The windows that are open."""
    found = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    return [window for window in found if window.isVisible()]


def step():
    """One thing, in a window chosen at random."""
    window = rng.choice(windows())
    workspace = window.current
    graph, choice = workspace.level.graph, rng.random()  # of the document, or inside a function
    if choice < 0.1 and len(graph.nodes) < 30:
        rows = [row for row in window.palette_panel.model.rows if not isinstance(row, str)]
        workspace.editor.add_in_view(rng.choice(rows))
    elif choice < 0.15 and len(window.tabs) < 4:
        window.opener.open_copy(rng.choice(examples()))
    elif choice < 0.2:
        window.tabs.close_asked.emit(rng.choice(list(window.tabs)))
    elif choice < 0.3 and graph.nodes:
        workspace.canvas.select(rng.sample(list(graph.nodes), min(3, len(graph.nodes))))
    elif choice < 0.5:
        key = rng.choice([Qt.Key.Key_Z, Qt.Key.Key_Y, Qt.Key.Key_A, Qt.Key.Key_D, Qt.Key.Key_V])
        QTest.keyClick(workspace.canvas, key, CONTROL)
    elif choice < 0.55:
        QTest.keyClick(workspace.canvas, Qt.Key.Key_Delete)
    elif choice < 0.62:
        calls = [i for i, node in graph.nodes.items() if node.op == CALL]
        if calls and rng.random() < 0.6:
            workspace.level.open(rng.choice(calls))
        else:
            window.action_table[
                rng.choice(["make_function", "leave_function", "flatten"])
            ].trigger()
    elif choice < 0.7:
        workspace.backward.run_backward()
    else:
        actions = window.action_table
        name = rng.choice(sorted({spec.id for spec in ACTIONS} - LEFT_OUT))
        if name == "new_window" and len(windows()) > 2:
            return
        if name == "close_window" and len(windows()) < 2:
            return
        if len(graph.nodes) < 60 or name not in ("paste", "paste_wired", "duplicate"):
            actions[name].trigger()


def some_steps():
    """A few steps between two turns of the event loop; at the end close everything."""
    global done
    for _ in range(STEPS_AT_ONCE):
        if windows():
            step()
    done += STEPS_AT_ONCE
    if done < STEPS:
        QTimer.singleShot(0, some_steps)
        return
    for window in windows():
        for workspace in window.tabs:
            graph = workspace.document.graph
            assert dumps(loads(dumps(graph))) == dumps(graph)
            stack = workspace.document.undo_stack
            stack.setIndex(0)
    for window in windows():
        window.close()


def fail(kind, error, trace):
    """An exception anywhere ends the program badly."""
    sys.__excepthook__(kind, error, trace)
    QApplication.exit(1)


def begin(_window, _paths):
    """The program would show its files now."""
    sys.excepthook = fail
    some_steps()


QMessageBox.question = lambda *_: QMessageBox.StandardButton.Discard
MainWindow.start = begin
code = run_window()
sys.exit(code if done == STEPS else 3)
