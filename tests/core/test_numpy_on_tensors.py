"""Plain NumPy code on Tensors: functions, operators, indexing, methods, and what is refused."""

import inspect

import numpy as np
import pytest

from core import Tensor, ops
from core.dispatch import COMPOSED, SPECS, name_of
from core.errors import OperandError, UnsupportedError
from core.library import OPS
from tests.core.samples import Application

X = np.array([[0.3, -0.7, 1.1], [0.9, 0.4, -0.2]])


@pytest.fixture
def x():
    return Tensor(X, requires_grad=True)


def same(got, want):
    """Tensors that know their history, with NumPy's own values."""
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            same(one, other)
        return
    assert isinstance(got, Tensor)
    assert got.requires_grad
    np.testing.assert_allclose(got.data, want, rtol=1e-12, atol=1e-14)


# -- every function --------------------------------------------------------------------------------

#: Functions whose operands NumPy itself wants in another form than the operation.
_CALLS = {
    "einsum": lambda f, xs, subscripts: f(subscripts, *xs),
    "extract": lambda f, xs: f(xs[0], xs[1]),
}
FUNCTIONS = [(f, spec) for spec in OPS for f in spec.numpy]


@pytest.mark.parametrize(("function", "spec"), FUNCTIONS, ids=[name_of(f) for f, _ in FUNCTIONS])
def test_a_numpy_function_is_its_operation(function, spec):
    """On every sample: NumPy's values, as a Tensor."""
    for sample in spec.samples:
        app = Application(spec, sample)
        given = [None if a is None else Tensor(a) for a in app.arrays]
        for k in app.wanted:
            given[k].requires_grad = True
        params = {**_required(function, spec), **sample.params}
        if any(a is None for a in app.arrays) or _broadcasts_a_mask(spec, app.arrays):
            continue
        try:
            want = _call(function, spec, app.arrays, params)
        except (TypeError, ValueError, IndexError):
            continue  # the operation takes more than NumPy's function
        made = _call(function, spec, given, params)
        wanted = want if isinstance(want, tuple | list) else [want]
        got = made if isinstance(want, tuple | list) else [made]
        for one, other in zip(got, wanted, strict=True):
            assert isinstance(one, Tensor)
            np.testing.assert_allclose(one.data, other, rtol=1e-10, atol=1e-12)


def _required(function, spec):
    """Defaults of the operation for what NumPy wants to be told."""
    if isinstance(function, np.ufunc) or function is np.where:
        return {}
    parameters = inspect.signature(function).parameters.values()
    return {p.name: spec.defaults[p.name] for p in parameters
            if p.default is p.empty and p.name in spec.defaults}  # fmt: skip


def _broadcasts_a_mask(spec, arrays):
    return spec.name == "extract" and arrays[0].shape != arrays[1].shape


def _call(function, spec, xs, params):
    special = _CALLS.get(function.__name__)
    with np.errstate(all="ignore"):
        if special:
            return special(function, xs, **params)
        return function(xs, **params) if spec.variadic else function(*xs, **params)


