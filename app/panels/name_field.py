"""A name that can be edited in its place."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.panels.widgets import Field, set_invalid


class NameField(Field):
    """Says what was entered; whoever knows the names takes it, or refuses it.

    Signals:
        renamed: another name was entered (str).
    """

    renamed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.editingFinished.connect(self._on_finished)

    def refuse(self, reason: str) -> None:
        """Say why the name was not taken."""
        set_invalid(self, reason)

    def _on_finished(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.renamed.emit(self.text().strip())
