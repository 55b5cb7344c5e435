"""The methods of a Tensor: NumPy's, and torch's spelling where people expect it.

Every operation is a method too, under its name and aliases: ``x.softmax(dim=-1)``. ``dim`` and
``keepdim`` mean ``axis`` and ``keepdims``. Where NumPy and torch disagree about a name that both
have (``repeat``, ``var``, ``max``) it means what it means in NumPy.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from core import dispatch
from core.as_methods import Method, with_axis
from core.errors import OperandError, UnsupportedError
from core.library.casting import CAST
from core.library.spec import OpSpec
from core.plain import raw
from core.tensor_base import TensorBase

#: Methods without a gradient.
_PLAIN = {
    f.__name__: f
    for f in (
        np.argmax, np.argmin, np.argsort, np.any, np.all, np.nonzero, np.isnan, np.isinf,
        np.isfinite, np.isclose, np.allclose, np.searchsorted,
    )
}  # fmt: skip


class Size(int):
    """Number of elements, as NumPy's ``x.size``; called, as torch's: the shape, or one length."""

    shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]


class Methods(TensorBase):
    """What can be asked of a Tensor beside its operators and gradients."""

    __slots__ = ()

    if TYPE_CHECKING:
        shape: Any
        ndim: Any
        dtype: Any
        data: Any

        @classmethod
        def __pullback_apply__(cls, spec: OpSpec, inputs: Any, params: dict[str, Any]) -> Any: ...

    def _apply(self, spec: OpSpec, **params: Any) -> Self:
        made: Self = self.__pullback_apply__(spec, (self,), params)
        return made

    def __getattr__(self, name: str) -> Any:
        """Every operation is a method too: ``x.sum(axis=0)``, ``x.softmax(dim=-1)``."""
        if not name.startswith("_"):
            spec = dispatch.by_name(name)
            if spec is not None:
                return Method(spec, self)
            plain = _PLAIN.get(name)
            if plain is not None:
                return lambda *args, **kwargs: plain(self, *args, **with_axis(kwargs))
        raise AttributeError(
            f"A Tensor has no attribute or operation '{name}'.", name=name, obj=self
        )

    # -- looking at it ----------------------------------------------------------------------------

    @property
    def size(self) -> Size:
        """Number of elements; ``x.size()`` and ``x.size(dim)`` are torch's shape and length."""
        size = Size(self._data.size)
        size.shape = self._data.shape
        return size

    def numel(self) -> int:
        """Number of elements."""
        return int(self._data.size)

    def dim(self) -> int:
        """Number of axes."""
        return int(self._data.ndim)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return int(self._data.nbytes)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self._data.itemsize)

    def is_complex(self) -> builtins.bool:
        """Whether the elements are complex."""
        return bool(self._data.dtype.kind == "c")

    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are real floating numbers."""
        return bool(self._data.dtype.kind == "f")

    def item(self) -> Any:
        """The one element as a Python number.

        Raises:
            OperandError: if there is not exactly one.
        """
        if self._data.size != 1:
            raise OperandError(
                f"item() needs a tensor with one element; this one has shape {self.shape}.",
                next_step="Index one element first, or use .data for all.",
            )
        return self._data.item()

    def numpy(self) -> np.ndarray[Any, Any]:
        """The values as an array; refused while the tensor requires grad."""
        if self._record is not None:
            raise UnsupportedError(
                "numpy() on a tensor that requires grad would lose its history.",
                next_step="Use x.detach().numpy() or x.data.",
            )
        data: np.ndarray[Any, Any] = self.data
        return data

    def tolist(self) -> Any:
        """The values as Python numbers in nested lists."""
        return self._data.tolist()

    def __len__(self) -> builtins.int:
        if self._data.ndim == 0:
            raise TypeError("len() of a Tensor with no axes (shape ()).")
        return int(self._data.shape[0])

    def __iter__(self) -> Iterator[Self]:
        return (self[k] for k in range(len(self)))

    def __contains__(self, value: Any) -> builtins.bool:
        return bool(np.any(np.equal(self._data, getattr(value, "_data", value))))

    def __float__(self) -> builtins.float:
        return float(self.item())

    def __int__(self) -> builtins.int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __bool__(self) -> builtins.bool:
        return bool(self.item())

    def __index__(self) -> builtins.int:
        if self._data.dtype.kind not in "iu":
            raise TypeError("Only an integer Tensor with one element can be an index.")
        return int(self.item())

    # -- indexing and shape -----------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Self:
        index = index if isinstance(index, tuple) else (index,)  # a list is one fancy index
        return self._apply(dispatch.GETITEM, index=raw(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        raise UnsupportedError(
            "x[i] = v is not supported on Tensors: it would change what others remember.",
            next_step="Make a new one: x = x.setitem(v, index=i), or np.where(mask, v, x).",
        )

    @property
    def T(self) -> Self:  # noqa: N802  (NumPy's name)
        """Axes reversed."""
        return self._apply(dispatch.TRANSPOSE)

    @property
    def mT(self) -> Self:  # noqa: N802  (NumPy's name)
        """The last two axes swapped."""
        return self._apply(dispatch.NAMED["swapaxes"], axis1=-1, axis2=-2)

    def t(self) -> Self:
        """Rows and columns swapped; of at most two axes."""
        if self._data.ndim > 2:
            raise OperandError(
                f"t() is for at most two axes; this tensor has shape {self.shape}.",
                next_step="Use x.mT for the last two axes, or x.permute(...).",
            )
        return self._apply(dispatch.TRANSPOSE)

    @property
    def real(self) -> Self:
        """The real part; of a real tensor itself."""
        return self._apply(dispatch.NAMED["real"]) if self.is_complex() else self

    @property
    def imag(self) -> Self:
        """The imaginary part."""
        return self._apply(dispatch.NAMED["imag"])

    def reshape(self, *shape: Any) -> Self:
        """The same elements in another shape; one length may be -1."""
        flat = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
        return self._apply(dispatch.RESHAPE, shape=tuple(flat))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Self:
        """The axes from ``start_dim`` to ``end_dim`` merged into one."""
        shape, ndim = self._data.shape, max(self._data.ndim, 1)
        first, last = start_dim % ndim, end_dim % ndim
        merged = int(np.prod(shape[first : last + 1]))
        return self.reshape(*shape[:first], merged, *shape[last + 1 :])

    def transpose(self, *axes: Any) -> Self:
        """Axes in another order, reversed if none are given; two of more are swapped (torch)."""
        if len(axes) == 2 and self._data.ndim > 2:
            return self._apply(dispatch.NAMED["swapaxes"], axis1=axes[0], axis2=axes[1])
        order = axes[0] if len(axes) == 1 else axes or None
        return self._apply(dispatch.TRANSPOSE, axes=order)

    # torch puts the axis before the indices.

    def gather(self, dim: int, index: Any) -> Any:
        """Elements along an axis, ``np.take_along_axis``."""
        return np.take_along_axis(self, raw(index), dim)

    def index_select(self, dim: int, index: Any) -> Any:
        """Slices along an axis, ``np.take``."""
        return np.take(self, raw(index), dim)

    # -- dtype ------------------------------------------------------------------------------------

    def astype(self, dtype: Any) -> Self:
        """The same values as another dtype; gradients flow back through the cast."""
        return self._apply(CAST, dtype=np.dtype(dtype).name)

    def type(self, dtype: Any) -> Self:
        """As ``astype``."""
        return self.astype(dtype)

    def to(self, dtype: Any) -> Self:
        """As ``astype``."""
        return self.astype(dtype)

    def double(self) -> Self:
        """As float64."""
        return self.astype(np.float64)

    def float(self) -> Self:
        """As float32."""
        return self.astype(np.float32)

    def long(self) -> Self:
        """As int64, without gradient."""
        return self.astype(np.int64)

    def int(self) -> Self:
        """As int64 (torch's int32), without gradient."""
        return self.astype(np.int64)

    def bool(self) -> Self:
        """As booleans, without gradient."""
        return self.astype(np.bool_)
