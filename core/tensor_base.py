"""The slots of a Tensor, apart so that recording can tell one without knowing the whole class."""

from __future__ import annotations

from typing import Any


class TensorBase:
    """An array and the record that made it.

    Attributes:
        _data: ndarray, or np.float64 for scalars made by operations (0-d arrays are slower).
        _record: the record that made it, a leaf's record, or None if no gradient is wanted.
        _grad: the Tensor of its gradient (unset or None while there is none).
    """

    __slots__ = ("__weakref__", "_data", "_grad", "_record")

    _data: Any
    _record: Any
    _grad: Any
