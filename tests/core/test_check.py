"""gradcheck: tolerances, what it names, and kinks."""

import numpy as np
import pytest

from core import Tensor, functional, ops
from core.check import mismatch
from core.errors import GradcheckError, OperandError
from core.library.spec import OpSpec, Vjp
from core.recording import apply

X = np.array([0.3, -0.7, 1.1])


def wrong(factor, at=slice(None)):
    """An operation whose VJP is off by ``factor`` at some elements."""

    def rule(g, x):
        h = g * np.cos(x)
        scale = np.ones(x.shape)
        scale[at] = factor
        return h * scale

    spec = OpSpec(
        name="wrong sine", label="", category="special", ports=("x",), forward=np.sin,
        vjps={"x": Vjp(rule, "")}, formula="", summary="", samples=(),
    )  # fmt: skip
    return lambda x: apply(spec, (x,), {}, Tensor)


def test_right_rules_pass():
    assert functional.gradcheck(lambda x, z: (np.sin(x) * z, np.sum(x)), (Tensor(X), Tensor(X)))
    assert functional.gradgradcheck(lambda x: np.sin(x) * x, Tensor(X))


def test_wrong_rules_are_named_with_both_values():
    with pytest.raises(GradcheckError) as raised:
        functional.gradcheck(wrong(1.5, at=1), (Tensor(X),))
    text = str(raised.value)
    assert "output 0 at (1,) by input 0 at (1,)" in text
    assert f"{1.5 * np.cos(X[1]):.6g}"[:6] in text
    assert f"{np.cos(X[1]):.6g}"[:6] in text
    assert "1 of 9 elements disagree" in text
    assert "kink" not in text


def test_the_worst_element_is_the_one_furthest_beyond_tolerance():
    found = mismatch(wrong(np.array([1.1, 1.0, 3.0])), Tensor(X))
    assert (found.row, found.column, found.count, found.total) == ((2,), (2,), 2, 9)
    assert found.analytic == pytest.approx(3 * np.cos(X[2]))
    assert found.numerical == pytest.approx(np.cos(X[2]))


def test_it_may_answer_instead_of_raising():
    assert functional.gradcheck(wrong(1.5), Tensor(X), raise_exception=False) is False


def test_tolerances_are_torchs():
    assert functional.gradcheck(wrong(1.0009), Tensor(X))
    assert not functional.gradcheck(wrong(1.002), Tensor(X), raise_exception=False)
    assert functional.gradcheck(wrong(1.002), Tensor(X), rtol=0.01)


@pytest.mark.parametrize("name", ["relu", "where"])
def test_kinks_are_told_from_mistakes(name):
    def f(x):
        return ops.apply("relu", x) if name == "relu" else np.where(x > 0, x, x * -3.0)

    found = mismatch(f, Tensor(np.array([1.0, 0.0, -2.0])))
    assert found.kink
    assert found.column == (1,)
    assert (found.left, found.right) == pytest.approx((0, 1) if name == "relu" else (-3, 1))
    with pytest.raises(GradcheckError, match=r"kink.*slope.*Move the point off"):
        functional.gradcheck(f, Tensor(np.zeros(1)))


def test_a_kink_whose_middle_is_taken_passes():
    assert functional.gradcheck(np.abs, Tensor(np.zeros(1)))


def test_steep_is_not_a_kink():
    found = mismatch(lambda x: wrong(2.0)(x * 500.0), Tensor(np.array([0.3])))
    assert not found.kink


def test_wrong_second_derivatives_are_found():
    def rule(g, x):
        return g * np.cos(x.data) if isinstance(x, Tensor) else g * np.cos(x)  # forgets history

    spec = OpSpec(
        name="flat sine", label="", category="special", ports=("x",), forward=np.sin,
        vjps={"x": Vjp(rule, "")}, formula="", summary="", samples=(),
    )  # fmt: skip

    def f(x):
        return apply(spec, (x,), {}, Tensor)

    assert functional.gradcheck(f, Tensor(X))
    assert not functional.gradgradcheck(f, Tensor(X), raise_exception=False)


def test_complex_numbers_count_as_two():
    z = Tensor(np.array([0.5 + 1.0j, -1.0 + 0.2j]))
    assert functional.gradcheck(lambda z: z * z * 2j, z)
    found = mismatch(wrong(1.5), z)
    assert found.total == 16


def test_only_inputs_that_require_grad_are_checked():
    right, broken = Tensor(X, requires_grad=True), Tensor(X)
    f = wrong(2.0)
    assert functional.gradcheck(lambda a, b: a * f(b), (right, broken))
    assert not functional.gradcheck(
        lambda a, b: a * f(b), (Tensor(X), broken), raise_exception=False
    )


def test_integers_are_passed_on():
    index = Tensor(np.array([2, 0]))
    assert functional.gradcheck(lambda x, i: x[i] * x[i], (Tensor(X), index))
    with pytest.raises(OperandError, match="floating"):
        functional.gradcheck(lambda i: i, (index,))


def test_outputs_without_history_must_not_move():
    assert functional.gradcheck(lambda x: (np.sin(x), x > 0), Tensor(X))
    assert not functional.gradcheck(lambda x: x.detach() * 2.0, Tensor(X), raise_exception=False)


def test_nothing_to_check_passes():
    assert functional.gradcheck(np.sin, Tensor(np.zeros(0)))


def test_cotangents_of_gradgradcheck_can_be_given():
    assert functional.gradgradcheck(np.sin, Tensor(X), np.array([1.0, 2.0, 3.0]))


def test_single_precision_is_warned_about():
    with pytest.warns(UserWarning, match="float64"):
        functional.gradcheck(lambda x: x, Tensor(X.astype(np.float32)), atol=1e-1, rtol=1e-1)
