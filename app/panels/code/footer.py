"""What stands below the code: what there is to say of it, and what can be done."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.panels.widgets import muted, set_kind


class CodeFooter(QWidget):
    """A note, and the buttons that fit what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.note = muted()
        self.apply_button = QPushButton("Apply")
        self.apply_button.setProperty("kind", "primary")
        self.apply_button.setToolTip("Make this code the graph, as one undoable edit (Ctrl+Enter)")
        self.discard_button = QPushButton("Discard")
        self.discard_button.setToolTip("Show the graph's own code again")
        self.anyway_button = QPushButton("Write it anyway")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for button in (self.anyway_button, self.discard_button, self.apply_button):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.note)
        layout.addLayout(buttons)

    def say(self, words: str, *, error: bool = False) -> None:
        """Show a note; none for no words."""
        self.note.setText(words)
        self.note.setVisible(bool(words))
        set_kind(self.note, "error" if error else "muted")

    def offer(self, *, edited: bool, huge: bool) -> None:
        """Show the buttons for edited text, and for a graph too large to be kept up with."""
        self.apply_button.setVisible(edited)
        self.discard_button.setVisible(edited)
        self.anyway_button.setVisible(huge)
