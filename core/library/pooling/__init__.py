"""Pooling: the largest or the mean value of every window.

Two hidden operations, each the transpose of the other, let the rules be differentiated again:
``unfold`` cuts out the windows, ``fold`` adds them up where they lie.
"""

from core.library.pooling.grids import FOLD, UNFOLD
from core.library.pooling.largest import FIRST_LARGEST, MAX_POOL1D, MAX_POOL2D
from core.library.pooling.mean import AVG_POOL1D, AVG_POOL2D

OPS = (MAX_POOL1D, MAX_POOL2D, AVG_POOL1D, AVG_POOL2D, UNFOLD, FOLD, FIRST_LARGEST)

__all__ = ["OPS"]
