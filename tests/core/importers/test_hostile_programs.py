"""Programs that want too much, or are none, end in one of our errors, soon and in little room."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.importers.python import load_program
from core.importers.python.limits import Limits

ROOT = Path(__file__).parents[3]
QUICK = Limits(seconds=0.15)
T = "import torch\nimport numpy as np\nimport torch.nn.functional as F\n"
#: A value that holds others so often that going through all of it takes for ever.
WIDE = "a = [1] * 10\nfor i in range(12): a = [a] * 10\n"
TUPLE = "a = (1,) * 10\nfor i in range(12): a = (a,) * 10\n"
HOSTILE = {
    "huge power": ("x = 10**10**8", "limit"),
    "power of a power": ("x = 9**9**9", "limit"),
    "huge shift": ("x = 1 << 10**10", "limit"),
    "huge product": ("x = 2**13000\nwhile True: x = x * x", "limit"),
    "many large numbers": ("L = [2**13000 + i for i in range(10**6)]", "limit"),
    "factorial": ("import math\nmath.factorial(10**6)", "limit"),
    "a billion turns": ("for i in range(10**9): pass", "limit"),
    "a billion turns in a sum": ("x = sum(range(10**9))", "limit"),
    "endless loop": ("while True: pass", "limit"),
    "huge text": ("s = 'a' * 10**10", "limit"),
    "doubling text": ("s = 'a'\nwhile True:\n    s = s + s", "limit"),
    "many texts": ("L = []\nwhile True: L.append('a' * 900000 + str(len(L)))", "limit"),
    "pieces of a text": ("x = 'a ' * 499999\nL = []\nwhile True: L.append(x.split())", "limit"),
    "padded text": ("x = 'a'.zfill(10**10)", "limit"),
    "huge list": ("x = [0] * 10**9", "limit"),
    "many lists": ("x = [0] * 10**6\ny = [x[:] for i in range(10**6)]", "limit"),
    "growing tuples": ("x = (0,) * 900000\nwhile True: x = x + (1,)", "limit"),
    "growing dict": ("d, i = {}, 0\nwhile True:\n    d[i] = [0] * 1000\n    i += 1", "limit"),
    "every permutation": ("import itertools\nlist(itertools.permutations(range(99)))", "limit"),
    "endless iterator": ("import itertools\nlist(itertools.count())", "limit"),
    "endless printing": ("while True: print('a' * 1000)", "limit"),
    "endless recursion": ("def f(n):\n    return f(n + 1)\nf(0)", "limit"),
    "recursion through repr": ("class A:\n    def __repr__(self): return repr(self)\nrepr(A())",
                               "limit"),
    "endless attribute": ("class A:\n    def __getattr__(self, n): return getattr(self, n + 'a')\n"
                          "A().x", "limit"),
    "a list in itself": ("a = []\na.append(a)\nprint(a)", "limit"),
    "a result in itself": ("result = []\nresult.append(result)", "limit"),
    "a deep result": ("result = []\nfor i in range(10**3): result = [result]", "limit"),
    "a wide result": (WIDE + "result = a", "limit"),
    "a wide print": (WIDE + "print(a)", "limit"),
    "a wide exception": (WIDE + "print(ValueError(a))", "limit"),
    "a wide slice": (WIDE + "print(slice(a))", "limit"),
    "a wide array": (T + WIDE + "np.array(a)", "limit"),
    "a wide tensor": (T + WIDE + "torch.tensor(a)", "limit"),
    "a wide sum": (T + WIDE + "np.sum(a)", "limit"),
    "a wide index": (T + WIDE + "torch.ones(3)[a]", "limit"),
    "a wide comparison": (WIDE + "b = a\n" + WIDE + "a == b", "limit"),
    "a wide key": (TUPLE + "d = {a: 1}", "limit"),
    "a wide hash": (TUPLE + "hash(a)", "limit"),
    "a wide order": (TUPLE + "b = a\n" + TUPLE + "a < b", "limit"),
    "classes without end": ("class A: pass\nfor i in range(3000):\n    class A(A): pass", "limit"),
    "an except that goes on": ("while True:\n    try:\n        while True: pass\n"
                               "    except Exception: pass", "limit"),
    "a finally that goes on": ("for i in range(9):\n    try: x = 'a' * 10**10\n"
                               "    finally: break\nresult = 1", "limit"),
    "an exit that goes on": ("class C:\n    def __enter__(self): return 1\n"
                             "    def __exit__(self, *a): return True\n"
                             "while True:\n    with C(): x = [0] * 10**9", "limit"),
    "a result that computes": ("def f(x):\n    while True: pass\nresult = map(f, [1])", "limit"),
    "huge shape": (T + "torch.zeros(10**6, 10**6)", "limit"),
    "an empty shape that is not": (T + "torch.zeros(0, 10**9).sum(0)", "limit"),
    "random numbers": (T + "np.random.normal(0, 1, 10**9)", "limit"),
    "a choice of many": (T + "np.random.choice(10**10, 10**9)", "limit"),
    "many bins": (T + "np.histogram(np.ones(10), 10**9)", "limit"),
    "a large count": (T + "np.bincount([10**10])", "limit"),
    "broadcast": (T + "torch.ones(10**5, 1) + torch.ones(1, 10**5)", "limit"),
    "compared": (T + "np.ones((10**5, 1)) == np.ones((1, 10**5))", "limit"),
    "huge product of matrices": (T + "torch.ones(2000, 2000) @ torch.ones(2000, 2000)", "limit"),
    "decomposition": (T + "torch.linalg.svd(torch.ones(2000, 2000))", "limit"),
    "norm by decomposition": (T + "np.linalg.norm(np.ones((2000, 2000)), 2)", "limit"),
    "long sort": (T + "torch.sort(torch.zeros(4000000))", "limit"),
    "repeat": (T + "np.repeat(np.ones(1000), 10**9)", "limit"),
    "tile": (T + "np.tile(np.ones(1000), (10**5, 10**5))", "limit"),
    "einsum": (T + "x = torch.ones(1000, 1000)\ntorch.einsum('ij,kl->ijkl', x, x)", "limit"),
    "einsum of many": (T + "np.einsum('a,b,c,d->', *[np.ones(1000)] * 4)", "limit"),
    "kron": (T + "torch.kron(torch.ones(2000, 2000), torch.ones(2000, 2000))", "limit"),
    "convolution": (T + "F.conv1d(torch.ones(1, 1, 10**6), torch.ones(1, 1, 10**4))", "limit"),
    "a wide window": (T + "F.max_pool2d(torch.ones(1, 16, 500, 500), 51, stride=1)", "limit"),
    "padding": (T + "F.pad(torch.ones(1), (10**10, 10**10))", "limit"),
    "interpolation": (T + "F.interpolate(torch.ones(1, 1, 3, 3), scale_factor=10**5)", "limit"),
    "Fourier": (T + "torch.fft.fft(torch.ones(10), n=10**10)", "limit"),
    "a large layer": (T + "torch.nn.Linear(10**5, 10**5)", "limit"),
    "a large Jacobian": (T + "torch.func.jacrev(lambda x: x**2)(torch.ones(10**4))", "limit"),
    "arrays kept": (T + "L = []\nwhile True: L.append(np.zeros(1000000))", "limit"),
    "a hook without end": (T + "x = torch.ones(3, requires_grad=True)\n"
                           "def hook(g):\n    while True: pass\n"
                           "x.register_hook(hook)\nx.sum().backward()", "limit"),
    "too much text": ("x = 1\n" * 200_000, "limit"),
    "many braces": ("x = f'" + "{1}" * 20_000 + "'", "limit"),
    "long sum": ("x = " + "+".join(["1"] * 30_000), "limit"),
    "long chain": ("x = 1\nx" + ".a" * 30_000, "limit"),
    "many brackets": ("x = " + "(" * 5000 + "1" + ")" * 5000, "program"),
    "no Python": ("def :", "program"),
    "NUL": ("x = 1\x00", "program"),
    "a wide format": ("x = f'{1:1000000000}'", "program"),
    "a nested format": ("x = '{:{}}'.format(1, 10**9)", "program"),
    "a format with a star": ("x = '%*d' % (10**9, 1)", "program"),
    "a precise format": ("x = '%.1000000000f' % 1.0", "program"),
    "a way to other classes": ("x = (1).__class__.__mro__", "program"),
    "a way through getattr": ("x = getattr(getattr((), '__class__'), '__mro__')", "program"),
    "a way through a format": ("x = '{0.__class__.__mro__}'.format(1)", "program"),
    "a way through a field": ("x = f'{().__class__.__base__}'", "program"),
    "a way to globals": ("x = (lambda: 0).__globals__", "program"),
    "a way to subclasses": ("class A: pass\nA.__subclasses__()", "program"),
    "eval": ("eval('1 + 1')", "unsupported"),
    "exec": ("exec('x = 1')", "unsupported"),
    "open": ("open('/etc/passwd')", "unsupported"),
    "__import__": ("__import__('os')", "unsupported"),
    "another module": ("import os", "unsupported"),
    "a module of a module": ("import torch\ntorch.os", "unsupported"),
    "a file": ("import numpy as np\nnp.load('x.npy')", "unsupported"),
    "an array of texts": (T + "np.zeros(3, dtype='U100000000')", "unsupported"),
    "an array of objects": (T + "np.ones(3).astype('O')", "unsupported"),
    "a replaced function": ("import torch\ntorch.sum = print", "unsupported"),
    "a function taken away": ("import numpy as np\nnp.add = None", "unsupported"),
    "a replaced method": ("import torch\ntorch.nn.Linear.forward = print", "unsupported"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_ends_in_our_error(name):
    text, kind = HOSTILE[name]
    # What ends by itself gets the time of a collection of garbage, too.
    program = load_program(text, QUICK if kind == "limit" else None, layout=False)
    assert program.error is not None
    assert program.error.kind == kind
    assert program.error.next_step


def test_names_of_pythons_own_may_be_used_for_other_things():
    program = load_program("len = 3\nprint = 4\nsum = len + print\nresult = sum", layout=False)
    assert program.error is None
    assert program.plain == 7


def test_after_a_limit_no_statement_is_done():
    text = "try:\n    x = 'a' * 10**10\nfinally:\n    print('still here')"
    assert load_program(text, layout=False).printed == ""


COMMANDS = {
    "a billion turns": (b"for i in range(10**9): pass", "limit"),
    "arrays in a loop": (b"import torch\nx = torch.rand(1000000, requires_grad=True)\n"
                         b"for i in range(1000):\n    (x * x).sum().backward()\n"
                         b"    with torch.no_grad(): x -= 0.1 * x.grad\n    x.grad = None",
                         "limit"),
    "a large result": (b"import torch\nresult = torch.rand(2000, 2000)", "limit"),
    "ten megabytes": (b"x = 1\n" * 1_700_000, "file"),
    "no text": (b"x = '\xff\xfe'\n", "file"),
}  # fmt: skip
#: Says what the command took: seconds of the processor, and megabytes.
MEASURE = (
    "import resource, subprocess, sys\n"
    "code = subprocess.run(sys.argv[1:]).returncode\n"
    "u = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
    "print(code, u.ru_utime + u.ru_stime, u.ru_maxrss / 1024, file=sys.stderr)"
)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_command_refuses_a_hostile_file_in_two_seconds_and_500_megabytes(name, tmp_path):
    data, kind = COMMANDS[name]
    path = tmp_path / "program.py"
    path.write_bytes(data)
    command = [sys.executable, "-m", "app", "run", str(path), "--json"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command],
        capture_output=True, cwd=ROOT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    code, seconds, megabytes = done.stderr.decode().splitlines()[-1].split()
    assert json.loads(done.stdout)["error"]["kind"] == kind
    assert int(code) in (1, 2)
    assert float(seconds) < 3  # two on an idle machine; this one may have caches to share
    assert float(megabytes) < 500


def test_text_that_utf_8_cannot_write_is_escaped(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("result = '\\ud800'\nprint(result)", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "app", "run", str(path), "--json"], capture_output=True, cwd=ROOT
    )
    assert json.loads(done.stdout)["result"] == "\ud800"
