"""Functions of a matrix: its powers and its exponential.

The VJP of a function of a matrix is its derivative at Xᵀ along G, which is a block of the same
function of a matrix twice the size: one line serves them all.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.library.checks import require_square
from core.library.products import transposed
from core.library.solving import INVERTIBLE, INVERTIBLE_STACK, singular
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def _derivative(function: Callable[[Array], Array], x: Array, direction: Array) -> Array:
    """The derivative of a function of a matrix at ``x``: f([[x, d], [0, x]]), upper right."""
    n = x.shape[-1]
    zeros = np.zeros(x.shape, x.dtype)
    upper = np.concatenate([x, direction], axis=-1)
    lower = np.concatenate([zeros, x], axis=-1)
    return function(np.concatenate([upper, lower], axis=-2))[..., :n, n:]


def _matrix_power(x: Array, n: int) -> Array:
    require_square("linalg.matrix_power", x=x)
    try:
        return np.linalg.matrix_power(x, n)
    except np.linalg.LinAlgError:
        raise singular("linalg.matrix_power", "x") from None


MATRIX_POWER: OpSpec = OpSpec(
    name="linalg.matrix_power",
    label="matrix power",
    glyph="Xⁿ",
    category="linalg",
    ports=("x",),
    forward=_matrix_power,
    numpy=(np.linalg.matrix_power,),
    vjps={
        "x": Vjp(
            lambda g, x, n: _derivative(lambda m: MATRIX_POWER(m, n=n), transposed(x), g),
            r"\bar{X}=\sum_{k=0}^{n-1}(X^{\top})^{k}\,G\,(X^{\top})^{n-1-k}\quad(n>0)",
        ),
    },
    formula=r"Y=X^{n}",
    summary="A square matrix multiplied by itself n times.",
    params=(Param("n", "int", 2, "Exponent; negative: powers of the inverse."),),
    aliases=("matrix_power",),
    keywords=("power", "repeated product"),
    domain="square; invertible for n < 0",
    samples=(
        Sample((2, 2), n=3),
        Sample(INVERTIBLE, n=-2),
        Sample((2, 2), n=0),
        Sample((2, 2)),
        Sample(INVERTIBLE_STACK, n=-1),
        Sample((2, 2, 2), n=1),
    ),
)


def _expm(x: Array) -> Array:
    from scipy import linalg

    require_square("expm", x=x)
    return linalg.expm(x)


EXPM: OpSpec = OpSpec(
    name="expm",
    label="matrix exponential",
    glyph="e^X",
    category="linalg",
    ports=("x",),
    forward=_expm,
    vjps={
        "x": Vjp(
            lambda g, x: _derivative(EXPM, transposed(x), g),
            r"\bar{X}=L(X^{\top},G)=\mathrm{upper\ right\ of}\ "
            r"\exp\left(X^{\top},G;\;0,X^{\top}\right)",
        ),
    },
    formula=r"Y=e^{X}=\sum_k X^{k}/k!",
    summary="Exponential of a square matrix.",
    aliases=("matrix_exp", "linalg.matrix_exp", "linalg.expm"),
    keywords=("exponential", "flow", "rotation", "lie"),
    domain="square",
    samples=(Sample((2, 2)), Sample((3, 3)), Sample((2, 2, 2))),
)


OPS = (MATRIX_POWER, EXPM)
