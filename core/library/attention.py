"""Scaled dot-product attention."""

from __future__ import annotations

import math

import numpy as np

from core.library.activation import SOFTMAX
from core.library.checks import misfit
from core.library.products import transposed
from core.library.spec import Array, OpSpec, Param, Sample, Vjp


def _masked_softmax(x: Array) -> Array:
    if not x.size:
        return x
    highest = x.max(axis=-1, keepdims=True)
    return np.where(highest == -np.inf, 0.0, SOFTMAX(x, axis=-1))


# A row of −∞ only is a query that may look nowhere: all its weights are 0, and so are its slopes.
MASKED_SOFTMAX = OpSpec(
    name="masked_softmax",
    label="masked softmax",
    category="nn",
    ports=("x",),
    hidden=True,
    forward=_masked_softmax,
    vjps={
        "x": Vjp(
            lambda g, y: (g - (g * y).sum(axis=-1, keepdims=True)) * y,
            r"\bar{x}=y\left(g-\sum g\,y\right)",
        ),
    },
    formula=r"y=\mathrm{softmax}(x)",
    summary="Softmax; zeros for a row of −∞ only.",
    samples=(Sample((2, 3)), Sample(np.array([[0.5, -np.inf], [1.0, 2.0]]))),
)


def _weights(
    q: Array, k: Array, attn_mask: Array | None, is_causal: bool, scale: float | None
) -> Array:
    """How much each query looks at each key."""
    scores = _factor(q, scale) * (q @ transposed(k))
    if attn_mask is not None:
        if attn_mask.dtype.kind == "b":
            scores = np.where(attn_mask, scores, -np.inf)
        else:
            scores = scores + attn_mask
    if is_causal:
        earlier = np.tri(q.shape[-2], k.shape[-2], dtype=bool)
        scores = np.where(earlier, scores, -np.inf)
    return MASKED_SOFTMAX(scores)


def _factor(q: Array, scale: float | None) -> float:
    return 1.0 / math.sqrt(q.shape[-1]) if scale is None else scale


def _check(q: Array, k: Array, v: Array, attn_mask: Array | None) -> None:
    """Refuse what does not fit."""
    op = "scaled_dot_product_attention"
    few_axes = min(q.ndim, k.ndim, v.ndim) < 2
    if few_axes or q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise misfit(
            op,
            "q and k need the same last axis, k and v the same second-last",
            "The axes are (..., queries, size), (..., keys, size) and (..., keys, values).",
            port="k",
            q=q,
            k=k,
            v=v,
        )
    try:
        batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise misfit(
            op,
            "the axes before the last two must broadcast",
            "Insert axes of size 1 where one array serves for many.",
            port="v",
            q=q,
            k=k,
            v=v,
        ) from None
    scores = (*batch, q.shape[-2], k.shape[-2])
    try:
        if attn_mask is not None:
            np.broadcast_shapes(attn_mask.shape, scores)
    except ValueError:
        raise misfit(
            op,
            f"attn_mask must broadcast to {scores}: a row for each query, a column for each key",
            "Reshape or transpose it.",
            port="attn_mask",
            attn_mask=attn_mask,
        ) from None


def _attention(
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
) -> Array:
    _check(q, k, v, attn_mask)
    return _weights(q, k, attn_mask, is_causal, scale) @ v


def _score_slope(
    g: Array,
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
) -> Array:
    """The cotangent of the scores that go into the softmax."""
    p = _weights(q, k, attn_mask, is_causal, scale)
    at_p = g @ transposed(v)
    return (at_p - (at_p * p).sum(axis=-1, keepdims=True)) * p


def _q_slope(
    g: Array,
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
) -> Array:
    return _factor(q, scale) * (_score_slope(g, q, k, v, attn_mask, is_causal, scale) @ k)


def _k_slope(
    g: Array,
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None,
    is_causal: bool,
    scale: float | None,
) -> Array:
    at_scores = _score_slope(g, q, k, v, attn_mask, is_causal, scale)
    return _factor(q, scale) * (transposed(at_scores) @ q)


SCALED_DOT_PRODUCT_ATTENTION = OpSpec(
    name="scaled_dot_product_attention",
    label="attention",
    glyph="Attn",
    category="nn",
    ports=("q", "k", "v", "attn_mask"),
    optional_ports=frozenset({"attn_mask"}),
    forward=_attention,
    vjps={
        "q": Vjp(
            _q_slope,
            r"\bar{Q}=s\,\bar{S}\,K,\quad\bar{S}=P\left(\bar{P}-\sum\bar{P}P\right),"
            r"\ \bar{P}=G\,V^{\top}",
        ),
        "k": Vjp(_k_slope, r"\bar{K}=s\,\bar{S}^{\top}Q"),
        "v": Vjp(
            lambda g, q, k, attn_mask, is_causal, scale: (
                transposed(_weights(q, k, attn_mask, is_causal, scale)) @ g
            ),
            r"\bar{V}=P^{\top}G",
        ),
        "attn_mask": Vjp(_score_slope, r"\bar{M}=\bar{S}"),
    },
    formula=r"Y=P\,V,\quad P=\mathrm{softmax}(s\,Q\,K^{\top}+M),\quad s=d^{-1/2}",
    summary="Values mixed by how well each query fits each key.",
    params=(
        Param("is_causal", "bool", False, "A query sees no key after its own position."),
        Param("scale", "float", None, "Factor s of the scores; empty: 1/√d."),
    ),
    aliases=("F.scaled_dot_product_attention", "sdpa", "attention"),
    keywords=("transformer", "query", "key", "value", "mask"),
    notes=(
        "A boolean mask keeps where it is true and has no gradient; a float mask is added.",
        "A query that may see no key: output and gradients 0.",
    ),
    samples=(
        Sample((2, 3), (4, 3), (4, 2), None),
        Sample((2, 3, 2), (2, 3, 2), (2, 3, 2), None, is_causal=True),
        Sample(
            (1, 2, 3), (1, 3, 3), (1, 3, 2), np.array([[True, False, True], [True, True, False]])
        ),
        Sample((2, 2), (3, 2), (3, 2), (2, 3), scale=0.5),
        Sample((2, 2), (3, 2), (3, 2), np.array([[True, True, False], [False, False, False]])),
    ),
)

OPS = (SCALED_DOT_PRODUCT_ATTENTION, MASKED_SOFTMAX)
