"""Activations made of pieces: ReLU and its relatives.

At a kink each takes one of the slopes beside it; the ``notes`` say which (PyTorch's choice).
Where a piece is an exponential it is given min(x, 0), so that no branch that is not taken
overflows: its infinity would become NaN in a second derivative.
"""

from __future__ import annotations

import numpy as np

from core.library.checks import misfit
from core.library.masking import gate
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_SHAPES = (Sample((4,)), Sample((2, 3)), Sample(()), Sample((0, 3)))

RELU = OpSpec(
    name="relu",
    label="ReLU",
    glyph="ReLU",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: np.maximum(x, 0),
    # y > 0 exactly where x > 0, and y is at hand.
    vjps={"x": Vjp(lambda g, y: gate(g, y > 0), r"\bar{x}=g\,[x>0]")},
    formula=r"y=\max(x,0)",
    summary="The positive part: negative values become 0.",
    aliases=("F.relu", "nn.ReLU", "ReLU"),
    keywords=("rectifier", "ramp", "hinge"),
    notes=("Kink at x = 0: derivative 0.",),
    samples=_SHAPES,
)

RELU6 = OpSpec(
    name="relu6",
    label="ReLU6",
    glyph="ReL6",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: np.clip(x, 0, 6),
    vjps={"x": Vjp(lambda g, y: gate(g, (y > 0) & (y < 6)), r"\bar{x}=g\,[0<x<6]")},
    formula=r"y=\min(\max(x,0),6)",
    summary="ReLU that stops rising at 6.",
    aliases=("F.relu6", "nn.ReLU6"),
    keywords=("rectifier", "clip", "mobile"),
    notes=("Kinks at x = 0 and x = 6: derivative 0 (clip takes 1 there).",),
    samples=(*_SHAPES, Sample((5,), low=4.0, high=8.0)),
)

LEAKY_RELU = OpSpec(
    name="leaky_relu",
    label="leaky ReLU",
    glyph="LReL",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, negative_slope: np.where(x > 0, x, negative_slope * x),
    vjps={
        "x": Vjp(
            lambda g, x, negative_slope: np.where(x > 0, g, negative_slope * g),
            r"\bar{x}=g\left([x>0]+\alpha\,[x\leq 0]\right)",
        ),
    },
    formula=r"y=x\,[x>0]+\alpha x\,[x\leq 0]",
    summary="ReLU with a small slope for negatives.",
    params=(Param("negative_slope", "float", 0.01, "Slope α for negative values."),),
    aliases=("F.leaky_relu", "nn.LeakyReLU", "lrelu"),
    keywords=("rectifier",),
    notes=("Kink at x = 0: derivative α.",),
    samples=(*_SHAPES, Sample((4,), negative_slope=0.3)),
)

# -- a learned slope -------------------------------------------------------------------------------


def _slopes(weight: Array, ndim: int) -> Array:
    """The slopes of PReLU, one for all or one for each entry of axis 1, ready to broadcast."""
    if ndim < 2 or not weight.ndim:
        return weight.reshape(()) if not ndim else weight
    return weight.reshape((-1,) + (1,) * (ndim - 2))


def _prelu(x: Array, weight: Array) -> Array:
    channels = x.shape[1] if x.ndim > 1 else 1
    if weight.ndim > 1 or weight.size not in (1, channels):
        raise misfit(
            "prelu",
            f"weight must hold one slope, or one for each of the {channels} channels on axis 1",
            "Give it that many values.",
            port="weight",
            x=x,
            weight=weight,
        )
    return np.where(x > 0, x, _slopes(weight, x.ndim) * x)


def _prelu_weight(
    g: Array, x: Array, x_shape: tuple[int, ...], weight_shape: tuple[int, ...]
) -> Array:
    parts = np.where(x > 0, 0.0, g * x)
    if len(x_shape) < 2 or not weight_shape:
        return parts if x_shape else np.reshape(parts, weight_shape)
    return parts.sum(axis=tuple(i for i in range(len(x_shape)) if i != 1))


PRELU = OpSpec(
    name="prelu",
    label="PReLU",
    glyph="PReL",
    category="activation",
    ports=("x", "weight"),
    forward=_prelu,
    vjps={
        "x": Vjp(
            lambda g, x, weight: np.where(x > 0, g, g * _slopes(weight, x.ndim)),
            r"\bar{x}=g\left([x>0]+w\,[x\leq 0]\right)",
        ),
        "weight": Vjp(_prelu_weight, r"\bar{w}=\sum_{\mathrm{not\ channel}}g\,x\,[x\leq 0]"),
    },
    formula=r"y=x\,[x>0]+w\,x\,[x\leq 0]",
    summary="Leaky ReLU whose slope is learned.",
    aliases=("F.prelu", "nn.PReLU"),
    keywords=("rectifier", "parametric", "learned"),
    notes=("One slope, or one for each channel (axis 1).", "Kink at x = 0: derivative w."),
    samples=(
        Sample((3,), (1,)),
        Sample((2, 3), (3,)),
        Sample((2, 3, 2), (3,)),
        Sample((2, 3), ()),
        Sample((2, 3), (1,)),
        Sample((), ()),
        Sample((), (1,)),
    ),
)

