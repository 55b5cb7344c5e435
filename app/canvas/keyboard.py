"""What keys and menus do to the selection: everything the mouse can do, without it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from PySide6.QtGui import QGuiApplication

from app import edits, frame_edits
from app.arranging import LINES, align, distribute
from app.canvas.editor import CanvasEditor
from app.edits import Edit, Point
from app.function_edits import flatten_functions, make_function
from app.program_edits import pasted_program
from core.errors import PullbackError
from core.graph import CALL, Graph

#: How far an arrow key with Shift moves nodes: one dot of the grid.
NUDGE = 24.0
_DIRECTIONS = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0)}


class Keyboard:
    """Handlers for the actions of the canvas."""

    def __init__(self, editor: CanvasEditor) -> None:
        self._editor = editor
        self._canvas = editor.canvas

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What to do for which action of the table."""
        canvas, editor = self._canvas, self._editor
        go = {f"go_{name}": self._goer(way) for name, way in _DIRECTIONS.items()}
        nudge = {f"nudge_{name}": self._nudger(way) for name, way in _DIRECTIONS.items()}
        return {
            "cut": self.cut,
            "copy": self.copy,
            "paste": lambda: self.paste(keep_outside=False),
            "paste_wired": lambda: self.paste(keep_outside=True),
            "duplicate": lambda: self._edit_nodes(edits.duplicate),
            "delete": self.delete,
            "dissolve": lambda: self._edit_nodes(edits.dissolve),
            "select_all": canvas.select_all,
            "select_none": lambda: canvas.select(()),
            "select_inverse": lambda: canvas.select(self._graph.nodes, "toggle"),
            "select_upstream": lambda: self._extend(self._graph.ancestors),
            "select_downstream": lambda: self._extend(self._graph.descendants),
            "add_node": editor.ask_for_node,
            "disconnect": lambda: self._edit_nodes(edits.disconnect),
            "collapse": lambda: self._edit_nodes(edits.collapse),
            "pin": lambda: self._edit_nodes(edits.pin),
            "frame": lambda: self._edit_nodes(
                lambda graph, nodes: frame_edits.frame(graph, nodes, editor.sizes())
            ),
            "comment": editor.add_comment,
            "unframe": lambda: editor.make(
                frame_edits.unframe(self._graph, editor.selected_nodes, editor.selected_frames)
            ),
            "distribute_row": lambda: self._distribute(0),
            "distribute_column": lambda: self._distribute(1),
            "make_function": lambda: editor.attempt(
                lambda: make_function(self._graph, editor.selected_nodes, editor.sizes())
            ),
            "flatten": lambda: self.flatten(*editor.selected_nodes),
            "open_function": self._open_function,
            "leave_function": editor.leave_asked.emit,
            "zoom_in": lambda: canvas.zoom(1.2),
            "zoom_out": lambda: canvas.zoom(1 / 1.2),
            "zoom_reset": lambda: canvas.zoom_to(1.0),
            "frame_all": canvas.frame_all,
            "frame_selection": canvas.frame_selection,
            "escape": self.escape,
            **{f"align_{line}": self._aligner(line) for line in LINES},
            **go,
            **nudge,
        }

    def escape(self) -> None:
        """Cancel the gesture under way, else select nothing, else go out of a function."""
        if self._canvas.cancel_gesture():
            return
        if self._canvas.selection:
            self._canvas.select(())
        else:
            self._editor.leave_asked.emit()

    def copy(self) -> None:
        """Put the selected nodes on the clipboard, as text."""
        selected = self._editor.selected_nodes
        if selected:
            QGuiApplication.clipboard().setText(edits.copied(self._graph, selected))

    def cut(self) -> None:
        """Copy the selected nodes, then delete them."""
        self.copy()
        self.delete()

    def paste(self, *, keep_outside: bool) -> None:
        """Put what is on the clipboard at the cursor."""
        text = QGuiApplication.clipboard().text()
        place = self._editor.free_place(self._editor.cursor_place())
        graph = self._graph
        if text and not edits.may_be_graph(text):
            self._paste_program(text, place)
            return
        self._editor.attempt(lambda: edits.pasted(graph, text, place, keep_outside=keep_outside))

    def _paste_program(self, text: str, place: Point) -> None:
        """Put the graph of a program or a formula there, up to where it could not be read."""
        ended: list[PullbackError] = []

        def prepare() -> Edit:
            edit, error = pasted_program(self._graph, text, place)
            ended.extend([error] if error else [])
            return edit

        if self._editor.attempt(prepare):
            self._canvas.frame_selection(animated=False)
            for error in ended:
                self._editor.refused.emit(error)

    def delete(self) -> None:
        """Delete what is selected."""
        editor = self._editor
        chosen = (editor.selected_nodes, editor.selected_wires, editor.selected_frames)
        if any(chosen):
            editor.make(edits.delete(self._graph, *chosen))

    def flatten(self, *nodes: str) -> None:
        """Put the nodes of functions in their place."""
        self._editor.attempt(lambda: flatten_functions(self._graph, nodes))

    # ------------------------------------------------------------------------------------------

    @property
    def _graph(self) -> Graph:
        return self._editor.document.graph

    def _edit_nodes(self, change: Callable[[Graph, Collection[str]], Edit]) -> None:
        selected = self._editor.selected_nodes
        if selected:
            self._editor.make(change(self._graph, selected))

    def _extend(self, reach: Callable[[str], set[str]]) -> None:
        found = {node for i in self._editor.selected_nodes for node in reach(i)}
        self._canvas.select(found, "add")

    def _aligner(self, line: str) -> Callable[[], None]:
        editor = self._editor
        return lambda: editor.rearrange(
            align(self._graph, editor.selected_nodes, editor.sizes(), line)
        )

    def _distribute(self, axis: int) -> None:
        editor = self._editor
        editor.rearrange(distribute(self._graph, editor.selected_nodes, editor.sizes(), axis))

    def _open_function(self) -> None:
        graph, selected = self._graph, self._editor.selected_nodes
        call = next((i for i in selected if graph.nodes[i].op == CALL), None)
        if call is not None:
            self._editor.function_asked.emit(call)

    def _goer(self, way: Point) -> Callable[[], None]:
        def go() -> None:
            selected = self._editor.selected_nodes
            sizes = self._editor.sizes()
            centres = {
                i: (node.pos[0] + sizes[i][0] / 2, node.pos[1] + sizes[i][1] / 2)
                for i, node in self._graph.nodes.items()
            }
            if not centres:
                return
            first = min(centres, key=lambda i: centres[i])
            target = edits.neighbour(centres, selected[-1], way) if selected else first
            if target is not None:
                self._canvas.select([target])
                self._canvas.reveal(target)

        return go

    def _nudger(self, way: Point) -> Callable[[], None]:
        def nudge() -> None:
            by = (way[0] * NUDGE, way[1] * NUDGE)
            self._edit_nodes(
                lambda graph, nodes: edits.move(graph, nodes, by, f"nudge {sorted(nodes)}")
            )

        return nudge
