"""Records: what an operation leaves behind for backward, and how it is made ready to run.

``Op`` is an ``OpSpec`` prepared for the engine: which values each rule wants. ``Record`` is one
application of it. Records and Tensors are separate, so that a record keeps alive what its rules
saved and nothing else; a leaf's record refers to its Tensor weakly. Records form no cycles.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.library.spec import OpSpec
from core.versions import tick

# How a record is visited. Lanes 1 and 2 are the short paths for float64 records of one and two
# inputs whose VJPs need no summing, casting or conjugating; everything else is GENERAL.
GENERAL, UNARY, BINARY, LEAF, SELECT = 0, 1, 2, 3, 4

Edges = tuple["Record | None", ...]
Like = tuple[tuple[int, ...], np.dtype[Any]]


class Op:
    """An operation made ready to run.

    Attributes:
        rules: one rule a port, None where the port takes no gradient.
        names: what each rule takes beside ``g``, by name.
    """

    __slots__ = ("forward", "lane", "names", "rules", "spec", "variadic")

    def __init__(self, spec: OpSpec) -> None:
        self.spec = spec
        self.forward = spec.forward
        self.variadic = spec.variadic
        self.rules: tuple[Callable[..., Any] | None, ...] = tuple(
            spec.vjps[p].rule if p in spec.vjps and p not in spec.nondiff_ports else None
            for p in spec.ports
        )
        self.names = tuple(
            spec.rule_names(p) if rule else ()
            for p, rule in zip(spec.ports, self.rules, strict=True)
        )
        self.lane = GENERAL
        if spec.elementwise and not spec.params and not spec.variadic and not spec.optional_ports:
            self.lane = {1: UNARY, 2: BINARY}.get(len(spec.ports), GENERAL)

    def rule(self, k: int) -> Callable[..., Any] | None:
        """The rule of the k-th input."""
        return self.rules[0 if self.variadic else k]

    def names_of(self, k: int) -> tuple[str, ...]:
        """What the rule of the k-th input takes beside ``g``."""
        return self.names[0 if self.variadic else k]

    def args(
        self,
        k: int,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> tuple[Any, ...]:
        """The values the rule of the k-th input takes beside ``g``, in its order."""
        spec = self.spec
        found: list[Any] = []
        for name in self.names_of(k):
            if name in params:
                found.append(params[name])
            elif name in spec.outputs:
                found.append(outputs[spec.outputs.index(name)])
            elif self.variadic and name in ("k", spec.ports[0], f"{spec.ports[0]}_shapes"):
                found.append(
                    k
                    if name == "k"
                    else tuple(inputs)
                    if name == spec.ports[0]
                    else tuple(np.shape(x) for x in inputs)
                )
            elif name in spec.ports:
                found.append(inputs[spec.ports.index(name)])
            elif name.removesuffix("_shape") in spec.ports:
                found.append(np.shape(inputs[spec.ports.index(name.removesuffix("_shape"))]))
            elif name.removesuffix("_shape") in spec.outputs:
                found.append(np.shape(outputs[spec.outputs.index(name.removesuffix("_shape"))]))
            else:
                raise TypeError(
                    f"{spec.name}: its VJP rule takes '{name}', which is no port, output or "
                    "parameter of the operation."
                )
        return tuple(found)


_ops: dict[int, Op] = {}


def op_of(spec: OpSpec) -> Op:
    """``spec`` made ready to run (once)."""
    op = _ops.get(id(spec))
    if op is None or op.spec is not spec:
        op = _ops[id(spec)] = Op(spec)
    return op


class Freed:
    """Stands where a record's arguments were: a backward let its saved values go."""

    __slots__ = ("by",)

    def __init__(self, by: int) -> None:
        self.by = by


class Extras:
    """What few records have: hooks on the gradient of its Tensor, and retain_grad."""

    __slots__ = ("hooks", "next_key", "retained")

    def __init__(self) -> None:
        self.hooks: dict[int, Callable[[Any], Any]] = {}
        self.next_key = 0
        self.retained: weakref.ref[Any] | None = None


class Record:
    """One application of an operation.

    Attributes:
        op: what was applied.
        edges: per input, the record its gradient goes to; None where none is wanted.
        args: per input, what its rule takes beside ``g`` (None where no gradient is wanted), or
            ``Freed``. Of a leaf: a weak reference to its Tensor; of a SELECT: the output's index.
        seq: tick of its making; newer records have larger ones.
        lane: how it is visited.
        likes: per input, the (shape, dtype) its VJP must have (GENERAL records only).
        made: per output, its (shape, dtype) (records of several outputs only).
        extras: hooks and retain_grad, if any (else unset).
        tag: whatever the owner of the graph put there, e.g. a node's id (else unset).
        cotangent, pending: scratch of a running backward: what has arrived, and how many
            contributions a leaf still waits for.
    """

    __slots__ = (
        "__weakref__",
        "args",
        "cotangent",
        "edges",
        "extras",
        "lane",
        "likes",
        "made",
        "op",
        "pending",
        "seq",
        "tag",
    )

    op: Op
    edges: Edges
    args: Any
    seq: int
    lane: int
    likes: tuple[Like | None, ...]
    made: tuple[Like, ...]
    extras: Extras
    tag: Any
    cotangent: Any
    pending: int

    @property
    def name(self) -> str:
        """The operation's name; "leaf" for leaves."""
        return "leaf" if self.lane == LEAF else self.op.spec.name

    def saved(self) -> dict[str, Any]:
        """The values kept for backward, by port or output name ({} once freed)."""
        if self.lane in (LEAF, SELECT) or type(self.args) is Freed:
            return {}
        spec = self.op.spec
        keeps = {*spec.ports, *spec.outputs}
        found: dict[str, Any] = {}
        for k, args in enumerate(self.args):
            if args is not None:
                for name, value in zip(self.op.names_of(k), args, strict=True):
                    if name in keeps:
                        found[name] = value
        return found


_new = object.__new__


def make_record(
    op: Op,
    edges: Edges,
    args: Any,
    lane: int,
    likes: tuple[Like | None, ...] = (),
) -> Record:
    """A new record; the fast lanes of ``core.tensor`` spell the same out in place."""
    record = _new(Record)
    record.op = op
    record.edges = edges
    record.args = args
    record.likes = likes
    record.lane = lane
    record.seq = tick()
    return record


def extras_of(record: Record) -> Extras:
    """The record's extras, made if it has none; it leaves its fast lane."""
    extras: Extras | None = getattr(record, "extras", None)
    if extras is None:
        extras = record.extras = Extras()
        if record.lane in (UNARY, BINARY):
            record.likes = ()
            record.lane = GENERAL
    return extras
