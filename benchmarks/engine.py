"""How fast the engine is, as ratios to what else could do the work, measured in the same run.

``python -m benchmarks.engine [--json] [--only TEXT]``; ``make bench`` runs it in an environment
with the peers (PyTorch and HIPS autograd). Float64, one thread. Where a row's reference is not
installed, its ``reach`` and value are null.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy reads them

import numpy as np  # noqa: E402

import core  # noqa: E402
from benchmarks import networks  # noqa: E402
from benchmarks.floor import bare_chain  # noqa: E402
from benchmarks.formulas import FORMULAS  # noqa: E402
from benchmarks.report import Row, publish  # noqa: E402
from benchmarks.timing import machine, peak_bytes, seconds  # noqa: E402
from core import Tensor, functional, grad, observe, ops  # noqa: E402
from core.plan import Plan  # noqa: E402

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]
else:
    torch.set_num_threads(1)
try:
    import autograd.numpy as anp
    from autograd import grad as hips_grad
except ImportError:
    anp = None


def against(
    work: str, ours: Callable[[], Any], peers: dict[str, Callable[[], Any] | None],
    unit: str, reach: float, per: int = 1, factor: int = 1, limit: str = "",
) -> Row:  # fmt: skip
    """A row of time against the first of ``peers``.

    Args:
        per: how many units of work one call does: microseconds are given for one.
        factor: how many calls of the reference make one of ours.
        limit: what stands in the way if ``reach`` is missed.
    """
    known = {name: peer for name, peer in peers.items() if peer is not None}
    mine, *theirs = seconds(ours, *known.values())
    times = dict(zip(known, theirs, strict=True))
    reference = next(iter(peers))
    value = mine / (factor * times[reference]) if reference in times else None
    figures: dict[str, float | None] = {"pullback µs": mine / per * 1e6}
    for name in peers:
        figures[f"{name} µs"] = times[name] * factor / per * 1e6 if name in times else None
    return Row(work, value, unit, reach if value is not None else None, figures, limit)


# -- rows ------------------------------------------------------------------------------------------

OPS_IN_CHAIN = 1000


def scalar_chain() -> Iterator[Row]:
    def chain(x: Any, sin: Callable[[Any], Any], tanh: Callable[[Any], Any]) -> Any:
        for _ in range(OPS_IN_CHAIN // 4):
            x = tanh(sin(x * 0.9 + 0.1))
        return x

    def ours() -> None:
        chain(Tensor(0.5, requires_grad=True), Tensor.sin, Tensor.tanh).backward()

    def torchs() -> None:
        x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
        chain(x, torch.sin, torch.tanh).backward()

    def hips() -> None:
        hips_grad(lambda x: chain(x, anp.sin, anp.tanh))(0.5)

    def planned(x: Tensor) -> tuple[Tensor | None, ...]:
        return grad(chain(x, Tensor.sin, Tensor.tanh), x)

    plan, point = Plan(planned, 0.5), np.float64(0.5)
    reference = {"torch": torchs if torch else None}
    yield against(
        "the same chain as a plan", lambda: plan(point), reference, "x torch", 0.01,
        per=OPS_IN_CHAIN,
        limit="NumPy's scalars take 40 ns a product. Python's floats take 15, but raise where "
        "NumPy gives an infinity.",
    )  # fmt: skip
    yield against(
        "scalar chain, 1,000 operations, forward and backward, per operation", ours,
        {"torch": torchs if torch else None, "autograd": hips if anp else None,
         "objects alone": lambda: bare_chain(OPS_IN_CHAIN)},
        "x torch", 0.22, per=OPS_IN_CHAIN,
        limit="Each operation makes and frees five Python objects (the number, a Tensor, a record, "
        "its edges, its arguments) and calls NumPy and a rule: 'objects alone' does that and "
        "nothing else. The rest is what the engine promises: quiet NumPy, a tick for in-place "
        "versions, dtype and broadcast checks, grad modes per thread, freed buffers noticed, an "
        "order of visits that any graph can be summed in.",
    )  # fmt: skip


def small_mlp() -> Iterator[Row]:
    net = networks.small()
    yield against(
        "the same step as a plan", net.planned_step(),
        {"torch": net.torch_step() if torch else None, "by hand": net.hand_step()},
        "x torch", 0.2,
        limit="The rules are NumPy calls like those by hand: only fusing them is faster.",
    )  # fmt: skip
    yield against(
        "MLP 2-16-16-1, batch 32, one step", net.step,
        {"torch": net.torch_step() if torch else None, "autograd": net.hips_step() if anp else None,
         "by hand": net.hand_step()},
        "x torch", 0.58,
        limit="NumPy itself takes the time 'by hand'. Each of 11 operations costs about 2 µs of "
        "Python beside it, forward and backward, and each of the two calls that start and end a "
        "step about 5: a plan that compiles the step is what would help.",
    )  # fmt: skip


def large_mlp() -> Row:
    net = networks.large()
    return against(
        "MLP 784-256-10, batch 128, one step", net.step,
        {"by hand": net.hand_step(), "torch": net.torch_step() if torch else None,
         "autograd": net.hips_step() if anp else None},
        "x by hand", 1.08,
        limit="Gradients are made anew each step where the code by hand writes over its own.",
    )  # fmt: skip


def _ten(x: Any, sin: Any, exp: Any, tanh: Any) -> Any:
    a = sin(x * 0.5) + x
    b = tanh(a * a)
    return exp((b - 0.1) * x) / (x + 3.0)


MILLION = np.random.default_rng(0).uniform(0.1, 1.0, 1_000_000)


def ten_elementwise() -> Iterator[Row]:
    cotangent = np.ones_like(MILLION)

    def ours() -> None:
        x = Tensor(MILLION, requires_grad=True)
        core.backward(_ten(x, np.sin, np.exp, np.tanh), cotangent)

    peers: dict[str, Callable[[], Any] | None] = {"torch": None, "autograd": None}
    if torch:
        data, ones = torch.from_numpy(MILLION), torch.from_numpy(cotangent)

        def torchs() -> None:
            x = data.detach().requires_grad_()
            _ten(x, torch.sin, torch.exp, torch.tanh).backward(ones)

        peers["torch"] = torchs
    if anp:
        peers["autograd"] = lambda: hips_grad(
            lambda x: anp.sum(_ten(x, anp.sin, anp.exp, anp.tanh))
        )(MILLION)
    yield against(
        "10 elementwise operations on 10^6 elements, forward and backward", ours, peers,
        "x torch", 1.15,
        limit="NumPy makes a new array for every intermediate result of a rule; fusing them needs "
        "a compiler.",
    )  # fmt: skip
    plan = Plan(lambda x: grad(_ten(x, np.sin, np.exp, np.tanh), x, cotangent), MILLION)
    yield against(
        "the same 10 operations as a plan", lambda: plan(MILLION),
        {"torch": peers["torch"]}, "x torch", 0.65,
        limit="Computed in blocks that stay in the cache: NumPy's sin, cos, exp and tanh are what "
        "is left.",
    )  # fmt: skip
    yield Row(
        "the same as a plan: memory at its peak",
        peak_bytes(lambda: plan(MILLION)) / MILLION.nbytes,
        "arrays",
        1.2,
        limit="The gradient itself, and a few blocks.",
    )
    yield Row(
        "the same: memory at its peak",
        peak_bytes(ours) / MILLION.nbytes,
        "arrays",
        10,
        limit="Nine values that rules saved and the result; what is beyond are Python's objects.",
    )


def gradient_of_gradient() -> Iterator[Row]:
    net = networks.small()
    yield against(
        "the same gradient as a plan", net.planned_penalty(),
        {"torch": net.torch_penalty() if torch else None}, "x torch", 0.18,
        limit="110 NumPy calls of 0.5 to 1 µs are left, after what is computed twice was merged.",
    )  # fmt: skip
    yield against(
        "gradient of a gradient norm, MLP 2-16-16-1", net.penalty,
        {"torch": net.torch_penalty() if torch else None}, "x torch", 0.85,
        limit="About 70 recorded operations of 3 to 4 µs: the rules run on Tensors through NumPy's "
        "protocols, which finds each operation anew; a plan would find them once.",
    )  # fmt: skip


def jacobian() -> Row:
    rng = np.random.default_rng(1)
    v, w = rng.standard_normal((2, 64, 64)) / 8
    point = rng.standard_normal(64)

    def ours() -> None:
        functional.jacobian(lambda x: np.tanh(w @ np.tanh(v @ x)), Tensor(point))

    one_vjp = None
    if torch:
        tv, tw, tx = (torch.from_numpy(a) for a in (v, w, point))
        tx.requires_grad_()
        ty = torch.tanh(tw @ torch.tanh(tv @ tx))
        unit = torch.zeros(64, dtype=torch.float64)
        unit[3] = 1.0

        def one_vjp() -> None:
            torch.autograd.grad(ty, tx, unit, retain_graph=True)

    return against(
        "Jacobian of a map from 64 to 64", ours, {"torch": one_vjp}, "x 64 VJPs of torch", 0.04,
        factor=64,
        limit="The products and tanh alone, by hand in NumPy, take 0.025; the rest is the fixed "
        "cost of one recording and one backward over arrays that hide an axis.",
    )  # fmt: skip


def backward_per_node() -> Iterator[Row]:
    sizes = (1_000, 10_000, 100_000)

    def chain(x: Any, n: int) -> Any:
        for _ in range(n // 2):
            x = x * 0.999 + 0.001
        return x

    tapes = [chain(Tensor(0.5, requires_grad=True), n) for n in sizes]
    works: list[Callable[[], Any]] = [lambda y=y: y.backward(retain_graph=True) for y in tapes]
    times = seconds(*works, budget=2.0)
    ours = theirs = 0.0
    if torch:  # apart: a short work that takes turns with torch's is slowed by what it leaves
        leaf = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
        tape = chain(leaf, sizes[-1])
        ours, theirs = seconds(works[-1], lambda: tape.backward(retain_graph=True), budget=2.0)
    figures: dict[str, float | None] = {
        f"{n:,} nodes, ns a node": t / n * 1e9 for n, t in zip(sizes, times, strict=False)
    }
    figures["torch, ns a node"] = theirs / sizes[-1] * 1e9 if torch else None
    growth = (times[2] / sizes[2]) / (times[0] / sizes[0])
    yield Row(
        "backward per node at 10^5 nodes", growth, "x that at 10^3", 1.2, figures,
        "The work per node is the same; 10^5 records do not fit in the processor's cache.",
    )  # fmt: skip
    yield Row("the same", ours / theirs if torch else None, "x torch", 0.15 if torch else None)


def observed() -> Row:
    net = networks.small()

    def watched() -> None:
        with observe():
            net.step()

    def read() -> None:
        with observe() as recorder:
            net.step()
        assert recorder.traces

    mine, plain, worded = seconds(watched, net.step, read)
    return Row(
        "the small MLP step, observed", mine / plain, "x unobserved", 1.3,
        {"observed µs": mine * 1e6, "unobserved µs": plain * 1e6,
         "observed and its trace read µs": worded * 1e6},
        "Every contribution and every gradient before and after is kept.",
    )  # fmt: skip


def single_operations() -> Row:
    rng = np.random.default_rng(2)
    ratios: dict[str, float | None] = {}
    for name, (shapes, params, formula) in FORMULAS.items():
        arrays = [rng.uniform(0.1, 1.0, shape) for shape in shapes]
        g = np.asarray(rng.standard_normal(ops.apply(name, *arrays, **params).shape))

        def ours(name: str = name, arrays: Any = arrays, g: Any = g, params: Any = params) -> None:
            leaves = [Tensor(a, requires_grad=True) for a in arrays]
            grad(ops.apply(name, *leaves, **params), leaves, g)

        mine, hand = seconds(ours, lambda f=formula, g=g, arrays=arrays: f(g, *arrays), budget=0.4)
        ratios[name] = mine / hand
    worst = max(ratios, key=lambda name: ratios[name] or 0.0)
    return Row(
        f"one operation on 10^6 elements, forward and backward (worst: {worst})",
        ratios[worst], "x its formulas by hand", 1.3, ratios,
        "A fresh array of 8 MB costs as much as filling it; figures of 1.2 to 1.4 are such noise.",
    )  # fmt: skip


ROWS: tuple[Callable[[], Row | Iterator[Row]], ...] = (
    scalar_chain, small_mlp, large_mlp, ten_elementwise, gradient_of_gradient, jacobian,
    backward_per_node, observed, single_operations,
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose function has TEXT")
    given = parser.parse_args()
    found: list[Row] = []
    for make in ROWS:
        if given.only in make.__name__:
            made = make()
            found.extend([made] if isinstance(made, Row) else made)
    about = {**machine(), "torch": torch.__version__ if torch else None}
    publish(found, about, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
