"""gradcheck and gradgradcheck: VJPs against central differences, with torch's tolerances.

Everything is compared in real coordinates, so that a complex number counts as two. The report
names the worst element, and says whether the point sits on a kink there: central differences then
give the mean of two slopes, and no VJP is wrong for choosing one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.calling import Call, Function, Tensors, filled, gradients, is_nested, vectors
from core.errors import GradcheckError, OperandError
from core.modes import enable_grad, no_grad
from core.tensor import Tensor, make_tensor

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The element where VJP and differences disagree most.

    Attributes:
        output, input: which output and which of the checked inputs.
        row, column: the element of the output and of the input.
        analytic, numerical: the derivative by VJP and by central differences.
        left, right: the one-sided slopes.
        kink: whether these stay apart as the step shrinks.
        count, total: how many elements disagree, and of how many.
    """

    output: int
    input: int
    row: tuple[int, ...]
    column: tuple[int, ...]
    analytic: float
    numerical: float
    left: float
    right: float
    kink: bool
    count: int
    total: int

    def __str__(self) -> str:
        where = f"output {self.output} at {self.row} by input {self.input} at {self.column}"
        text = (
            f"The derivative of {where} is {self.analytic:.9g} by VJP, but {self.numerical:.9g} by "
            f"central differences ({self.count} of {self.total} elements disagree)."
        )
        if self.kink:
            text += (
                f" The point sits on a kink there: the slope is {self.left:.6g} on the left and "
                f"{self.right:.6g} on the right."
            )
        return text


