"""Losses that ask for a margin, and the similarity of directions."""

from __future__ import annotations

import numpy as np

from core.library.checks import not_broadcastable
from core.library.likelihood_loss import BOUNDED
from core.library.masking import gate
from core.library.norms import slope
from core.library.reducing import REDUCTION, difference, reduced, share
from core.library.spec import Array, OpSpec, Param, Sample, Vjp

_SIGNS = np.array([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])

# -- hinges ----------------------------------------------------------------------------------------


def _hinge_embedding(input: Array, target: Array, reduction: str, margin: float) -> Array:
    difference("hinge_embedding_loss", input, target)
    alike = np.where(target != -1, input, 0.0)
    apart = np.where(target != 1, np.maximum(margin - input, 0), 0.0)
    return reduced(alike + apart, reduction)


def _hinge_embedding_slope(
    g: Array, input: Array, target: Array, reduction: str, margin: float
) -> Array:
    alike = np.where(target != -1, 1.0, 0.0)
    apart = np.where((target != 1) & (input <= margin), 1.0, 0.0)
    return share(g, (input - target).size, reduction) * (alike - apart)


HINGE_EMBEDDING_LOSS = OpSpec(
    name="hinge_embedding_loss",
    label="hinge embedding loss",
    glyph="hinE",
    category="loss",
    ports=("input", "target"),
    nondiff_ports=frozenset({"target"}),
    forward=_hinge_embedding,
    vjps={
        "input": Vjp(
            _hinge_embedding_slope,
            r"\bar{x}=\frac{g}{N}\left([t=1]-[t=-1]\,[x\leq\mathrm{margin}]\right)",
        ),
    },
    formula=r"y=\frac{1}{N}\sum\left(x\,[t=1]+\max(0,\mathrm{margin}-x)\,[t=-1]\right)",
    summary="Pulls distances to 0 where t = 1, beyond a margin where t = −1.",
    params=(REDUCTION, Param("margin", "float", 1.0, "Distance that is far enough.")),
    aliases=("F.hinge_embedding_loss", "nn.HingeEmbeddingLoss"),
    keywords=("similarity", "margin", "metric learning"),
    domain="t is 1 or −1",
    notes=("Kink at x = margin: the hinge counts as active, derivative −1.",),
    samples=(
        Sample((2, 3), _SIGNS),
        Sample((2, 3), _SIGNS, reduction="none", margin=0.5),
        Sample((2, 3), _SIGNS[0], reduction="sum"),
    ),
)


def _ranking_argument(a: Array, b: Array, target: Array, margin: float) -> Array:
    return margin - target * (a - b)


def _margin_ranking(a: Array, b: Array, target: Array, reduction: str, margin: float) -> Array:
    try:
        hinge = _ranking_argument(a, b, target, margin)
    except ValueError:
        raise not_broadcastable("margin_ranking_loss", a=a, b=b, target=target) from None
    return reduced(np.maximum(hinge, 0), reduction)


def _margin_ranking_slope(
    g: Array, a: Array, b: Array, target: Array, reduction: str, margin: float
) -> Array:
    hinge = _ranking_argument(a, b, target, margin)
    return share(g, hinge.size, reduction) * -gate(target + 0.0 * hinge, hinge >= 0)


MARGIN_RANKING_LOSS = OpSpec(
    name="margin_ranking_loss",
    label="margin ranking loss",
    glyph="rank",
    category="loss",
    ports=("a", "b", "target"),
    nondiff_ports=frozenset({"target"}),
    forward=_margin_ranking,
    vjps={
        "a": Vjp(
            _margin_ranking_slope,
            r"\bar{a}=-\frac{g}{N}\,t\,[\mathrm{margin}-t(a-b)\geq 0]",
        ),
        "b": Vjp(
            lambda g, a, b, target, reduction, margin: (
                -_margin_ranking_slope(g, a, b, target, reduction, margin)
            ),
            r"\bar{b}=-\bar{a}",
        ),
    },
    formula=r"y=\frac{1}{N}\sum\max\left(0,\mathrm{margin}-t(a-b)\right)",
    summary="Wants a above b where t = 1, below where t = −1.",
    params=(REDUCTION, Param("margin", "float", 0.0, "By how much.")),
    aliases=("F.margin_ranking_loss", "nn.MarginRankingLoss"),
    keywords=("ranking", "pairs", "order", "hinge"),
    domain="t is 1 or −1",
    notes=("Kink where the hinge begins: it counts as active.",),
    samples=(
        Sample((2, 3), (2, 3), _SIGNS, margin=0.5),
        Sample((2, 3), (3,), _SIGNS, reduction="none"),
        Sample((2, 3), (2, 3), np.array(1.0), reduction="sum"),
    ),
)

