"""All operators of ONNX that can be told in our operations."""

from __future__ import annotations

from core.onnx.reading import (
    constants,
    elementwise,
    linear,
    losses,
    norms,
    picking,
    pooling,
    recurrent,
    reductions,
    resizing,
    shapes,
)
from core.onnx.reading.call import Translator

#: Those whose results depend on data, and have gradients.
OPERATORS: dict[str, Translator] = {
    **elementwise.TRANSLATORS,
    **reductions.TRANSLATORS,
    **shapes.TRANSLATORS,
    **picking.TRANSLATORS,
    **linear.TRANSLATORS,
    **pooling.TRANSLATORS,
    **resizing.TRANSLATORS,
    **norms.TRANSLATORS,
    **losses.TRANSLATORS,
    **recurrent.TRANSLATORS,
}
#: Those that are computed while a model is read.
CONSTANTS = constants.TRANSLATORS
TRANSLATORS: dict[str, Translator] = {**CONSTANTS, **OPERATORS}
