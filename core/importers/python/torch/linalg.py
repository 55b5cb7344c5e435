"""torch's products and linear algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.importers.python.failures import program_error
from core.importers.python.machine import Machine, need
from core.importers.python.torch import norms
from core.importers.python.torch.pointwise import add
from core.importers.python.values import Record
from core.importers.python.views import type_name
from core.tensor import Tensor


def same_type(name: str, *tensors: Tensor | None) -> None:
    """Products take no mixed types in torch.

    Raises:
        ProgramError: these are of different types.
    """
    given = [x for x in tensors if x is not None]
    first = given[0]
    for x in given[1:]:
        if x.dtype != first.dtype:
            raise program_error(
                "RuntimeError",
                f"expected m1 and m2 to have the same dtype, but got: "
                f"{type_name(first).lower()} != {type_name(x).lower()}",
            )


def _product(op: str, axes: tuple[int, int] | None = None) -> Callable[..., Tensor]:
    def function(m: Machine, input: Any, other: Any) -> Tensor:
        a, b = need(input, op), need(other, op, 2)
        same_type(op, a, b)
        if axes is not None and (a.ndim, b.ndim) != axes:
            raise program_error(
                "RuntimeError",
                f"{op}: expected tensors of {axes[0]} and {axes[1]} dimensions, got {a.ndim}D and "
                f"{b.ndim}D tensors",
            )
        if op == "matmul" and a.ndim and b.ndim:
            inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
            if a.shape[-1] != inner:
                raise program_error("RuntimeError", _misfit(a, b))
        made: Tensor = m.op(op, a, b)
        return made

    return function


def _misfit(a: Tensor, b: Tensor) -> str:
    """torch's words for matrices that do not fit."""
    if a.ndim == b.ndim == 1:
        return (
            "inconsistent tensor size, expected tensor "
            f"[{a.shape[0]}] and src [{b.shape[0]}] to have the same number of elements, but got "
            f"{a.shape[0]} and {b.shape[0]} elements respectively"
        )
    rows = "x".join(map(str, a.shape if a.ndim > 1 else (1, *a.shape)))
    columns = "x".join(map(str, b.shape if b.ndim > 1 else (*b.shape, 1)))
    if b.ndim == 1:
        return f"size mismatch, got input ({a.shape[0]}), mat ({rows}), vec ({b.shape[0]})"
    return f"mat1 and mat2 shapes cannot be multiplied ({rows} and {columns})"


matmul = _product("matmul")


