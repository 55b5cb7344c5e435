"""What holds for every operation, generated from the samples of its record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from core import Tensor, functional, grad, ops
from core.library import CATEGORIES, OPS, Sample
from tests.core.samples import IDS, SAMPLES, Application, inner, slope, vjp

every_sample = pytest.mark.parametrize(("spec", "sample"), SAMPLES, ids=IDS)
every_op = pytest.mark.parametrize("spec", OPS, ids=lambda spec: spec.name)


@pytest.fixture
def app(spec, sample):
    return Application(spec, sample)


# -- derivatives -----------------------------------------------------------------------------------


@every_sample
def test_the_vjp_is_the_transpose_of_the_derivative(app):
    """⟨g, J v⟩ = ⟨Jᵀg, v⟩ with random g and v, J v by differences."""
    leaves, ys = app.tensors()
    if not ys:
        return  # integer results: nothing to differentiate
    g, v = app.cotangents(ys), app.directions()
    pulled = [t.data for t in vjp(leaves, ys, g)]
    pushed = slope(app.of, app.point(), v)
    assert inner(pulled, v) == pytest.approx(inner(g, pushed), rel=1e-6, abs=1e-7)


@every_sample
def test_the_vjp_of_the_vjp_is_its_transpose(app):
    """The same of the function (x, g) → Jᵀg."""
    leaves, ys = app.tensors()
    if not ys:
        return
    g = [Tensor(one, requires_grad=True) for one in app.cotangents(ys)]
    firsts = vjp(leaves, ys, g, create_graph=True)
    w = [np.asarray(app.rng.standard_normal(t.shape), t.dtype) for t in firsts]
    roots = [(t, one) for t, one in zip(firsts, w, strict=True) if t.requires_grad]
    pulled = [np.zeros(t.shape, t.dtype) for t in (*leaves, *g)]
    if roots:
        pulled = [t.data for t in vjp([*leaves, *g], *zip(*roots, strict=True))]

    def of(both):
        inner_leaves, inner_ys = app.tensors(both[: len(leaves)])
        return [t.data for t in vjp(inner_leaves, inner_ys, both[len(leaves) :])]

    v = [*app.directions(), *app.cotangents(ys)]
    pushed = slope(of, [*app.point(), *(one.data for one in g)], v)
    assert inner(pulled, v) == pytest.approx(inner(w, pushed), rel=1e-5, abs=1e-6)


@every_sample
def test_vjps_have_the_shape_and_dtype_of_their_input(app):
    leaves, ys = app.tensors()
    if ys:
        for x, g in zip(leaves, vjp(leaves, ys, app.cotangents(ys)), strict=True):
            assert (g.shape, g.dtype) == (x.shape, x.dtype)


@every_sample
def test_single_precision_stays_single(app):
    if app.spec.name == "power" and app.arrays[1].dtype.kind == "i":
        return  # NumPy itself makes doubles of singles with integer exponents
    single = {"f": np.float32, "c": np.complex64}
    app.arrays = [
        x if x is None or x.dtype.kind not in single else x.astype(single[x.dtype.kind])
        for x in app.arrays
    ]
    if app.spec.name == "cast":
        app.params = {"dtype": "float32"}
    leaves, ys = app.tensors()
    for y in ys:
        assert y.dtype in (np.float32, np.complex64)
    if ys:
        for g in vjp(leaves, ys, app.cotangents(ys)):
            assert g.dtype in (np.float32, np.complex64)


# -- layouts and sizes -----------------------------------------------------------------------------


def strided(x):
    """The same values, every other element of a larger array, axes in reverse order in memory."""
    if x is None:
        return None
    wide = np.zeros(tuple(2 * n for n in reversed(x.shape)), x.dtype)
    view = wide[(..., *(slice(None, None, 2) for _ in x.shape))].T
    view[...] = x
    return view


@every_sample
def test_the_layout_in_memory_does_not_matter(app):
    leaves, ys = app.tensors()
    if not ys:
        return
    g = app.cotangents(ys)
    app.arrays = [strided(x) for x in app.arrays]
    others, zs = app.tensors()
    for y, z in zip(ys, zs, strict=True):
        np.testing.assert_allclose(z.data, y.data, rtol=1e-12, atol=1e-14)
    pulled = vjp(others, zs, [strided(one) for one in g])
    for a, b in zip(vjp(leaves, ys, g), pulled, strict=True):
        np.testing.assert_allclose(b.data, a.data, rtol=1e-10, atol=1e-12)


ELEMENTWISE = [spec for spec in OPS if spec.elementwise and not spec.hidden]


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
@pytest.mark.parametrize("spec", ELEMENTWISE, ids=lambda spec: spec.name)
def test_no_elements_are_fine(spec, shape):
    if spec.variadic:
        return
    inputs = [Tensor(np.zeros(shape), requires_grad=port in spec.vjps) for port in spec.ports]
    y = ops.apply(spec.name, *inputs)
    assert y.shape == shape
    if y.requires_grad:
        leaves = [x for x in inputs if x.requires_grad]
        assert all(g.shape == shape for g in grad(y, leaves, np.zeros(shape)))


@pytest.mark.parametrize("spec", ELEMENTWISE, ids=lambda spec: spec.name)
def test_a_number_is_an_array_without_axes(spec):
    sample = spec.samples[0]
    app = Application(spec, sample)
    app.arrays = [None if x is None else np.array(x.reshape(-1)[0]) for x in app.arrays]
    leaves, ys = app.tensors()
    for y in ys:
        assert y.shape == ()
        assert isinstance(y.data, np.ndarray)
    if ys:
        assert all(g.shape == () for g in vjp(leaves, ys, app.cotangents(ys)))


# -- shapes and axes at random ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "logsumexp", "var", "amax", "max", "norm"])
@settings(max_examples=15, deadline=None, derandomize=True)
@given(data=st.data())
def test_reductions_over_any_axes(name, data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=3))
    axis = data.draw(st.none() | hnp.valid_tuple_axes(len(shape), min_size=1))
    keepdims = data.draw(st.booleans())
    x = np.random.default_rng(len(shape)).permutation(np.linspace(0.5, 2, np.prod(shape)))
    x = x.reshape(shape)

    def f(t):
        return getattr(t, name)(axis=axis, keepdims=keepdims)

    assert f(Tensor(x)).shape == np.sum(x, axis=axis, keepdims=keepdims).shape
    assert functional.gradcheck(f, (Tensor(x),))


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "power", "where", "matmul"])
@settings(max_examples=20, deadline=None, derandomize=True)
@given(data=st.data())
def test_operands_of_any_broadcastable_shapes(name, data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3))
    a, b, c = (np.random.default_rng(7 + k).uniform(0.5, 2, s)
               for k, s in enumerate(shapes.input_shapes))  # fmt: skip
    if name == "matmul":
        a, b = np.broadcast_to(a[..., None, None], (*a.shape, 2, 3)), b[..., None]
        b = np.broadcast_to(b[..., None], (*b.shape[:-1], 3, 1))
    given_ = (Tensor(c > 1), Tensor(a), Tensor(b)) if name == "where" else (Tensor(a), Tensor(b))
    assert functional.gradcheck(lambda *xs: ops.apply(name, *xs), given_)


# -- records ---------------------------------------------------------------------------------------


@every_op
def test_a_record_is_complete(spec):
    assert spec.samples, "a record without samples is not checked"
    assert spec.category in CATEGORIES
    assert spec.formula
    assert spec.summary
    assert set(spec.vjps) | spec.nondiff_ports <= set(spec.ports)
    for port in spec.vjps:
        names = {*spec.ports, *spec.outputs, *spec.defaults, "k"}
        allowed = names | {f"{n}_shape" for n in names} | {f"{n}_shapes" for n in spec.ports}
        assert set(spec.rule_names(port)) <= allowed
    for param in spec.params:
        assert param.doc.endswith("."), f"{param.name}: {param.doc!r} is no sentence"


def test_names_and_aliases_are_unique():
    names = [name for spec in OPS for name in (spec.name, *spec.aliases)]
    twice = sorted({name for name in names if names.count(name) > 1})
    assert not twice


def test_samples_draw_the_same_kinds_of_arrays():
    shape, array, empty = Sample((2, 3), np.array([1, 2]), None).draw(np.random.default_rng(0))
    assert shape.shape == (2, 3)
    assert array.dtype == np.int64
    assert empty is None