A = X + 2.0
C = [
    (np.atleast_1d, (3.0,)), (np.atleast_2d, (X[0],)), (np.atleast_3d, (X,)),
    (np.hstack, ([X, A],)), (np.hstack, ([X[0], A[0]],)), (np.vstack, ([X[0], A],)),
    (np.dstack, ([X, A],)), (np.column_stack, ([X[:, 0], A],)), (np.append, (X, A)),
    (np.append, (X, A, 1)), (np.array_split, (X, 2, 1)), (np.array_split, (X, [1], 1)),
    (np.hsplit, (X, 3)), (np.vsplit, (X, 2)), (np.dsplit, (X[None], 3)),
    (np.rollaxis, (X, 1)), (np.rollaxis, (X[None], 0, 3)), (np.fliplr, (X,)), (np.flipud, (X,)),
    (np.cross, (X, A)), (np.cross, (X.T, A.T, 0, 0, 0)), (np.diagflat, (X, 1)),
    (np.matrix_transpose, (X,)), (np.linalg.matrix_transpose, (X,)),
    (np.linalg.matmul, (X, A.T)), (np.linalg.outer, (X[0], A[0])), (np.linalg.diagonal, (X,)),
    (np.linalg.trace, (X,)), (np.linalg.tensordot, (X, A)), (np.linalg.vecdot, (X, A)),
    (np.linalg.vector_norm, (X,)), (np.linalg.matrix_norm, (X,)),
    (np.linalg.eigvalsh, (X.T @ X, "U")), (np.rad2deg, (X,)), (np.degrees, (X,)),
    (np.cbrt, (X,)), (np.float_power, (A, 2.0)), (np.average, (X,)), (np.average, (X, 1)),
    (np.average, (X, 1, A[0])), (np.average, (X, None, A)), (np.ptp, (X, 1)),
    (np.percentile, (X, 30.0, 1)), (np.trapezoid, (X,)), (np.trapezoid, (X, A[0] ** 2.0)),
    (np.select, ([X > 0.5, X > 0], [X, A], 7.0)), (np.gradient, (X,)),
    (np.gradient, (np.vstack([X, A]), 0.5, 2.0)), (np.real_if_close, (X,)),
    (np.clip, (X, 0.0, 0.5)), (np.clip, (X, A - 2.1, None)), (np.clip, (X, None, 0.4)),
    (np.einsum, ("ij,kj->ik", X, A)), (np.einsum, (X, (0, 1), A, (2, 1), (0, 2))),
    (np.einsum, (X, (0, ...), A, (1, ...))), (np.linspace, (X[0], A[0], 4)),
    (np.linspace, (X[0], 2.0, 3, False)), (np.linalg.svd, (X, False, False)),
    (np.fft.fft2, (X, (2, 2))), (np.fft.fftn, (X,)), (np.fft.fftn, (X, (3, 2), (0, 1))),
    (np.fft.ifftn, (X,)), (np.fft.ifft2, (X[None],)), (np.fft.rfftn, (X,)),
    (np.fft.rfft2, (X,)), (np.fft.irfftn, (X,)), (np.fft.irfft2, (X,)),
    (np.fft.fftshift, (X,)), (np.fft.fftshift, (X, 1)), (np.fft.ifftshift, (X,)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), C, ids=[name_of(f) for f, _ in C])
def test_functions_made_of_operations(function, args):
    def traced(a):
        if isinstance(a, list) and a and all(isinstance(b, np.ndarray) for b in a):
            return [Tensor(b, requires_grad=True) if b.dtype == float else b for b in a]
        return Tensor(a, requires_grad=True) if isinstance(a, np.ndarray) else a

    first = args[0] if isinstance(args[0], np.ndarray | list | str) else np.array(args[0])
    args = (first, *args[1:])
    same(function(*map(traced, args)), function(*args))


def test_eigh_of_the_upper_triangle(x):
    made, want = np.linalg.eigh(x.T @ x, "U"), np.linalg.eigh(X.T @ X, "U")
    same(made[0], want[0])
    np.testing.assert_allclose(abs(made[1].data), abs(want[1]), rtol=1e-10)


def test_every_composed_function_is_tried():
    tried = {f for f, _ in C} | {np.linalg.eigh}
    assert set(COMPOSED) <= tried


# -- operators, indexing, iteration ----------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + 1, lambda x: 1 - x, lambda x: x * X, lambda x: X * x, lambda x: 2 / (x + 3),
        lambda x: (x + 3) ** 2, lambda x: 2.0**x, lambda x: -x, abs, lambda x: x @ X.T,
        lambda x: X.T @ x, lambda x: x % 0.4, lambda x: np.float64(2) * x, lambda x: X - x,
        lambda x: x[1], lambda x: x[:, -1], lambda x: x[..., None], lambda x: x[[1, 0]],
        lambda x: x[X > 0], lambda x: x[[0, 1], [2, 0]], lambda x: x.T, lambda x: sum(x),
        lambda x: np.stack(list(x)), lambda x: np.stack([r * r for r in x]),
    ],
)  # fmt: skip
def test_operators_and_indexing(x, f):
    same(f(x), f(X))


