"""Determinants.

The gradient of the determinant is the matrix of cofactors, which is finite for singular matrices
too; y·X⁻ᵀ would be 0·∞ there. So cofactors are an operation of their own, made from the singular
values.
"""

from __future__ import annotations

import numpy as np

from core.library.checks import require_real, require_square
from core.library.products import transposed
from core.library.solving import INVERTIBLE, INVERTIBLE_STACK
from core.library.spec import Array, OpSpec, Sample, Vjp
from core.library.spectra import SVD

# -- determinant -----------------------------------------------------------------------------------

# +1 or −1: whether the two rotations of a singular value decomposition turn space inside out.
ORIENTATION = OpSpec(
    name="orientation",
    label="orientation",
    category="linalg",
    ports=("u", "vh"),
    hidden=True,
    nondiff_ports=frozenset({"u", "vh"}),
    forward=lambda u, vh: np.sign(np.linalg.det(u) * np.linalg.det(vh)),
    vjps={},
    formula=r"y=\det U\,\det V^{\top}",
    summary="Orientation of two orthogonal matrices.",
    samples=(Sample(np.eye(2), -np.eye(2)),),
)


def _others(s: Array, n: int, left_out: int) -> Array:
    """For every choice of ``left_out`` of n values, the product of the others."""
    k = np.arange(n)
    out = k == k[:, None]
    if left_out == 1:
        return np.prod(np.where(out, 1.0, np.expand_dims(s, -2)), axis=-1)
    out = out[:, None, :] | out[None, :, :]
    return np.prod(np.where(out, 1.0, np.expand_dims(s, (-2, -3))), axis=-1)


def _cofactors(x: Array) -> Array:
    u, s, vh = np.linalg.svd(x)
    sign = ORIENTATION(u, vh)[..., None, None]
    return sign * (u * _others(s, x.shape[-1], 1)[..., None, :]) @ vh


def _cofactors_slope(g: Array, x: Array, x_shape: tuple[int, ...]) -> Array:
    n = x_shape[-1]
    u, s, vh = SVD(x)
    sign = np.expand_dims(ORIENTATION(u, vh), (-1, -2))
    eye = np.eye(n, dtype=x.dtype)
    # In the basis of the singular vectors x is diagonal: an entry (i, i) of the cofactors changes
    # with every other diagonal entry, an entry (i, j) with the entry (j, i) only.
    seen = transposed(u) @ g @ transposed(vh)
    pairs = _others(s, n, 2) * (1 - eye)
    diagonal = (pairs * np.expand_dims((seen * eye).sum(axis=-1), -2)).sum(axis=-1)
    inner = np.expand_dims(diagonal, -2) * eye - pairs * transposed(seen)
    return sign * (u @ inner @ vh)


COFACTORS = OpSpec(
    name="cofactors",
    label="cofactors",
    category="linalg",
    ports=("x",),
    hidden=True,
    forward=_cofactors,
    vjps={
        "x": Vjp(
            _cofactors_slope,
            r"\bar{X}_{ij}=\sum_{kl}G_{kl}\,\partial^{2}\det X/\partial X_{kl}\partial X_{ij}",
        ),
    },
    formula=r"Y_{ij}=\partial\det X/\partial X_{ij}",
    summary="Gradient of the determinant.",
    samples=(Sample(INVERTIBLE), Sample(INVERTIBLE_STACK)),
)


def _det(x: Array) -> Array:
    require_square("linalg.det", x=x)
    require_real("linalg.det", x)
    return np.linalg.det(x)


DET = OpSpec(
    name="linalg.det",
    label="det",
    glyph="det",
    category="linalg",
    ports=("x",),
    forward=_det,
    numpy=(np.linalg.det,),
    vjps={
        "x": Vjp(
            lambda g, x: np.expand_dims(g, (-1, -2)) * COFACTORS(x),
            r"\bar{X}=g\,\mathrm{adj}(X)^{\top}=g\,y\,X^{-\top}",
        ),
    },
    formula=r"y=\det X",
    summary="Determinant of a square matrix.",
    aliases=("det",),
    keywords=("determinant", "volume"),
    domain="square",
    notes=("Singular matrix: the gradient is the matrix of cofactors, which is finite.",),
    samples=(
        Sample(INVERTIBLE),
        Sample(INVERTIBLE_STACK),
        Sample(np.array([[1.0, 2.0], [2.0, 4.0]])),
        Sample((1, 1)),
    ),
)

# -- its logarithm ---------------------------------------------------------------------------------


def _inverse_or_inf(x: Array) -> Array:
    """The inverse of every matrix of a stack; infinities for the singular ones."""
    sign, _ = np.linalg.slogdet(x)
    singular = (sign == 0)[..., None, None]
    return np.where(
        singular, np.inf, np.linalg.inv(np.where(singular, np.eye(x.shape[-1], dtype=x.dtype), x))
    )


INVERSE_OR_INF = OpSpec(
    name="inverse_or_inf",
    label="inverse or inf",
    category="linalg",
    ports=("x",),
    hidden=True,
    forward=_inverse_or_inf,
    vjps={
        "x": Vjp(
            lambda g, y: -(transposed(y) @ g @ transposed(y)), r"\bar{X}=-Y^{\top}G\,Y^{\top}"
        ),
    },
    formula=r"Y=X^{-1}",
    summary="Inverse; infinite for a singular matrix.",
    samples=(Sample(INVERTIBLE), Sample(INVERTIBLE_STACK)),
)


def _slogdet(x: Array) -> tuple[Array, Array]:
    require_square("linalg.slogdet", x=x)
    require_real("linalg.slogdet", x)
    sign, log = np.linalg.slogdet(x)
    return sign, log


SLOGDET = OpSpec(
    name="linalg.slogdet",
    label="slogdet",
    glyph="logd",
    category="linalg",
    ports=("x",),
    outputs=("sign", "logabsdet"),
    forward=_slogdet,
    numpy=(np.linalg.slogdet,),
    vjps={
        "x": Vjp(
            lambda g, x: np.expand_dims(g[1], (-1, -2)) * transposed(INVERSE_OR_INF(x)),
            r"\bar{X}=g_{l}\,X^{-\top}",
        ),
    },
    formula=r"s=\mathrm{sgn}\det X,\quad l=\ln|\det X|",
    summary="Sign and logarithm of the determinant, without overflow.",
    aliases=("slogdet",),
    keywords=("determinant", "log determinant", "gaussian"),
    domain="invertible",
    notes=("The sign has derivative 0.", "Singular matrix: logabsdet is −∞, its slope infinite."),
    samples=(Sample(INVERTIBLE), Sample(INVERTIBLE_STACK), Sample(-INVERTIBLE)),
)

OPS = (DET, SLOGDET, ORIENTATION, COFACTORS, INVERSE_OR_INF)
