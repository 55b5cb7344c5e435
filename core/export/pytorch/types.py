"""Casts where torch would otherwise find another type than our engine, or refuse a mixture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.export.outline import Operand, Step


def adapted(step: Step) -> Step:
    """The step with its inputs cast to one type where their types differ.

    NumPy takes a type from all operands; torch gives less weight to those without axes, and its
    products and layers refuse mixtures. Indices and masks keep their types, but torch's indices
    are int64.
    """
    assert step.spec is not None
    single = step.spec.variadic
    inputs: list[Operand | None] = list(step.inputs)
    mixed: list[int] = []
    for k, x in enumerate(inputs):
        if x is None:
            continue
        port = step.spec.ports[0 if single else k]
        classes = step.spec.name == "cross_entropy" and port == "target"
        masks = port == "attn_mask" and x.dtype.kind == "b"
        if (classes or masks or port in step.spec.nondiff_ports) and x.dtype.kind not in "fc":
            if x.dtype.kind in "iu" and x.dtype != np.int64:
                inputs[k] = cast(x, np.dtype(np.int64))
        else:
            mixed.append(k)
    found = {inputs[k].dtype for k in mixed}  # type: ignore[union-attr]
    common = np.result_type(*found) if found else np.dtype(np.float64)
    made = step.outputs[0].dtype
    if common.kind in "biu" and made.kind in "fciu":
        common = np.empty(0, made).real.dtype if made.kind == "c" else made
    for k in mixed:
        x = inputs[k]
        if x is not None and x.dtype != common:
            inputs[k] = cast(x, common)
    return replace(step, inputs=tuple(inputs))


def cast(x: Operand, dtype: np.dtype[np.generic]) -> Operand:
    """The operand as another type."""
    return Operand(f"{x.text}.to(torch.{dtype.name})", x.value.astype(dtype))