def test_arrays_on_the_left_leave_the_work_to_the_tensor(x):
    assert isinstance(np.ones(3) * x, Tensor)
    assert isinstance(np.ones((4, 2)) @ x, Tensor)
    assert isinstance(np.float32(2) + x, Tensor)


def test_a_scalar_tensor_beside_an_array_gets_the_sum(x):
    s = np.sum(x)
    s.retain_grad()
    np.sum(x * s).backward()
    assert s.grad.item() == pytest.approx(X.sum())


def test_comparisons_are_tensors_without_gradient(x):
    for made, want in [(x > 0, X > 0), (x == X, X == X), (x <= 0.3, X <= 0.3), (~(x > 0), X <= 0)]:
        assert not made.requires_grad
        np.testing.assert_array_equal(made.data, want)
    assert bool(np.all(x < 2))
    assert 1.1 in x


def test_questions_have_plain_answers(x):
    assert np.shape(x) == x.shape == (2, 3)
    assert (np.ndim(x), len(x), x.ndim, x.size) == (2, 2, 2, 6)
    assert np.iscomplexobj(x) is False
    assert np.result_type(x, np.float32) == np.float64
    assert float(np.sum(x)) == pytest.approx(X.sum())
    assert int(Tensor(3.7)) == 3
    assert complex(Tensor(2.0)) == 2
    assert [10, 20][Tensor(np.array(1))] == 20
    with pytest.raises(TypeError, match="no axes"):
        len(Tensor(1.0))
    with pytest.raises(TypeError, match="integer"):
        [1][Tensor(0.0)]


def test_repr_shows_values_and_origin(x):
    assert repr(Tensor(X[0])) == "Tensor([ 0.3, -0.7,  1.1])"
    assert "requires_grad=True" in repr(x)
    assert "made by exp" in repr(np.exp(x))


def test_results_without_gradient(x):
    assert np.argmax(x, axis=1).tolist() == [2, 0]
    assert np.argsort(x).data.dtype.kind == "i"
    assert [t.tolist() for t in np.nonzero(x > 0)] == [[0, 0, 1, 1], [0, 2, 0, 1]]
    assert np.zeros_like(x).tolist() == [[0, 0, 0], [0, 0, 0]]


# -- methods ---------------------------------------------------------------------------------------

