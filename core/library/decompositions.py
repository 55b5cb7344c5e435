"""Cholesky and QR decompositions. The rules solve for the change of the factors.

Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode
algorithmic differentiation (2008); S. Walter and L. Lehmann, Algorithmic differentiation of linear
algebra functions (2010).
"""

from __future__ import annotations

import numpy as np

from core.errors import OperandError
from core.library.checks import require_matrix, require_real, require_square
from core.library.products import transposed
from core.library.solving import SOLVE_TRIANGULAR
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

SYMMETRIC = np.array([[2.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 3.0]])
SYMMETRIC_STACK = np.array([[[2.0, 0.4], [0.4, 1.0]], [[3.0, -0.6], [-0.6, 1.5]]])


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
    samples=(Sample(SYMMETRIC), Sample(SYMMETRIC_STACK), Sample(np.array([[4.0]]))),
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

OPS = (CHOLESKY, QR)
