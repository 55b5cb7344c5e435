"""grad, jacobian and the like with HIPS's signatures: plain values in and out, Tensors if nested.

Values may be numbers, arrays, Tensors, or nested tuples and lists of them. For complex values
``core`` returns Jᴴv, HIPS's ``grad`` Jᵀv: one is conjugated.
"""

from contextlib import contextmanager

import numpy as np
from autograd.wrap_util import unary_to_nary

import core
from core import Tensor, functional

#: How many differentiated functions are running: inside one, results keep their history.
_depth = 0


@contextmanager
def _inside():
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


# -- nested values ---------------------------------------------------------------------------------


def _flat(x):
    if isinstance(x, tuple | list):
        return [leaf for part in x for leaf in _flat(part)]
    return [x]


def _nested(like, leaves):
    """The values of an iterator, nested as ``like``."""
    if isinstance(like, tuple | list):
        return type(like)(_nested(part, leaves) for part in like)
    return next(leaves)


def _map(function, x):
    return _nested(x, map(function, _flat(x)))


def _is_traced(*values):
    return _depth > 0 or any(isinstance(x, Tensor) for x in _flat(values))


def _plain(x):
    return x.data[()] if isinstance(x, Tensor) else x


def _floating(x):
    x = np.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _leaf(x):
    """``x`` as a Tensor of its own that requires grad, with its history if it has one."""
    if isinstance(x, Tensor):
        return np.copy(x) if x.requires_grad else Tensor(x.data, requires_grad=True)
    return Tensor(_floating(x).copy(), requires_grad=True)


def _tensor(y):
    return y if isinstance(y, Tensor) else Tensor(_floating(y))


# -- derivatives -----------------------------------------------------------------------------------


def make_vjp(f, x):
    """``(vjp, f(x))``: vjp(v) is Jᴴv, nested like x."""
    leaves = [_leaf(one) for one in _flat(x)]
    with _inside():
        made = f(_nested(x, iter(leaves)))
    ys = [_tensor(y) for y in _flat(made)]

    def vjp(v):
        traced = _is_traced(x, v)
        pairs = [(y, w) for y, w in zip(ys, _flat(v), strict=True) if y.requires_grad]
        found = [None] * len(leaves)
        if pairs:
            roots, vs = zip(*pairs, strict=True)
            vs = [w if isinstance(w, Tensor) else np.asarray(w) for w in vs]
            found = core.grad(roots, leaves, vs, True, create_graph=traced, allow_unused=True)
        filled = [
            Tensor(np.zeros(leaf.shape, leaf.dtype)) if g is None else g
            for leaf, g in zip(leaves, found, strict=True)
        ]
        return _nested(x, iter(filled if traced else map(_plain, filled)))

    return vjp, made if _is_traced(x) else _map(_plain, made)


def make_jvp(f, x):
    """``jvp(v)`` is ``(f(x), Jv)``."""

    def jvp(v):
        traced = _is_traced(x, v)
        nesting = None

        def of_leaves(*leaves):
            nonlocal nesting
            with _inside():
                nesting = f(_nested(x, iter(leaves)))
            return tuple(_tensor(y) for y in _flat(nesting))

        points = tuple(p if isinstance(p, Tensor) else _floating(p) for p in _flat(x))
        given = tuple(w if isinstance(w, Tensor) else np.asarray(w) for w in _flat(v))
        ys, found = functional.jvp(of_leaves, points, given, create_graph=traced)
        keep = (lambda y: y) if traced else _plain
        return _nested(nesting, map(keep, ys)), _nested(nesting, map(keep, found))

    return jvp


def _conjugate(g):
    return _map(lambda one: np.conj(one) if one.dtype.kind == "c" else one, g)


@unary_to_nary
def grad(fun, x):
    vjp, y = make_vjp(fun, x)
    if np.iscomplexobj(y):
        raise TypeError("grad is for real functions; see holomorphic_grad.")
    if np.size(y) != 1:
        raise TypeError("grad is for functions of one element.")
    return _conjugate(vjp(np.ones(np.shape(y))))


@unary_to_nary
def value_and_grad(fun, x):
    vjp, y = make_vjp(fun, x)
    return y, _conjugate(vjp(np.ones(np.shape(y))))


@unary_to_nary
def elementwise_grad(fun, x):
    vjp, y = make_vjp(fun, x)
    return _conjugate(vjp(np.ones(np.shape(y), complex if np.iscomplexobj(y) else float)))


@unary_to_nary
def holomorphic_grad(fun, x):
    vjp, y = make_vjp(fun, x)
    return _conjugate(vjp(np.ones(np.shape(y), complex)))


@unary_to_nary
def deriv(fun, x):
    return make_jvp(fun, x)(np.ones(np.shape(x)))[1]


@unary_to_nary
def jacobian(fun, x):
    made = functional.jacobian(lambda x: _tensor(fun(x)), _leaf(x), create_graph=_is_traced(x))
    return made if _is_traced(x) else _plain(made)


@unary_to_nary
def hessian(fun, x):
    made = functional.hessian(lambda x: _tensor(fun(x)), _leaf(x), create_graph=_is_traced(x))
    return made if _is_traced(x) else _plain(made)
