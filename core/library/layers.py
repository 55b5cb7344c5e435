"""Layers of networks that are one product, one choice of rows, or one mask."""

from __future__ import annotations

import math

import numpy as np

from core.errors import OperandError
from core.library.checks import misfit, not_broadcastable
from core.library.einsum import EINSUM
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

Shape = tuple[int, ...]

# -- linear ----------------------------------------------------------------------------------------


def _linear(x: Array, weight: Array, bias: Array | None) -> Array:
    if weight.ndim != 2 or not x.ndim or x.shape[-1] != weight.shape[1]:
        raise misfit(
            "linear",
            "the last axis of x must equal the last axis of weight, which has two axes (out, in)",
            "Transpose weight, or reshape x.",
            port="weight",
            x=x,
            weight=weight,
        )
    y = x @ weight.T
    if bias is None:
        return y
    if bias.shape not in ((), (1,), (weight.shape[0],)):
        raise misfit(
            "linear",
            "bias must hold one value for each row of weight",
            "Give it that many values.",
            port="bias",
            weight=weight,
            bias=bias,
        )
    return y + bias


def outer_sum(g: Array, x: Array) -> Array:
    """Σ g xᵀ over everything but the last axes: the VJP of the weight of a linear map."""
    if x.ndim == 1:
        return np.expand_dims(g, -1) * x
    if x.ndim > 2:
        rows = math.prod(x.shape[:-1])
        g, x = g.reshape((rows, g.shape[-1])), x.reshape((rows, x.shape[-1]))
    return g.T @ x


LINEAR = OpSpec(
    name="linear",
    label="linear",
    glyph="Wx+b",
    category="nn",
    ports=("x", "weight", "bias"),
    optional_ports=frozenset({"bias"}),
    forward=_linear,
    vjps={
        "x": Vjp(lambda g, weight: g @ weight, r"\bar{X}=G\,W"),
        "weight": Vjp(outer_sum, r"\bar{W}=\sum_{\mathrm{batch}}g\,x^{\top}"),
        "bias": Vjp(lambda g: g, r"\bar{b}=\sum_{\mathrm{batch}}g"),
    },
    formula=r"Y=X\,W^{\top}+b",
    summary="Fully connected layer.",
    aliases=("F.linear", "nn.Linear", "dense", "fully_connected", "addmm"),
    keywords=("affine", "layer", "matrix", "weights"),
    notes=("weight has the axes (out, in); leading axes of x are batches.",),
    samples=(
        Sample((2, 3), (4, 3), (4,)),
        Sample((3,), (2, 3), (2,)),
        Sample((2, 3), (4, 3), None),
        Sample((2, 2, 3), (2, 3), (2,)),
        Sample((0, 3), (2, 3), (2,)),
    ),
)


def _bilinear(a: Array, b: Array, weight: Array, bias: Array | None) -> Array:
    fits = weight.ndim == 3 and a.ndim and b.ndim and a.shape[:-1] == b.shape[:-1]
    if not fits or (a.shape[-1], b.shape[-1]) != weight.shape[1:]:
        raise misfit(
            "bilinear",
            "weight has the axes (out, last of a, last of b); the other axes of a and b are equal",
            "Reshape a or b, or permute weight.",
            port="weight",
            a=a,
            b=b,
            weight=weight,
        )
    y = np.einsum("...i,kij,...j->...k", a, weight, b, optimize=True)
    return y if bias is None else y + bias


def _bilinear_weight(g: Array, a: Array, b: Array, a_shape: Shape, weight_shape: Shape) -> Array:
    rows, (k, i, j) = math.prod(a_shape[:-1]), weight_shape
    parts = (g.reshape((rows, k)), a.reshape((rows, i)), b.reshape((rows, j)))
    return EINSUM(*parts, subscripts="nk,ni,nj->kij")


BILINEAR = OpSpec(
    name="bilinear",
    label="bilinear",
    glyph="aWb",
    category="nn",
    ports=("a", "b", "weight", "bias"),
    optional_ports=frozenset({"bias"}),
    forward=_bilinear,
    vjps={
        "a": Vjp(
            lambda g, b, weight: EINSUM(g, weight, b, subscripts="...k,kij,...j->...i"),
            r"\bar{a}=\sum_k g_k\,W_k\,b",
        ),
        "b": Vjp(
            lambda g, a, weight: EINSUM(g, weight, a, subscripts="...k,kij,...i->...j"),
            r"\bar{b}=\sum_k g_k\,W_k^{\top}a",
        ),
        "weight": Vjp(_bilinear_weight, r"\bar{W}_k=\sum_{\mathrm{batch}}g_k\,a\,b^{\top}"),
        "bias": Vjp(lambda g: g, r"\bar{\beta}=\sum_{\mathrm{batch}}g"),
    },
    formula=r"y_k=a^{\top}W_k\,b+\beta_k",
    summary="Product of two inputs through a weight.",
    aliases=("F.bilinear", "nn.Bilinear"),
    keywords=("product", "interaction", "layer"),
    samples=(
        Sample((2, 3), (2, 2), (2, 3, 2), (2,)),
        Sample((3,), (2,), (1, 3, 2), None),
        Sample((2, 2, 3), (2, 2, 2), (4, 3, 2), None),
    ),
)

# -- embedding -------------------------------------------------------------------------------------


