"""The semantics of backward, step by step, against what torch did: 111 small programs."""

import contextlib

import numpy as np
import pytest

import core
from core import Tensor, functional, ops
from core.errors import PullbackError
from tests.core.golden import array_of, assert_same, params_of, read

PROGRAMS = [p for p in read("programs.json")["programs"] if "torch-detail" not in p["tags"]]
IN_PLACE = {"add": "add_", "multiply": "mul_", "subtract": "sub_", "copy": "copy_", "exp": "exp_"}


class Program:
    """Runs the steps of one program; every step checks what it expects."""

    def __init__(self):
        self.env = {}
        self.tracked = []  # names whose .grad the program watches
        self.hook_calls = {}

    def run(self, steps):
        for step in steps:
            if "error" in step:
                with pytest.raises(PullbackError) as raised:
                    getattr(self, f"do_{step['do']}")(step)
                assert raised.value.kind == step["error"]
                self.check_grads(step)
            else:
                getattr(self, f"do_{step['do']}")(step)

    # -- operands and expectations ---------------------------------------------------------------

    def operand(self, v):
        match v:
            case str():
                return self.env[v]
            case dict():
                return Tensor(array_of(v))
            case _:
                return v

    def operands(self, vs):
        return None if vs is None else [self.operand(v) for v in vs]

    def track(self, name):
        if name not in self.tracked:
            self.tracked.append(name)

    def untrack(self, name):
        if name in self.tracked:
            self.tracked.remove(name)

    def check(self, got, want, what):
        if want is None:
            assert got is None, what
        else:
            assert got is not None, f"{what}: None, expected an array"
            assert_same(got, array_of(want), what)
            assert got.dtype == want["dtype"], what

    def check_grads(self, step):
        for name, want in step.get("expect_grads", {}).items():
            assert name in self.tracked
            self.check(held_grad(self.env[name]), want, f"{name}.grad")

    # -- steps -----------------------------------------------------------------------------------

    def do_leaf(self, step):
        self.env[step["name"]] = Tensor(array_of(step["value"]), step["requires_grad"])
        (self.track if step["requires_grad"] else self.untrack)(step["name"])

    def do_op(self, step):
        out = ops.apply(step["op"], *self.operands(step["in"]), **params_of(step.get("params", {})))
        for name, t in zip(step["out"], out if isinstance(out, tuple) else (out,), strict=True):
            self.untrack(name)
            self.env[name] = t

    def do_backward(self, step):
        inputs = step.get("inputs")
        core.backward(
            [self.env[n] for n in step["tensors"]],
            self.operands(step.get("grad_tensors")),
            step.get("retain_graph"),
            step.get("create_graph", False),
            inputs=None if inputs is None else [self.env[n] for n in inputs],
        )
        for name in inputs or []:
            self.track(name)
        self.check_grads(step)

    def do_grad(self, step):
        found = core.grad(
            [self.env[n] for n in step["outputs"]],
            [self.env[n] for n in step["inputs"]],
            self.operands(step.get("grad_outputs")),
            step.get("retain_graph"),
            step.get("create_graph", False),
            step.get("allow_unused"),
            step.get("materialize_grads", False),
        )
        self.env.update(zip(step["out"], found, strict=True))
        for name, want in step["expect_values"].items():
            self.check(self.env[name], want, name)
        self.check_grads(step)

    def do_take_grad(self, step):
        self.env[step["out"]] = self.env[step["name"]].grad

    def do_zero_grad(self, step):
        for name in step["names"]:
            t = self.env[name]
            if step["set_to_none"]:
                t.grad = None
            elif t.grad is not None:
                t.grad = Tensor(np.zeros_like(t.grad.data))

    def do_detach(self, step):
        self.env[step["out"]] = self.env[step["in"]].detach()

    def do_no_grad(self, step):
        with core.no_grad():
            self.run(step["steps"])

    def do_enable_grad(self, step):
        with core.enable_grad():
            self.run(step["steps"])

    def do_repeat(self, step):
        for _ in range(step["times"]):
            self.run(step["steps"])

    def do_requires_grad(self, step):
        self.env[step["name"]].requires_grad = step["value"]
        if step["value"]:
            self.track(step["name"])

    def do_retain_grad(self, step):
        self.env[step["name"]].retain_grad()
        self.track(step["name"])

    def do_hook(self, step):
        action, calls = step["action"], self.hook_calls.setdefault(step["id"], [])

        def hook(g):
            calls.append(g.data.copy())
            if action == "record":
                return None
            if "scale" in action:
                return g * action["scale"]
            return Tensor(array_of(action["replace"]))

        self.env[f"hook:{step['id']}"] = self.env[step["name"]].register_hook(hook)

    def do_remove_hook(self, step):
        self.env[f"hook:{step['id']}"].remove()

    def do_inplace(self, step):
        getattr(self.env[step["name"]], IN_PLACE[step["op"]])(*self.operands(step["in"]))

    def do_expect(self, step):
        for name, want in step.get("value", {}).items():
            self.check(self.env[name], want, name)
        for name, want in step.get("grad", {}).items():
            self.check(held_grad(self.env[name]), want, f"{name}.grad")
        for key in ("requires_grad", "is_leaf"):
            for name, want in step.get(key, {}).items():
                assert getattr(self.env[name], key) is want, f"{name}.{key}"
        for hook, want in step.get("hook_calls", {}).items():
            calls = self.hook_calls.get(hook, [])
            assert len(calls) == len(want)
            for got, record in zip(calls, want, strict=True):
                assert_same(got, array_of(record), f"hook {hook}")

    def do_functional(self, step):
        def function(*args):
            inner = Program()
            inner.env = dict(zip(step["fn"]["args"], args, strict=True))
            inner.run(step["fn"]["steps"])
            return tuple(inner.env[n] for n in step["fn"]["returns"])

        def first(*args):
            return function(*args)[0]

        kind = step["kind"]
        at = tuple(Tensor(array_of(a), kind == "gradcheck") for a in step["at"])
        v = tuple(array_of(a) for a in step.get("v") or ())
        if kind == "gradcheck":
            passed = functional.gradcheck(function, at, raise_exception=False)
            assert passed is step["expect"]
        elif kind in ("jacobian", "hessian"):
            rows = getattr(functional, kind)(function if kind == "jacobian" else first, at)
            for row, wanted in zip(rows, step["expect"], strict=True):
                for got, want in zip(row, wanted, strict=True):
                    self.check(got, want, kind)
        else:
            of = first if kind == "hvp" else function
            results = getattr(functional, kind)(of, at, v)[1]
            for got, want in zip(results, step["expect"], strict=True):
                self.check(got, want, kind)


def held_grad(t):
    with contextlib.suppress(UserWarning):  # a non-leaf's says why it is None
        return t.grad
    return None


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p['id']} {p['title']}")
def test_program_agrees_with_torch(program):
    Program().run(program["steps"])
