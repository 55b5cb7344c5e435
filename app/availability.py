"""Why an action would do nothing now, in words: what the list of commands shows greyed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtGui import QGuiApplication

from app.tabs import Tabs
from app.workspace import Workspace
from core.graph import CALL


def why_not(action_id: str, tabs: Tabs) -> str:
    """Why an action of the table has nothing to do; "" when it has."""
    if action_id in ("next_tab", "previous_tab", "close_others"):
        return "" if len(tabs) > 1 else "There is only one tab"
    for ids, reason in _REASONS.items():
        if action_id in ids:
            return reason(tabs.current)
    return ""


def _is_empty(workspace: Workspace) -> str:
    return "" if workspace.level.graph.nodes else "The graph is empty"


def _has_no_node(workspace: Workspace) -> str:
    return "" if workspace.editor.selected_nodes else "No node is selected"


def _has_no_function(workspace: Workspace) -> str:
    nodes = workspace.level.graph.nodes
    is_there = any(nodes[i].op == CALL for i in workspace.editor.selected_nodes)
    return "" if is_there else "No function is selected"


def _is_at_the_top(workspace: Workspace) -> str:
    return "" if workspace.level.path else "No function is open"


def _has_not_one_node(workspace: Workspace) -> str:
    return "" if len(workspace.editor.selected_nodes) == 1 else "Select the node to draw it from"


def _has_too_few_to_align(workspace: Workspace) -> str:
    return "" if len(workspace.editor.selected_nodes) > 1 else "Select two nodes or more"


def _has_too_few_to_distribute(workspace: Workspace) -> str:
    return "" if len(workspace.editor.selected_nodes) > 2 else "Select three nodes or more"


def _has_no_selection(workspace: Workspace) -> str:
    return "" if workspace.canvas.selection else "Nothing is selected"


def _has_no_field(workspace: Workspace) -> str:
    return "Nothing is selected" if workspace.inspector.is_empty else ""


def _has_no_frame(workspace: Workspace) -> str:
    if workspace.editor.selected_frames or workspace.editor.selected_nodes:
        return ""
    return "No frame is selected"


def _has_nothing_to_undo(workspace: Workspace) -> str:
    return "" if workspace.document.undo_stack.canUndo() else "There is nothing to undo"


def _has_nothing_to_redo(workspace: Workspace) -> str:
    return "" if workspace.document.undo_stack.canRedo() else "There is nothing to redo"


def _has_nothing_to_paste(_workspace: Workspace) -> str:
    # Only whether it can be something: reading it all may take long.
    text = QGuiApplication.clipboard().text()
    return "" if text.strip() else "There is no graph and no program on the clipboard"


def _has_no_trace(workspace: Workspace) -> str:
    return "Run backward first" if workspace.player.trace is None else ""


def _has_no_root(workspace: Workspace) -> str:
    return "" if workspace.backward.rows else "There is no root to start from"


def _is_idle(workspace: Workspace) -> str:
    if workspace.arranger.is_running or not workspace.evaluator.is_idle:
        return ""
    return "Nothing is being computed"


_REASONS: Mapping[tuple[str, ...], Callable[[Workspace], str]] = {
    ("undo",): _has_nothing_to_undo,
    ("redo",): _has_nothing_to_redo,
    ("paste", "paste_wired"): _has_nothing_to_paste,
    (
        "cut", "copy", "duplicate", "dissolve", "collapse", "frame", "use_as_roots",
        "select_upstream", "select_downstream",
        "nudge_left", "nudge_right", "nudge_up", "nudge_down", "pin", "disconnect",
        "make_function",
    ): _has_no_node,
    ("open_function", "flatten"): _has_no_function,
    ("leave_function",): _is_at_the_top,
    ("connect",): _has_not_one_node,
    (
        "arrange_selection", "align_left", "align_column", "align_right", "align_top",
        "align_row", "align_bottom",
    ): _has_too_few_to_align,
    ("distribute_row", "distribute_column"): _has_too_few_to_distribute,
    ("delete", "select_none"): _has_no_selection,
    ("edit_first", "rename"): _has_no_field,
    ("unframe",): _has_no_frame,
    (
        "select_all", "select_inverse", "find", "export_picture", "export_model", "frame_all",
        "frame_selection",
        "arrange", "restart", "forward", "zero_grad", "go_left", "go_right", "go_up", "go_down",
    ): _is_empty,
    ("backward", "play"): _has_no_root,
    ("step", "step_back", "to_start", "to_end"): _has_no_trace,
    ("cancel",): _is_idle,
}  # fmt: skip
