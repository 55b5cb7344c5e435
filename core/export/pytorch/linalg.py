"""Products, linear algebra and Fourier transforms in PyTorch."""

from __future__ import annotations

from dataclasses import replace

from core.export.literals import plain
from core.export.outline import Step
from core.export.spelling import Spelling, call, infix, listed


def _dot(step: Step) -> str:
    """np.dot means four things, of which torch.dot is one."""
    a, b = step.given
    if not a.ndim or not b.ndim:
        return f"{a.text} * {b.text}"
    if a.ndim == b.ndim == 1:
        return f"torch.dot({a.text}, {b.text})"
    if b.ndim == 1 or a.ndim == b.ndim == 2:
        return f"{a.text} @ {b.text}"
    return f"torch.tensordot({a.text}, {b.text}, dims=([-1], [-2]))"


def _outer(step: Step) -> str:
    flat = [x.text if x.ndim == 1 else f"{x.text}.flatten()" for x in step.given]
    return f"torch.outer({', '.join(flat)})"


def _tensordot(step: Step) -> str:
    a, b = step.given
    axes = step.params["axes"]
    if not isinstance(axes, int):
        axes = [[k] if isinstance(k, int) else list(k) for k in axes]
    return f"torch.tensordot({a.text}, {b.text}, dims={axes})"


def _cross(step: Step) -> str:
    """NumPy also crosses vectors of the plane."""
    a, b = step.given
    axis = step.params["axis"]
    if step.outputs[0].ndim == max(a.ndim, b.ndim):
        if a.ndim != b.ndim:  # torch broadcasts sizes, but no missing axes
            shape = step.outputs[0].shape
            a, b = (replace(x, text=f"{x.text}.broadcast_to({shape})") for x in (a, b))
        return f"torch.linalg.cross({a.text}, {b.text}, dim={axis})"
    (a0, a1), (b0, b1) = ([f"{x.text}.select({axis}, {k})" for k in (0, 1)] for x in (a, b))
    return f"{a0} * {b1} - {a1} * {b0}"


def _trace(step: Step) -> str:
    """torch.trace takes one matrix and its main diagonal."""
    p = step.params
    x = step.given[0].text
    return f"torch.diagonal({x}, {p['offset']}, {p['axis1']}, {p['axis2']}).sum(-1)"


def _einsum(step: Step) -> str:
    xs = ", ".join(x.text for x in step.given)
    return f'torch.einsum("{step.params["subscripts"]}", {xs})'


def _solve_triangular(step: Step) -> str:
    """torch wants a matrix on the right; a vector becomes a column."""
    a, b = step.given
    options = f"upper={not step.params['lower']}"
    if step.params["unit_diagonal"]:
        options += ", unitriangular=True"
    if b.ndim == 1:
        column = f"{b.text}.unsqueeze(-1)"
        return f"torch.linalg.solve_triangular({a.text}, {column}, {options}).squeeze(-1)"
    return f"torch.linalg.solve_triangular({a.text}, {b.text}, {options})"


def _svd(step: Step) -> str:
    full = step.params["full_matrices"]
    return f"torch.linalg.svd({step.given[0].text}, full_matrices={full})"


def _norm(step: Step) -> str:
    """NumPy tells vectors from matrices by the axes; torch has a name for each norm."""
    (x,) = step.given
    order, axis = step.params["ord"], step.params["axis"]
    keep = ", keepdim=True" if step.params["keepdims"] else ""
    many = (x.ndim if axis is None else 1 if isinstance(axis, int) else len(axis)) == 2
    order = _order(order)
    if order is not None and many:
        along = (0, 1) if axis is None else tuple(axis)
        return f"torch.linalg.matrix_norm({x.text}, {plain(order)}, dim={along}{keep})"
    if axis is None and keep:
        axis = tuple(range(x.ndim))
    along_ = "" if axis is None else f", dim={plain(axis)}"
    power = "" if order in (None, 2) else f", {plain(order)}"
    return f"torch.linalg.vector_norm({x.text}{power}{along_}{keep})"


def _order(order: object) -> object:
    """The order as a number where text says one."""
    if isinstance(order, str) and order not in ("fro", "nuc"):
        return float(order)
    return order


def _fft(name: str) -> Spelling:
    """``norm=None`` and ``"backward"`` are the same."""
    sizes = ("axes:dim",) if name == "fft2" else ("n", "axis:dim")

    def spelled(step: Step) -> str:
        norm = () if step.params["norm"] is None else ("norm",)
        return call(f"torch.fft.{name}", *sizes, *norm)(step)

    return spelled


def _solve(step: Step) -> str:
    """A vector on the right is one for NumPy where it has one axis."""
    a, b = step.given
    if b.ndim == 1 and a.ndim > 2:
        return f"torch.linalg.solve({a.text}, {b.text}.unsqueeze(-1)).squeeze(-1)"
    return f"torch.linalg.solve({a.text}, {b.text})"


TABLE: dict[str, Spelling] = {
    "matmul": infix("@"), "dot": _dot, "inner": call("torch.inner"), "outer": _outer,
    "vecdot": call("torch.linalg.vecdot", "axis:dim"), "tensordot": _tensordot,
    "kron": call("torch.kron"), "cross": _cross, "einsum": _einsum, "trace": _trace,
    "linalg.multi_dot": lambda step: f"torch.linalg.multi_dot({listed(step.given)})",
    "linalg.inv": call("torch.linalg.inv"), "linalg.pinv": call("torch.linalg.pinv"),
    "linalg.solve": _solve, "solve_triangular": _solve_triangular,
    "linalg.matrix_power": call("torch.linalg.matrix_power", "n!"),
    "expm": call("torch.linalg.matrix_exp"), "linalg.det": call("torch.linalg.det"),
    "linalg.slogdet": call("torch.linalg.slogdet"),
    "linalg.cholesky": call("torch.linalg.cholesky"), "linalg.qr": call("torch.linalg.qr", "mode"),
    "linalg.svd": _svd, "linalg.svdvals": call("torch.linalg.svdvals"),
    "linalg.eigh": call("torch.linalg.eigh"), "linalg.eigvalsh": call("torch.linalg.eigvalsh"),
    "linalg.norm": _norm, "cdist": call("torch.cdist", "p"),
    "fft.fft": _fft("fft"), "fft.ifft": _fft("ifft"), "fft.rfft": _fft("rfft"),
    "fft.irfft": _fft("irfft"), "fft.fft2": _fft("fft2"),
}  # fmt: skip