METHODS = {
    "x.sum()": np.sum(X),
    "x.sum(axis=0)": X.sum(0),
    "x.sum(1, keepdims=True)": X.sum(1, keepdims=True),
    "x.sum(dim=1, keepdim=True)": X.sum(1, keepdims=True),
    "x.mean(dim=(0, 1))": X.mean(),
    "x.var(dim=0, correction=1)": X.var(0, ddof=1),
    "x.std(ddof=1)": X.std(ddof=1),
    "x.max()": X.max(),
    "x.amin(dim=1)": X.min(1),
    "x.prod(0)": X.prod(0),
    "x.cumsum(0)": X.cumsum(0),
    "x.clip(0.0, 0.5)": X.clip(0, 0.5),
    "x.clamp(min=0.0)": X.clip(0),
    "x.exp()": np.exp(X),
    "x.abs()": abs(X),
    "x.neg()": -X,
    "x.add(1.0)": X + 1,
    "x.mul(x)": X * X,
    "x.pow(2)": X**2,
    "x.dot(x.T)": X @ X.T,
    "x.mm(x.t())": X @ X.T,
    "x.matmul(x.mT)": X @ X.T,
    "x.view(3, 2)": X.reshape(3, 2),
    "x.view(-1)": X.reshape(-1),
    "x.reshape((3, 2))": X.reshape(3, 2),
    "x.reshape(3, -1)": X.reshape(3, 2),
    "x.flatten()": X.reshape(-1),
    "x.unsqueeze(0).flatten(1)": X.reshape(1, -1),
    "x.unsqueeze(0).flatten(0, 1)": X,
    "x.ravel()": X.reshape(-1),
    "x.unsqueeze(1)": X[:, None],
    "x.unsqueeze(0).squeeze(0)": X,
    "x.permute(1, 0)": X.T,
    "x.unsqueeze(0).permute(2, 0, 1)": X[None].transpose(2, 0, 1),
    "x.transpose(1, 0)": X.T,
    "x.transpose()": X.T,
    "x.unsqueeze(0).transpose(0, 2)": X[None].swapaxes(0, 2),
    "x.unsqueeze(0).transpose((2, 0, 1))": X[None].transpose(2, 0, 1),
    "x.swapaxes(0, 1)": X.T,
    "x.movedim(0, 1)": X.T,
    "x.expand(4, 2, 3)": np.broadcast_to(X, (4, 2, 3)),
    "x.flip(0, 1)": X[::-1, ::-1],
    "x.roll(1, 0)": np.roll(X, 1, 0),
    "x.tile(2, 1)": np.tile(X, (2, 1)),
    "x.repeat(2, 1)": X.repeat(2, 1),
    "x.clone()": X,
    "x.copy()": X,
    "x.softmax(dim=-1)": np.exp(X) / np.exp(X).sum(-1, keepdims=True),
    "x.sigmoid()": 1 / (1 + np.exp(-X)),
    "x.relu()": X.clip(0),
    "x.sort(dim=1)": np.sort(X, 1),
    "x.chunk(3, dim=1)": tuple(np.split(X, 3, 1)),
    "x.unbind(0)": tuple(X),
    "x.gather(1, np.array([[0, 2], [1, 1]]))": np.take_along_axis(X, np.array([[0, 2], [1, 1]]), 1),
    "x.index_select(1, np.array([2, 0]))": X[:, [2, 0]],
    "x.masked_fill(x > 0, 9.0)": np.where(X > 0, 9, X),
    "x.setitem(5.0, index=(0, slice(None)))": np.stack([np.full(3, 5.0), X[1]]),
    "x.double()": X,
    "x.float()": X.astype(np.float32),
    "x.to('float32').type('float64')": X.astype(np.float32).astype(float),
    "x.astype(np.float32)": X.astype(np.float32),
    "x.norm()": np.sqrt(np.sum(X * X)),
    "x.norm(dim=1)": np.linalg.norm(X, axis=1),
    "x.diagonal()": X.diagonal(),
    "x.trace()": X.trace(),
    "x.real": X,
}


@pytest.mark.parametrize("call", METHODS)
def test_methods(x, call):
    same(eval(call, {"x": x, "np": np}), METHODS[call])


def test_methods_without_gradient(x):
    assert x.argmax(dim=1).tolist() == [2, 0]
    assert x.long().data.dtype == x.int().data.dtype == np.int64
    assert x.bool().data.dtype == np.bool_
    assert x.isnan().data.sum() == 0
    assert (x > 0).any().item() is True


def test_sizes_in_both_spellings(x):
    assert x.size == x.numel() == 6
    assert x.size() == (2, 3)
    assert x.size(-1) == 3
    assert x.dim() == 2
    assert (x.nbytes, x.itemsize) == (48, 8)
    assert x.is_floating_point()
    assert not x.is_complex()


def test_values_in_plain_form(x):
    assert x.tolist() == X.tolist()
    assert x.detach().numpy() is X
    assert np.sum(x).item() == pytest.approx(X.sum())
    with pytest.raises(UnsupportedError, match="history"):
        x.numpy()
    with pytest.raises(OperandError, match="one element"):
        x.item()
    with pytest.raises(OperandError, match="two axes"):
        x.unsqueeze(0).t()


