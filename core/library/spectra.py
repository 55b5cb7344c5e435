"""Singular values and eigenvalues, with the vectors that belong to them.

The rules solve for the change of the factors. Where two singular values or eigenvalues coincide,
the vectors that belong to them are not determined: a cotangent of theirs then becomes infinite,
while the cotangents of the values alone stay finite.

Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode
algorithmic differentiation (2008); J. Townsend, Differentiating the singular value decomposition
(2016).
"""

from __future__ import annotations

import numpy as np

from core.library.checks import require_matrix, require_real, require_square
from core.library.decompositions import SYMMETRIC, SYMMETRIC_STACK
from core.library.products import transposed
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def _quotient(a: Array, b: Array) -> Array:
    """``a / b`` with 0/0 = 0."""
    return a / np.where(b == 0, np.where(a == 0, np.inf, b), b)


def _skew(x: Array) -> Array:
    return x - transposed(x)


def _scaled_columns(x: Array, factors: Array) -> Array:
    """X diag(factors)."""
    return x * np.expand_dims(factors, -2)


def _svd(x: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    require_matrix("linalg.svd", x)
    require_real("linalg.svd", x)
    u, s, vh = np.linalg.svd(x, full_matrices=full_matrices)
    return u, s, vh


def _svd_slope(
    g: tuple[Array, Array, Array], U: Array, S: Array, Vh: Array, x_shape: tuple[int, ...]
) -> Array:
    rows, columns = x_shape[-2:]
    k = min(rows, columns)
    # Of full matrices only the first k columns and rows belong to singular values.
    u, v = U[..., :k], transposed(Vh[..., :k, :])
    g_u, g_v = g[0][..., :k], transposed(g[2][..., :k, :])
    s, s_column = np.expand_dims(S, -2), np.expand_dims(S, -1)
    gap = s * s - s_column * s_column
    turn_u = _quotient(_skew(transposed(u) @ g_u), gap) * s
    turn_v = _quotient(_skew(transposed(v) @ g_v), gap) * s_column
    inner = turn_u + turn_v + np.expand_dims(g[1], -2) * np.eye(k, dtype=S.dtype)
    x_bar = u @ inner @ transposed(v)
    if rows > k:
        outside = g_u - u @ (transposed(u) @ g_u)
        x_bar = x_bar + _quotient(outside, s) @ transposed(v)
    if columns > k:
        outside = g_v - v @ (transposed(v) @ g_v)
        x_bar = x_bar + u @ transposed(_quotient(outside, s))
    return x_bar


SVD = OpSpec(
    name="linalg.svd",
    label="SVD",
    glyph="SVD",
    category="linalg",
    ports=("x",),
    outputs=("U", "S", "Vh"),
    forward=_svd,
    numpy=(np.linalg.svd,),
    vjps={
        "x": Vjp(
            _svd_slope,
            r"\bar{X}=U\left[\frac{\mathrm{skew}(U^{\top}\bar{U})}{F}S"
            r"+S\,\frac{\mathrm{skew}(V^{\top}\bar{V})}{F}+\mathrm{diag}(\bar{s})\right]V^{\top}"
            r"+(I-UU^{\top})\bar{U}S^{-1}V^{\top}+US^{-1}\bar{V}^{\top}(I-VV^{\top}),"
            r"\quad F_{ij}=s_j^{2}-s_i^{2}",
        ),
    },
    formula=r"X=U\,\mathrm{diag}(s)\,V^{\top}",
    summary="Singular value decomposition.",
    params=(
        Param(
            "full_matrices",
            "bool",
            False,
            "Square U and Vh; their further vectors have no gradient.",
        ),
    ),
    aliases=("svd",),
    keywords=("singular values", "rank", "pca", "factor"),
    domain="distinct singular values other than 0, for U and Vh",
    notes=(
        "Each pair of singular vectors is defined up to its sign.",
        "Equal singular values: infinite for U and Vh; S alone has a finite gradient.",
    ),
    gauge={"U": "col", "Vh": "row"},
    samples=(
        Sample((3, 2)),
        Sample((2, 4)),
        Sample((3, 3)),
        Sample((2, 3, 2)),
    ),
)


def _svdvals(x: Array) -> Array:
    require_matrix("linalg.svdvals", x)
    require_real("linalg.svdvals", x)
    return np.linalg.svd(x, compute_uv=False)


def _svdvals_slope(g: Array, x: Array) -> Array:
    u, _, vh = SVD(x)
    return _scaled_columns(u, g) @ vh


SVDVALS = OpSpec(
    name="linalg.svdvals",
    label="singular values",
    glyph="σ(X)",
    category="linalg",
    ports=("x",),
    forward=_svdvals,
    numpy=(np.linalg.svdvals,),
    vjps={"x": Vjp(_svdvals_slope, r"\bar{X}=U\,\mathrm{diag}(g)\,V^{\top}")},
    formula=r"y=s(X)",
    summary="Singular values, the largest first.",
    aliases=("svdvals",),
    keywords=("singular values", "rank", "spectrum"),
    notes=("Equal singular values: right where their cotangents are equal too.",),
    samples=(Sample((3, 2)), Sample((2, 2, 2)), Sample((3, 3))),
)

# -- eigenvalues -----------------------------------------------------------------------------------


def _eigh(x: Array) -> tuple[Array, Array]:
    require_square("linalg.eigh", x=x)
    require_real("linalg.eigh", x)
    w, v = np.linalg.eigh(x)
    return w, v


def _eigh_slope(g: tuple[Array, Array], w: Array, V: Array, w_shape: tuple[int, ...]) -> Array:
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    turn = _quotient(0.5 * _skew(transposed(V) @ g[1]), gap)
    inner = turn + np.expand_dims(g[0], -2) * np.eye(w_shape[-1], dtype=w.dtype)
    return V @ inner @ transposed(V)


EIGH = OpSpec(
    name="linalg.eigh",
    label="eigh",
    glyph="eigh",
    category="linalg",
    ports=("x",),
    outputs=("w", "V"),
    forward=_eigh,
    numpy=(np.linalg.eigh,),
    vjps={
        "x": Vjp(
            _eigh_slope,
            r"\bar{X}=V\left(\mathrm{diag}(\bar{w})"
            r"+\frac{V^{\top}\bar{V}-\bar{V}^{\top}V}{2E}\right)V^{\top},\quad E_{ij}=w_j-w_i",
        ),
    },
    formula=r"X=V\,\mathrm{diag}(w)\,V^{\top}",
    summary="Eigenvalues and eigenvectors of a symmetric matrix.",
    aliases=("eigh",),
    keywords=("eigenvalues", "eigenvectors", "spectrum", "symmetric"),
    domain="symmetric; distinct eigenvalues, for V",
    notes=(
        "Only the lower triangle of x is read; the gradient is symmetric.",
        "Each eigenvector is defined up to its sign.",
        "Equal eigenvalues: infinite for V; w alone has a finite gradient.",
    ),
    symmetric_ports=frozenset({"x"}),
    gauge={"V": "col"},
    samples=(Sample(SYMMETRIC), Sample(SYMMETRIC_STACK)),
)


def _eigvalsh(x: Array) -> Array:
    require_square("linalg.eigvalsh", x=x)
    require_real("linalg.eigvalsh", x)
    return np.linalg.eigvalsh(x)


def _eigvalsh_slope(g: Array, x: Array) -> Array:
    _, v = EIGH(x)
    return _scaled_columns(v, g) @ transposed(v)


EIGVALSH = OpSpec(
    name="linalg.eigvalsh",
    label="eigenvalues",
    glyph="λ(X)",
    category="linalg",
    ports=("x",),
    forward=_eigvalsh,
    numpy=(np.linalg.eigvalsh,),
    vjps={"x": Vjp(_eigvalsh_slope, r"\bar{X}=V\,\mathrm{diag}(g)\,V^{\top}")},
    formula=r"y=w(X)",
    summary="Eigenvalues of a symmetric matrix, the smallest first.",
    aliases=("eigvalsh",),
    keywords=("eigenvalues", "spectrum", "symmetric"),
    domain="symmetric",
    notes=(
        "Only the lower triangle of x is read; the gradient is symmetric.",
        "Equal eigenvalues: right where their cotangents are equal too.",
    ),
    symmetric_ports=frozenset({"x"}),
    samples=(Sample(SYMMETRIC), Sample(SYMMETRIC_STACK)),
)


OPS = (SVD, SVDVALS, EIGH, EIGVALSH)
