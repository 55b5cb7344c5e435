"""Decompositions of matrices: Cholesky, QR, singular values and eigenvalues.

Their rules solve for the change of the factors. Where two singular values or eigenvalues coincide,
the vectors that belong to them are not determined: a cotangent of theirs then becomes infinite,
while the cotangents of the values alone stay finite.

Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode
algorithmic differentiation (2008); S. Walter and L. Lehmann, Algorithmic differentiation of linear
algebra functions (2010); J. Townsend, Differentiating the singular value decomposition (2016).
"""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.checks import require_matrix, require_real, require_square
from core.library.products import transposed
from core.library.solving import SOLVE_TRIANGULAR
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_SYMMETRIC = np.array([[2.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 3.0]])
_SYMMETRIC_STACK = np.array([[[2.0, 0.4], [0.4, 1.0]], [[3.0, -0.6], [-0.6, 1.5]]])


def _quotient(a: Array, b: Array) -> Array:
    """``a / b`` with 0/0 = 0."""
    return a / np.where(b == 0, np.where(a == 0, np.inf, b), b)


def _skew(x: Array) -> Array:
    return x - transposed(x)


def _scaled_columns(x: Array, factors: Array) -> Array:
    """X diag(factors)."""
    return x * np.expand_dims(factors, -2)


# -- Cholesky --------------------------------------------------------------------------------------


def _cholesky(x: Array) -> Array:
    require_square("linalg.cholesky", x=x)
    require_real("linalg.cholesky", x)
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        raise OperandError(
            "linalg.cholesky: x is not positive definite.",
            next_step="Give it A·Aᵀ of an invertible A, or add a small multiple of the identity.",
            port="x",
        ) from None


def _cholesky_slope(g: Array, y: Array, y_shape: tuple[int, ...]) -> Array:
    half = np.tril(np.ones(y_shape[-2:], y.dtype)) - 0.5 * np.eye(y_shape[-1], dtype=y.dtype)
    middle = half * (transposed(y) @ g)
    upper = transposed(y)
    left = SOLVE_TRIANGULAR(upper, middle, lower=False)
    s = SOLVE_TRIANGULAR(upper, transposed(left), lower=False)
    return 0.5 * (s + transposed(s))


CHOLESKY = OpSpec(
    name="linalg.cholesky",
    label="Cholesky",
    glyph="LLᵀ",
    category="linalg",
    ports=("x",),
    forward=_cholesky,
    numpy=(np.linalg.cholesky,),
    vjps={
        "x": Vjp(
            _cholesky_slope,
            r"\bar{X}=\frac{1}{2}(S+S^{\top}),\quad S=L^{-\top}\Phi(L^{\top}G)L^{-1},"
            r"\quad\Phi=\mathrm{lower\ triangle,\ diagonal\ halved}",
        ),
    },
    formula=r"X=L\,L^{\top}",
    summary="Lower triangular square root of a positive definite matrix.",
    aliases=("cholesky",),
    keywords=("factor", "positive definite", "covariance"),
    domain="symmetric positive definite",
    notes=("Only the lower triangle of x is read; the gradient is symmetric.",),
    symmetric_ports=frozenset({"x"}),
    samples=(Sample(_SYMMETRIC), Sample(_SYMMETRIC_STACK), Sample(np.array([[4.0]]))),
)

# -- QR --------------------------------------------------------------------------------------------


def _qr(x: Array, mode: str) -> tuple[Array, Array]:
    require_matrix("linalg.qr", x)
    require_real("linalg.qr", x)
    q, r = np.linalg.qr(x, mode=mode)  # type: ignore[call-overload]
    return q, r


def _qr_slope(
    g: tuple[Array, Array], x: Array, Q: Array, R: Array, x_shape: tuple[int, ...], mode: str
) -> Array:
    g_q, g_r = g
    rows, columns = x_shape[-2:]
    if rows > columns and mode == "complete":
        raise OperandError(
            "linalg.qr: mode 'complete' has no gradient for a matrix with more rows than columns, "
            "since nothing determines the further columns of Q.",
            next_step="Use mode 'reduced'.",
        )
    if rows >= columns:
        return _tall_qr_slope(g_q, g_r, Q, R)
    # The last columns are X2 = Q R2: they depend on Q, and Q on the first columns only.
    tail = x[..., rows:]
    g_tail = g_r[..., rows:]
    g_q = g_q + tail @ transposed(g_tail)
    first = _tall_qr_slope(g_q, g_r[..., :rows], Q, R[..., :rows])
    return np.concatenate([first, Q @ g_tail], axis=-1)


def _tall_qr_slope(g_q: Array, g_r: Array, q: Array, r: Array) -> Array:
    m = r @ transposed(g_r) - transposed(g_q) @ q
    filled = np.tril(m) + transposed(np.tril(m, -1))
    return transposed(SOLVE_TRIANGULAR(r, transposed(g_q + q @ filled), lower=False))


QR = OpSpec(
    name="linalg.qr",
    label="QR",
    glyph="QR",
    category="linalg",
    ports=("x",),
    outputs=("Q", "R"),
    forward=_qr,
    numpy=(np.linalg.qr,),
    vjps={
        "x": Vjp(
            _qr_slope,
            r"\bar{X}=\left(\bar{Q}+Q\,(T+T_{0}^{\top})\right)R^{-\top},\quad T=\mathrm{tril}(M),"
            r"\ T_{0}=\mathrm{tril}(M,-1),\ M=R\bar{R}^{\top}-\bar{Q}^{\top}Q",
        ),
    },
    formula=r"X=Q\,R",
    summary="Orthonormal columns times an upper triangle.",
    params=(
        Param(
            "mode",
            "choice",
            "reduced",
            "reduced: as few columns as needed; complete: square Q.",
            choices=("reduced", "complete"),
        ),
    ),
    aliases=("qr",),
    keywords=("orthogonal", "gram-schmidt", "factor"),
    domain="full rank of the leading columns",
    notes=("Columns of Q and rows of R are defined up to their sign.",),
    gauge={"Q": "col", "R": "row"},
    samples=(
        Sample((3, 2)),
        Sample((3, 3)),
        Sample((2, 3, 2)),
        Sample((2, 4)),
        Sample((2, 3), mode="complete"),
    ),
)

# -- singular values -------------------------------------------------------------------------------


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
    samples=(Sample(_SYMMETRIC), Sample(_SYMMETRIC_STACK)),
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
    samples=(Sample(_SYMMETRIC), Sample(_SYMMETRIC_STACK)),
)

OPS = (CHOLESKY, QR, SVD, SVDVALS, EIGH, EIGVALSH)
