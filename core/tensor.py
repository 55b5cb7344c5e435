"""Tensor: an array that remembers how it was made, so that backward can run through it.

Plain NumPy code runs on Tensors: operators, ``np.f(x)`` for every operation with a NumPy name,
indexing, methods. What has no operation raises; nothing silently turns into a plain array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from core import dispatch
from core.errors import UnsupportedError
from core.inplace import InPlace
from core.lanes import binary_lane, unary_lane
from core.library.spec import OpSpec
from core.methods import Methods
from core.numpy_names import COMPOSED
from core.plain import plain, raw
from core.recording import apply, as_array
from core.records import LEAF, SELECT, Record
from core.versions import tick

if TYPE_CHECKING:
    from collections.abc import Sequence

_new = object.__new__


class Tensor(Methods, InPlace):
    """An array with a history.

    Args:
        data: an array (kept, with its dtype), or numbers (float64) or lists of them.
        requires_grad: whether backward shall leave a gradient in ``.grad``. Only floating and
            complex dtypes may.

    Raises:
        IntRequiresGradError: if ``requires_grad`` is set on integers or booleans.
        OperandError: if ``data`` is no array of numbers.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # _define_operators makes them, each the short path of its operation

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        if isinstance(data, Tensor):
            data = data._data
        elif type(data) in (int, float):
            data = np.float64(data)
        elif not isinstance(data, np.ndarray | np.generic):
            data = as_array(data)  # Python numbers become float64, in lists too
            data = data.astype(np.float64) if data.dtype.kind in "iu" else data
        elif data.dtype.kind not in "fcbiu":
            data = as_array(data)  # which words the refusal
        self._data = data
        self._record = None
        self._grad = None
        if requires_grad:
            self.requires_grad = True

    # -- what it holds ----------------------------------------------------------------------------

    @property
    def data(self) -> np.ndarray[Any, Any]:
        """The array itself, not a copy and without history."""
        if not isinstance(self._data, np.ndarray):
            self._data = np.asarray(self._data)
        return cast("np.ndarray[Any, Any]", self._data)

    @data.setter
    def data(self, value: Any) -> None:
        self._data = value._data if isinstance(value, Tensor) else np.asarray(value)

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each axis."""
        return cast("tuple[int, ...]", self._data.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return cast(int, self._data.ndim)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return cast("np.dtype[Any]", self._data.dtype)

    def detach(self) -> Tensor:
        """The same data (shared, not copied) without history."""
        t = _new(Tensor)
        t._data = self.data
        t._record = None
        return t

    # -- NumPy's protocols ------------------------------------------------------------------------

    @classmethod
    def __pullback_apply__(cls, spec: OpSpec, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        return apply(spec, inputs, params, cls)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is not None:
            raise UnsupportedError(
                f"{dispatch.name_of(ufunc)} cannot write into a plain array in place (out=, or "
                "an augmented assignment such as a += x).",
                next_step="Write a = a + x instead.",
            )
        if method == "__call__":
            lane = None if kwargs else _LANES.get(ufunc)
            if lane is None:
                return self._called(ufunc, inputs, kwargs)
            if len(inputs) == 1 or isinstance(inputs[0], Tensor):
                return lane[0](*inputs)
            return lane[1](inputs[1], inputs[0])
        spec, params = dispatch.understand_method(ufunc, method, kwargs)
        return apply(spec, inputs[:1], params, Tensor)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        if function in dispatch.ABOUT:
            return function(*raw(args), **raw(kwargs))
        return self._called(function, args, kwargs)

    def _called(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """What a NumPy function gives on Tensors."""
        composed = COMPOSED.get(function)
        if composed is not None:
            return composed(*args, **kwargs)
        if function in dispatch.PLAIN:
            return plain(function, args, kwargs, make_tensor)
        spec, operands, params = dispatch.understand(function, args, kwargs)
        return apply(spec, operands, params, Tensor)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise UnsupportedError(
            "A Tensor is not turned into a plain array silently: its history would be lost.",
            next_step="Use x.data or x.detach().data for the values, np.stack([...]) for a list "
            "of Tensors.",
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        body = np.array2string(np.asarray(self._data), separator=", ", prefix="Tensor(")
        if self._record is None:
            return f"Tensor({body})"
        if self.is_leaf:
            return f"Tensor({body}, requires_grad=True)"
        return f"Tensor({body}, made by {self._record.name})"

    def __invert__(self) -> Tensor:
        return cast(Tensor, plain(np.logical_not, (self,), {}, make_tensor))


def make_tensor(data: Any, record: Record | None = None) -> Tensor:
    """A Tensor of ``data`` as the result of ``record`` (unchecked)."""
    t = _new(Tensor)
    t._data = data
    t._record = record
    return t


def tensor_of_record(data: Any, record: Record, output: int) -> Tensor:
    """The Tensor of a record's output made anew, e.g. of a value it saved."""
    if record.lane in (LEAF, SELECT) or not record.op.spec.multi_output:
        return make_tensor(data, record)
    select = _new(Record)
    select.op = record.op
    select.edges = (record,)
    select.args = output
    select.lane = SELECT
    select.extras = None
    select.pending = None
    select.seq = tick()
    return make_tensor(data, select)


#: The short paths of ufuncs: f(a) or f(a, b), and r(b, a) for when only b is a Tensor.
_LANES: dict[np.ufunc, tuple[Callable[..., Any], ...]] = {}


def _define_operators() -> None:
    """Give Tensor its operators, each the short path of its operation."""
    binary = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power",
        "matmul": "matmul", "mod": "remainder",
    }  # fmt: skip
    for operator, name in binary.items():
        spec = dispatch.NAMED.get(name)
        if spec is not None:
            forward, reflected = binary_lane(spec, Tensor)
            _LANES.update(dict.fromkeys(_ufuncs(spec), (forward, reflected)))
            setattr(Tensor, f"__{operator}__", forward)
            setattr(Tensor, f"__r{operator}__", reflected)
    for method, name in {"__neg__": "negative", "__abs__": "absolute"}.items():
        setattr(Tensor, method, unary_lane(dispatch.NAMED[name], Tensor))
    comparisons: dict[str, np.ufunc] = {
        "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
        "eq": np.equal, "ne": np.not_equal,
    }  # fmt: skip
    for operator, ufunc in {**comparisons, "and": np.logical_and, "or": np.logical_or}.items():
        setattr(Tensor, f"__{operator}__", lambda a, b, f=ufunc: plain(f, (a, b), {}, make_tensor))
    for name, spec in dispatch.NAMED.items():
        plain_name = name.isidentifier() and name not in ("real", "imag")  # properties, in NumPy
        if spec.elementwise and len(spec.ports) == 1 and not spec.params and plain_name:
            lane = unary_lane(spec, Tensor)
            _LANES.update(dict.fromkeys(_ufuncs(spec), (lane,)))
            setattr(Tensor, name, lane)


def _ufuncs(spec: OpSpec) -> list[np.ufunc]:
    return [f for f in spec.numpy if isinstance(f, np.ufunc)]


_define_operators()
