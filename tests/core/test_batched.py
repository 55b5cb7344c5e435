"""Arrays with a hidden axis, and the VJP rules read on them."""

import numpy as np
import pytest

from core import Tensor, functional, observe
from core.batched import batched_rows
from core.hidden_axis import Batched, NotBatchableError
from tests.core.samples import IDS, SAMPLES, Application, vjp


@pytest.mark.parametrize(("spec", "sample"), SAMPLES, ids=IDS)
def test_the_three_readings_of_a_rule_agree(spec, sample):
    """On arrays, on Tensors (create_graph), and on arrays with a hidden axis."""
    leaves, ys = Application(spec, sample).tensors()
    for y in ys:
        if y.dtype.kind == "c" or not y.size:
            continue
        rows = np.eye(y.size).reshape((y.size, *y.shape))
        on_arrays = [[g.data for g in vjp(leaves, [y], [row], retain_graph=True)] for row in rows]
        on_tensors = [[g.data for g in vjp(leaves, [y], [row], create_graph=True)] for row in rows]
        for x, one, other, batched in zip(
            leaves,
            zip(*on_arrays, strict=True),
            zip(*on_tensors, strict=True),
            batched_rows(y, leaves),
            strict=True,
        ):
            np.testing.assert_allclose(np.stack(other), np.stack(one), rtol=1e-12, atol=1e-14)
            hidden = np.zeros((y.size, *x.shape)) if batched is None else batched.data
            np.testing.assert_allclose(hidden, np.stack(one), rtol=1e-10, atol=1e-13)


A = np.arange(24.0).reshape(2, 3, 4) / 7 - 1
V = np.linspace(-1, 1, 3)
M = np.arange(12.0).reshape(3, 4)

