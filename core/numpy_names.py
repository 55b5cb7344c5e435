"""NumPy functions that are made of operations: ``np.hstack`` is a concatenation.

Written with NumPy's other functions, which record themselves on Tensors; each takes what NumPy's
own function takes, as far as it means something for gradients. ``core.dispatch`` has those that
are one operation each.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.errors import OperandError
from core.library import OPS
from core.numpy_fourier import FOURIER

Array = Any
_SPECS = {spec.name: spec for spec in OPS}


def _many(function: Callable[[Array], Array]) -> Callable[..., Any]:
    """A function of one array that NumPy also lets take several."""

    def of_many(*arrays: Array) -> Any:
        return function(arrays[0]) if len(arrays) == 1 else tuple(function(x) for x in arrays)

    return of_many


def _atleast_1d(x: Array) -> Array:
    return np.reshape(x, (1,)) if np.ndim(x) == 0 else x


def _atleast_2d(x: Array) -> Array:
    return np.expand_dims(_atleast_1d(x), 0) if np.ndim(x) < 2 else x


def _atleast_3d(x: Array) -> Array:
    return np.expand_dims(_atleast_2d(x), -1) if np.ndim(x) < 3 else x


def _hstack(tup: Sequence[Array], **settings: Any) -> Array:
    arrays = [_atleast_1d(x) for x in tup]
    return np.concatenate(arrays, axis=min(np.ndim(arrays[0]) - 1, 1), **settings)


def _vstack(tup: Sequence[Array], **settings: Any) -> Array:
    return np.concatenate([_atleast_2d(x) for x in tup], axis=0, **settings)


def _dstack(tup: Sequence[Array]) -> Array:
    return np.concatenate([_atleast_3d(x) for x in tup], axis=2)


def _column_stack(tup: Sequence[Array]) -> Array:
    columns = [x if np.ndim(x) > 1 else np.reshape(x, (-1, 1)) for x in tup]
    return np.concatenate(columns, axis=1)


def _append(arr: Array, values: Array, axis: int | None = None) -> Array:
    if axis is None:
        return np.concatenate([np.ravel(arr), np.ravel(values)], axis=0)
    return np.concatenate([arr, values], axis=axis)


def _array_split(ary: Array, indices_or_sections: Any, axis: int = 0) -> Any:
    if isinstance(indices_or_sections, int | np.integer):
        parts = int(indices_or_sections)
        each, longer = divmod(np.shape(ary)[axis], parts)
        sizes = [each + 1] * longer + [each] * (parts - longer)
        indices_or_sections = tuple(np.cumsum(sizes)[:-1].tolist())
    return np.split(ary, indices_or_sections, axis)


def _hsplit(ary: Array, indices_or_sections: Any) -> Any:
    return np.split(ary, indices_or_sections, min(np.ndim(ary) - 1, 1))


def _vsplit(ary: Array, indices_or_sections: Any) -> Any:
    return np.split(ary, indices_or_sections, 0)


def _dsplit(ary: Array, indices_or_sections: Any) -> Any:
    return np.split(ary, indices_or_sections, 2)


def _rollaxis(a: Array, axis: int, start: int = 0) -> Array:
    axis, start = axis % np.ndim(a), start + np.ndim(a) if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


def _cross(
    a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    if axis is not None:
        axisa = axisb = axisc = axis
    product = _SPECS["cross"](np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1), axis=-1)
    return np.moveaxis(product, -1, axisc)


def _diagflat(v: Array, k: int = 0) -> Array:
    return np.diag(np.ravel(v), k)


def _matrix_transpose(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def _rad2deg(x: Array) -> Array:
    return x * (180.0 / math.pi)


def _cbrt(x: Array) -> Array:
    return np.sign(x) * np.absolute(x) ** (1 / 3)


def _clip(a: Array, a_min: Any = None, a_max: Any = None, **bounds: Any) -> Any:
    low, high = bounds.get("min", a_min), bounds.get("max", a_max)
    if all(bound is None or isinstance(bound, int | float) for bound in (low, high)):
        return _SPECS["clip"](a, min=low, max=high)
    a = a if low is None else np.maximum(a, low)
    return a if high is None else np.minimum(a, high)


def _real_if_close(a: Array, tol: float = 100) -> Array:
    if not np.iscomplexobj(a):
        return a
    near = np.absolute(np.imag(a)) < tol * np.finfo(np.result_type(a)).eps
    return np.real(a) if np.all(near) else a


def _average(a: Array, axis: Any = None, weights: Array = None, *, keepdims: bool = False) -> Array:
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    if np.shape(weights) != np.shape(a):
        if not isinstance(axis, int) or np.shape(weights) != (np.shape(a)[axis],):
            raise OperandError(
                f"np.average: weights {np.shape(weights)} fit neither a {np.shape(a)} nor its "
                f"axis {axis}.",
                next_step="Give weights of the shape of a, or of one axis of it.",
            )
        weights = np.reshape(weights, (-1,) + (1,) * (np.ndim(a) - 1 - axis % np.ndim(a)))
        weights = np.broadcast_to(weights, np.shape(a))
    total = np.sum(weights, axis=axis, keepdims=keepdims)
    return np.sum(a * weights, axis=axis, keepdims=keepdims) / total


def _ptp(a: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    return np.amax(a, axis=axis, keepdims=keepdims) - np.amin(a, axis=axis, keepdims=keepdims)


def _percentile(a: Array, q: float, axis: Any = None, *, keepdims: bool = False) -> Array:
    return np.quantile(a, q / 100.0, axis=axis, keepdims=keepdims)


def _trapezoid(y: Array, x: Array = None, dx: float = 1.0, axis: int = -1) -> Array:
    y = np.moveaxis(y, axis, -1)
    if x is None:
        steps: Array = dx
    else:
        steps = np.diff(x, axis=-1 if np.ndim(x) == 1 else axis)
    return np.sum(steps * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


def _select(condlist: Sequence[Array], choicelist: Sequence[Array], default: Any = 0) -> Array:
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        chosen = np.where(condition, choice, chosen)
    return chosen


def _gradient(f: Array, *spacings: float, axis: Any = None, edge_order: int = 1) -> Any:
    axes = range(np.ndim(f)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    steps = spacings * len(axes) if len(spacings) == 1 else spacings or (1.0,) * len(axes)
    if edge_order != 1 or len(steps) != len(axes) or any(np.ndim(h) for h in steps):
        raise OperandError(
            "np.gradient takes one spacing for all axes or one number an axis, and edge_order=1.",
            next_step="Leave the coordinates out, or use np.diff.",
        )
    found = [_slope(f, h, k) for h, k in zip(steps, axes, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slope(f: Array, step: float, axis: int) -> Array:
    """Central differences along an axis, one-sided at its ends."""
    f = np.moveaxis(f, axis, 0)
    inner = (f[2:] - f[:-2]) / (2.0 * step)
    ends = [(f[1:2] - f[:1]) / step, (f[-1:] - f[-2:-1]) / step]
    return np.moveaxis(np.concatenate([ends[0], inner, ends[1]], axis=0), 0, axis)


def _eigh(a: Array, UPLO: str = "L") -> Any:  # noqa: N803  (NumPy's name)
    return _SPECS["linalg.eigh"](_lower(a, UPLO))


def _eigvalsh(a: Array, UPLO: str = "L") -> Array:  # noqa: N803  (NumPy's name)
    return _SPECS["linalg.eigvalsh"](_lower(a, UPLO))


def _lower(a: Array, triangle: str) -> Array:
    """A matrix whose lower triangle says what that triangle of ``a`` says."""
    return a if triangle == "L" else np.conj(np.swapaxes(a, -1, -2))


def _svd(
    a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    if not compute_uv:
        return _SPECS["linalg.svdvals"](a)
    return _SPECS["linalg.svd"](a, full_matrices=full_matrices)


def _linspace(start: Array, stop: Array, num: int = 50, endpoint: bool = True) -> Array:
    share = np.arange(num) / max(num - 1 if endpoint else num, 1)
    share = np.reshape(share, (-1,) + (1,) * max(np.ndim(start), np.ndim(stop)))
    return start + share * (stop - start)


def _einsum(*operands: Any, optimize: Any = False) -> Array:
    """Both of NumPy's forms: ("ij,jk->ik", a, b), and (a, [0, 1], b, [1, 2], [0, 2])."""
    if isinstance(operands[0], str):
        return _SPECS["einsum"](*operands[1:], subscripts=operands[0])
    pairs = len(operands) // 2
    subscripts = ",".join(_letters(axes) for axes in operands[1 : 2 * pairs : 2])
    if len(operands) % 2:
        subscripts += "->" + _letters(operands[-1])
    return _SPECS["einsum"](*operands[: 2 * pairs : 2], subscripts=subscripts)


