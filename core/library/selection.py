"""Selection: by a condition, by a mask, by rank. They belong to the category of ``indexing``."""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.axes import along
from core.library.indexing import SCATTER_ADD, TAKE_ALONG_AXIS
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_MASK = np.array([True, False, True])

# -- by a condition --------------------------------------------------------------------------------

WHERE = OpSpec(
    name="where", label="where", glyph="?:", category="indexing", ports=("condition", "a", "b"),
    nondiff_ports=frozenset({"condition"}), elementwise=True, forward=np.where, numpy=(np.where,),
    vjps={
        "a": Vjp(lambda g, condition: np.where(condition, g, 0.0), r"\bar{a}=g\,[c]"),
        "b": Vjp(lambda g, condition: np.where(condition, 0.0, g), r"\bar{b}=g\,[\neg c]"),
    },
    formula=r"y=a\text{ where }c,\text{ else }b",
    summary="a where the condition holds, b where not.",
    keywords=("if", "select", "choose", "condition", "mask"),
    notes=(
        "The branch not taken gets exactly 0, but 0·∞ further back is NaN: make the argument "
        "safe before the function that blows up.",
    ),
    samples=(
        Sample(_MASK, (3,), (3,)), Sample(np.array([[True], [False]]), (3,), ()),
        Sample(np.array(True), (), (2,)),
    ),
)  # fmt: skip

MASKED_FILL = OpSpec(
    name="masked_fill", label="masked fill", glyph="fill", category="indexing",
    ports=("x", "mask"), nondiff_ports=frozenset({"mask"}), elementwise=True,
    forward=lambda x, mask, value: np.where(mask, value, x),
    params=(Param("value", "float", default=0.0, doc="What masked elements become."),),
    vjps={"x": Vjp(lambda g, mask: np.where(mask, 0.0, g), r"\bar{x}=g\,[\neg\mathrm{mask}]")},
    formula=r"y=\mathrm{value}\text{ where mask, else }x",
    summary="x with the masked elements replaced by a number.",
    keywords=("attention", "replace"),
    samples=(
        Sample((3,), _MASK, value=-1.0), Sample((2, 3), _MASK), Sample((3,), np.eye(2, 3) > 0),
    ),
)  # fmt: skip


def _nan_to_num(x: Array, nan: float, posinf: float | None, neginf: float | None) -> Array:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


NAN_TO_NUM = OpSpec(
    name="nan_to_num", label="NaN to number", glyph="NaN→", category="indexing", ports=("x",),
    elementwise=True, forward=_nan_to_num, numpy=(np.nan_to_num,),
    params=(
        Param("nan", "float", default=0.0, doc="What a NaN becomes."),
        Param("posinf", "float", doc="What +∞ becomes; empty for the largest number."),
        Param("neginf", "float", doc="What −∞ becomes; empty for the smallest number."),
    ),
    vjps={
        "x": Vjp(
            lambda g, x: np.where(np.isfinite(x), g, 0.0), r"\bar{x}=g\,[x\text{ finite}]"
        )
    },
    formula=r"y=x\text{ with NaN, }\pm\infty\text{ replaced}",
    summary="x with NaN and infinities replaced by numbers.", keywords=("missing", "infinite"),
    notes=("Replaced entries get 0.",),
    samples=(
        Sample((3,)), Sample(np.array([1.0, np.nan, np.inf, -np.inf]), posinf=9.0, neginf=-9.0),
        Sample(np.array([np.nan, 2.0]), nan=5.0),
    ),
)  # fmt: skip

# -- by a mask -------------------------------------------------------------------------------------


def _extract(mask: Array, x: Array) -> Array:
    mask, x = np.broadcast_arrays(np.asarray(mask, dtype=bool), x)
    return x[mask]


def _place(mask: Array, x: Array, shape: tuple[int, ...]) -> Array:
    y = np.zeros(shape, x.dtype)
    y[np.broadcast_to(np.asarray(mask, dtype=bool), shape)] = x
    return y


def _extract_vjp(
    g: Array, mask: Array, mask_shape: tuple[int, ...], x_shape: tuple[int, ...]
) -> Array:
    return PLACE(mask, g, shape=np.broadcast_shapes(mask_shape, x_shape))


PLACE = OpSpec(
    name="place", label="place", category="indexing", ports=("mask", "x"), hidden=True,
    nondiff_ports=frozenset({"mask"}), forward=_place,
    params=(Param("shape", "shape", default=(), doc="Shape of the zeros to put x into."),),
    vjps={"x": Vjp(lambda g, mask: EXTRACT(mask, g), r"\bar{x}=g[\mathrm{mask}]")},
    formula=r"y=0;\ y[\mathrm{mask}]=x", summary="x put into zeros where the mask holds.",
    samples=(Sample(_MASK, (2,), shape=(3,)), Sample(_MASK, (4,), shape=(2, 3))),
)  # fmt: skip

