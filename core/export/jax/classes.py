"""Losses over classes in JAX, step by step."""

from __future__ import annotations

from core.export.handwritten.known import CannotFoldError
from core.export.handwritten.rules import Formula
from core.export.identifiers import Identifiers
from core.export.literals import number
from core.export.outline import Step


def class_loss(step: Step, names: Identifiers) -> Formula:
    """nll_loss, and cross_entropy of class numbers: logarithms picked by class and weighed.

    Raises:
        CannotFoldError: the target is probabilities, or a share goes to every class.
    """
    x, target, weight = step.inputs
    assert x is not None
    assert target is not None
    p = step.params
    if target.dtype.kind not in "iu" or p.get("label_smoothing"):
        raise CannotFoldError
    axis = 0 if x.ndim == 1 else 1
    counts, safe = names.take("counts"), names.take("safe")
    before = [
        (counts, f"{target.text} != {p['ignore_index']}"),
        (safe, f"jnp.where({counts}, {target.text}, 0)"),
    ]
    logs = x.text
    if step.node.op == "cross_entropy":
        logs = names.take("logs")
        before.append((logs, f"jax.nn.log_softmax({x.text}, axis={axis})"))
    share = names.take("share")
    each = "1.0" if weight is None else f"{weight.text}[{safe}]"
    before.append((share, f"jnp.where({counts}, {each}, {number(0.0)})"))
    picked = f"jnp.take_along_axis({logs}, jnp.expand_dims({safe}, {axis}), axis={axis})"
    losses = f"-{share} * {picked}.squeeze({axis})"
    if p["reduction"] == "none":
        return Formula(losses, tuple(before))
    total = f"({losses}).sum()"
    if p["reduction"] == "mean":
        total = f"{total} / {share}.sum()"
    return Formula(total, tuple(before))