FUNCTIONS = {
    "add a vector": lambda x: x + np.arange(4.0),
    "vector on the left": lambda x: np.arange(4.0) * x,
    "more axes": lambda x: x * np.ones((5, 3, 4)),
    "a number": lambda x: 2.0 / (3.0 + x),
    "sum": lambda x: np.sum(x),
    "sum axis": lambda x: np.sum(x, axis=-1, keepdims=True),
    "sum of a method": lambda x: x.sum((0, 1)),
    "mean": lambda x: np.mean(x, axis=0),
    "ufunc reduce": lambda x: np.add.reduce(x, axis=1),
    "accumulate": lambda x: np.add.accumulate(x, axis=1),
    "cumsum": lambda x: np.cumsum(x, axis=-2),
    "cumsum of all": lambda x: np.cumsum(x),
    "median": lambda x: np.median(x),
    "sort": lambda x: np.sort(x, axis=0),
    "reshape": lambda x: x.reshape(4, 3),
    "reshape -1": lambda x: np.reshape(x, -1),
    "transpose": lambda x: x.T,
    "axes": lambda x: np.transpose(np.expand_dims(x, 0), (2, 0, 1)),
    "swapaxes": lambda x: np.swapaxes(x, 0, -1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "expand": lambda x: np.expand_dims(x, (0, -1)),
    "squeeze": lambda x: np.squeeze(np.expand_dims(x, (0, -1))),
    "squeeze one": lambda x: np.squeeze(np.expand_dims(x, (0, -1)), 0),
    "broadcast": lambda x: np.broadcast_to(x, (2, 3, 4)),
    "concatenate": lambda x: np.concatenate([x, M, x], axis=1),
    "concatenate all": lambda x: np.concatenate([x, M], axis=None),
    "stack": lambda x: np.stack([x, M], axis=-1),
    "flip": lambda x: np.flip(x),
    "where": lambda x: np.where(M > 5, x, 0.0),
    "tril": lambda x: np.tril(x, 1),
    "diagonal": lambda x: np.diagonal(x),
    "roll": lambda x: np.roll(x, 1),
    "index": lambda x: x[1],
    "negative index": lambda x: x[..., -1],
    "slices": lambda x: x[::-1, None, 1:],
    "integer arrays": lambda x: x[np.array([0, 2, 0])],
    "integer arrays apart": lambda x: x[None][np.array([0, 0]), :, np.array([1, 2])],
    "mask": lambda x: x[M > 5],
    "matmul": lambda x: x @ M.T,
    "matmul left": lambda x: M.T @ x,
    "matmul vector": lambda x: x @ np.arange(4.0),
    "vector matmul": lambda x: V @ x,
    "stack matmul": lambda x: np.ones((2, 5, 3)) @ x,
    "matmul stack": lambda x: x @ np.ones((2, 4, 5)),
    "matmul itself": lambda x: x @ x.T,
    "rows": lambda x: x[0] @ M.T,
    "rows left": lambda x: M @ x[0],
    "rows of a stack": lambda x: np.ones((2, 5, 4)) @ x[0],
    "row and row": lambda x: x[0] @ x[1],
    "comparison": lambda x: np.where(x > 0, x, -x),
    "zeros": lambda x: np.zeros_like(x) + x,
    "negation": lambda x: -abs(x),
    "cast": lambda x: x.astype(np.float32),
    "copy": lambda x: x.copy(),
    "length": lambda x: x * len(x) * x.size * x.ndim,
    "iteration": lambda x: sum(x),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_act_on_every_version(name):
    rng = np.random.default_rng(3)
    versions = rng.standard_normal((5, 3, 4))
    made = FUNCTIONS[name](Batched(versions))
    np.testing.assert_allclose(
        made.array, np.stack([FUNCTIONS[name](x) for x in versions]), rtol=1e-12
    )


@pytest.mark.parametrize(
    "decide",
    [
        lambda x: x if x[0, 0] > 0 else -x,
        lambda x: x[0, 0] * float(x[0, 1]),
        lambda x: x[x > 0],
        lambda x: np.asarray(x),
        lambda x: np.add(x, x, out=np.zeros((3, 4))),
    ],
)
def test_what_depends_on_the_values_of_one_version_is_refused(decide):
    with pytest.raises(NotBatchableError):
        decide(Batched(np.random.default_rng(0).standard_normal((5, 3, 4))))


def test_axes_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="axis"):
        np.sum(Batched(np.zeros((5, 3))), axis=1)


# -- Jacobians -------------------------------------------------------------------------------------


def rows_one_by_one(f, x):
    return np.stack([functional.vjp(f, Tensor(x), v)[1].data for v in np.eye(f(Tensor(x)).size)])


def test_a_jacobian_is_its_rows():
    w = np.random.default_rng(1).standard_normal((6, 4))

    def f(x):
        return np.tanh(w @ x) * np.sum(x)

    x = np.linspace(-1, 1, 4)
    np.testing.assert_allclose(
        functional.jacobian(f, Tensor(x)).data, rows_one_by_one(f, x), rtol=1e-12
    )


def test_hooks_see_one_row_at_a_time():
    seen = []

    def f(x):
        y = x * 2.0
        y.register_hook(lambda g: seen.append(g.shape))
        return y * y

    made = functional.jacobian(f, Tensor(np.array([1.0, 2.0, 3.0])))
    np.testing.assert_allclose(made.data, np.diag([8.0, 16.0, 24.0]))
    assert seen == [(3,)] * 3


def test_an_observer_sees_one_row_at_a_time():
    with observe() as recorder:
        functional.jacobian(np.exp, Tensor(np.zeros(3)))
    assert len(recorder.traces) == 3


def test_many_rows_go_in_parts(monkeypatch):
    monkeypatch.setattr("core.batched._ELEMENTS", 30)
    made = functional.jacobian(lambda x: np.cumsum(x) ** 2.0, Tensor(np.arange(10.0)))
    want = np.tril(np.ones((10, 10))) * 2 * np.cumsum(np.arange(10.0))[:, None]
    np.testing.assert_allclose(made.data, want)
