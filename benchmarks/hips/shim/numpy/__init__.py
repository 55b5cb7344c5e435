"""NumPy itself; only ``array`` also takes lists with Tensors in them, as HIPS's does."""

import sys

import numpy as _np
from numpy import *  # noqa: F403
from numpy import fft, linalg, random  # noqa: F401

from core import Tensor

sys.modules[f"{__name__}.random"] = random  # for "import autograd.numpy.random"

__version__ = _np.__version__


def array(values, *args, **kwargs):
    """``np.array``; of a list with Tensors in it, their stack."""
    if isinstance(values, Tensor):
        return _np.copy(values)
    if _holds_tensor(values):
        return _np.stack([x if isinstance(x, Tensor) else array(x) for x in values])
    return _np.array(values, *args, **kwargs)


def _holds_tensor(values):
    return isinstance(values, Tensor) or (
        isinstance(values, list | tuple) and any(map(_holds_tensor, values))
    )
