"""torch.autograd: backward, grad, hooks, and the transforms of torch.autograd.functional."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from core import autograd, functional
from core.errors import PullbackError
from core.importers.python.failures import outside, program_error
from core.importers.python.machine import Machine, need, settle
from core.importers.python.torch import shapes
from core.importers.python.torch.gradmode import no_grad
from core.importers.python.values import Builtin, NdArray
from core.tensor import Tensor


def _several(x: Any) -> list[Any]:
    """One or several tensors, as a list."""
    if isinstance(x, Tensor | NdArray):
        return [need(x, "backward")]
    if x is None or isinstance(x, int | float):
        raise program_error("TypeError", f"'{type(x).__name__}' is given where tensors are wanted")
    return list(x)


def _cotangents(given: Any) -> Any:
    if given is None or isinstance(given, Tensor):
        return None if given is None else [given]
    if isinstance(given, NdArray):
        return [given.tensor]
    if isinstance(given, list | tuple):
        for g in given:
            if isinstance(g, list | tuple | str | dict):
                raise program_error(
                    "TypeError",
                    f"gradients can be either Tensors or None, but got {type(g).__name__}",
                )
        return [g.tensor if isinstance(g, NdArray) else g for g in given]
    return [given]


def backward(
    m: Machine,
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """torch.autograd.backward, and Tensor.backward"""
    roots = _several(tensors)
    given = _cotangents(grad_tensors if grad_tensors is not None else grad_variables)
    wanted = None if inputs is None else _several(inputs)
    if create_graph:
        m.warn(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. We recommend using "
            "autograd.grad when creating the graph to avoid this. If you have to use this "
            "function, make sure to reset the .grad fields of your parameters to None after use "
            "to break the cycle and avoid the leak."
        )
    m.budget.check_time()

    def note(failed: PullbackError | None) -> None:
        m.recorder.backward(
            roots,
            given,
            retain_graph=retain_graph,
            create_graph=bool(create_graph),
            inputs=wanted,
            failed=failed,
        )

    before = _hooked(m)
    try:
        autograd.backward(
            roots,
            given,
            retain_graph=retain_graph,
            create_graph=bool(create_graph),
            inputs=wanted,
        )
    except PullbackError as error:
        note(error)
        raise
    note(None)
    for leaf, hooks, held in before:
        now = getattr(leaf, "_grad", None)
        if now is not None and (held is None or not np.array_equal(now._data, held)):
            for hook in hooks:
                m.call(hook, [leaf], {})


def _hooked(m: Machine) -> list[tuple[Tensor, list[Any], Any]]:
    """Leaves with hooks to call after they accumulated, and their gradients before."""
    found = []
    for leaf, hooks in m.extras.get("post_hooks", {}).values():
        held = getattr(leaf, "_grad", None)
        found.append((leaf, hooks, None if held is None else np.array(held._data)))
    return found


def method_backward(
    m: Machine,
    input: Any,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Tensor.backward"""
    backward(m, [input], gradient, retain_graph, create_graph, None, inputs)


