"""Every operation against torch: outputs, VJPs and, where given, gradients of the VJPs."""

import numpy as np
import pytest

from core import Tensor, grad, ops
from tests.core.golden import (
    ATOL,
    DATA,
    RTOL_SECOND,
    array_of,
    assert_same,
    params_of,
    read,
)

CASES = [
    case
    for folder in ("ops", "opinfo")
    for path in sorted((DATA / folder).glob("*.json"))
    for case in read(path)["cases"]
]


class Application:
    """One case, applied: its input Tensors and output Tensors, and the signs of its gauge."""

    def __init__(self, case):
        self.case, self.spec = case, ops.find(case["op"])
        arrays = [array_of(x) for x in case["inputs"]]
        self.wanted = [i for i, vjp in enumerate(case["vjps"]) if vjp is not None]
        self.inputs = [
            None if a is None else Tensor(a, requires_grad=i in self.wanted)
            for i, a in enumerate(arrays)
        ]
        made = ops.apply(case["op"], *self.inputs, **params_of(case["params"]))
        self.outputs = made if isinstance(made, tuple) else (made,)
        self.signs = [self._signs(k) for k in range(len(self.outputs))]

    def many(self, key):
        record = self.case[key]
        return [array_of(r) for r in (record if self.case["multi_output"] else [record])]

    def _signs(self, k):
        """Factors are defined up to sign: the signs that turn this output into the reference."""
        how = self.spec.gauge.get(self.spec.outputs[k]) if self.spec.gauge else None
        if how is None:
            return np.ones(())
        axis = -2 if how == "col" else -1
        s = np.sign(np.sum(self.outputs[k].data * self.many("output")[k], axis, keepdims=True))
        return np.where(s == 0, 1.0, s)

    def vjps(self, cotangents, create_graph=False):
        """The VJPs of the wanted inputs; None where there is no dependence."""
        pairs = [(y, c) for y, c in zip(self.outputs, cotangents, strict=True) if y.requires_grad]
        if not pairs:
            return [None] * len(self.wanted)
        roots, given = zip(*pairs, strict=True)
        inputs = [self.inputs[i] for i in self.wanted]
        return grad(roots, inputs, given, create_graph=create_graph, allow_unused=True)

    def assert_vjp(self, i, got, want, what, **how):
        """Compare a gradient of input i; of symmetric inputs only the symmetric part counts."""
        got = np.zeros(want.shape) if got is None else got.data
        port = self.spec.ports[0 if self.spec.variadic else i]
        if port in self.spec.symmetric_ports:
            got, want = symmetric(got), symmetric(want)
        assert_same(got, want, f"{what} {i}", nan_is_free=True, **how)


def symmetric(a):
    return (a + np.swapaxes(a, -1, -2)) / 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_agrees_with_torch(case):
    applied = Application(case)
    atol = 0.0 if "precise" in case["tags"] else ATOL
    for k, want in enumerate(applied.many("output")):
        assert_same(applied.outputs[k].data * applied.signs[k], want, f"output {k}", atol=atol)
    if "quirk" in case["tags"]:
        return  # torch is mathematically wrong there
    cotangents = [c * s for c, s in zip(applied.many("cotangent"), applied.signs, strict=True)]
    for i, got in zip(applied.wanted, applied.vjps(cotangents), strict=True):
        applied.assert_vjp(i, got, array_of(case["vjps"][i]), "VJP", atol=atol)


SECOND = [c for c in CASES if c["double"] and not {"quirk", "special"} & set(c["tags"])]


@pytest.mark.parametrize("case", SECOND, ids=lambda case: case["id"])
def test_gradients_of_the_vjps_agree_with_torch(case):
    applied, double = Application(case), case["double"]
    cotangents = [
        Tensor(c * s, requires_grad=True)
        for c, s in zip(applied.many("cotangent"), applied.signs, strict=True)
    ]
    vjps = applied.vjps(cotangents, create_graph=True)
    weighted = [
        (vjp, array_of(double["weights"][i]))
        for i, vjp in zip(applied.wanted, vjps, strict=True)
        if vjp is not None and vjp.requires_grad
    ]
    inputs = [applied.inputs[i] for i in applied.wanted]
    if weighted:
        roots, weights = zip(*weighted, strict=True)
        second = grad(roots, [*inputs, *cotangents], weights, allow_unused=True)
    else:
        second = [None] * (len(inputs) + len(cotangents))

    for i, got in zip(applied.wanted, second, strict=False):
        want = array_of(double["inputs"][i])
        applied.assert_vjp(i, got, want, "second-order input", rtol=RTOL_SECOND)
    want_c = double["cotangent"] if case["multi_output"] else [double["cotangent"]]
    for k, got in enumerate(second[len(inputs) :]):
        want = array_of(want_c[k])
        value = np.zeros(want.shape) if got is None else got.data * applied.signs[k]
        assert_same(value, want, f"cotangent {k}", nan_is_free=True, rtol=RTOL_SECOND)
