"""Products of matrices and what can be made of them."""

from __future__ import annotations

import string

import numpy as np

from core.onnx.writing.emit import Emit, Inexpressible, Result, Rule, refused


def _matmul(e: Emit) -> Result:
    return e("MatMul", *e.every())


def _dot(e: Emit) -> Result:
    a, b = e.operand(0), e.operand(1)
    if not a.ndim or not b.ndim:
        return e("Mul", *e.every())
    if b.ndim <= 2:
        return e("MatMul", *e.every())
    return _contracted(e, (a.ndim - 1,), (b.ndim - 2,))


def _inner(e: Emit) -> Result:
    a, b = e.operand(0), e.operand(1)
    if not a.ndim or not b.ndim:
        return e("Mul", *e.every())
    return _contracted(e, (a.ndim - 1,), (b.ndim - 1,))


def _contracted(e: Emit, of_a: tuple[int, ...], of_b: tuple[int, ...]) -> str:
    """Products summed over pairs of axes; the other axes one after another."""
    a, b = e.operand(0), e.operand(1)
    letters = iter(string.ascii_letters)
    left = [next(letters) for _ in range(a.ndim)]
    right = [next(letters) for _ in range(b.ndim)]
    for i, j in zip(of_a, of_b, strict=True):
        right[j % b.ndim] = left[i % a.ndim]
    summed = {left[i % a.ndim] for i in of_a}
    kept = [letter for letter in (*left, *right) if letter not in summed]
    return e("Einsum", *e.every(), equation=f"{''.join(left)},{''.join(right)}->{''.join(kept)}")


def _outer(e: Emit) -> Result:
    column = e("Reshape", e.x(0), e.ints(-1, 1))
    return e("Mul", column, e("Reshape", e.x(1), e.ints(1, -1)))


def _vecdot(e: Emit) -> Result:
    return e.reduced("ReduceSum", e("Mul", *e.every()), (e.params["axis"],))


def _tensordot(e: Emit) -> Result:
    axes = e.params["axes"]
    if isinstance(axes, int):
        n = e.operand(0).ndim
        return _contracted(e, tuple(range(n - axes, n)), tuple(range(axes)))
    of_a, of_b = (x if isinstance(x, tuple) else (x,) for x in axes)
    return _contracted(e, of_a, of_b)


def _kron(e: Emit) -> Result:
    n = len(e.shape)
    a = (1,) * (n - e.operand(0).ndim) + e.operand(0).shape
    b = (1,) * (n - e.operand(1).ndim) + e.operand(1).shape
    left = e.reshaped(e.x(0), [k for length in a for k in (length, 1)])
    right = e.reshaped(e.x(1), [k for length in b for k in (1, length)])
    return e.reshaped(e("Mul", left, right), e.shape)


def _cross(e: Emit) -> Result:
    axis = e.params["axis"]
    if not e.shape or e.shape[axis] != 3:
        raise Inexpressible("only vectors of three have one that can be written")

    def turned(x: str, by: int) -> str:
        return e("Gather", x, e.ints(by, (by + 1) % 3, (by + 2) % 3), axis=axis)

    a, b = (
        x if e.operand(k).shape == e.shape else e("Expand", x, e.ints(*e.shape))
        for k, x in enumerate(e.every())
    )
    first = e("Mul", turned(a, 1), turned(b, 2))
    return e("Sub", first, e("Mul", turned(a, 2), turned(b, 1)))


def _chain(e: Emit) -> Result:
    first, *others = e.every()
    for other in others:
        first = e("MatMul", first, other)
    return first


def _power(e: Emit) -> Result:
    n, x, shape = e.params["n"], e.x(), e.operand().shape
    if n < 0:
        raise Inexpressible("ONNX has no inverse of a matrix")
    if n == 0:
        return e("Expand", e.constant(np.eye(shape[-1])), e.ints(*shape))
    y = x
    for _ in range(n - 1):
        y = e("MatMul", y, x)
    return e("Identity", y) if n == 1 else y


def _slogdet(e: Emit) -> Result:
    det = e("Det", e.x())
    return e("Sign", det), e("Log", e("Abs", det))


def _linear(e: Emit) -> Result:
    if e.operand().ndim == 2 and e.operand(1).ndim == 2:
        return e("Gemm", e.x(0), e.x(1), e.maybe(2), transB=1)
    weight = e("Transpose", e.x(1), perm=(1, 0)) if e.operand(1).ndim == 2 else e.x(1)
    y = e("MatMul", e.x(0), weight)
    return e("Add", y, e.x(2)) if e.has(2) else y


def _bilinear(e: Emit) -> Result:
    lead = string.ascii_letters[10 : 10 + e.operand().ndim - 1]
    equation = f"{lead}a,oab,{lead}b->{lead}o"
    y = e("Einsum", e.x(0), e.x(2), e.x(1), equation=equation)
    return e("Add", y, e.x(3)) if e.has(3) else y


_DECOMPOSITION = "ONNX has no decompositions of matrices, nor what they solve"

RULES: dict[str, Rule] = {
    "bilinear": _bilinear,
    "cross": _cross,
    "dot": _dot,
    "einsum": lambda e: e(
        "Einsum", *e.every(), equation=str(e.params["subscripts"]).replace(" ", "")
    ),
    "inner": _inner,
    "kron": _kron,
    "linalg.det": lambda e: e("Det", e.x()),
    "linalg.matrix_power": _power,
    "linalg.multi_dot": _chain,
    "linalg.slogdet": _slogdet,
    "linear": _linear,
    "matmul": _matmul,
    "outer": _outer,
    "tensordot": _tensordot,
    "vecdot": _vecdot,
    **{
        name: refused(_DECOMPOSITION)
        for name in (
            "expm", "linalg.cholesky", "linalg.eigh", "linalg.eigvalsh", "linalg.inv",
            "linalg.pinv", "linalg.qr", "linalg.solve", "linalg.svd", "linalg.svdvals",
            "solve_triangular",
        )
    },
    **{
        f"fft.{name}": refused("its values are complex, which few viewers of ONNX read")
        for name in ("fft", "fft2", "ifft", "irfft", "rfft")
    },
}  # fmt: skip