# -- similarity ------------------------------------------------------------------------------------


def _bounded_norm(x: Array, axis: int, eps: float) -> tuple[Array, Array]:
    """The norm along ``axis``, as it is and at least ``eps``."""
    norm = np.linalg.norm(x, axis=axis, keepdims=True)
    return norm, BOUNDED(norm, low=eps)


def _cosine(a: Array, b: Array, axis: int, eps: float) -> Array:
    try:
        a, b = np.broadcast_arrays(a, b)
    except ValueError:
        raise not_broadcastable("cosine_similarity", a=a, b=b) from None
    _, of_a = _bounded_norm(a, axis, eps)
    _, of_b = _bounded_norm(b, axis, eps)
    return ((a / of_a) * (b / of_b)).sum(axis=axis)


def _cosine_slope(
    g: Array,
    x: Array,
    other: Array,
    y: Array,
    axis: int,
    eps: float,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> Array:
    """The VJP of one of the two vectors; ``x`` is that one."""
    full = np.broadcast_shapes(*shapes)
    x, other = np.broadcast_to(x, full), np.broadcast_to(other, full)
    norm, of_x = _bounded_norm(x, axis, eps)
    _, of_other = _bounded_norm(other, axis, eps)
    along = np.expand_dims(y, axis) * slope(x, norm, 2, axis)
    return np.expand_dims(g, axis) * (other / of_other - along) / of_x


COSINE_SIMILARITY = OpSpec(
    name="cosine_similarity",
    label="cosine similarity",
    glyph="cos∠",
    category="loss",
    ports=("a", "b"),
    forward=_cosine,
    vjps={
        "a": Vjp(
            lambda g, a, b, y, axis, eps, a_shape, b_shape: _cosine_slope(
                g, a, b, y, axis, eps, (a_shape, b_shape)
            ),
            r"\bar{a}=g\left(\frac{b}{\|a\|\,\|b\|}-y\,\frac{a}{\|a\|^{2}}\right)",
        ),
        "b": Vjp(
            lambda g, a, b, y, axis, eps, a_shape, b_shape: _cosine_slope(
                g, b, a, y, axis, eps, (a_shape, b_shape)
            ),
            r"\bar{b}=g\left(\frac{a}{\|a\|\,\|b\|}-y\,\frac{b}{\|b\|^{2}}\right)",
        ),
    },
    formula=r"y=\frac{\sum a\,b}{\max(\|a\|,\epsilon)\max(\|b\|,\epsilon)}",
    summary="Cosine of the angle between vectors.",
    params=(
        Param("axis", "axis", 1, "Axis of the vectors, after broadcasting."),
        Param("eps", "float", 1e-8, "Least norm ε."),
    ),
    aliases=("F.cosine_similarity", "nn.CosineSimilarity", "cosine"),
    keywords=("angle", "direction", "similarity", "embedding"),
    notes=("A norm below ε counts as ε, also in the gradient: at a = 0 it is g·b/(ε‖b‖).",),
    samples=(
        Sample((2, 3), (2, 3)),
        Sample((3,), (3,), axis=0),
        Sample((1, 3), (2, 3)),
        Sample((2, 1, 3), (2, 3), axis=-1),
    ),
)

# -- triplets --------------------------------------------------------------------------------------


def _distance(a: Array, b: Array, p: float, eps: float) -> tuple[Array, Array]:
    """``a - b + eps`` and its norm along the last axis."""
    d = a - b + eps
    return d, np.linalg.norm(d, p, axis=-1, keepdims=True)


def _triplet(
    anchor: Array,
    positive: Array,
    negative: Array,
    reduction: str,
    margin: float,
    p: float,
    eps: float,
) -> Array:
    try:
        hinge = (
            _distance(anchor, positive, p, eps)[1] - _distance(anchor, negative, p, eps)[1] + margin
        )
    except ValueError:
        raise not_broadcastable(
            "triplet_margin_loss", anchor=anchor, positive=positive, negative=negative
        ) from None
    return reduced(np.maximum(hinge, 0)[..., 0], reduction)


def _triplet_slopes(
    g: Array,
    anchor: Array,
    positive: Array,
    negative: Array,
    reduction: str,
    margin: float,
    p: float,
    eps: float,
) -> tuple[Array, Array]:
    """The cotangents of the two differences, from the positive and from the negative."""
    near, near_norm = _distance(anchor, positive, p, eps)
    far, far_norm = _distance(anchor, negative, p, eps)
    hinge = near_norm - far_norm + margin
    part = share(g, hinge.size, reduction)
    part = np.expand_dims(part, -1) if reduction == "none" else part
    part = part * np.where(hinge >= 0, 1.0, 0.0)
    return part * slope(near, near_norm, p, -1), part * slope(far, far_norm, p, -1)


def _triplet_anchor(
    g: Array,
    anchor: Array,
    positive: Array,
    negative: Array,
    reduction: str,
    margin: float,
    p: float,
    eps: float,
) -> Array:
    near, far = _triplet_slopes(g, anchor, positive, negative, reduction, margin, p, eps)
    return near - far


TRIPLET_MARGIN_LOSS = OpSpec(
    name="triplet_margin_loss",
    label="triplet margin loss",
    glyph="trip",
    category="loss",
    ports=("anchor", "positive", "negative"),
    forward=_triplet,
    vjps={
        "anchor": Vjp(_triplet_anchor, r"\bar{a}=\frac{g}{N}\,[h\geq 0]\,(u_{ap}-u_{an})"),
        "positive": Vjp(
            lambda g, anchor, positive, negative, reduction, margin, p, eps: (
                -_triplet_slopes(g, anchor, positive, negative, reduction, margin, p, eps)[0]
            ),
            r"\bar{p}=-\frac{g}{N}\,[h\geq 0]\,u_{ap}",
        ),
        "negative": Vjp(
            lambda g, anchor, positive, negative, reduction, margin, p, eps: _triplet_slopes(
                g, anchor, positive, negative, reduction, margin, p, eps
            )[1],
            r"\bar{n}=\frac{g}{N}\,[h\geq 0]\,u_{an},\quad u=\nabla\|\cdot\|_p",
        ),
    },
    formula=r"y=\frac{1}{N}\sum\max(0,h),\quad"
    r"h=\|a-p+\epsilon\|_p-\|a-n+\epsilon\|_p+\mathrm{margin}",
    summary="Wants the anchor nearer to the positive than to the negative, by a margin.",
    params=(
        REDUCTION,
        Param("margin", "float", 1.0, "By how much nearer."),
        Param("p", "float", 2.0, "Order of the norm."),
        Param("eps", "float", 1e-6, "Added to every difference."),
    ),
    aliases=("F.triplet_margin_loss", "nn.TripletMarginLoss"),
    keywords=("metric learning", "embedding", "contrastive", "hinge"),
    notes=("Kink where the hinge begins: it counts as active.",),
    samples=(
        Sample((2, 3), (2, 3), (2, 3), margin=5.0),
        Sample((3,), (3,), (3,), margin=5.0),
        Sample((2, 3), (2, 3), (2, 3), reduction="sum", margin=4.0, p=3.0),
        Sample((3, 2), (3, 2), (1, 2), reduction="none", margin=5.0),
    ),
)

OPS = (HINGE_EMBEDDING_LOSS, MARGIN_RANKING_LOSS, COSINE_SIMILARITY, TRIPLET_MARGIN_LOSS)
