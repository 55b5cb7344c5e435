"""Programs that want too much, or are none, end in one of our errors."""

import pytest

from core.importers.python import load_program

HOSTILE = {
    "huge power": ("x = 10**10**8", "limit"),
    "huge shape": ("import torch\nx = torch.zeros(10**6, 10**6)", "limit"),
    "huge list": ("x = [0] * 10**9", "limit"),
    "doubling text": ("s = 'a'\nwhile True:\n    s = s + s", "limit"),
    "endless recursion": ("def f(n):\n    return f(n + 1)\nf(0)", "limit"),
    "too much text": ("x = 1\n" * 200_000, "limit"),
    "long sum": ("x = " + "+".join(["1"] * 100_000), "limit"),
    "many brackets": ("x = " + "(" * 5000 + "1" + ")" * 5000, "program"),
    "no Python": ("def :", "program"),
    "a wide format": ("x = f'{1:1000000000}'", "program"),
    "a way to other classes": ("x = (1).__class__.__mro__", "program"),
    "eval": ("eval('1 + 1')", "unsupported"),
    "another module": ("import os", "unsupported"),
    "a replaced function": ("import torch\ntorch.sum = print", "unsupported"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_ends_in_our_error(name):
    text, kind = HOSTILE[name]
    program = load_program(text, layout=False)
    assert program.error is not None
    assert program.error.kind == kind
    assert program.error.next_step
