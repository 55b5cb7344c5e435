"""Traces, inverses and linear systems."""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.axes import axes_of
from core.library.checks import misfit, require_matrix, require_real, require_square
from core.library.products import transposed
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

INVERTIBLE = np.array([[2.0, 0.5, -1.0], [0.3, 1.5, 0.4], [-0.7, 0.2, 1.8]])
INVERTIBLE_STACK = np.array([[[2.0, 0.4], [0.3, 1.0]], [[-1.0, 0.6], [0.8, 1.5]]])


def singular(op: str, port: str) -> OperandError:
    """The error for a matrix that has no inverse."""
    return OperandError(
        f"{op}: {port} is singular (its determinant is 0), so it has no inverse.",
        next_step="Change its values, or use linalg.pinv, which every matrix has.",
        port=port,
    )


# -- trace -----------------------------------------------------------------------------------------


def _trace(x: Array, offset: int, axis1: int, axis2: int) -> Array:
    require_matrix("trace", x)
    return np.trace(x, offset, axis1, axis2)


def _trace_slope(g: Array, x_shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Array:
    row, column = axes_of((axis1, axis2), len(x_shape))
    onto = np.eye(x_shape[row], x_shape[column], offset, dtype=bool)
    if row > column:
        onto = onto.T
    onto = onto.reshape([n if i in (row, column) else 1 for i, n in enumerate(x_shape)])
    return np.where(onto, np.expand_dims(g, tuple(sorted((row, column)))), 0.0)


TRACE = OpSpec(
    name="trace",
    label="trace",
    glyph="tr",
    category="linalg",
    ports=("x",),
    forward=_trace,
    numpy=(np.trace,),
    vjps={"x": Vjp(_trace_slope, r"\bar{x}_{ij}=g\,[j=i+\mathrm{offset}]")},
    formula=r"y=\sum_i x_{i,i+\mathrm{offset}}",
    summary="Sum of the diagonal.",
    params=(
        Param("offset", "int", 0, "Diagonal above (positive) or below (negative) the main one."),
        Param("axis1", "axis", 0, "Axis of the rows."),
        Param("axis2", "axis", 1, "Axis of the columns."),
    ),
    aliases=("linalg.trace",),
    keywords=("diagonal", "sum"),
    samples=(
        Sample((3, 3)),
        Sample((2, 4), offset=1),
        Sample((2, 3, 3), axis1=1, axis2=2),
        Sample((3, 2, 4), axis1=2, axis2=0, offset=-1),
    ),
)

# -- inverse ---------------------------------------------------------------------------------------


def _inv(x: Array) -> Array:
    require_square("linalg.inv", x=x)
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        raise singular("linalg.inv", "x") from None


INV = OpSpec(
    name="linalg.inv",
    label="inverse",
    glyph="X⁻¹",
    category="linalg",
    ports=("x",),
    forward=_inv,
    numpy=(np.linalg.inv,),
    vjps={
        "x": Vjp(
            lambda g, y: -(transposed(y) @ g @ transposed(y)), r"\bar{X}=-Y^{\top}G\,Y^{\top}"
        ),
    },
    formula=r"Y=X^{-1}",
    summary="Inverse of a square matrix.",
    aliases=("inv", "inverse"),
    keywords=("matrix", "reciprocal"),
    domain="invertible",
    samples=(Sample(INVERTIBLE), Sample(INVERTIBLE_STACK), Sample((0, 0))),
)


def _pinv(x: Array) -> Array:
    require_matrix("linalg.pinv", x)
    require_real("linalg.pinv", x)
    return np.linalg.pinv(x)


def _pinv_slope(g: Array, x: Array, y: Array) -> Array:
    yt, gt = transposed(y), transposed(g)
    rows = gt - x @ (y @ gt)  # what lies outside the column space of x
    columns = gt - (gt @ y) @ x  # what lies outside its row space
    return rows @ y @ yt + yt @ y @ columns - yt @ g @ yt


PINV = OpSpec(
    name="linalg.pinv",
    label="pseudo-inverse",
    glyph="X⁺",
    category="linalg",
    ports=("x",),
    forward=_pinv,
    numpy=(np.linalg.pinv,),
    vjps={
        "x": Vjp(
            _pinv_slope,
            r"\bar{X}=-Y^{\top}GY^{\top}+(I-XY)G^{\top}YY^{\top}+Y^{\top}YG^{\top}(I-YX)",
        ),
    },
    formula=r"Y=X^{+}",
    summary="Moore-Penrose inverse: least squares for every matrix.",
    aliases=("pinv",),
    keywords=("pseudo inverse", "least squares", "moore penrose"),
    domain="constant rank near x",
    samples=(Sample((3, 2)), Sample((2, 4)), Sample(INVERTIBLE), Sample((2, 3, 2))),
)

# -- linear systems --------------------------------------------------------------------------------


def _require_system(op: str, a: Array, b: Array) -> None:
    require_square(op, a=a)
    if not np.ndim(b) or b.shape[0 if b.ndim == 1 else -2] != a.shape[-1]:
        raise misfit(
            op,
            "b must have as many rows as a (one axis: a single vector)",
            "Transpose b, or give it one row for each row of a.",
            port="b",
            a=a,
            b=b,
        )


def _solve(a: Array, b: Array) -> Array:
    _require_system("linalg.solve", a, b)
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        raise singular("linalg.solve", "a") from None


def _solve_b(g: Array, a: Array, b_shape: tuple[int, ...]) -> Array:
    if len(b_shape) == 1:
        return SOLVE(transposed(a), np.expand_dims(g, -1))[..., 0]
    return SOLVE(transposed(a), g)


def _minus_outer(b_bar: Array, y: Array, b_shape: tuple[int, ...]) -> Array:
    """−B̄ Yᵀ, for vectors too."""
    if len(b_shape) == 1:
        return -(np.expand_dims(b_bar, -1) * np.expand_dims(y, -2))
    return -(b_bar @ transposed(y))


SOLVE = OpSpec(
    name="linalg.solve",
    label="solve",
    glyph="A⁻¹b",
    category="linalg",
    ports=("a", "b"),
    forward=_solve,
    numpy=(np.linalg.solve,),
    vjps={
        "a": Vjp(
            lambda g, a, y, b_shape: _minus_outer(_solve_b(g, a, b_shape), y, b_shape),
            r"\bar{A}=-\bar{B}\,Y^{\top}",
        ),
        "b": Vjp(_solve_b, r"\bar{B}=A^{-\top}G"),
    },
    formula=r"Y=A^{-1}B",
    summary="Solution of the linear system A·Y = B.",
    aliases=("solve",),
    keywords=("linear system", "equations", "inverse"),
    domain="a invertible",
    notes=("b is a vector only if it has one axis.",),
    samples=(
        Sample(INVERTIBLE, (3,)),
        Sample(INVERTIBLE, (3, 2)),
        Sample(INVERTIBLE_STACK, (2, 2, 1)),
        Sample(INVERTIBLE_STACK, (2,)),
        Sample(INVERTIBLE, (2, 3, 1)),
    ),
)


def _triangle(a: Array, lower: bool, unit_diagonal: bool) -> Array:
    """The part of ``a`` that is read."""
    if unit_diagonal:
        a = np.tril(a, -1) if lower else np.triu(a, 1)
        return a + np.eye(a.shape[-1], dtype=a.dtype)
    return np.tril(a) if lower else np.triu(a)


def _solve_triangular(a: Array, b: Array, lower: bool, unit_diagonal: bool) -> Array:
    _require_system("solve_triangular", a, b)
    try:
        return np.linalg.solve(_triangle(a, lower, unit_diagonal), b)
    except np.linalg.LinAlgError:
        raise OperandError(
            "solve_triangular: a has a 0 on its diagonal, so the system has no unique solution.",
            next_step="Change that value, or use unit_diagonal.",
            port="a",
        ) from None


def _solve_triangular_b(
    g: Array, a: Array, lower: bool, unit_diagonal: bool, b_shape: tuple[int, ...]
) -> Array:
    upside = {"lower": not lower, "unit_diagonal": unit_diagonal}
    if len(b_shape) == 1:
        return SOLVE_TRIANGULAR(transposed(a), np.expand_dims(g, -1), **upside)[..., 0]
    return SOLVE_TRIANGULAR(transposed(a), g, **upside)


def _solve_triangular_a(
    g: Array, a: Array, y: Array, lower: bool, unit_diagonal: bool, b_shape: tuple[int, ...]
) -> Array:
    b_bar = _solve_triangular_b(g, a, lower, unit_diagonal, b_shape)
    full = _minus_outer(b_bar, y, b_shape)
    strictly = 1 if unit_diagonal else 0
    return np.tril(full, -strictly) if lower else np.triu(full, strictly)


SOLVE_TRIANGULAR = OpSpec(
    name="solve_triangular",
    label="solve triangular",
    glyph="L⁻¹b",
    category="linalg",
    ports=("a", "b"),
    forward=_solve_triangular,
    vjps={
        "a": Vjp(_solve_triangular_a, r"\bar{A}=-\mathrm{tri}(\bar{B}\,Y^{\top})"),
        "b": Vjp(_solve_triangular_b, r"\bar{B}=A^{-\top}G"),
    },
    formula=r"Y=A^{-1}B,\quad A\ \mathrm{triangular}",
    summary="Solution of a triangular system.",
    params=(
        Param("lower", "bool", True, "Whether a is lower triangular."),
        Param("unit_diagonal", "bool", False, "Take the diagonal of a as 1 without reading it."),
    ),
    aliases=("linalg.solve_triangular", "triangular_solve"),
    keywords=("linear system", "back substitution", "forward substitution"),
    domain="no 0 on the diagonal",
    notes=("The triangle that is not read has gradient 0.",),
    samples=(
        Sample(INVERTIBLE, (3, 2)),
        Sample(INVERTIBLE, (3, 1), lower=False),
        Sample(INVERTIBLE, (3, 2), unit_diagonal=True),
        Sample(INVERTIBLE, (3,)),
        Sample(INVERTIBLE_STACK, (2, 1), lower=False, unit_diagonal=True),
    ),
)

OPS = (TRACE, INV, PINV, SOLVE, SOLVE_TRIANGULAR)
