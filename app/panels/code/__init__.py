"""The live code beside the canvas: the graph as text, and edited text as the graph."""

from app.panels.code.panel import CodePanel

__all__ = ["CodePanel"]
