"""A function called for its derivatives: inputs as leaves, outputs, and gradients between them.

What ``core.functional`` and ``core.check`` have in common. Results are nested as the caller nested
the inputs: one Tensor for one Tensor, a tuple for a tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.autograd import grad
from core.errors import (
    CotangentCountError,
    CotangentShapeError,
    CotangentTypeError,
    NonscalarRootError,
    NotScalarError,
    OperandError,
    UnusedInputError,
)
from core.tensor import Tensor, make_tensor

Function = Callable[..., Any]
Tensors = Tensor | Sequence[Tensor]
Vectors = Any  # an array or a Tensor, or a sequence of them


class Call:
    """``f`` called at ``xs``.

    Args:
        f: takes Tensors and returns a Tensor or a sequence of Tensors.
        xs: a Tensor or a sequence of Tensors (arrays and numbers become Tensors).
        connected: keep the histories of ``xs``, so that results can be differentiated further.

    Attributes:
        xs: the inputs it was called with, all requiring grad.
        ys: the outputs.

    Raises:
        IntRequiresGradError: an input is an integer or a boolean.
        OperandError: f returns something else than Tensors.
    """

    def __init__(self, f: Function, xs: Tensors, connected: bool = False) -> None:
        self.nested = is_nested(xs)
        given = tuple(xs) if self.nested else (xs,)
        self.xs = tuple(_input(x, connected) for x in given)
        made = f(*self.xs)
        self.nests = is_nested(made)
        self.ys: tuple[Tensor, ...] = tuple(made) if self.nests else (made,)
        self._connected = connected
        for y in self.ys:
            if not isinstance(y, Tensor):
                raise OperandError(
                    f"The function returned {type(y).__name__}, not Tensors.",
                    next_step="Return a Tensor or a tuple of Tensors.",
                )

    def scalar(self) -> Tensor:
        """The one output of one element.

        Raises:
            NotScalarError: there are more, or none.
        """
        if len(self.ys) != 1 or self.ys[0].size != 1:
            shapes = ", ".join(str(y.shape) for y in self.ys)
            raise NotScalarError(
                f"The function returned outputs of shapes {shapes}; second derivatives need one "
                "output of one element.",
                next_step="Sum the output, or use jacobian.",
            )
        return self.ys[0]

    def outputs(self) -> Any:
        """The outputs, nested as f returned them, without history unless ``connected``."""
        return self.like_outputs(self.ys if self._connected else [y.detach() for y in self.ys])

    def like_inputs(self, values: Sequence[Any]) -> Any:
        """One value an input, nested as the inputs are."""
        return tuple(values) if self.nested else values[0]

    def like_outputs(self, values: Sequence[Any]) -> Any:
        """One value an output, nested as the outputs are."""
        return tuple(values) if self.nests else values[0]


def _input(x: Any, connected: bool) -> Tensor:
    given: Tensor = x if isinstance(x, Tensor) else Tensor(x)
    if connected and given.requires_grad:
        # A tensor of its own: a gradient for it must not come past it, through other uses of x.
        return given.reshape(given.shape)
    return Tensor(given._data, requires_grad=True)


def is_nested(values: Any) -> bool:
    """Whether these are several values (a list or a tuple) rather than one."""
    return isinstance(values, list | tuple)


def vectors(v: Vectors, partners: Sequence[Tensor], kind: str) -> list[Tensor]:
    """``v`` as one Tensor for each of ``partners``, of its shape and dtype.

    Args:
        v: None stands for 1 if there is one partner of one element.
        kind: what the partners are, for messages: "output" or "input".

    Raises:
        NonscalarRootError, CotangentCountError, CotangentShapeError, CotangentTypeError:
            ``v`` does not fit.
    """
    if v is None:
        if len(partners) != 1 or partners[0].size != 1:
            raise NonscalarRootError(
                f"v can be left out only for one {kind} of one element; there are "
                f"{len(partners)}, of shapes {', '.join(str(p.shape) for p in partners)}.",
                next_step=f"Give v: one array of each {kind}'s shape.",
            )
        return [ones(partners[0])]
    given = list(v) if is_nested(v) else [v]
    if len(given) != len(partners):
        raise CotangentCountError(
            f"v has {len(given)} entries, but there are {len(partners)} {kind}s.",
            next_step=f"Give one array of each {kind}'s shape.",
        )
    return [_vector(i, given[i], partner, kind) for i, partner in enumerate(partners)]


def _vector(i: int, v: Any, partner: Tensor, kind: str) -> Tensor:
    if not isinstance(v, Tensor | np.ndarray | np.generic | float | int):
        raise CotangentTypeError(
            f"v[{i}] is {type(v).__name__}, not a Tensor or an array.",
            next_step="Wrap it: Tensor(...).",
        )
    vector = v if isinstance(v, Tensor) else Tensor(v)
    if vector.shape != partner.shape:
        raise CotangentShapeError(
            f"v[{i}] has shape {vector.shape}, {kind} {i} has shape {partner.shape}.",
            next_step="They must be exactly equal.",
        )
    return vector if vector.dtype == partner.dtype else vector.astype(partner.dtype)


def gradients(
    ys: Sequence[Tensor | None], xs: Sequence[Tensor], vs: Sequence[Tensor], create_graph: bool
) -> list[Tensor | None]:
    """The sum over vⱼᵀ ∂yⱼ/∂xᵢ for every i; None where no output depends on xᵢ.

    Outputs without history, or None, contribute nothing.
    """
    pairs = [(y, v) for y, v in zip(ys, vs, strict=True) if y is not None and y.requires_grad]
    if not pairs:
        return [None] * len(xs)
    roots, cotangents = zip(*pairs, strict=True)
    # Retained: the caller may come back to the same outputs for another row.
    return list(
        grad(roots, xs, cotangents, retain_graph=True, create_graph=create_graph, allow_unused=True)
    )


def refuse_unused(found: Sequence[Tensor | None], what: str) -> None:
    """With ``strict``: refuse a result that is zero because nothing depends on an input.

    Raises:
        UnusedInputError: names the input.
    """
    for i, one in enumerate(found):
        if one is None:
            raise UnusedInputError(
                f"{what} does not depend on input {i}.",
                next_step="Leave strict out for zeros.",
            )


def filled(found: Sequence[Tensor | None], partners: Sequence[Tensor]) -> list[Tensor]:
    """``found`` with zeros of its partner's shape in the place of every None."""
    return [
        make_tensor(np.zeros(p.shape, p.dtype)) if one is None else one
        for one, p in zip(found, partners, strict=True)
    ]


def ones(y: Tensor) -> Tensor:
    """The cotangent 1 of every element."""
    return make_tensor(np.ones(y.shape, y.dtype))
