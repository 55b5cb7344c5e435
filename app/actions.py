"""Everything that can be done by a menu or a key: one table, and the QActions made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

from app.icons import icon
from app.settings import Settings
from app.theme import Theme

#: Where a key works: anywhere in the window, or only while the canvas or timeline has the focus,
#: so that single letters are typed where letters are wanted.
Context = Literal["window", "canvas", "playback"]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One thing to do.

    Attributes:
        id: what settings and handlers call it.
        menu: the menu it stands in; "" for none.
        keys: the default keys, in Qt's portable text; the first is shown in the menu.
        checkable: whether it is a switch.
        group: a line is drawn in the menu where this changes.
    """

    id: str
    text: str
    menu: str
    keys: tuple[str, ...] = ()
    context: Context = "window"
    icon: str = ""
    checkable: bool = False
    group: int = 0


MENUS = ("File", "Edit", "View", "Graph", "Arrange", "Run", "Help")

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("new", "New", "File", ("Ctrl+N", "Ctrl+T"), icon="file-plus"),
    ActionSpec("new_window", "New window", "File", ("Ctrl+Shift+N",)),
    ActionSpec("open", "Open…", "File", ("Ctrl+O",), icon="folder-open"),
    ActionSpec("save", "Save", "File", ("Ctrl+S",), icon="save", group=1),
    ActionSpec("save_as", "Save as…", "File", ("Ctrl+Shift+S",), group=1),
    ActionSpec("export_picture", "Export a picture…", "File", group=1),
    ActionSpec("export_model", "Export as ONNX…", "File", group=1),
    ActionSpec("import_values", "Import values…", "File", ("Ctrl+Shift+O",), group=2),
    ActionSpec("close_tab", "Close", "File", ("Ctrl+W",), group=3),
    ActionSpec("close_others", "Close the other tabs", "File", group=3),
    ActionSpec("close_window", "Close window", "File", ("Ctrl+Shift+W",), group=3),
    ActionSpec("quit", "Quit", "File", ("Ctrl+Q",), group=4),
    ActionSpec("undo", "Undo", "Edit", ("Ctrl+Z",), icon="undo-2"),
    ActionSpec("redo", "Redo", "Edit", ("Ctrl+Shift+Z", "Ctrl+Y"), icon="redo-2"),
    ActionSpec("cut", "Cut", "Edit", ("Ctrl+X",), "canvas", "scissors", group=1),
    ActionSpec("copy", "Copy", "Edit", ("Ctrl+C",), "canvas", "copy", group=1),
    ActionSpec("paste", "Paste", "Edit", ("Ctrl+V",), "canvas", "clipboard-paste", group=1),
    ActionSpec(
        "paste_wired", "Paste with its inputs", "Edit", ("Ctrl+Shift+V",), "canvas", group=1
    ),
    ActionSpec("duplicate", "Duplicate", "Edit", ("Ctrl+D",), "canvas", group=1),
    ActionSpec("delete", "Delete", "Edit", ("Del", "Backspace"), "canvas", "trash-2", group=1),
    ActionSpec(
        "dissolve", "Delete and heal", "Edit", ("Ctrl+Del", "Ctrl+Backspace"), "canvas", group=1
    ),
    ActionSpec("select_all", "Select all", "Edit", ("Ctrl+A",), "canvas", group=2),
    ActionSpec("select_none", "Select nothing", "Edit", ("Ctrl+Shift+A",), "canvas", group=2),
    ActionSpec("select_inverse", "Invert the selection", "Edit", ("Ctrl+I",), "canvas", group=2),
    ActionSpec("select_upstream", "Select what it depends on", "Edit", ("L",), "canvas", group=2),
    ActionSpec(
        "select_downstream", "Select what depends on it", "Edit", ("Shift+L",), "canvas", group=2
    ),
    ActionSpec("find", "Find…", "Edit", ("Ctrl+F",), icon="search", group=3),
    ActionSpec("zoom_in", "Zoom in", "View", ("Ctrl+=", "Ctrl++"), icon="zoom-in"),
    ActionSpec("zoom_out", "Zoom out", "View", ("Ctrl+-",), icon="zoom-out"),
    ActionSpec("zoom_reset", "Actual size", "View", ("Ctrl+0",)),
    ActionSpec("frame_all", "Show all", "View", ("Home",), "canvas", "maximize"),
    ActionSpec("frame_selection", "Show the selection", "View", ("F",), "canvas", "focus"),
    ActionSpec("light_theme", "Light theme", "View", ("F12",), checkable=True, group=1),
    ActionSpec("projector", "Projector size", "View", ("Ctrl+P",), checkable=True, group=1),
    ActionSpec("wheel_pans", "Wheel pans, Ctrl+wheel zooms", "View", checkable=True, group=1),
    ActionSpec("full_screen", "Full screen", "View", ("F11",), checkable=True, group=1),
    ActionSpec("next_tab", "Next tab", "View", ("Ctrl+Tab", "Ctrl+PgDown"), group=2),
    ActionSpec("previous_tab", "Previous tab", "View", ("Ctrl+Shift+Tab", "Ctrl+PgUp"), group=2),
    ActionSpec("next_panel", "Go to the next panel", "View", ("F6",), group=2),
    ActionSpec("add_node", "Add a node…", "Graph", ("Tab", "Shift+A"), "canvas", "plus"),
    ActionSpec("connect", "Connect to…", "Graph", ("C",), "canvas", "spline"),
    ActionSpec("disconnect", "Disconnect the inputs", "Graph", ("X",), "canvas", "unlink"),
    ActionSpec("edit_first", "Edit the first field", "Graph", ("Return", "Enter"), "canvas"),
    ActionSpec("rename", "Rename", "Graph", ("F2",), "canvas", "pencil"),
    ActionSpec("collapse", "Collapse or expand", "Graph", ("H",), "canvas"),
    ActionSpec("frame", "Frame the selection", "Graph", ("Ctrl+G",), "canvas", "frame", group=1),
    ActionSpec("comment", "Add a comment", "Graph", ("Shift+C",), "canvas", group=1),
    ActionSpec("unframe", "Dissolve the frame", "Graph", ("Ctrl+Shift+G",), "canvas", group=1),
    ActionSpec(
        "make_function",
        "Make a function",
        "Graph",
        ("Ctrl+Alt+G",),
        "canvas",
        "square-function",
        group=2,
    ),
    ActionSpec(
        "flatten", "Flatten the function", "Graph", ("Ctrl+Alt+Shift+G",), "canvas", group=2
    ),
    ActionSpec(
        "open_function", "Open the function", "Graph", ("I", "Ctrl+Return"), "canvas", group=2
    ),
    ActionSpec("leave_function", "Leave the function", "Graph", ("U",), "canvas", group=2),
    ActionSpec("use_as_roots", "Start backward here", "Graph", ("R",), "canvas", group=3),
    ActionSpec("arrange", "Arrange everything", "Arrange", ("Ctrl+L",), icon="network"),
    ActionSpec("arrange_selection", "Arrange the selection", "Arrange", ("Ctrl+Shift+L",)),
    ActionSpec("pin", "Pin or unpin", "Arrange", ("P",), "canvas", "pin"),
    ActionSpec(
        "align_left", "Align left edges", "Arrange", ("Ctrl+Shift+Left",), "canvas", group=1
    ),
    ActionSpec(
        "align_right", "Align right edges", "Arrange", ("Ctrl+Shift+Right",), "canvas", group=1
    ),
    ActionSpec("align_top", "Align top edges", "Arrange", ("Ctrl+Shift+Up",), "canvas", group=1),
    ActionSpec(
        "align_bottom", "Align bottom edges", "Arrange", ("Ctrl+Shift+Down",), "canvas", group=1
    ),
    ActionSpec("align_column", "Align in a column", "Arrange", context="canvas", group=1),
    ActionSpec("align_row", "Align in a row", "Arrange", context="canvas", group=1),
    ActionSpec(
        "distribute_row", "Distribute from left to right", "Arrange", context="canvas", group=2
    ),
    ActionSpec(
        "distribute_column", "Distribute from top to bottom", "Arrange", context="canvas", group=2
    ),
    ActionSpec(
        "snaps", "Snap while dragging", "Arrange", ("S",), "canvas", checkable=True, group=3
    ),
    ActionSpec("backward", "Backward", "Run", ("F5",), icon="rewind"),
    ActionSpec("restart", "Restart", "Run", ("Ctrl+F5",), icon="rotate-ccw"),
    ActionSpec("forward", "Forward again", "Run", ("Shift+F5",)),
    ActionSpec("zero_grad", "zero_grad", "Run", ("Ctrl+Shift+F5",), icon="eraser"),
    ActionSpec("cancel", "Stop computing", "Run", ("Ctrl+.",), icon="x"),
    ActionSpec("play", "Play or pause", "Run", ("Space",), "playback", "play", group=1),
    ActionSpec("step", "Step", "Run", (".",), "playback", "step-forward", group=1),
    ActionSpec("step_back", "Step back", "Run", (",",), "playback", "step-back", group=1),
    ActionSpec("to_start", "To the start", "Run", ("Shift+,", "<"), "playback", group=1),
    ActionSpec("to_end", "To the end", "Run", ("Shift+.", ">"), "playback", group=1),
    ActionSpec("commands", "Commands…", "Help", ("Ctrl+Shift+P", "F3"), icon="list"),
    ActionSpec("keys", "Keys and mouse", "Help", ("?", "F1"), "playback", "keyboard"),
    ActionSpec("about", "About Pullback", "Help", icon="info"),
    ActionSpec("escape", "Cancel", "", ("Esc",), "canvas"),
    ActionSpec("go_left", "Go to the node at the left", "", ("Left",), "canvas"),
    ActionSpec("go_right", "Go to the node at the right", "", ("Right",), "canvas"),
    ActionSpec("go_up", "Go to the node above", "", ("Up",), "canvas"),
    ActionSpec("go_down", "Go to the node below", "", ("Down",), "canvas"),
    ActionSpec("nudge_left", "Move left", "", ("Shift+Left",), "canvas"),
    ActionSpec("nudge_right", "Move right", "", ("Shift+Right",), "canvas"),
    ActionSpec("nudge_up", "Move up", "", ("Shift+Up",), "canvas"),
    ActionSpec("nudge_down", "Move down", "", ("Shift+Down",), "canvas"),
)


