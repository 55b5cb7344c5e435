"""Programs in PyTorch or NumPy, and formulas, read into graphs.

A program's text is parsed by Python's ``ast`` and interpreted here, over a list of known names:
nothing is ever run by Python itself, and no import is followed. Values live on our own engine, with
torch's rules, so that what a program gets here is what it would get there; the same reading builds
the graph.

Reading order: ``values`` (what a program's values are), ``expressions``, ``statements``, ``calls``,
``contexts`` and ``interpreter`` (the language), ``machine`` (operations), ``limits`` (how much),
``torch`` (torch's functions, by family), ``prelude`` (torch.nn and torch.optim, as programs),
``recorder`` (the graph), ``program`` (all together).
"""

from core.importers.python.program import Program, load_program
from core.importers.python.reading import read_text

__all__ = ["Program", "load_program", "read_text"]
