"""What an operation is: one record that every other part of the program reads.

The engine runs ``forward`` and the VJP rules; the palette, the inspector, the files, the code
export and the tests read the rest. Rules are plain NumPy, written once, over ``g`` (the cotangent
of the output) and whatever else they *name*: the parameter names of a rule decide what a node
saves for backward. See ``docs/adding_an_operation.md``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any  # an ndarray, a NumPy scalar, or a Tensor while a gradient of a gradient is taken


@dataclass(frozen=True)
class Vjp:
    r"""How the VJP of one input port is made from the cotangent of the output.

    The rule's first parameter is ``g``: an array shaped like the output; for an operation with
    several outputs a tuple, one array an output (zeros for outputs nothing reached). Its further
    parameters are taken by name:

    * an output (``y``) or an input port (``a``): the value, which is thereby *saved*;
    * a parameter of the operation (``axis``): its value;
    * ``a_shape``, ``y_shape``: the shape of a port's or output's value;
    * of a variadic port ``xs``: ``xs`` and ``xs_shapes`` are tuples over all inputs, ``k`` is the
      position of the input whose VJP is wanted.

    It returns an array of the input's shape, or of the broadcast shape: the engine sums over
    broadcast axes and casts to the input's dtype. For complex values a rule is the plain transpose
    Jᵀg; the engine conjugates ``g`` before and the result after (so that the VJP is Jᴴg, torch's
    convention).

    Attributes:
        rule: the function described above.
        formula: the rule in LaTeX, with ``g`` for the cotangent.
    """

    rule: Callable[..., Array]
    formula: str


@dataclass(frozen=True)
class Param:
    """A setting of an operation.

    Attributes:
        kind: picks the editor: ``float``, ``int``, ``bool``, ``choice``, ``axis`` (an int),
            ``axes`` (an int or a list of ints), ``ints`` (an int or a, possibly nested, list),
            ``shape``, ``index`` (a NumPy index), ``text``.
        default: value when nothing is given. None is accepted where the default is None, and
            where ``optional`` is true.
        choices: the values a ``choice`` may have.
        low, high: inclusive bounds of a number.
        words: texts that are allowed beside values of the kind, such as ``"same"`` for a padding.
    """

    name: str
    kind: str
    default: Any = None
    doc: str = ""
    choices: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    optional: bool = False
    words: tuple[str, ...] = ()


class Sample:
    """Inputs the operation accepts, from which its tests and previews are made.

    Args:
        inputs: one entry a port: a shape, whose values are drawn between ``low`` and ``high``; an
            ndarray, taken as it is; or None for an optional port left empty.
        low, high: range the values are drawn from; stay away from kinks and poles.
        params: parameters of the operation.
    """

    def __init__(
        self,
        *inputs: tuple[int, ...] | np.ndarray[Any, Any] | None,
        low: float = -2.0,
        high: float = 2.0,
        **params: Any,
    ) -> None:
        self.inputs = inputs
        self.low = low
        self.high = high
        self.params = params

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray[Any, Any] | None, ...]:
        """The inputs as arrays (float64 where a shape was given)."""
        return tuple(
            np.asarray(rng.uniform(self.low, self.high, x)) if isinstance(x, tuple) else x
            for x in self.inputs
        )

    def __repr__(self) -> str:
        return f"Sample{self.inputs} {self.params}"


@dataclass(frozen=True, eq=False)
class OpSpec:
    r"""Everything about one operation, in one place.

    Attributes:
        name: identity in saved files; never change it, add the old one to ``aliases``.
        label: what the palette and the node header show.
        category: palette group, one of ``core.library.CATEGORIES``.
        ports: names of the inputs, in order. A variadic operation has one, repeated at will.
        forward: ``forward(*inputs, **params)`` over arrays; a tuple for several outputs.
        vjps: the rule of each differentiable port.
        formula: the forward rule in LaTeX.
        summary: one line for the palette.
        glyph: one to four characters for the node's chip.
        params: the settings, in order.
        outputs: names of the outputs; ``("y*",)`` stands for as many as the values ask for.
        optional_ports: ports that may be left empty (``forward`` gets None).
        nondiff_ports: ports that take no gradient (conditions, indices).
        variadic: whether the one port may be given any number of times.
        elementwise: whether the output's shape is the broadcast of the inputs' shapes.
        hidden: whether it exists for the rules of others only (not in the palette).
        aliases: other names it is found by: old ones, torch's and NumPy's.
        keywords: further search words.
        domain: where the operation is defined.
        notes: its conventions at kinks, ties and poles, as shown to the user.
        samples: inputs to check the rules on; an operation without samples fails its tests.
        numpy: NumPy functions that mean this operation when called on Tensors.
        symmetric_ports: ports whose matrices are taken as symmetric: only the symmetric part of
            their VJP means anything.
        gauge: outputs that are defined up to the sign of each ``"col"`` or ``"row"``.
    """

    name: str
    label: str
    category: str
    ports: tuple[str, ...]
    forward: Callable[..., Any]
    vjps: Mapping[str, Vjp]
    formula: str
    summary: str
    samples: tuple[Sample, ...]
    glyph: str = ""
    params: tuple[Param, ...] = ()
    outputs: tuple[str, ...] = ("y",)
    optional_ports: frozenset[str] = frozenset()
    nondiff_ports: frozenset[str] = frozenset()
    variadic: bool = False
    elementwise: bool = False
    hidden: bool = False
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    domain: str = "all reals"
    notes: tuple[str, ...] = ()
    numpy: tuple[Callable[..., Any], ...] = ()
    symmetric_ports: frozenset[str] = frozenset()
    gauge: Mapping[str, str] = field(default_factory=dict)

    @property
    def multi_output(self) -> bool:
        """Whether ``forward`` returns a tuple (even of length 1)."""
        return len(self.outputs) != 1 or self.outputs[0].endswith("*")

    @property
    def defaults(self) -> dict[str, Any]:
        """Every parameter's default."""
        return {p.name: p.default for p in self.params}

    def rule_names(self, port: str) -> tuple[str, ...]:
        """What the VJP rule of ``port`` names beside ``g``."""
        return tuple(inspect.signature(self.vjps[port].rule).parameters)[1:]

    def saved(self, port: str) -> tuple[str, ...]:
        """Inputs and outputs whose values the VJP of ``port`` keeps."""
        keeps = {*self.ports, *self.outputs}
        return tuple(name for name in self.rule_names(port) if name in keeps)

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """Apply the operation inside a rule: on arrays, or on Tensors, which record it."""
        for x in inputs:
            applied = getattr(type(x), "__pullback_apply__", None)
            if applied is not None:
                return applied(self, inputs, params)
        return self.forward(*inputs, **{**self.defaults, **params})

    def __repr__(self) -> str:
        return f"<OpSpec {self.name}>"