def test_unknown_attributes_and_surplus_arguments_are_refused(x):
    with pytest.raises(AttributeError, match="'sofmax'"):
        _ = x.sofmax
    with pytest.raises(OperandError, match="2 arguments"):
        x.softmax(1, 2)
    assert not hasattr(x, "__cuda_array_interface__")


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert",
    [
        np.asarray, np.array, lambda x: np.array([x, x]), lambda x: np.array([np.sum(x)] * 2),
        lambda x: np.asarray(x, dtype=object), lambda x: np.ascontiguousarray(x),
        lambda x: np.mean([x, x]),
    ],
)  # fmt: skip
def test_a_tensor_never_turns_into_an_array_silently(x, convert):
    with pytest.raises(UnsupportedError, match=r"\.data.*detach\(\).*np\.stack"):
        convert(x)


@pytest.mark.parametrize(
    ("call", "named", "near"),
    [
        (lambda x: np.linalg.eig(x), "np.linalg.eig ", "np.linalg.eigh"),
        (lambda x: np.partition(x, 1), "np.partition ", "np.sort"),
        (lambda x: np.nanvar(x), "np.nanvar ", "np.var"),
        (lambda x: np.i0(x), "np.i0 ", "np."),
        (lambda x: np.spacing(x), "np.spacing ", "np."),
        (lambda x: np.heaviside(x, 0.5), "np.heaviside ", "np."),
        (lambda x: np.subtract.accumulate(x), "np.subtract.accumulate ", r"np.add.accumulate"),
        (lambda x: np.multiply.outer(x, x), "np.multiply.outer ", "np."),
    ],
)
def test_unsupported_functions_are_named_with_the_nearest(x, call, named, near):
    with pytest.raises(UnsupportedError) as raised:
        call(x)
    assert named in raised.value.what
    assert near in raised.value.next_step


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda x: np.sum(x, where=X > 0), "where"),
        (lambda x: np.sum(x, dtype=np.float32), "dtype"),
        (lambda x: np.add(x, x, out=np.zeros((2, 3))), "out="),
        (lambda x: np.add.reduce(x, initial=3.0), "initial"),
        (lambda x: np.sum(x, 0, None, None, True, 0.0, True, 1), "arguments"),
        (lambda x: np.pad(x, 1, mode="constant", stat_length=2), "stat_length"),
        (lambda x: np.quantile(x, 0.3, method="lower"), "method"),
    ],
)
def test_arguments_without_meaning_are_named(x, call, named):
    with pytest.raises((UnsupportedError, TypeError), match=named):
        call(x)


def test_arguments_that_change_nothing_are_fine(x):
    same(np.sum(x, axis=0, dtype=None, out=None), X.sum(0))
    same(np.add(x, x, casting="same_kind"), X + X)
    same(np.concatenate([x, x], dtype=None), np.concatenate([X, X]))


def test_numpys_defaults_hold_for_numpys_functions():
    square = Tensor(np.arange(9.0).reshape(3, 3) ** 1.5)
    assert np.linalg.svd(square[:2])[2].shape == (3, 3)
    assert ops.apply("linalg.svd", square[:2])[2].shape == (2, 3)


def test_nothing_is_written_in_place_by_accident(x):
    with pytest.raises(UnsupportedError, match="setitem"):
        x[0] = 1.0
    array = np.zeros((2, 3))
    with pytest.raises(UnsupportedError, match="a = a"):
        array += x
    with pytest.raises(UnsupportedError):
        array[:] = x


def test_every_operation_with_a_numpy_name_is_found():
    assert {f.__name__ for f in SPECS} >= {"exp", "sum", "matmul", "concatenate", "where", "sort"}
