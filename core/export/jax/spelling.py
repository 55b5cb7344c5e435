"""How operations are written in JAX: mostly as in NumPy, by another name of the module.

Operations that NumPy has no name for are quoted as formulas, like in the NumPy program; those that
are no formulas have an entry in the table here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from core.export.handwritten.helpers import Helpers
from core.export.handwritten.known import CannotFoldError, literal, written
from core.export.handwritten.rules import Formula, Rules
from core.export.identifiers import Identifiers
from core.export.jax import images
from core.export.jax.classes import class_loss
from core.export.literals import nested, number, plain
from core.export.outline import Operand, Step
from core.export.spelling import Spelling, call, text


class _NoHelpers(Helpers):
    """JAX cannot trace functions that fill arrays in place, so none are quoted."""

    def _define(self, thing: object, hint: str, name: str) -> None:
        raise CannotFoldError


def formula(step: Step, rules: Rules) -> Formula | None:
    """The value of a step; None where JAX has no short way to say it."""
    assert step.spec is not None
    try:
        if step.spec.name in ("cross_entropy", "nll_loss"):
            return class_loss(step, rules.names)
        if step.spec.name in TABLE:
            return Formula(TABLE[step.spec.name](step))
    except CannotFoldError:
        pass
    try:
        made = rules.forward(step)
    except CannotFoldError:
        return None
    before = tuple((name, _in_jax(words)) for name, words in made.before)
    return Formula(_in_jax(made.text), before)


def formulas_only(names: Identifiers) -> Rules:
    """Rules that give formulas, or refuse."""
    return Rules(_NoHelpers(names), names)


def _in_jax(words: str) -> str:
    return re.sub(r"\bnp\.", "jnp.", words).replace(", kind='stable'", "")


# -- losses ---------------------------------------------------------------------------------------


def _reduced(template: str) -> Spelling:
    """A loss element by element, then its mean, its sum, or nothing more."""

    def spelled(step: Step) -> str:
        made = text(template)(step)
        reduction = step.params["reduction"]
        if reduction == "batchmean":
            return f"jnp.sum({made}) / {step.given[0].shape[0]}"
        return f"({made})" if reduction == "none" else f"jnp.{reduction}({made})"

    return spelled


def _with_logits(step: Step) -> str:
    weight = step.inputs[2]
    template = "(1 - {target}) * {input} - "
    template += (
        "jax.nn.log_sigmoid({input})"
        if weight is None
        else ("(1 + ({pos_weight} - 1) * {target}) * jax.nn.log_sigmoid({input})")
    )
    return _reduced(template)(step)


def _repeat(step: Step) -> str:
    """JAX wants several counts as an array."""
    repeats, axis = step.params["repeats"], step.params["axis"]
    times = plain(repeats) if isinstance(repeats, int) else f"jnp.array({plain(repeats)})"
    along = "" if axis is None else f", axis={axis}"
    return f"jnp.repeat({step.given[0].text}, {times}{along})"


def _logit(step: Step) -> str:
    (x,) = step.given
    eps = step.params["eps"]
    z = x.text if eps is None else f"jnp.clip({x.text}, {eps}, {1 - eps})"
    return f"jnp.log({z} / (1 - {z}))"


def _poisson(step: Step) -> str:
    """Stirling's terms of the full loss are left to the formulas of the record."""
    if step.params["full"]:
        raise CannotFoldError
    if step.params["log_input"]:
        return _reduced("jnp.exp({input}) - {target} * {input}")(step)
    return _reduced("{input} - {target} * jnp.log({input} + {eps})")(step)


def _divergence(step: Step) -> str:
    if step.params["log_target"]:
        return _reduced("jnp.exp({target}) * ({target} - {input})")(step)
    return _reduced("jax.scipy.special.xlogy({target}, {target}) - {target} * {input}")(step)


def _top(step: Step) -> str:
    """The largest along the last axis; the smallest are the largest of −x."""
    p = step.params
    sign = "" if p["largest"] else "-"
    moved = f"jnp.moveaxis({sign}{step.given[0].text}, {p['axis']}, -1)"
    return f"{sign}jnp.moveaxis(jax.lax.top_k({moved}, {p['k']})[0], -1, {p['axis']})"


# -- indices --------------------------------------------------------------------------------------


def _setitem(step: Step) -> str:
    x, value = step.given
    return f"{x.text}.at[{_subscript(step.params['index'])}].set({value.text})"


def _subscript(index: object) -> str:
    node = literal(index)
    assert node is not None
    return _in_jax(written(node))