def grad(
    m: Machine,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """torch.autograd.grad"""
    roots, wanted = _several(outputs), _several(inputs)
    given = _cotangents(grad_outputs)
    if is_grads_batched:
        return _batched(m, roots, wanted, given, allow_unused)
    if materialize_grads and allow_unused is False:
        raise program_error(
            "ValueError",
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False.",
        )
    m.budget.check_time()
    options: dict[str, Any] = {
        "retain_graph": retain_graph,
        "create_graph": bool(create_graph),
        "allow_unused": allow_unused,
        "materialize_grads": bool(materialize_grads),
    }
    try:
        found = autograd.grad(roots, wanted, given, **options)
    except PullbackError as error:
        m.recorder.grad(roots, wanted, given, None, failed=error, **options)
        raise
    for g in found:
        if g is not None:
            settle(g)
            m.budget.hold(g._data)
    m.recorder.grad(roots, wanted, given, found, failed=None, **options)
    return found


def _batched(
    m: Machine, roots: list[Any], wanted: list[Any], given: Any, allow_unused: bool | None
) -> tuple[Tensor | None, ...]:
    """grad for every cotangent along a leading axis."""
    rows = [
        grad(m, roots, wanted, [m.constant(v.data[k]) for v in given], True, False, True,
             allow_unused)
        for k in range(given[0].shape[0])
    ]  # fmt: skip
    return tuple(
        None if column[0] is None else shapes.stack(m, list(column))
        for column in zip(*rows, strict=True)
    )


# -- what a tensor can be asked -------------------------------------------------------------------


def register_hook(m: Machine, input: Any, hook: Any) -> Any:
    """Tensor.register_hook"""
    x = need(input, "register_hook")

    def seen(g: Tensor) -> Any:
        settle(g)
        made = m.call(hook, [g], {})
        return made if made is None or isinstance(made, Tensor) else _refuse_hook(made)

    m.recorder.note("hooks are not in the graph")
    return x.register_hook(seen)


def _refuse_hook(made: Any) -> Any:
    raise program_error(
        "TypeError", f"expected Variable, but hook returned '{type(made).__name__}'"
    )


def register_post_accumulate_grad_hook(m: Machine, input: Any, hook: Any) -> Any:
    """called with the leaf after its gradient was added"""
    x = need(input, "register_post_accumulate_grad_hook")
    if not x.is_leaf or not x.requires_grad:
        raise program_error(
            "RuntimeError", "post accumulate grad hooks cannot be registered on non-leaf tensors"
        )
    hooks = m.extras.setdefault("post_hooks", {})
    entry = hooks.setdefault(id(x), (x, []))
    entry[1].append(hook)
    m.recorder.note("hooks are not in the graph")
    return Removal(entry[1], hook)


class Removal:
    """What takes a hook away again."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks = hooks
        self._hook = hook

    def remove(self) -> None:
        """Take it away; twice is harmless."""
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)


# -- transforms -----------------------------------------------------------------------------------


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


# -- torch.func -----------------------------------------------------------------------------------


def func_grad(m: Machine, func: Any, argnums: Any = 0, has_aux: bool = False) -> Builtin:
    """torch.func.grad: the gradient as a function"""
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
            m.call(func, [a if d is None else shapes.select(m, a, d, k)
                          for a, d in zip(args, dims, strict=True)], {})
            for k in range(counts[0])
        ]  # fmt: skip
        if isinstance(rows[0], tuple):
            return tuple(shapes.stack(m, list(c), out_dims) for c in zip(*rows, strict=True))
        return shapes.stack(m, rows, out_dims)

    return Builtin("vmap", called)


def clip_grad_norm(
    m: Machine, parameters: Any, max_norm: float, norm_type: float = 2.0, **_: Any
) -> Tensor:
    """torch.nn.utils.clip_grad_norm_"""
    leaves = _several(parameters) if isinstance(parameters, Tensor) else list(parameters)
    grads = [g for x in leaves if (g := getattr(x, "_grad", None)) is not None]
    if not grads:
        return m.constant(np.asarray(0.0, m.default))
    norms = [np.linalg.norm(np.ravel(g._data), norm_type) for g in grads]
    total = float(np.linalg.norm(norms, norm_type))
    factor = min(max_norm / (total + 1e-6), 1.0)
    with no_grad():
        for g in grads:
            settle(g)
            g._data *= np.asarray(factor, g._data.dtype)
    m.recorder.note("gradients are clipped, which is not in the graph")
    return m.constant(np.asarray(total, grads[0].dtype))


def clip_grad_value(m: Machine, parameters: Any, clip_value: float, **_: Any) -> None:
    """torch.nn.utils.clip_grad_value_"""
    leaves: Iterable[Any] = [parameters] if isinstance(parameters, Tensor) else parameters
    for x in leaves:
        g = getattr(x, "_grad", None)
        if g is not None:
            settle(g)
            np.clip(g._data, -clip_value, clip_value, out=g._data)
    m.recorder.note("gradients are clipped, which is not in the graph")


def unsupported_saved_hooks(m: Machine, *_: Any) -> Any:
    """torch.autograd.graph.saved_tensors_hooks"""
    raise outside(
        "saved_tensors_hooks are not read.",
        "Leave them out: the saved values are shown on each node.",
    )


def _names(names: Sequence[str], takes_v: bool) -> dict[str, Callable[..., Any]]:
    return {name: _transform(name, takes_v) for name in names}


FUNCTIONAL = {
    **_names(("vjp", "jvp", "hvp", "vhp"), True),
    **_names(("jacobian", "hessian"), False),
}
AUTOGRAD: dict[str, Callable[..., Any]] = {
    "backward": backward,
    "grad": grad,
    "gradcheck": _checker("gradcheck"),
    "gradgradcheck": _checker("gradgradcheck"),
}
FUNC: dict[str, Callable[..., Any]] = {
    "grad": func_grad, "jacrev": _func("jacobian"), "jacfwd": _func("jacobian"),
    "hessian": _func("hessian"), "vjp": func_vjp, "jvp": func_jvp, "vmap": vmap,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {
    "backward": method_backward,
    "register_hook": register_hook,
    "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
}
