"""Norms of vectors and matrices, and the distances and directions made from them."""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.axes import Axis, as_axes, axes_of, unreduce
from core.library.checks import misfit, require_real
from core.library.spec import Array, OpSpec, Param, Sample, Vjp
from core.library.spectra import SVD

Order = float | str | None

_INF = float("inf")


def slope(x: Array, y: Array, p: float, axis: int | tuple[int, ...]) -> Array:
    """The gradient of a vector norm ‖x‖_p: 0 for x = 0, and 0 for entries that are 0.

    Args:
        x: the vectors.
        y: their norms, with axes of size 1 where the vectors lie.
        p: the order, ±inf included; 0 counts the entries that are not 0.
        axis: where the vectors lie.
    """
    if p == 2:
        return x / np.where(y == 0, np.inf, y)
    if p == 1:
        return np.sign(x)
    size = np.abs(x)
    if p in (_INF, -_INF):
        extreme = size == y
        return np.sign(x) * extreme / extreme.sum(axis=axis, keepdims=True)
    if p == 0:
        return np.sign(x) * 0.0
    # The quotient first: powers of the entries alone might overflow.
    quotient = np.where(size == 0, 1.0, size) / np.where(y == 0, 1.0, y)
    return np.sign(x) * quotient ** (p - 1)


# -- norm ------------------------------------------------------------------------------------------


def _as_order(order: Order) -> Order:
    """Numbers written as text ("inf", "3") are numbers."""
    if not isinstance(order, str) or order in ("fro", "nuc"):
        return order
    try:
        return float(order)
    except ValueError:
        raise OperandError(
            f"linalg.norm: ord is {order!r}.",
            next_step='Give it a number, "fro", "nuc" or nothing.',
        ) from None


def _is_matrix_norm(order: Order, axis: Axis, ndim: int) -> bool:
    """Whether the norm is one of matrices; without an order it is that of all entries."""
    return order is not None and len(axes_of(axis, ndim)) == 2


def _norm(x: Array, ord: Order, axis: Axis, keepdims: bool) -> Array:
    require_real("linalg.norm", x)
    order = _as_order(ord)
    axes = axes_of(axis, x.ndim)
    if order is not None and not 1 <= len(axes) <= 2:
        raise misfit(
            "linalg.norm",
            f"with ord={ord!r} the norm is over one axis (vectors) or two (matrices)",
            "Give it an axis or two, or leave ord empty.",
            port="x",
            x=x,
        )
    if order == "fro" or (order is None and axis is not None and len(axes) > 2):
        return np.sqrt(np.square(x).sum(axis=axes, keepdims=keepdims))
    if order == "nuc" and x.size == 0:
        return np.zeros(x.max(axis=axes, keepdims=keepdims, initial=0).shape, x.dtype)
    return np.linalg.norm(x, order, as_axes(axis), keepdims)  # type: ignore[arg-type]


def _norm_slope(
    g: Array, x: Array, y: Array, x_shape: tuple[int, ...], ord: Order, axis: Axis, keepdims: bool
) -> Array:
    order, axes = _as_order(ord), axes_of(axis, len(x_shape))
    g = unreduce(g, x_shape, axes, keepdims)
    if not isinstance(order, str) and not _is_matrix_norm(order, axis, len(x_shape)):
        power = 2 if order is None else order
        return g * slope(x, unreduce(y, x_shape, axes, keepdims), power, axes)
    if order == "fro":
        return g * slope(x, unreduce(y, x_shape, axes, keepdims), 2, axes)
    if order in (1, -1, _INF, -_INF):
        # The largest or smallest sum of a column (1) or a row (inf).
        along, across = axes if order in (1, -1) else axes[::-1]
        sums = np.abs(x).sum(axis=along, keepdims=True)
        best = sums.max(axis=across, keepdims=True)
        if order in (-1, -_INF):
            best = sums.min(axis=across, keepdims=True)
        extreme = sums == best
        return g * np.sign(x) * extreme / extreme.sum(axis=across, keepdims=True)
    return g * np.moveaxis(_spectral_slope(np.moveaxis(x, axes, (-2, -1)), order), (-2, -1), axes)


def _spectral_slope(x: Array, order: Order) -> Array:
    """The gradient of the sum (nuc), the largest (2) or the smallest (−2) singular value."""
    u, s, vh = SVD(x)
    if order == "nuc":
        return u @ vh
    best = s == (s[..., :1] if order == 2 else s[..., -1:])
    share = best / best.sum(axis=-1, keepdims=True)
    return (u * np.expand_dims(share, -2)) @ vh