def _scatter(method: str) -> Spelling:
    """put_along_axis and scatter_add: indices of every axis beside those given."""

    def spelled(step: Step) -> str:
        x, indices, source = step.given
        axis = step.params["axis"] % x.ndim
        shape = list(x.shape)
        shape[axis] = indices.shape[axis]
        if method == "add":
            shape = list(indices.shape)
        grid = ", ".join(
            indices.text if k == axis else f"jnp.arange({n}).reshape({_lying(k, x.ndim)})"
            for k, n in enumerate(shape)
        )
        picked = ", ".join(f":{n}" for n in shape) if source.ndim == x.ndim else "..."
        given = f"{source.text}[{picked}]" if method == "add" else source.text
        return f"{x.text}.at[{grid}].{method}({given})"

    return spelled


def _lying(axis: int, ndim: int) -> tuple[int, ...]:
    return tuple(-1 if k == axis else 1 for k in range(ndim))


def _mask(step: Step) -> str:
    """JAX needs to know how many elements a mask picks: their places are written out."""
    mask, x = step.given
    if mask.shape != x.shape:
        shape = np.broadcast_shapes(mask.shape, x.shape)
        return f"jnp.broadcast_to({x.text}, {shape})[{nested_mask(mask, shape)}]"
    return f"{x.text}[{nested_mask(mask, x.shape)}]"


def nested_mask(mask: Operand, shape: tuple[int, ...]) -> str:
    """A mask written out."""
    if not mask.value.ndim:
        return f"jnp.array({number(mask.value[()])})"
    return f"np.array({nested(np.broadcast_to(mask.value, shape))})"


def _take(step: Step) -> str:
    x, indices = step.given
    axis = step.params["axis"]
    return f"jnp.take({x.text}, {indices.text}, axis={plain(axis)})"


TABLE: Mapping[str, Spelling] = {
    "sigmoid": call("jax.nn.sigmoid"), "logsigmoid": call("jax.nn.log_sigmoid"),
    "silu": call("jax.nn.silu"), "relu6": call("jax.nn.relu6"), "relu": call("jax.nn.relu"),
    "softmax": call("jax.nn.softmax", "axis"), "log_softmax": call("jax.nn.log_softmax", "axis"),
    "elu": text("jax.nn.elu({x}, {alpha})"), "celu": text("jax.nn.celu({x}, {alpha})"),
    "selu": call("jax.nn.selu"), "softsign": call("jax.nn.soft_sign"),
    "leaky_relu": text("jax.nn.leaky_relu({x}, {negative_slope})"),
    "erf": call("jax.scipy.special.erf"), "erfc": call("jax.scipy.special.erfc"),
    "erfinv": call("jax.scipy.special.erfinv"), "gammaln": call("jax.scipy.special.gammaln"),
    "digamma": call("jax.scipy.special.digamma"), "expm": call("jax.scipy.linalg.expm"),
    "xlogy": call("jax.scipy.special.xlogy"),
    "logsumexp": call("jax.scipy.special.logsumexp", "axis", "keepdims"),
    "cummax": text("jax.lax.cummax({x}, axis={axis} % {x}.ndim)"),
    "cummin": text("jax.lax.cummin({x}, axis={axis} % {x}.ndim)"),
    "logcumsumexp": text("jax.lax.cumlogsumexp({x}, axis={axis} % {x}.ndim)"),
    "solve_triangular": text(
        "jax.scipy.linalg.solve_triangular({a}, {b}, lower={lower}, unit_diagonal={unit_diagonal})"
    ),
    "gelu": lambda step: (
        f"jax.nn.gelu({step.given[0].text}, approximate={step.params['approximate'] == 'tanh'})"
    ),
    "topk": _top, "repeat": _repeat, "kl_div": _divergence,
    "binary_cross_entropy_with_logits": _with_logits,
    "binary_cross_entropy": _reduced(
        "-({target} * jnp.maximum(jnp.log({input}), -100)"
        " + (1 - {target}) * jnp.maximum(jnp.log1p(-{input}), -100))"
    ),
    "hinge_embedding_loss": _reduced(
        "jnp.where({target} == 1, {input}, jax.nn.relu({margin} - {input}))"
    ),
    "conv1d": images.convolution(1), "conv2d": images.convolution(2),
    "conv_transpose1d": images.transposed_convolution(1),
    "conv_transpose2d": images.transposed_convolution(2),
    "max_pool1d": images.largest(1), "max_pool2d": images.largest(2),
    "avg_pool1d": images.average(1), "avg_pool2d": images.average(2),
    "adaptive_avg_pool2d": images.adaptive_average, "pixel_shuffle": images.shuffled,
    "logit": _logit, "poisson_nll_loss": _poisson, "setitem": _setitem, "take": _take,
    "put_along_axis": _scatter("set"), "scatter_add": _scatter("add"), "extract": _mask,
}  # fmt: skip