def gradcheck(
    f: Function,
    xs: Tensors,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether the VJPs of ``f`` at ``xs`` agree with central differences.

    Args:
        f: takes Tensors and returns a Tensor or a tuple of them.
        xs: where. Those requiring grad are checked; all floating ones if none does.
        eps: step of the differences.
        atol, rtol: |VJP − difference| ≤ atol + rtol · |difference| for every element.
        raise_exception: raise rather than return False.

    Raises:
        GradcheckError: they disagree; it names the worst element and both values.
        OperandError: no input is floating.
    """
    found = mismatch(f, xs, eps, atol, rtol)
    if found is None:
        return True
    if not raise_exception:
        return False
    raise GradcheckError(
        str(found),
        next_step="Move the point off the kink."
        if found.kink
        else "Check the VJP rule; if the function is steep there, try another eps.",
    )


def gradgradcheck(
    f: Function,
    xs: Tensors,
    grad_outputs: Any = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """``gradcheck`` of the VJPs of ``f``, as a function of inputs and cotangents.

    Args:
        grad_outputs: the cotangents, one an output; drawn at random (always alike) if None.
        f, xs, eps, atol, rtol, raise_exception: as in ``gradcheck``.

    Raises:
        As ``gradcheck``.
    """
    f, points = _checked(f, xs)
    with no_grad():
        ys = Call(f, points).ys
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        cotangents = [Tensor(np.asarray(_random(rng, y))) for y in ys]
    else:
        cotangents = vectors(grad_outputs, ys, "output")

    @enable_grad()
    def first_order(*both: Tensor) -> tuple[Tensor, ...]:
        call = Call(f, both[: len(points)], connected=True)
        found = gradients(call.ys, call.xs, both[len(points) :], create_graph=True)
        return tuple(filled(found, call.xs))

    return gradcheck(first_order, (*points, *cotangents), eps, atol, rtol, raise_exception)


def mismatch(
    f: Function, xs: Tensors, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3
) -> Mismatch | None:
    """The worst element of ``gradcheck``; None if all agree. Arguments as there."""
    f, points = _checked(f, xs)
    if any(x.dtype not in (np.float64, np.complex128) for x in points):
        warnings.warn(
            "gradcheck on less than double precision: differences are too rough for its "
            "tolerances. Use float64.",
            UserWarning,
            stacklevel=3,
        )
    with enable_grad():
        call = Call(f, points)
        analytic = [_analytic(y, call.xs) for y in call.ys]
    probe = _Probe(f, points, eps)
    numerical = probe.jacobians([y.shape for y in call.ys])
    worst: tuple[float, int, int, tuple[Any, ...]] | None = None
    count = total = 0
    for j, row in enumerate(analytic):
        for i, got in enumerate(row):
            want = numerical[j][i]
            with np.errstate(invalid="ignore"):
                excess = np.abs(got - want) - (atol + rtol * np.abs(want))
            bad = ~np.isclose(got, want, rtol, atol)
            excess = np.where(bad, np.where(np.isnan(excess), np.inf, excess), -np.inf)
            count, total = count + int(bad.sum()), total + bad.size
            if bad.any() and (worst is None or excess.max() > worst[0]):
                at = np.unravel_index(int(np.argmax(excess)), bad.shape)
                worst = (float(excess.max()), j, i, at)
    if worst is None:
        return None
    _, j, i, (row, column) = worst
    left, right, kink = probe.slopes(j, row, i, column)
    return Mismatch(
        output=j,
        input=i,
        row=_place(row, call.ys[j]),
        column=_place(column, points[i]),
        analytic=float(analytic[j][i][row, column]),
        numerical=float(numerical[j][i][row, column]),
        left=left,
        right=right,
        kink=kink,
        count=count,
        total=total,
    )


def _checked(f: Function, xs: Tensors) -> tuple[Function, tuple[Tensor, ...]]:
    """``f`` as a function of the inputs to check alone, and these."""
    every = [x if isinstance(x, Tensor) else Tensor(x) for x in (xs if is_nested(xs) else (xs,))]
    wanted = [k for k, x in enumerate(every) if x.requires_grad] or [
        k for k, x in enumerate(every) if x.dtype.kind in "fc"
    ]
    if not wanted:
        raise OperandError(
            "gradcheck needs at least one floating input.", next_step="Pass float64 Tensors."
        )

    def of_checked(*points: Tensor) -> Any:
        given = list(every)
        for k, x in zip(wanted, points, strict=True):
            given[k] = x
        return f(*given)

    return of_checked, tuple(every[k].detach() for k in wanted)


def _random(rng: np.random.Generator, y: Tensor) -> Any:
    real = rng.standard_normal(y.shape)
    return (real + 1j * rng.standard_normal(y.shape) if y.dtype.kind == "c" else real).astype(
        y.dtype
    )


def _reals(x: Any) -> Array:
    """The real coordinates of an array, in a row."""
    flat = np.asarray(x).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _place(k: int, x: Tensor) -> tuple[int, ...]:
    """The element that the k-th real coordinate belongs to."""
    return tuple(int(n) for n in np.unravel_index(k // 2 if x.dtype.kind == "c" else k, x.shape))


def _analytic(y: Tensor, xs: Sequence[Tensor]) -> list[Array]:
    """Per input the Jacobian in real coordinates, one VJP a row."""
    if y.dtype.kind not in "fc":
        return []
    size = _reals(y.data).size
    found = [np.zeros((size, _reals(x.data).size)) for x in xs]
    for row in range(size):
        one_hot = np.zeros(y.shape, y.dtype)
        _reals(one_hot)[row] = 1
        for jacobian, g in zip(
            found, gradients([y], xs, [make_tensor(one_hot)], False), strict=True
        ):
            if g is not None:
                jacobian[row] = _reals(g.data)
    return found


class _Probe:
    """``f`` near a point: differences along one real coordinate at a time."""

    def __init__(self, f: Function, points: Sequence[Tensor], eps: float) -> None:
        self._f = f
        self._points = [np.array(x.data) for x in points]
        self._eps = eps

    def _values(self, i: int, column: int, step: float) -> list[Array]:
        """The outputs with one coordinate moved by ``step``."""
        moved = list(self._points)
        moved[i] = moved[i].copy()
        _reals(moved[i])[column] += step
        with no_grad():
            made = self._f(*map(Tensor, moved))
        ys = made if is_nested(made) else (made,)
        # Integers and booleans are not compared, but must be subtractable.
        return [_reals(y.data) * 1.0 for y in ys]

    def jacobians(self, shapes: Sequence[tuple[int, ...]]) -> list[list[Array]]:
        """[output][input]: the central differences, in real coordinates."""
        found: list[list[Array]] = [[] for _ in shapes]
        for i, x in enumerate(self._points):
            columns = []
            for column in range(_reals(x).size):
                up = self._values(i, column, self._eps)
                down = self._values(i, column, -self._eps)
                with np.errstate(invalid="ignore"):
                    columns.append(
                        [(a - b) / (2 * self._eps) for a, b in zip(up, down, strict=True)]
                    )
            for j in range(len(shapes)):
                found[j].append(
                    np.stack([c[j] for c in columns], 1) if columns else np.zeros((0, 0))
                )
        return found

    def slopes(self, j: int, row: int, i: int, column: int) -> tuple[float, float, bool]:
        """The slopes left and right of the point, and whether they differ at any step."""

        def at(step: float) -> float:
            return float(self._values(i, column, step)[j][row])

        def sides(step: float) -> tuple[float, float]:
            here = at(0.0)
            return (here - at(-step)) / step, (at(step) - here) / step

        left, right = sides(self._eps)
        nearer = sides(self._eps / 8)
        gap, nearer_gap = abs(right - left), abs(nearer[1] - nearer[0])
        scale = max(abs(left), abs(right), 1.0)
        # Where the function is smooth the gap shrinks with the step.
        return left, right, bool(gap > 1e-3 * scale and nearer_gap > gap / 2)
