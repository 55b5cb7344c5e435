"""Whatever is written in a program, reading it gives a graph and at most one of our errors."""

import ast
import copy
import importlib
import json
import re
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.headless import program_envelope
from core.errors import PullbackError
from core.importers.python import load_program
from core.importers.python.limits import Limits
from core.session import Session
from tests.core.importers.programs import rows

QUICK = Limits(seconds=0.3)
TEXTS = [row["code"] for row in rows("pasted.jsonl")]
TREES = [ast.parse(text) for text in TEXTS]
STATEMENTS = [n for t in TREES for n in ast.walk(t) if isinstance(n, ast.stmt)]
ODD = (
    "0", "-1", "10**9", "None", "True", "[]", "()", "{}", "''", "'a'", "lambda *a: 0", "...",
    "float('nan')", "[[1, 2], [3]]", "1j", "2**100", "slice(1)", "{1, 2}", "range(3)", "int", "str",
    "print", "type(1)", "torch", "np", "torch.float64", "iter([1])", "object", "Exception", "super",
    "torch.ones(0)", "torch.ones(2, 3)", "np.ones(2)", "torch.tensor(2., requires_grad=True)",
    "np.array([[1, 2], [3, 4]])", "b'x'", "().__class__", "eval", "open", "getattr", "__import__",
)  # fmt: skip
EXPRESSIONS = [ast.parse(text, mode="eval").body for text in ODD] + [
    n for t in TREES for n in ast.walk(t)
    if isinstance(n, ast.Call | ast.BinOp | ast.Name | ast.Attribute | ast.Subscript)
    and isinstance(getattr(n, "ctx", ast.Load()), ast.Load)
]  # fmt: skip


def slots(tree):
    """Where another expression or statement may be put: (set it there, what is there now)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.arguments):
            continue
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield node, field, None, value
            elif isinstance(value, list):
                for k, item in enumerate(value):
                    if isinstance(item, ast.expr | ast.stmt):
                        yield node, field, k, item


def one_of(things):
    """One of many things, which are too long to be shown."""
    return st.integers(0, len(things) - 1).map(things.__getitem__)


@st.composite
def programs(draw):
    """A pasted program, some of whose parts were exchanged for others."""
    tree = ast.parse(draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 3))):
        node, field, k, now = draw(one_of(list(slots(tree))))
        if isinstance(getattr(now, "ctx", None), ast.Store | ast.Del):
            continue
        source = STATEMENTS if isinstance(now, ast.stmt) else EXPRESSIONS
        new = copy.deepcopy(draw(one_of(source)))
        if k is None:
            setattr(node, field, new)
        else:
            getattr(node, field)[k] = new
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except (ValueError, RecursionError):  # a part that has no place there
        return "x = 1"


@pytest.fixture(scope="module")
def forbidden():
    """What Python itself is asked to do while it is on: running, importing, opening."""
    seen, on = [], [False]
    for late in ("scipy.linalg", "scipy.special"):  # which the library imports when it needs them
        importlib.import_module(late)

    def audit(event, args):
        if on[0] and event in ("exec", "import", "open", "os.system", "subprocess.Popen"):
            asked = sys._getframe(1).f_globals["__name__"]
            if asked != "core.records":  # which makes the engine's own short functions
                seen.append((event, asked, str(args)[:80]))

    sys.addaudithook(audit)
    yield seen, on
    on[0] = False


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=programs())
def test_a_changed_program_gives_a_graph_and_at_most_our_error(text, forbidden):
    seen, on = forbidden
    on[0] = True
    try:
        program = load_program(text, QUICK, layout=False)
    finally:
        on[0] = False
    assert seen == []
    assert program.error is None or isinstance(program.error, PullbackError)
    json.dumps(program_envelope(program), allow_nan=False)


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=200))
def test_any_text_at_all_gives_at_most_our_error(text):
    program = load_program(text, QUICK, layout=False)
    assert program.error is None or isinstance(program.error, PullbackError)


UNARY = ("x.sin()", "torch.exp(-x)", "x.tanh()", "(x * x + 1).sqrt()", "x.sigmoid()", "x.abs()",
         "torch.relu(x)", "x.softmax(-1)", "x.cumsum(0)", "x.flip(0)", "x.clone()", "x[[2, 0, 1]]",
         "torch.where(x > 0, x, 2 * x)", "F.softplus(x)", "x.detach() * x")  # fmt: skip
BINARY = ("x + y", "x - 2 * y", "x * y", "x / (y * y + 1)", "torch.maximum(x, y)",
          "torch.stack([x, y]).sum(0)", "torch.atan2(x, y * y + 1)", "x * y.sum()",
          "torch.outer(x, y).mean(1)")  # fmt: skip
CHANGES = ("{0}[0] = 3.0", "{0} *= 2", "{0}.add_({1})", "{0}.clamp_(-1, 1)")


@st.composite
def computations(draw):
    """A program of the subset that ends well: leaves, operations, changes in place, backwards."""
    lines = ["import torch", "import torch.nn.functional as F"]
    names = []
    for k in range(draw(st.integers(1, 2))):
        values = draw(st.lists(st.integers(-20, 20), min_size=3, max_size=3))
        lines.append(f"a{k} = torch.tensor({[v / 8 for v in values]}, dtype=torch.float64, "
                     "requires_grad=True)")  # fmt: skip
        names.append(f"a{k}")
    leaves = list(names)
    for k in range(draw(st.integers(1, 6))):
        x, y = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        form = draw(st.sampled_from(UNARY + BINARY))
        made = "".join({"x": x, "y": y}.get(c, c) for c in _letters(form))
        lines.append(f"v{k} = {made} * 1.0")
        names.append(f"v{k}")
        if draw(st.integers(0, 3)) == 0:
            lines.append(draw(st.sampled_from(CHANGES)).format(f"v{k}", x))
    for again in range(draw(st.integers(1, 2))):
        lines.append(f"L = {' + '.join(f'({n} * {n}).sum()' for n in names[-3:])}")
        lines.append("L.backward(retain_graph=True)")
        if not again and draw(st.booleans()):
            lines.append("with torch.no_grad(): a0 -= 0.125 * a0")
            lines.append("a0.grad = None")
    lines.append(f"result = [x.grad for x in ({', '.join(leaves)},)]")
    return "\n".join(lines)


def _letters(form):
    """A form's pieces: names of one letter stand alone."""
    return re.findall(r"\w+|\W", form)


@settings(max_examples=150, deadline=None)
@given(text=computations())
def test_a_random_program_and_its_graph_have_the_same_gradients(text):
    program = load_program(text, layout=False)
    if program.error is not None:
        assert program.error.kind in ("modified_saved", "no_grad_path")
        return
    if "a value from before a leaf was changed, used again after" in program.notes:
        return
    run = Session(program.graph).run(program.graph.runs[0])
    assert not any(action.error for action in run.results)
    for k, grad in enumerate(program.plain):
        again = run.grads.get(program.graph.named(f"a{k}").id)
        assert (again is None) is (grad is None)
        assert grad is None or np.allclose(again, np.array(grad, float), equal_nan=True)