EXTRACT: OpSpec = OpSpec(
    name="extract", label="extract", glyph="x[m]", category="indexing", ports=("mask", "x"),
    nondiff_ports=frozenset({"mask"}), forward=_extract, numpy=(np.extract,),
    vjps={"x": Vjp(_extract_vjp, r"\bar{x}=0;\ \bar{x}[\mathrm{mask}]=g")},
    formula=r"y=x[\mathrm{mask}]", summary="The elements where a mask holds, in a row.",
    aliases=("masked_select",), keywords=("filter", "compress", "boolean"),
    samples=(
        Sample(_MASK, (3,)), Sample(_MASK, (2, 3)), Sample(np.eye(2) < 1, (2,)),
        Sample(np.zeros(2, dtype=bool), (2,)),
    ),
)  # fmt: skip

# -- by rank ---------------------------------------------------------------------------------------


def _sort(x: Array, axis: int | None) -> Array:
    # Equal numbers look the same in any order, and NumPy's default sorts ten times as fast.
    return np.sort(x, axis=axis)


def _sort_vjp(g: Array, x: Array, axis: int | None) -> Array:
    if axis is None:
        return _sort_vjp(g, x.reshape((-1,)), 0).reshape(x.shape)
    order = np.argsort(x, axis=axis, kind="stable")
    if type(g) is type(order) is np.ndarray:
        h = np.empty_like(g)
        np.put_along_axis(h, order, g, axis)
        return h
    # The permutation that undoes a permutation is the one that sorts it.
    return TAKE_ALONG_AXIS(g, np.argsort(order, axis=axis), axis=axis)


SORT = OpSpec(
    name="sort", label="sort", glyph="sort", category="indexing", ports=("x",),
    forward=_sort, numpy=(np.sort,),
    params=(Param("axis", "axis", default=-1, optional=True,
                  doc="Axis to sort along; empty for all elements in a row."),),
    vjps={"x": Vjp(_sort_vjp, r"\bar{x}=g\text{ sent back through the permutation}")},
    formula=r"y=\text{ascending sort of }x", summary="Elements in ascending order.",
    keywords=("order", "rank"), notes=("Ties keep their order.",),
    samples=(
        Sample(np.array([0.5, -1.0, 2.0, 0.1])), Sample((2, 3), axis=0), Sample((2, 3)),
        Sample((2, 3), axis=None),
    ),
)  # fmt: skip


def _chosen(x: Array, k: int, axis: int, largest: bool) -> Array:
    """Indices of the ``k`` elements, best first; of equal ones the first in order."""
    if largest:
        # Sorted backwards and read backwards, equal elements keep their order.
        rank = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
        rank = x.shape[axis] - 1 - rank
    else:
        rank = np.argsort(x, axis=axis, kind="stable")
    return rank[along(axis, x.ndim, slice(k))]


def _topk(x: Array, k: int, axis: int, largest: bool) -> Array:
    if not 0 <= k <= x.shape[axis]:
        raise OperandError(
            f"topk: k is {k}, but axis {axis} of x has {x.shape[axis]} elements.",
            next_step=f"Choose k between 0 and {x.shape[axis]}.",
            port="x",
        )
    return np.take_along_axis(x, _chosen(x, k, axis, largest), axis)


def _topk_vjp(g: Array, x: Array, k: int, axis: int, largest: bool) -> Array:
    chosen = _chosen(x, k, axis, largest)
    return SCATTER_ADD(np.zeros(x.shape, g.dtype), chosen, g, axis=axis)


TOPK = OpSpec(
    name="topk", label="top k", glyph="top", category="indexing", ports=("x",), forward=_topk,
    params=(
        Param("k", "int", default=1, low=0, doc="How many elements."),
        Param("axis", "axis", default=-1, doc="Axis to choose along."),
        Param("largest", "bool", default=True, doc="The largest; else the smallest."),
    ),
    vjps={"x": Vjp(_topk_vjp, r"\bar{x}=g\text{ scattered to the chosen indices}")},
    formula=r"y=\text{the }k\text{ largest, in descending order}",
    summary="The k largest (or smallest) elements, best first.", keywords=("best", "largest"),
    notes=("Ties: the first of equal elements is chosen.",),
    samples=(
        Sample(np.array([0.5, -1.0, 2.0, 0.1]), k=2), Sample((2, 3), k=2, axis=0),
        Sample((2, 3), k=2, largest=False),
    ),
)  # fmt: skip

OPS = (WHERE, MASKED_FILL, EXTRACT, SORT, TOPK, NAN_TO_NUM, PLACE)
