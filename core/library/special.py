"""Special functions: the error function and the logarithm of the gamma function.

The values come from SciPy, imported at the first use because it takes long to load.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_ERF_SLOPE = 2 / math.sqrt(math.pi)
_ANY = (Sample((3,)), Sample((2, 3)), Sample(()))
_POSITIVE = (Sample((3,), low=0.4, high=4.0), Sample((2, 3), low=0.4), Sample((), low=0.4))
_POLES = "x not in {0, −1, −2, …}"


def _scipy(name: str) -> Callable[[Array], Array]:
    def forward(x: Array) -> Array:
        from scipy import special

        return getattr(special, name)(x)

    return forward


def _polygamma(x: Array, n: int) -> Array:
    from scipy import special

    # SciPy answers in float64 whatever it is given.
    return np.asarray(special.polygamma(n, x), dtype=np.result_type(x, np.float32))


ERF = OpSpec(
    name="erf", label="erf", glyph="erf", category="special", ports=("x",),
    elementwise=True, forward=_scipy("erf"),
    vjps={
        "x": Vjp(
            lambda g, x: g * (_ERF_SLOPE * np.exp(-x * x)),
            r"\bar{x}=g\,\frac{2}{\sqrt{\pi}}e^{-x^{2}}",
        )
    },
    formula=r"y=\operatorname{erf}x", summary="Error function.",
    keywords=("gauss", "normal", "probability"), samples=_ANY,
)  # fmt: skip

ERFC = OpSpec(
    name="erfc", label="erfc", glyph="erfc", category="special", ports=("x",),
    elementwise=True, forward=_scipy("erfc"),
    vjps={
        "x": Vjp(
            lambda g, x: g * (-_ERF_SLOPE * np.exp(-x * x)),
            r"\bar{x}=-g\,\frac{2}{\sqrt{\pi}}e^{-x^{2}}",
        )
    },
    formula=r"y=1-\operatorname{erf}x",
    summary="Complement of the error function, exact in the tail.",
    keywords=("gauss", "normal", "tail"), samples=_ANY,
)  # fmt: skip

ERFINV = OpSpec(
    name="erfinv", label="erfinv", glyph="erf⁻¹", category="special", ports=("x",),
    elementwise=True, forward=_scipy("erfinv"),
    vjps={
        "x": Vjp(
            lambda g, y: g * (np.exp(y * y) / _ERF_SLOPE),
            r"\bar{x}=g\,\frac{\sqrt{\pi}}{2}e^{y^{2}}",
        )
    },
    formula=r"y=\operatorname{erf}^{-1}x", summary="Inverse of the error function.",
    keywords=("gauss", "normal", "quantile", "probit"), domain="|x| < 1",
    notes=("x = ±1: the value is ±∞ and the derivative infinite.",),
    samples=tuple(Sample(shape, low=-0.9, high=0.9) for shape in ((3,), (2, 3), ())),
)  # fmt: skip

POLYGAMMA: OpSpec = OpSpec(
    name="polygamma", label="polygamma", category="special", ports=("x",),
    elementwise=True, hidden=True, forward=_polygamma,
    vjps={
        "x": Vjp(lambda g, x, n: g * POLYGAMMA(x, n=n + 1), r"\bar{x}=g\,\psi_{n+1}(x)"),
    },
    params=(Param("n", "int", default=1, low=0, doc="How many times ψ is differentiated."),),
    formula=r"y=\psi_{n}(x)", summary="Derivative of order n of digamma.", domain=_POLES,
    samples=(Sample((3,), low=0.4), Sample((2,), low=0.4, n=2)),
)  # fmt: skip

DIGAMMA = OpSpec(
    name="digamma", label="digamma", glyph="ψ", category="special", ports=("x",),
    elementwise=True, forward=_scipy("digamma"),
    vjps={"x": Vjp(lambda g, x: g * POLYGAMMA(x, n=1), r"\bar{x}=g\,\psi_1(x)")},
    formula=r"y=\psi(x)", summary="Slope of the logarithm of the gamma function.",
    aliases=("psi",), domain=_POLES, samples=_POSITIVE,
)  # fmt: skip

GAMMALN = OpSpec(
    name="gammaln", label="gammaln", glyph="lnΓ", category="special", ports=("x",),
    elementwise=True, forward=_scipy("gammaln"),
    vjps={"x": Vjp(lambda g, x: g * DIGAMMA(x), r"\bar{x}=g\,\psi(x)")},
    formula=r"y=\ln|\Gamma(x)|", summary="Logarithm of the gamma function.",
    aliases=("lgamma",), keywords=("factorial",), domain=_POLES, samples=_POSITIVE,
)  # fmt: skip

OPS = (ERF, ERFC, ERFINV, GAMMALN, DIGAMMA, POLYGAMMA)
