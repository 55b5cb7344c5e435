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

# How a record is visited. UNARY and BINARY are the short paths for float64 records of one and two
# inputs whose VJPs need no summing, casting or conjugating; REAL records have one output, are real
# and may need summing or casting. Everything else is GENERAL.
GENERAL, UNARY, BINARY, LEAF, SELECT, REAL = 0, 1, 2, 3, 4, 5

Edges = tuple["Record | None", ...]
Like = tuple[tuple[int, ...], np.dtype[Any]]


class Op:
    """An operation made ready to run.

    Attributes:
        rules: one rule a port, None where the port takes no gradient.
        names: what each rule takes beside ``g``, by name.
        sources: per rule and name, the index of the input it is the value of, -1 - index of the
            output, or None.
        keeps: whether each rule keeps values (not only shapes and parameters) alive.
        keeps_alike: whether all rules agree about that.
        defaults: every parameter's default.
        lane: the best lane that records of this operation can have.
    """

    __slots__ = (
        "_gathers", "defaults", "forward", "keeps", "keeps_alike", "lane", "multi_output", "names",
        "rules", "sources", "spec", "variadic",
    )  # fmt: skip

    def __init__(self, spec: OpSpec) -> None:
        self.spec = spec
        self.forward = spec.forward
        self.variadic = spec.variadic
        self.multi_output = spec.multi_output
        self.defaults = spec.defaults
        self.rules: tuple[Callable[..., Any] | None, ...] = tuple(
            spec.vjps[p].rule if p in spec.vjps and p not in spec.nondiff_ports else None
            for p in spec.ports
        )
        self.names = tuple(
            spec.rule_names(p) if rule else ()
            for p, rule in zip(spec.ports, self.rules, strict=True)
        )
        self._gathers = tuple(_gather(spec, names) for names in self.names)
        places = {name: -1 - i for i, name in enumerate(spec.outputs)}
        places.update((name, i) for i, name in enumerate(spec.ports))
        self.sources = tuple(tuple(places.get(n) for n in names) for names in self.names)
        self.keeps = tuple(any(s is not None for s in sources) for sources in self.sources)
        self.keeps_alike = len(set(self.keeps)) == 1
        self.lane = GENERAL if spec.variadic or spec.multi_output else REAL
        if spec.elementwise and not spec.params and not spec.variadic and not spec.optional_ports:
            self.lane = {1: UNARY, 2: BINARY}.get(len(spec.ports), REAL)

    def rule(self, k: int) -> Callable[..., Any] | None:
        """The rule of the k-th input."""
        return self.rules[0 if self.variadic else k]

    def names_of(self, k: int) -> tuple[str, ...]:
        """What the rule of the k-th input takes beside ``g``."""
        return self.names[0 if self.variadic else k]

    def sources_of(self, k: int) -> tuple[int | None, ...]:
        """The sources of what the rule of the k-th input takes beside ``g``."""
        return self.sources[0 if self.variadic else k]

    def args(
        self,
        k: int,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        params: dict[str, Any],
    ) -> tuple[Any, ...]:
        """The values the rule of the k-th input takes beside ``g``, in its order."""
        return self._gathers[0 if self.variadic else k](inputs, outputs, params, k)


Gather = Callable[[Sequence[Any], Sequence[Any], dict[str, Any], int], tuple[Any, ...]]


def _gather(spec: OpSpec, names: Sequence[str]) -> Gather:
    """Collects what a rule names from (inputs, outputs, params, k).

    Written out as one expression, because it runs at every recording.
    """
    parts = "".join(f"{_expression(spec, name)}, " for name in names)
    gather: Gather = eval(f"lambda xs, ys, params, k: ({parts})", {"shape": np.shape})
    return gather


def _expression(spec: OpSpec, name: str) -> str:
    ports, outputs, base = spec.ports, spec.outputs, name.removesuffix("_shape")
    if name in spec.defaults:
        return f"params[{name!r}]"
    if name in outputs:
        return f"ys[{outputs.index(name)}]"
    if spec.variadic and name in ("k", ports[0], f"{ports[0]}_shapes"):
        return {"k": "k", ports[0]: "tuple(xs)"}.get(name, "tuple([shape(x) for x in xs])")
    if name in ports:
        return f"xs[{ports.index(name)}]"
    if base in ports:
        at = ports.index(base)
        return f"shape(xs[{at}])" if base in spec.optional_ports else f"xs[{at}].shape"
    if base in outputs:
        return f"ys[{outputs.index(base)}].shape"
    raise TypeError(
        f"{spec.name}: its VJP rule takes '{name}', which is no port, output or parameter of "
        "the operation."
    )


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
        likes: per input, the (shape, dtype) its VJP must have (GENERAL and REAL records only).
        made: per output, its (shape, dtype) (records of several outputs only).
        extras: hooks and retain_grad, or None.
        tag: whatever the owner of the graph put there, e.g. a node's id (else unset).
        cotangent, pending: scratch of a running backward: what has arrived; how many
            contributions a leaf still waits for, and on other records the mark of the last tape.
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
    extras: Extras | None
    tag: Any
    cotangent: Any
    pending: Any

    @property
    def name(self) -> str:
        """The operation's name; "leaf" for leaves."""
        return "leaf" if self.lane == LEAF else self.op.spec.name

    def keeps(self) -> bool:
        """Whether it keeps, or kept, a value for backward."""
        keeps = self.op.keeps
        if self.op.keeps_alike:
            return keeps[0]
        return any(edge is not None and keeps[k] for k, edge in enumerate(self.edges))

    def saves(self) -> tuple[str, ...]:
        """The ports and outputs whose values it keeps, or kept before it was freed."""
        names: dict[str, None] = {}
        if self.lane not in (LEAF, SELECT):
            keeps = {*self.op.spec.ports, *self.op.spec.outputs}
            for k, edge in enumerate(self.edges):
                if edge is not None:
                    names.update((name, None) for name in self.op.names_of(k) if name in keeps)
        return tuple(names)

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
    """A new record; ``core.lanes`` spells the same out in place."""
    record = _new(Record)
    record.op = op
    record.edges = edges
    record.args = args
    record.likes = likes
    record.lane = lane
    record.extras = None
    record.pending = None
    record.seq = tick()
    return record


def extras_of(record: Record) -> Extras:
    """The record's extras, made if it has none; it leaves its fast lane."""
    if record.extras is None:
        record.extras = Extras()
        if record.lane in (UNARY, BINARY):
            record.likes = ()
        if record.lane in (UNARY, BINARY, REAL):
            record.lane = GENERAL
    return record.extras