def _added(product: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """addmm and its like: beta · input + alpha · product."""

    def function(
        m: Machine, input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1
    ) -> Tensor:
        made = product(m, mat1, mat2)
        if alpha != 1:
            made = m.pointwise("multiply", made, alpha)
        x = input if beta == 1 else m.pointwise("multiply", input, beta)
        return add(m, x, made)

    return function


def outer(m: Machine, input: Any, vec2: Any) -> Tensor:
    """each element of one with each of the other"""
    made: Tensor = m.pointwise("outer", need(input, "outer"), need(vec2, "outer", 2))
    return made


def einsum(m: Machine, equation: str, *operands: Any) -> Tensor:
    """products summed as the letters say"""
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    xs = [need(x, "einsum") for x in operands]
    same_type("einsum", *xs)
    made: Tensor = m.op("einsum", *xs, subscripts=equation.replace(" ", ""))
    return made


def tensordot(m: Machine, a: Any, b: Any, dims: Any = 2) -> Tensor:
    """sums over several axes at once"""
    made: Tensor = m.op("tensordot", need(a, "tensordot"), need(b, "tensordot", 2), axes=dims)
    return made


def cross(m: Machine, input: Any, other: Any, dim: int = -1) -> Tensor:
    """the vector perpendicular to two"""
    made: Tensor = m.pointwise("cross", input, other, axis=dim)
    return made


def vecdot(m: Machine, x: Any, y: Any, *, dim: int = -1) -> Tensor:
    """dot products along an axis"""
    made: Tensor = m.pointwise("vecdot", x, y, axis=dim)
    return made


def trace(m: Machine, input: Any) -> Tensor:
    """the sum of the diagonal"""
    made: Tensor = m.op("trace", need(input, "trace"))
    return made


def _plain(op: str) -> Callable[..., Any]:
    def function(m: Machine, input: Any, *args: Any, **kwargs: Any) -> Any:
        made = m.op(op, need(input, op))
        names = _PARTS.get(op)
        return made if names is None else Record(op, dict(zip(names, made, strict=True)))

    return function


_PARTS = {
    "linalg.slogdet": ("sign", "logabsdet"),
    "linalg.qr": ("Q", "R"),
    "linalg.svd": ("U", "S", "Vh"),
    "linalg.eigh": ("eigenvalues", "eigenvectors"),
}


def svd(m: Machine, a: Any, full_matrices: bool = True, **_: Any) -> Record:
    """singular values and vectors"""
    x = need(a, "svd")
    parts = m.op("linalg.svd", x, full_matrices=bool(full_matrices))
    return Record("linalg_svd", dict(zip(("U", "S", "Vh"), parts, strict=True)))


def qr(m: Machine, a: Any, mode: str = "reduced") -> Record:
    """an orthogonal and a triangular factor"""
    parts = m.op("linalg.qr", need(a, "qr"), mode=mode)
    return Record("linalg_qr", dict(zip(("Q", "R"), parts, strict=True)))


def solve(m: Machine, a: Any, b: Any) -> Tensor:
    """x of A x = B"""
    made: Tensor = m.op("linalg.solve", need(a, "solve"), need(b, "solve", 2))
    return made


def solve_triangular(
    m: Machine,
    a: Any,
    b: Any,
    *,
    upper: bool,
    unitriangular: bool = False,
    **_: Any,
) -> Tensor:
    """x of A x = B, A triangular"""
    made: Tensor = m.op(
        "solve_triangular", need(a, "solve_triangular"), need(b, "solve_triangular", 2),
        lower=not upper, unit_diagonal=bool(unitriangular),
    )  # fmt: skip
    return made


def matrix_power(m: Machine, input: Any, n: int) -> Tensor:
    """a matrix multiplied with itself"""
    made: Tensor = m.op("linalg.matrix_power", need(input, "matrix_power"), n=int(n))
    return made


def logdet(m: Machine, input: Any) -> Tensor:
    """the logarithm of the determinant"""
    sign, logabs = m.op("linalg.slogdet", need(input, "logdet"))
    if float(sign.data.min()) < 0:
        made: Tensor = m.op("multiply", logabs, float("nan"))
        return made
    return logabs  # type: ignore[no-any-return]


def multi_dot(m: Machine, tensors: Any) -> Tensor:
    """several matrices multiplied"""
    made: Tensor = m.op("linalg.multi_dot", *[need(x, "multi_dot") for x in tensors])
    return made


def cdist(m: Machine, x1: Any, x2: Any, p: float = 2.0, **_: Any) -> Tensor:
    """distances between all rows"""
    made: Tensor = m.op("cdist", need(x1, "cdist"), need(x2, "cdist", 2), p=float(p))
    return made


def norm(
    m: Machine,
    a: Any,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    **_: Any,
) -> Tensor:
    """torch.linalg.norm: of matrices where ord says so"""
    x = need(a, "norm")
    if ord is None or isinstance(dim, int) or x.ndim == 1:
        return norms.vector_norm(m, x, 2 if ord is None else ord, dim, keepdim)
    made: Tensor = m.op(
        "linalg.norm", x, ord=ord, axis=None if dim is None else tuple(dim), keepdims=bool(keepdim)
    )
    return made


def matrix_norm(
    m: Machine,
    a: Any,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
) -> Tensor:
    """a norm of matrices"""
    made: Tensor = m.op(
        "linalg.norm", need(a, "matrix_norm"), ord=ord, axis=tuple(dim), keepdims=bool(keepdim)
    )
    return made


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "matmul": matmul, "mm": _product("matmul", (2, 2)), "mv": _product("matmul", (2, 1)),
    "bmm": _product("matmul", (3, 3)), "dot": _product("dot", (1, 1)),
    "vdot": _product("dot", (1, 1)), "inner": _product("inner"), "kron": _product("kron"),
    "outer": outer, "ger": outer, "addmm": _added(matmul), "addmv": _added(matmul),
    "baddbmm": _added(matmul), "addr": _added(outer), "cross": cross, "trace": trace,
    "det": _plain("linalg.det"), "slogdet": _plain("linalg.slogdet"), "logdet": logdet,
    "inverse": _plain("linalg.inv"), "pinverse": _plain("linalg.pinv"),
    "cholesky": _plain("linalg.cholesky"), "matrix_power": matrix_power,
    "matrix_exp": _plain("expm"), "qr": qr,
}  # fmt: skip
ONLY: dict[str, Callable[..., Any]] = {
    "einsum": einsum, "tensordot": tensordot, "cdist": cdist, "chain_matmul": lambda m, *xs:
    multi_dot(m, xs),
}  # fmt: skip
LINALG: dict[str, Callable[..., Any]] = {
    "norm": norm, "vector_norm": norms.vector_norm, "matrix_norm": matrix_norm,
    "det": _plain("linalg.det"), "slogdet": _plain("linalg.slogdet"),
    "inv": _plain("linalg.inv"), "pinv": _plain("linalg.pinv"), "solve": solve,
    "solve_triangular": solve_triangular, "cholesky": _plain("linalg.cholesky"), "qr": qr,
    "svd": svd, "svdvals": _plain("linalg.svdvals"), "eigh": _plain("linalg.eigh"),
    "eigvalsh": _plain("linalg.eigvalsh"), "matrix_power": matrix_power,
    "matrix_exp": _plain("expm"), "multi_dot": multi_dot, "cross": cross, "vecdot": vecdot,
    "matmul": matmul, "diagonal": lambda m, a, *, offset=0, dim1=-2, dim2=-1: m.op(
        "diagonal", need(a, "diagonal"), offset=offset, axis1=dim1, axis2=dim2
    ),
}  # fmt: skip