NORM = OpSpec(
    name="linalg.norm",
    label="norm",
    glyph="‖x‖",
    category="linalg",
    ports=("x",),
    forward=_norm,
    numpy=(np.linalg.norm,),
    vjps={
        "x": Vjp(
            _norm_slope,
            r"\bar{x}=\frac{g\,x}{y}\ (p=2),\quad"
            r"g\,\mathrm{sgn}(x)\left(\frac{|x|}{y}\right)^{p-1}\ (\mathrm{general}\ p)",
        ),
    },
    formula=r"y=\|x\|_{p}=\left(\sum|x|^{p}\right)^{1/p}",
    summary="Length of a vector or matrix.",
    params=(
        Param(
            "ord",
            "text",
            None,
            "Order: 2 (default), any number, inf, −inf; of matrices also fro, nuc (sum of the "
            "singular values), 2 and −2 (their extremes), 1 and inf (largest column or row sum).",
        ),
        Param("axis", "axes", None, "One axis: vectors; two: matrices; none: all."),
        Param("keepdims", "bool", False, "Keep the reduced axes with size 1."),
    ),
    aliases=("norm", "vector_norm", "matrix_norm", "linalg.vector_norm", "linalg.matrix_norm"),
    keywords=("length", "magnitude", "euclidean", "frobenius", "nuclear", "spectral", "l2"),
    notes=(
        "x = 0: derivative 0. For ord=1 the derivative is 0 at every entry that is 0.",
        "Ties for the largest (or smallest) entry or sum share the cotangent evenly.",
        "ord=0 counts the entries that are not 0: derivative 0.",
    ),
    samples=(
        Sample((4,)),
        Sample((2, 3), axis=1),
        Sample((2, 3)),
        Sample((4,), ord=1),
        Sample((4,), ord=3),
        Sample((2, 3), ord=_INF, axis=-1, keepdims=True),
        Sample((4,), ord=-_INF),
        Sample((4,), ord=0.5, low=0.5),
        Sample((2, 3), ord="fro"),
        Sample((3, 3), ord="nuc"),
        Sample((2, 3, 2), ord=2, axis=[0, 1]),
        Sample((3, 2), ord=-2),
        Sample((3, 2), ord=1),
        Sample((3, 2), ord=_INF),
        Sample((2, 3), ord=-1, keepdims=True),
    ),
)

# -- distances -------------------------------------------------------------------------------------


def _differences(a: Array, b: Array) -> Array:
    """a_i − b_j for every pair, on axes (..., i, j, entry)."""
    return np.expand_dims(a, -2) - np.expand_dims(b, -3)


def _cdist(a: Array, b: Array, p: float) -> Array:
    require_real("cdist", a, "a")
    require_real("cdist", b, "b")
    if np.ndim(a) < 2 or np.ndim(b) < 2 or a.shape[-1] != b.shape[-1]:
        raise misfit(
            "cdist",
            "both need two axes, and their rows the same length",
            "Put the points into rows, their coordinates into columns.",
            port="b",
            a=a,
            b=b,
        )
    return np.linalg.norm(_differences(a, b), p, axis=-1)


def _cdist_slope(g: Array, a: Array, b: Array, y: Array, p: float) -> Array:
    return np.expand_dims(g, -1) * slope(_differences(a, b), np.expand_dims(y, -1), p, -1)


CDIST = OpSpec(
    name="cdist",
    label="distances",
    glyph="dist",
    category="linalg",
    ports=("a", "b"),
    forward=_cdist,
    vjps={
        "a": Vjp(
            lambda g, a, b, y, p: _cdist_slope(g, a, b, y, p).sum(axis=-2),
            r"\bar{a}_i=\sum_j g_{ij}\,\nabla\|u\|_p,\quad u=a_i-b_j",
        ),
        "b": Vjp(
            lambda g, a, b, y, p: -_cdist_slope(g, a, b, y, p).sum(axis=-3),
            r"\bar{b}_j=-\sum_i g_{ij}\,\nabla\|u\|_p,\quad u=a_i-b_j",
        ),
    },
    formula=r"y_{ij}=\|a_i-b_j\|_p",
    summary="Distance of every row of a from every row of b.",
    params=(Param("p", "float", 2.0, "Order of the norm.", low=0.0),),
    aliases=("torch.cdist", "pairwise_distances"),
    keywords=("distance", "pairwise", "metric"),
    notes=("Rows that coincide contribute 0.",),
    samples=(
        Sample((2, 3), (4, 3)),
        Sample((2, 3), (2, 3), p=1.0),
        Sample((2, 2, 3), (4, 3), p=3.0),
        Sample((3, 2), (2, 2), p=_INF),
    ),
)

OPS = (NORM, CDIST)