class Actions:
    """A QAction for every row of the table.

    Args:
        owner: the window that owns them.
        settings: where the user's own keys are.
    """

    def __init__(self, owner: QObject, settings: Settings) -> None:
        self._settings = settings
        self._actions: dict[str, QAction] = {}
        self._connected: set[str] = set()
        for spec in ACTIONS:
            action = QAction(spec.text, owner)
            action.setObjectName(spec.id)
            action.setCheckable(spec.checkable)
            action.setShortcutContext(_QT_CONTEXTS[spec.context])
            self._actions[spec.id] = action
        self.load_keys()

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def in_context(self, *contexts: Context) -> list[QAction]:
        """The actions whose keys work in these contexts."""
        return [self._actions[spec.id] for spec in ACTIONS if spec.context in contexts]

    def connect(self, handlers: Mapping[str, Callable[[], object]]) -> None:
        """Do this when an action is chosen."""
        for action_id, handler in handlers.items():
            self._connected.add(action_id)
            self._actions[action_id].triggered.connect(lambda _on=False, do=handler: do())

    def route(self, do: Callable[[str], object]) -> None:
        """Do this, with its id, when any other action is chosen."""
        self.connect(
            {spec.id: partial(do, spec.id) for spec in ACTIONS if spec.id not in self._connected}
        )

    def load_keys(self) -> None:
        """Give every action the user's keys, or its own."""
        for spec in ACTIONS:
            keys = self._settings.keys(spec.id, spec.keys)
            self._actions[spec.id].setShortcuts([QKeySequence(key) for key in keys])

    def set_theme(self, theme: Theme) -> None:
        """Tint the icons."""
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon, theme.text_muted))


_QT_CONTEXTS: dict[str, Qt.ShortcutContext] = {
    "window": Qt.ShortcutContext.WindowShortcut,
    "canvas": Qt.ShortcutContext.WidgetWithChildrenShortcut,
    "playback": Qt.ShortcutContext.WidgetWithChildrenShortcut,
}
