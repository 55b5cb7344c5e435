"""Arrays in full. The only part of the program that uses pyqtgraph, imported when first needed."""

from app.panels.values.panel import ValuesPanel

__all__ = ["ValuesPanel"]
