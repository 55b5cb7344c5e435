"""A graph as a PyTorch program.

``pointwise``, ``reductions``, ``shapes``, ``linalg`` and ``layers`` say how each operation is
spelled; ``types`` casts where torch would find another type; ``program`` puts it together.
"""

from core.export.pytorch.program import SPELLINGS, pytorch_program

__all__ = ["SPELLINGS", "pytorch_program"]