def _embedding(weight: Array, indices: Array, padding_idx: int | None) -> Array:
    if weight.ndim != 2:
        raise misfit(
            "embedding",
            "it must be a table: one row for each number, one column for each feature",
            "Reshape it to two axes.",
            port="weight",
            weight=weight,
        )
    if indices.dtype.kind not in "iu":
        raise OperandError(
            f"embedding: indices are {indices.dtype}, and rows are chosen by integers.",
            next_step="Cast the indices to int64.",
            port="indices",
        )
    rows = len(weight)
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        wrong = indices[(indices < 0) | (indices >= rows)].flat[0]
        raise OperandError(
            f"embedding: indices hold {wrong}, but the table has rows 0 to {rows - 1}.",
            next_step="Correct the index, or give the table more rows.",
            port="indices",
        )
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise OperandError(
            f"embedding: padding_idx is {padding_idx}, but the table has rows 0 to {rows - 1}.",
            next_step="Leave padding_idx empty, or give it one of these rows.",
        )
    return weight[indices]


def _row_sums(x: Array, indices: Array, rows: int) -> Array:
    y = np.zeros((rows, x.shape[-1]), x.dtype)
    np.add.at(y, indices, x)
    return y


# The transpose of choosing rows: each goes back to its place, repeated ones are added up.
ROW_SUMS = OpSpec(
    name="row_sums",
    label="row sums",
    category="nn",
    ports=("x", "indices"),
    hidden=True,
    nondiff_ports=frozenset({"indices"}),
    forward=_row_sums,
    vjps={"x": Vjp(lambda g, indices: EMBEDDING(g, indices), r"\bar{x}=G[\mathrm{indices}]")},
    formula=r"Y=0;\ Y[\mathrm{indices}]{+}{=}x",
    summary="Rows added into a table of zeros.",
    params=(Param("rows", "int", 1, "Rows of the table."),),
    samples=(Sample((3, 2), np.array([0, 2, 2]), rows=4),),
)


def _embedding_slope(
    g: Array, indices: Array, weight_shape: Shape, padding_idx: int | None
) -> Array:
    rows = weight_shape[0]
    if padding_idx is not None:
        g = np.where(np.expand_dims(indices == padding_idx % rows, -1), 0.0, g)
    return ROW_SUMS(g, indices, rows=rows)


EMBEDDING: OpSpec = OpSpec(
    name="embedding",
    label="embedding",
    glyph="W[i]",
    category="nn",
    ports=("weight", "indices"),
    nondiff_ports=frozenset({"indices"}),
    forward=_embedding,
    vjps={
        "weight": Vjp(
            _embedding_slope,
            r"\bar{W}=0;\ \bar{W}[\mathrm{indices}]{+}{=}g",
        ),
    },
    formula=r"y=W[\mathrm{indices}]",
    summary="Rows of a table, chosen by number.",
    params=(Param("padding_idx", "int", None, "Row whose gradient stays 0."),),
    aliases=("F.embedding", "nn.Embedding"),
    keywords=("lookup", "table", "token", "word"),
    notes=("Repeated indices: their cotangents add up.", "The row padding_idx has gradient 0."),
    samples=(
        Sample((4, 2), np.array([0, 2, 2])),
        Sample((3, 2), np.array([[0, 2], [1, 1]])),
        Sample((4, 2), np.array([2, 3, 2]), padding_idx=1),
        Sample((4, 2), np.array(3)),
    ),
)

# -- dropout ---------------------------------------------------------------------------------------


def _factors(mask: Array, p: float) -> Array:
    """What each value is multiplied by. With p = 1 nothing is left, and nothing to scale up."""
    return mask * (1 / (1 - p) if p < 1 else 0.0)


def _dropout(x: Array, mask: Array, p: float) -> Array:
    if not 0 <= p <= 1:
        raise OperandError(
            f"dropout: p is {p}, but a share lies between 0 and 1.", next_step="Correct p."
        )
    factors = _factors(mask, p).astype(np.result_type(x.dtype, np.float32))
    try:
        return x * factors
    except ValueError:
        raise not_broadcastable("dropout", x=x, mask=mask) from None


_MASK = np.array([[True, False, True], [False, True, True]])

DROPOUT = OpSpec(
    name="dropout",
    label="dropout",
    glyph="drop",
    category="nn",
    ports=("x", "mask"),
    nondiff_ports=frozenset({"mask"}),
    elementwise=True,
    forward=_dropout,
    vjps={
        "x": Vjp(lambda g, mask, p: g * _factors(mask, p), r"\bar{x}=\frac{g\,\mathrm{mask}}{1-p}"),
    },
    formula=r"y=\frac{x\,\mathrm{mask}}{1-p}",
    summary="Sets values to 0 where a mask is false, scales the others up.",
    params=(Param("p", "float", 0.5, "Share p that is dropped.", low=0.0, high=1.0),),
    aliases=("F.dropout", "nn.Dropout"),
    keywords=("regularization", "mask", "noise"),
    notes=(
        "The mask is an input, so that the same graph always gives the same values.",
        "p = 1: everything is 0.",
    ),
    samples=(
        Sample((3,), _MASK[0]),
        Sample((2, 3), _MASK, p=0.25),
        Sample((2, 3), _MASK[1], p=0.1),
    ),
)

OPS = (LINEAR, BILINEAR, EMBEDDING, DROPOUT, ROW_SUMS)
