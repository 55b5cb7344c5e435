"""The undo command. One is enough: an edit is a graph before and a graph after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from core.graph import Graph

if TYPE_CHECKING:
    from app.document import Document, Place


class ChangeGraph(QUndoCommand):
    """Puts ``after`` in place of ``before``, and back.

    Args:
        text: what the edit is called in the Edit menu, without "Undo".
        merge: neighbours with the same non-empty word become one entry, so that a whole drag of a
            slider is undone in one go.
        place: the level it was made at, to be seen again when it is undone; None for any.
    """

    def __init__(
        self,
        document: Document,
        text: str,
        before: Graph,
        after: Graph,
        merge: str = "",
        place: Place | None = None,
    ) -> None:
        super().__init__(text)
        self._document = document
        self._before = before
        self._after = after
        self._merge = merge
        self._place = place
        self._is_new = True

    def redo(self) -> None:
        self._document.show(self._after)
        if not self._is_new:
            self._document.revisit(self._place)
        self._is_new = False

    def undo(self) -> None:
        self._document.show(self._before)
        self._document.revisit(self._place)

    def id(self) -> int:
        # Qt asks mergeWith only of commands with equal ids other than -1.
        return 1 if self._merge else -1

    def mergeWith(self, newer: QUndoCommand) -> bool:
        if not isinstance(newer, ChangeGraph) or newer._merge != self._merge:
            return False
        self._after = newer._after
        # A slider taken back to where it began leaves no entry.
        self.setObsolete(self._document.is_same(self._before, self._after))
        return True
