"""How every operation of the library is written in ONNX, or why it is not."""

from __future__ import annotations

from core.onnx.writing import (
    activations,
    elementwise,
    layers,
    linalg,
    losses,
    norms,
    picking,
    reductions,
    shapes,
    windows,
)
from core.onnx.writing.emit import Rule

RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **activations.RULES,
    **reductions.RULES,
    **shapes.RULES,
    **picking.RULES,
    **linalg.RULES,
    **losses.RULES,
    **windows.RULES,
    **norms.RULES,
    **layers.RULES,
}
