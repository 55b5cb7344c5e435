"""The parts of a file put together: ids, names, ports, loops and runs must fit each other."""

from core.files.assembly.misfits import MisfitError
from core.files.assembly.whole import graph

__all__ = ["MisfitError", "graph"]
