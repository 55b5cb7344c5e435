"""Attention, recurrent cells, and layers that are one choice or one mask."""

from __future__ import annotations

import math

import numpy as np

from core.onnx.writing.emit import Emit, Result, Rule

# -- one product, one choice ----------------------------------------------------------------------


def _embedding(e: Emit) -> Result:
    return e("Gather", e.x(0), e.indices(1), axis=0)


def _dropout(e: Emit) -> Result:
    p = e.params["p"]
    kept = e("Mul", e.x(0), e.x(1))
    return e("Mul", kept, e.constant(1 / (1 - p) if p < 1 else 0))


# -- attention ------------------------------------------------------------------------------------


def _attention(e: Emit) -> Result:
    q, k = e.operand(0), e.operand(1)
    turned = (*range(k.ndim - 2), k.ndim - 1, k.ndim - 2)
    scale = e.params["scale"]
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = e("MatMul", e.x(0), e("Transpose", e.x(1), perm=turned))
    scores = e("Mul", scores, e.constant(factor))
    lowest = e.constant(-np.inf)
    if e.has(3) and e.operand(3).dtype.kind == "b":
        scores = e("Where", e.truth(3), scores, lowest)
    elif e.has(3):
        scores = e("Add", scores, e.x(3))
    if e.params["is_causal"]:
        earlier = np.tri(q.shape[-2], k.shape[-2], dtype=bool)
        scores = e("Where", e.constant(earlier, bool), scores, lowest)
    if not e.has(3) and not e.params["is_causal"]:
        return e("MatMul", e("Softmax", scores, axis=-1), e.x(2))
    # A query that sees nothing gets nothing, and no NaN.
    blind = e("Equal", e.reduced("ReduceMax", scores, (-1,), True), lowest)
    weights = e("Softmax", e("Where", blind, e.constant(0), scores), axis=-1)
    return e("MatMul", e("Where", blind, e.constant(0), weights), e.x(2))


# -- recurrent cells ------------------------------------------------------------------------------


def _sum(e: Emit, x: int, weight: int, bias: int) -> str:
    """x Wᵀ + b."""
    if e.operand(x).ndim == 2:
        return e("Gemm", e.x(x), e.x(weight), e.maybe(bias), transB=1)
    y = e("MatMul", e.x(x), e("Transpose", e.x(weight), perm=(1, 0)))
    return e("Add", y, e.x(bias)) if e.has(bias) else y


def _gates(e: Emit, sums: str, count: int) -> tuple[str, ...]:
    return e.many("Split", (sums,), count, axis=-1, num_outputs=count)


def _rnn_cell(e: Emit) -> Result:
    return e("Tanh", e("Add", _sum(e, 0, 2, 4), _sum(e, 1, 3, 5)))


def _lstm_cell(e: Emit) -> Result:
    sums = e("Add", _sum(e, 0, 3, 5), _sum(e, 1, 4, 6))
    i, f, g, o = _gates(e, sums, 4)
    kept = e("Mul", e("Sigmoid", f), e.x(2))
    cell = e("Add", kept, e("Mul", e("Sigmoid", i), e("Tanh", g)))
    return e("Mul", e("Sigmoid", o), e("Tanh", cell)), cell


def _gru_cell(e: Emit) -> Result:
    r, z, n = _gates(e, _sum(e, 0, 2, 4), 3)
    h_r, h_z, h_n = _gates(e, _sum(e, 1, 3, 5), 3)
    reset, update = e("Sigmoid", e("Add", r, h_r)), e("Sigmoid", e("Add", z, h_z))
    new = e("Tanh", e("Add", n, e("Mul", reset, h_n)))
    return e("Add", new, e("Mul", update, e("Sub", e.x(1), new)))


RULES: dict[str, Rule] = {
    "dropout": _dropout,
    "embedding": _embedding,
    "gru_cell": _gru_cell,
    "lstm_cell": _lstm_cell,
    "rnn_tanh_cell": _rnn_cell,
    "scaled_dot_product_attention": _attention,
}
