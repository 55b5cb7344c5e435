"""torch.autograd.Function: operations whose backward is the program's own.

Each class becomes an operation of our engine: what it saves is saved there, so that it is freed,
checked for changes in place and given back with its history, like everything else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, settle
from core.importers.python.values import Builtin, Decorated, Instance, UserClass
from core.library.spec import OpSpec, Param, Vjp
from core.modes import no_grad, state
from core.recording import apply
from core.tensor import Tensor, make_tensor

CTX = UserClass("FunctionCtx", (), {}, ours=True)


@dataclass(eq=False)
class Ctx(Instance):
    """What forward and backward share: ``ctx``.

    Attributes:
        saved: what save_for_backward was given.
        given: the saved tensors as the engine hands them to the backward that runs.
        dirty, plain: outputs changed in place, outputs without gradient.
        pulled: the last cotangents and the gradients made from them, for the other inputs.
    """

    saved: tuple[Any, ...] = ()
    given: tuple[Any, ...] | None = None
    dirty: tuple[Any, ...] = ()
    plain: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()
    pulled: tuple[Any, Any] | None = field(default=None)


def _set(name: str) -> Builtin:
    def function(m: Machine, ctx: Ctx, *tensors: Any) -> None:
        setattr(ctx, name, tensors)

    return Builtin(name, function)


def _saved_tensors(m: Machine, ctx: Ctx) -> tuple[Any, ...]:
    return ctx.saved if ctx.given is None else ctx.given


CTX.members.update({
    "save_for_backward": _set("saved"),
    "save_for_forward": Builtin("save_for_forward", lambda m, ctx, *tensors: None),
    "mark_dirty": _set("dirty"),
    "mark_non_differentiable": _set("plain"),
    "set_materialize_grads": Builtin("set_materialize_grads", lambda m, ctx, value: None),
    "saved_tensors": Decorated("property", Builtin("saved_tensors", _saved_tensors)),
    "saved_variables": Decorated("property", Builtin("saved_variables", _saved_tensors)),
})  # fmt: skip


def _apply(m: Machine, cls: UserClass, *args: Any) -> Any:
    """Function.apply"""
    ctx = Ctx(CTX)
    ctx.attributes["needs_input_grad"] = tuple(
        isinstance(a, Tensor) and a.requires_grad for a in args
    )
    setup = cls.lookup("setup_context")
    forward = _method(cls, "forward")
    with m.recorder.frame(cls.name, custom=True), no_grad():
        if setup is None:
            made = m.call(forward, [ctx, *args], {})
        else:
            made = m.call(forward, list(args), {})
            m.call(_plain(setup[0]), [ctx, tuple(args), made], {})
    several = isinstance(made, tuple | list)
    outputs = tuple(made) if several else (made,)
    wrapped = _recorded(m, cls, ctx, args, outputs)
    return tuple(wrapped) if several else wrapped[0]


def _method(cls: UserClass, name: str) -> Any:
    found = cls.lookup(name)
    if found is None:
        raise program_error(
            "NotImplementedError",
            f"You must implement the {name} function for custom autograd.Function.",
        )
    return _plain(found[0])


def _plain(member: Any) -> Any:
    return member.function if isinstance(member, Decorated) else member


def _recorded(
    m: Machine, cls: UserClass, ctx: Ctx, args: Sequence[Any], outputs: tuple[Any, ...]
) -> list[Any]:
    """The outputs as results of one operation, if a gradient may be wanted."""
    tensors = [a for a in args if isinstance(a, Tensor)]
    results = [y for y in outputs if isinstance(y, Tensor)]
    if not (state.grad and results and any(x.requires_grad for x in tensors)):
        return [_fresh(m, y, args) for y in outputs]
    ctx.outputs = tuple(np.asarray(y._data) for y in results)
    names, extra = _places(ctx, tensors, results)
    spec = _spec(m, cls, len(args), args, names, len(extra), len(results))
    made = apply(spec, [*tensors, *extra], {"ctx": ctx}, Tensor)
    parts = iter(made if isinstance(made, tuple) else (made,))
    wrapped: list[Any] = []
    for y in outputs:
        if not isinstance(y, Tensor):
            wrapped.append(y)
            continue
        part = next(parts)
        settle(part)
        if any(y is d for d in ctx.dirty):
            y._record = part._record
            part = y
        elif any(y is p for p in ctx.plain):
            part = make_tensor(part._data)
        if part is not y:
            m.recorder.same(part, y)
        wrapped.append(part)
    return wrapped


def _fresh(m: Machine, y: Any, args: Sequence[Any]) -> Any:
    """An output without history; a new tensor where an input was handed through."""
    if not isinstance(y, Tensor) or not any(y is a for a in args):
        return y
    made = y.detach()
    m.recorder.same(made, y)
    return made


def _places(
    ctx: Ctx, tensors: list[Tensor], results: list[Tensor]
) -> tuple[list[str], list[Tensor]]:
    """Where each saved tensor is found: an input, an output, or an input more."""
    names: list[str] = []
    extra: list[Tensor] = []
    for s in ctx.saved:
        if s is None:
            names.append("")
        elif any(s is x for x in tensors):
            names.append(f"x{next(k for k, x in enumerate(tensors) if s is x)}")
        elif any(s is y for y in results):
            names.append(f"y{next(k for k, y in enumerate(results) if s is y)}")
        else:
            names.append(f"s{len(extra)}")
            extra.append(s.detach())
    return names, extra


def _spec(
    m: Machine,
    cls: UserClass,
    count: int,
    args: Sequence[Any],
    names: list[str],
    extra: int,
    outputs: int,
) -> OpSpec:
    places = [k for k, a in enumerate(args) if isinstance(a, Tensor)]
    key = (count, tuple(places), tuple(names), extra, outputs)
    known: dict[Any, OpSpec] = cls.members.setdefault("__operations__", {})
    if key not in known:
        ports = (*[f"x{k}" for k in range(len(places))], *[f"s{k}" for k in range(extra)])
        kept = tuple(dict.fromkeys(name for name in names if name))
        known[key] = OpSpec(
            name=cls.name, label=cls.name, category="arithmetic", ports=ports, hidden=True,
            forward=_given_out, params=(Param("ctx", "text"),),
            outputs=tuple(f"y{k}" for k in range(outputs)),
            nondiff_ports=frozenset(f"s{k}" for k in range(extra)),
            vjps={
                f"x{k}": Vjp(_Rule(m, cls, k, places, count, names, kept), "")
                for k in range(len(places))
            },
            formula="", summary="An operation of the program.", samples=(),
        )  # fmt: skip
    return known[key]


def _given_out(*values: Any, ctx: Ctx) -> Any:
    """The values that the program's own forward has computed already."""
    return ctx.outputs if len(ctx.outputs) > 1 else ctx.outputs[0]