# -- exponential pieces ----------------------------------------------------------------------------

_ALPHA = Param("alpha", "float", 1.0, "Height α of the plateau −α that negative values approach.")

ELU = OpSpec(
    name="elu",
    label="ELU",
    glyph="ELU",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))),
    vjps={
        "x": Vjp(
            lambda g, x, alpha: np.where(x > 0, g, alpha * g * np.exp(np.minimum(x, 0))),
            r"\bar{x}=g\left([x>0]+\alpha e^{x}\,[x\leq 0]\right)",
        ),
    },
    formula=r"y=x\,[x>0]+\alpha(e^{x}-1)\,[x\leq 0]",
    summary="ReLU with an exponential approach to −α.",
    params=(_ALPHA,),
    aliases=("F.elu", "nn.ELU"),
    keywords=("exponential", "rectifier"),
    notes=("Kink at x = 0 unless α = 1: derivative α.",),
    samples=(*_SHAPES, Sample((4,), alpha=1.7)),
)

# The fixed point of Klambauer et al., Self-Normalizing Neural Networks (2017): mean 0, variance 1.
_SELU_SCALE = 1.0507009873554805
_SELU_ALPHA = 1.6732632423543772

SELU = OpSpec(
    name="selu",
    label="SELU",
    glyph="SELU",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: _SELU_SCALE * np.where(x > 0, x, _SELU_ALPHA * np.expm1(np.minimum(x, 0))),
    vjps={
        "x": Vjp(
            lambda g, x: (
                _SELU_SCALE * np.where(x > 0, g, _SELU_ALPHA * g * np.exp(np.minimum(x, 0)))
            ),
            r"\bar{x}=g\,\lambda\left([x>0]+\alpha e^{x}\,[x\leq 0]\right)",
        ),
    },
    formula=r"y=\lambda\left(x\,[x>0]+\alpha(e^{x}-1)\,[x\leq 0]\right),"
    r"\quad\lambda\approx 1.0507,\ \alpha\approx 1.6733",
    summary="ELU scaled so that activations keep mean 0 and variance 1.",
    aliases=("F.selu", "nn.SELU"),
    keywords=("self-normalizing", "exponential", "rectifier"),
    notes=("Kink at x = 0: derivative λα.",),
    samples=_SHAPES,
)

CELU = OpSpec(
    name="celu",
    label="CELU",
    glyph="CELU",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha)),
    vjps={
        "x": Vjp(
            lambda g, x, alpha: np.where(x > 0, g, g * np.exp(np.minimum(x, 0) / alpha)),
            r"\bar{x}=g\left([x>0]+e^{x/\alpha}\,[x\leq 0]\right)",
        ),
    },
    formula=r"y=\max(0,x)+\min\left(0,\alpha(e^{x/\alpha}-1)\right)",
    summary="ELU with a continuous slope for every α.",
    params=(_ALPHA,),
    aliases=("F.celu", "nn.CELU"),
    keywords=("exponential", "rectifier", "continuous"),
    domain="all reals, α > 0",
    notes=("At x = 0: derivative 1, from both sides.",),
    samples=(*_SHAPES, Sample((4,), alpha=1.7)),
)

# -- straight pieces -------------------------------------------------------------------------------

HARDTANH = OpSpec(
    name="hardtanh",
    label="hard tanh",
    glyph="htan",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, min_val, max_val: np.clip(x, min_val, max_val),
    vjps={
        "x": Vjp(
            lambda g, y, min_val, max_val: gate(g, (y > min_val) & (y < max_val)),
            r"\bar{x}=g\,[\mathrm{lo}<x<\mathrm{hi}]",
        ),
    },
    formula=r"y=\min(\max(x,\mathrm{lo}),\mathrm{hi})",
    summary="Straight-line stand-in for tanh.",
    params=(
        Param("min_val", "float", -1.0, "Lower bound lo."),
        Param("max_val", "float", 1.0, "Upper bound hi."),
    ),
    aliases=("F.hardtanh", "nn.Hardtanh"),
    keywords=("clip", "clamp", "bounded"),
    notes=("Kinks at both bounds: derivative 0 (clip takes 1 there).",),
    samples=(*_SHAPES, Sample((5,), min_val=-0.5, max_val=1.5)),
)