def _letters(axes: Sequence[Any]) -> str:
    return "".join("..." if k is Ellipsis else string.ascii_letters[k] for k in axes)


COMPOSED: dict[Callable[..., Any], Callable[..., Any]] = {
    np.atleast_1d: _many(_atleast_1d),
    np.atleast_2d: _many(_atleast_2d),
    np.atleast_3d: _many(_atleast_3d),
    np.hstack: _hstack,
    np.vstack: _vstack,
    np.dstack: _dstack,
    np.column_stack: _column_stack,
    np.append: _append,
    np.array_split: _array_split,
    np.hsplit: _hsplit,
    np.vsplit: _vsplit,
    np.dsplit: _dsplit,
    np.rollaxis: _rollaxis,
    np.fliplr: lambda m: np.flip(m, 1),
    np.flipud: lambda m: np.flip(m, 0),
    np.cross: _cross,
    np.diagflat: _diagflat,
    np.matrix_transpose: _matrix_transpose,
    np.linalg.matrix_transpose: _matrix_transpose,
    np.linalg.matmul: lambda x1, x2: np.matmul(x1, x2),
    np.linalg.outer: lambda x1, x2: np.outer(x1, x2),
    np.linalg.diagonal: lambda x, offset=0: np.diagonal(x, offset, -2, -1),
    np.linalg.trace: lambda x, offset=0: np.trace(x, offset, -2, -1),
    np.linalg.tensordot: lambda x1, x2, axes=2: np.tensordot(x1, x2, axes),
    np.linalg.vecdot: lambda x1, x2, axis=-1: _SPECS["vecdot"](x1, x2, axis=axis),
    np.linalg.vector_norm: lambda x, axis=None, keepdims=False, ord=2: np.linalg.norm(
        np.ravel(x) if axis is None and not keepdims else x, ord, axis, keepdims
    ),
    np.linalg.matrix_norm: lambda x, keepdims=False, ord="fro": np.linalg.norm(
        x, ord, (-2, -1), keepdims
    ),
    np.linalg.eigh: _eigh,
    np.linalg.eigvalsh: _eigvalsh,
    np.rad2deg: _rad2deg,
    np.degrees: _rad2deg,
    np.cbrt: _cbrt,
    np.float_power: lambda x1, x2: np.power(x1, x2),
    np.average: _average,
    np.ptp: _ptp,
    np.percentile: _percentile,
    np.trapezoid: _trapezoid,
    np.select: _select,
    np.gradient: _gradient,
    np.real_if_close: _real_if_close,
    np.clip: _clip,
    np.einsum: _einsum,
    np.linalg.svd: _svd,
    np.linspace: _linspace,
    **FOURIER,
}