class _Rule:
    """The VJP of one input: a part of what the program's backward returns."""

    def __init__(
        self,
        m: Machine,
        cls: UserClass,
        k: int,
        places: list[int],
        count: int,
        names: list[str],
        kept: tuple[str, ...],
    ) -> None:
        self._machine = m
        self._cls = cls
        self._k = k
        self._places = places
        self._count = count
        self._names = names
        self._kept = kept
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(name, kind) for name in ("g", *kept, "ctx", f"x{k}_shape")]
        )

    def __call__(self, g: Any, *more: Any) -> Any:
        *kept, ctx, shape = more
        given = dict(zip(self._kept, kept, strict=True))
        cotangents = g if isinstance(g, tuple) else (g,)
        tensors = [_tensor(c) for c in cotangents if c is not None]
        live = any(isinstance(c, Tensor) for c in cotangents)
        if ctx.pulled is not None and ctx.pulled[0] is g:
            grads = ctx.pulled[1]
        else:
            ctx.given = tuple(_tensor(given[n]) if n else None for n in self._names)
            grads = self._grads(ctx, tensors)
            ctx.given = None
            ctx.pulled = (g, grads)
        made = grads[self._places[self._k]]
        if self._k == len(self._places) - 1:
            ctx.pulled = None
        if made is None:
            return None
        if not isinstance(made, Tensor):
            raise program_error("TypeError", f"expected Variable or None (got {made!r})")
        if not _fits(made.shape, shape):
            raise program_error(
                "RuntimeError",
                f"Function {self._cls.name}Backward returned an invalid gradient at index "
                f"{self._places[self._k]} - got {list(made.shape)} but expected shape compatible "
                f"with {list(shape)}",
            )
        return made if live else made._data

    def _grads(self, ctx: Ctx, cotangents: list[Tensor]) -> list[Any]:
        backward = _method(self._cls, "backward")
        made = self._machine.call(backward, [ctx, *cotangents], {})
        grads = list(made) if isinstance(made, tuple | list) else [made]
        if len(grads) < self._count or any(g is not None for g in grads[self._count :]):
            raise program_error(
                "RuntimeError",
                f"function {self._cls.name}Backward returned an incorrect number of gradients "
                f"(expected {self._count}, got {len(grads)})",
            )
        return grads


def _fits(got: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a gradient can be summed to a shape."""
    try:
        return np.broadcast_shapes(got, shape) == got
    except ValueError:
        return False


def _tensor(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        settle(value)
        return value
    return make_tensor(np.asarray(value))


def once_differentiable(m: Machine, function: Any) -> Builtin:
    """a backward that is not differentiated again"""

    def called(m: Machine, *args: Any) -> Any:
        with no_grad():
            return m.call(function, list(args), {})

    return Builtin("once_differentiable", called)


def _bound(function: Callable[..., Any]) -> Decorated:
    return Decorated("classmethod", Builtin(function.__name__.strip("_"), function))


FUNCTION = UserClass("Function", (), {"apply": _bound(_apply)}, ours=True)
