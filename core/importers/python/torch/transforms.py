"""torch.autograd.functional, torch.func and gradcheck: derivatives of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from core import functional
from core.importers.python.failures import program_error, refuse_others
from core.importers.python.machine import Machine, need, settle
from core.importers.python.torch import joining, pieces
from core.importers.python.values import Builtin
from core.tensor import Tensor


def _function(m: Machine, f: Any, *, whole: bool = False) -> Callable[..., Any]:
    """A function of the program, as our transforms call it.

    Args:
        whole: whether every output is differentiated by every input, for which there must be room.
    """

    def call(*xs: Tensor) -> Any:
        for x in xs:
            settle(x)
        before = m.budget.made
        made = m.call(f, list(xs), {})
        made = tuple(made) if isinstance(made, list) else made
        if whole:
            _charge(m, made, xs, m.budget.made - before)
        return made

    return call


def _charge(m: Machine, made: Any, xs: Sequence[Tensor], size: int) -> None:
    """Refuse a Jacobian that is too large, or too much to compute at once."""
    outputs = [y for y in (made if isinstance(made, tuple) else (made,)) if isinstance(y, Tensor)]
    rows = sum(y._data.size for y in outputs)
    m.budget.shape((rows, sum(x._data.size for x in xs)))
    m.budget.batch(size, rows)


def _inputs(x: Any) -> Any:
    return tuple(x) if isinstance(x, list | tuple) else need(x, "functional")


def _settled(made: Any) -> Any:
    if isinstance(made, tuple | list):
        return tuple(_settled(x) for x in made)
    if isinstance(made, Tensor):
        settle(made)
    return made


def _transform(name: str, takes_v: bool) -> Callable[..., Any]:
    run = getattr(functional, name)

    def function(
        m: Machine,
        func: Any,
        inputs: Any,
        v: Any = None,
        create_graph: bool = False,
        strict: bool = False,
        **options: Any,
    ) -> Any:
        if not takes_v and isinstance(v, bool):
            create_graph, v = v, None
        xs = _inputs(inputs)
        count = sum(x._data.size for x in (xs if isinstance(xs, tuple) else (xs,)))
        m.budget.shape((count, count) if name == "hessian" else (count,))
        with m.recorder.paused():
            if takes_v:
                given = tuple(v) if isinstance(v, list | tuple) else v
                made = run(_function(m, func), xs, given, bool(create_graph), bool(strict))
            else:
                f = _function(m, func, whole=name == "jacobian")
                made = run(f, xs, bool(create_graph), bool(strict))
        return _settled(made)

    return function


def _checker(name: str) -> Callable[..., bool]:
    run = getattr(functional, name)

    def function(
        m: Machine,
        func: Any,
        inputs: Any,
        *args: Any,
        eps: float = 1e-6,
        atol: float = 1e-5,
        rtol: float = 1e-3,
        raise_exception: bool = True,
        **options: Any,
    ) -> bool:
        xs = _inputs(inputs)
        every = [x for x in (xs if isinstance(xs, tuple) else (xs,)) if isinstance(x, Tensor)]
        if not any(x.requires_grad for x in every):
            raise program_error(
                "ValueError",
                f"{name} expects at least one input tensor to require gradient, but none of the "
                "them have requires_grad=True.",
            )
        if name == "gradcheck" and args:
            eps = args[0]
            atol = args[1] if len(args) > 1 else atol
            rtol = args[2] if len(args) > 2 else rtol
        with m.recorder.paused():
            return bool(
                run(_function(m, func, whole=True), xs, eps=eps, atol=atol, rtol=rtol,
                    raise_exception=raise_exception)
            )  # fmt: skip

    return function


def func_grad(m: Machine, func: Any, argnums: Any = 0, has_aux: bool = False) -> Builtin:
    """torch.func.grad: the gradient as a function"""
    refuse_others("grad", has_aux=(has_aux, False))
    return _of_argument(m, func, argnums, lambda f, x: _only(functional.vjp(f, x)[1], x))


def _only(made: Any, x: Any) -> Any:
    return made


def _of_argument(
    m: Machine,
    func: Any,
    argnums: Any,
    transform: Callable[[Callable[..., Any], Any], Any],
    *,
    whole: bool = False,
) -> Builtin:
    """A function whose arguments ``argnums`` are differentiated by."""

    def called(m: Machine, *args: Any, **kwargs: Any) -> Any:
        many = isinstance(argnums, list | tuple)
        places = tuple(argnums) if many else (argnums,)

        def inner(*xs: Tensor) -> Any:
            given = list(args)
            for place, x in zip(places, xs, strict=True):
                settle(x)
                given[place] = x
            before = m.budget.made
            made = m.call(func, given, kwargs)
            if whole:
                _charge(m, made, xs, m.budget.made - before)
            return made

        xs = tuple(need(args[p], "func") for p in places)
        with m.recorder.paused():
            return _settled(transform(inner, xs if many else xs[0]))

    return Builtin("grad", called)


def _func(name: str) -> Callable[..., Builtin]:
    run = getattr(functional, name)
    return lambda m, func, argnums=0, **_: _of_argument(
        m, func, argnums, lambda f, x: run(f, x, True), whole=name == "jacobian"
    )


def func_vjp(m: Machine, func: Any, *primals: Any, **_: Any) -> tuple[Any, Builtin]:
    """torch.func.vjp: the output, and the VJP as a function"""
    xs = tuple(primals)

    def pulled(m: Machine, *v: Any) -> Any:
        with m.recorder.paused():
            one = v[0] if len(v) == 1 else tuple(v)
            return _settled(functional.vjp(_function(m, func), xs, one)[1])

    with m.recorder.paused():
        return m.call(func, list(xs), {}), Builtin("vjp", pulled)


def func_jvp(m: Machine, func: Any, primals: Any, tangents: Any, **_: Any) -> Any:
    """torch.func.jvp: the output, and the JVP"""
    with m.recorder.paused():
        return _settled(functional.jvp(_function(m, func), tuple(primals), tuple(tangents)))


def vmap(m: Machine, func: Any, in_dims: Any = 0, out_dims: Any = 0, **_: Any) -> Builtin:
    """torch.func.vmap: a function of one sample, for all along an axis"""

    def called(m: Machine, *args: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple | list) else (in_dims,) * len(args)
        counts = [a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None]
        if not counts:
            raise program_error("ValueError", "vmap: at least one input needs an in_dim")
        rows = [
            m.call(func, [a if d is None else pieces.select(m, a, d, k)
                          for a, d in zip(args, dims, strict=True)], {})
            for k in range(counts[0])
        ]  # fmt: skip
        if isinstance(rows[0], tuple):
            return tuple(joining.stack(m, list(c), out_dims) for c in zip(*rows, strict=True))
        return joining.stack(m, rows, out_dims)

    return Builtin("vmap", called)


def _names(names: Sequence[str], takes_v: bool) -> dict[str, Callable[..., Any]]:
    return {name: _transform(name, takes_v) for name in names}


FUNCTIONAL = {
    **_names(("vjp", "jvp", "hvp", "vhp"), True),
    **_names(("jacobian", "hessian"), False),
}


FUNC: dict[str, Callable[..., Any]] = {
    "grad": func_grad, "jacrev": _func("jacobian"), "jacfwd": _func("jacobian"),
    "hessian": _func("hessian"), "vjp": func_vjp, "jvp": func_jvp, "vmap": vmap,
}  # fmt: skip


CHECKS: dict[str, Callable[..., Any]] = {
    "gradcheck": _checker("gradcheck"),
    "gradgradcheck": _checker("gradgradcheck"),
}
