"""The colours of code: keywords, calls, numbers, text and comments, in the theme's own hues."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from app.theme import Theme, mix

#: In order: a later rule goes over an earlier one. Blue and orange are left to gradients.
_PYTHON = (
    ("call", re.compile(r"\b[A-Za-z_]\w*(?=\()")),
    ("keyword", re.compile(rf"\b(?:{'|'.join(keyword.kwlist)})\b")),
    ("number", re.compile(r"(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?j?\b")),
    ("text", re.compile(r"\"[^\"]*\"|'[^']*'")),
    ("comment", re.compile(r"#.*$")),
)
_LATEX = (
    ("call", re.compile(r"\\[A-Za-z]+")),
    ("number", re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")),
    ("keyword", re.compile(r"\\(?:begin|end|section|paragraph)\*?\{[^}]*\}")),
    ("comment", re.compile(r"(?<!\\)%.*$")),
)


class CodeHighlighter(QSyntaxHighlighter):
    """Colours Python, or LaTeX."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._rules: Sequence[tuple[str, re.Pattern[str]]] = _PYTHON
        self._formats: dict[str, QTextCharFormat] = {}
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the theme's colours."""
        colors = {
            "keyword": _readable(theme, theme.categories["linalg"]),
            "call": _readable(theme, theme.categories["data"]),
            "number": _readable(theme, theme.categories["parameter"]),
            "text": _readable(theme, theme.categories["reduction"]),
            "comment": theme.text_muted,
        }
        self._formats = {name: _format(color) for name, color in colors.items()}
        self._formats["comment"].setFontItalic(True)
        self.rehighlight()

    def set_language(self, target: str) -> None:
        """Colour what a target of the export is written in."""
        rules = _LATEX if target == "latex" else _PYTHON
        if rules is not self._rules:
            self._rules = rules
            self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Qt asks for one line."""
        for name, pattern in self._rules:
            for found in pattern.finditer(text):
                start, end = found.span()
                self.setFormat(start, end - start, self._formats[name])


def _format(color: QColor) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(color)
    return made


def _readable(theme: Theme, color: QColor) -> QColor:
    """A header's colour as one of text: lighter on dark ground."""
    return mix(color, theme.text, 0.5 if theme.is_dark else 0.1)