HARDSIGMOID = OpSpec(
    name="hardsigmoid",
    label="hard sigmoid",
    glyph="hσ",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: np.clip(x / 6 + 0.5, 0.0, 1.0),
    vjps={
        "x": Vjp(lambda g, x: gate(g / 6, (x > -3) & (x < 3)), r"\bar{x}=\frac{1}{6}\,g\,[-3<x<3]"),
    },
    formula=r"y=\min\left(\max\left(\frac{x}{6}+\frac{1}{2},0\right),1\right)",
    summary="Straight-line stand-in for sigmoid.",
    aliases=("F.hardsigmoid", "nn.Hardsigmoid", "hard_sigmoid"),
    keywords=("clip", "gate"),
    notes=("Kinks at x = ±3: derivative 0.",),
    samples=(*_SHAPES, Sample((6,), low=-5.0, high=5.0)),
)

HARDSWISH = OpSpec(
    name="hardswish",
    label="hard swish",
    glyph="hswi",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x: x * np.clip(x + 3, 0, 6) / 6,
    vjps={
        "x": Vjp(
            lambda g, x: np.where(x >= 3, g, gate(g * (x / 3 + 0.5), x > -3)),
            r"\bar{x}=g\left([x\geq 3]+\left(\frac{x}{3}+\frac{1}{2}\right)[-3<x<3]\right)",
        ),
    },
    formula=r"y=\frac{x}{6}\min(\max(x+3,0),6)",
    summary="Piecewise stand-in for SiLU (swish).",
    aliases=("F.hardswish", "nn.Hardswish", "hard_swish"),
    keywords=("swish", "mobile"),
    notes=("Kinks at x = −3: derivative 0, and at x = 3: derivative 1.",),
    samples=(*_SHAPES, Sample((6,), low=-5.0, high=5.0)),
)

_LAMBDA = Param("lambd", "float", 0.5, "Threshold λ on |x|.")

SOFTSHRINK = OpSpec(
    name="softshrink",
    label="soft shrink",
    glyph="sshr",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, lambd: np.sign(x) * np.maximum(np.abs(x) - lambd, 0),
    vjps={"x": Vjp(lambda g, y: gate(g, y != 0), r"\bar{x}=g\,[|x|>\lambda]")},
    formula=r"y=\mathrm{sgn}(x)\max(|x|-\lambda,0)",
    summary="Moves every value towards 0 by λ, small ones to 0.",
    params=(_LAMBDA,),
    aliases=("F.softshrink", "nn.Softshrink"),
    keywords=("lasso", "proximal", "sparse"),
    domain="all reals, λ ≥ 0",
    notes=("Kinks at |x| = λ: derivative 0.",),
    samples=(*_SHAPES, Sample((5,), lambd=0.25)),
)

HARDSHRINK = OpSpec(
    name="hardshrink",
    label="hard shrink",
    glyph="hshr",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, lambd: np.where(np.abs(x) > lambd, x, 0),
    vjps={"x": Vjp(lambda g, x, lambd: gate(g, np.abs(x) > lambd), r"\bar{x}=g\,[|x|>\lambda]")},
    formula=r"y=x\,[|x|>\lambda]",
    summary="Keeps large values, sets small ones to 0.",
    params=(_LAMBDA,),
    aliases=("F.hardshrink", "nn.Hardshrink"),
    keywords=("sparse", "threshold"),
    notes=("Jumps at |x| = λ: derivative 0.",),
    samples=(*_SHAPES, Sample((5,), lambd=0.25)),
)

THRESHOLD = OpSpec(
    name="threshold",
    label="threshold",
    glyph="x>t",
    category="activation",
    ports=("x",),
    elementwise=True,
    forward=lambda x, threshold, value: np.where(x > threshold, x, value),
    vjps={"x": Vjp(lambda g, x, threshold: gate(g, x > threshold), r"\bar{x}=g\,[x>t]")},
    formula=r"y=x\,[x>t]+v\,[x\leq t]",
    summary="Keeps values above t, replaces the others by v.",
    params=(
        Param("threshold", "float", 0.0, "Threshold t."),
        Param("value", "float", 0.0, "What replaces values not above t."),
    ),
    aliases=("F.threshold", "nn.Threshold"),
    keywords=("cut", "rectifier"),
    notes=("At x = t: value v, derivative 0.",),
    samples=(*_SHAPES, Sample((5,), threshold=0.5, value=-1.0)),
)

OPS = (
    RELU,
    RELU6,
    LEAKY_RELU,
    PRELU,
    ELU,
    SELU,
    CELU,
    HARDTANH,
    HARDSIGMOID,
    HARDSWISH,
    SOFTSHRINK,
    HARDSHRINK,
    THRESHOLD,
)
