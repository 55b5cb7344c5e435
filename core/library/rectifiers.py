"""Activations made of pieces: ReLU and its relatives.

At a kink each takes one of the two slopes; the ``notes`` say which (PyTorch's choice).
"""

from __future__ import annotations

import numpy as np

from core.library.masking import gate
from core.library.spec import OpSpec, Sample, Vjp

_SHAPES = (Sample((4,)), Sample((2, 3)), Sample(()), Sample((0, 3)))

RELU = OpSpec(
    name="relu", label="ReLU", glyph="ReLU", category="activation", ports=("x",),
    elementwise=True, forward=lambda x: np.maximum(x, 0),
    # y > 0 exactly where x > 0, and y is at hand.
    vjps={"x": Vjp(lambda g, y: gate(g, y > 0), r"\bar{x}=g\,[x>0]")},
    formula=r"y=\max(x,0)", summary="The positive part: negative values become 0.",
    aliases=("F.relu", "nn.ReLU", "ReLU"), keywords=("rectifier", "ramp", "hinge", "activation"),
    notes=("Kink at x = 0: the derivative is taken as 0.",),
    samples=_SHAPES,
)

OPS = (RELU,)
