"""Programs read: parsed, run by us, and made a graph of."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import LimitError, ProgramError, PullbackError
from core.graph import Graph
from core.importers.python.assembly import assembled
from core.importers.python.failures import program_error
from core.importers.python.formulas import Inputs, formula_names, is_formula
from core.importers.python.interpreter import Interpreter
from core.importers.python.limits import Budget, Limits, Watch
from core.importers.python.machine import Machine
from core.importers.python.recorder import Recorder
from core.importers.python.result import plain_result
from core.importers.python.views import Views
from core.modes import state


@dataclass(frozen=True)
class Program:
    """What came of reading a program.

    Attributes:
        graph: what it computed, with one run of what it did ("program"); up to the error, if any.
        result: the value of its variable ``result``; None if it has none.
        has_result: whether it set one.
        plain: the result as plain lists, numbers and text.
        printed: what it printed.
        error: what ended it, with its line; None if it ended well.
        notes: what it did that the graph does not show.
    """

    graph: Graph
    result: Any
    has_result: bool
    plain: Any
    printed: str
    error: PullbackError | None
    notes: tuple[str, ...] = ()


def load_program(
    text: str,
    limits: Limits | None = None,
    *,
    layout: bool = True,
    arrays: Mapping[str, np.ndarray[Any, Any]] | None = None,
) -> Program:
    """Read a PyTorch or NumPy program, or a formula.

    Nothing of it is run by Python: its text is parsed, and interpreted over a list of known names.

    Args:
        limits: what it may take.
        layout: give the nodes places; without, they all stand in one.
        arrays: what ``np.load`` gives, by the name of the file; no file is ever opened.
    """
    budget = Budget(limits or Limits())
    recorder = Recorder()
    machine = Machine(budget, recorder)
    machine.views = Views(machine)
    machine.extras["arrays"] = arrays or {}
    error: PullbackError | None = None
    names: dict[str, Any] = {}
    plain: Any = None
    with _own_state(Watch(budget)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = parsed(text, budget.limits)
            interpreter = Interpreter(machine)
            if is_formula(tree):
                machine.default = np.dtype(np.float64)
                recorder.demonstrates = True
                interpreter.read_as_formula(formula_names(), Inputs(tree))
            names = interpreter.scope.names
            interpreter.run(tree.body)
            plain = interpreter.guarded(plain_result, names.get("result"))
        except PullbackError as caught:
            error = caught
    return Program(
        assembled(recorder, layout=layout),
        names.get("result"),
        "result" in names,
        plain,
        "".join(machine.printed),
        error,
        tuple(recorder.notes),
    )


@contextmanager
def _own_state(watch: Watch) -> Iterator[None]:
    """Modes that the program sets are its own."""
    before = (state.grad, state.anomaly, state.observer, state.backwards)
    state.grad, state.anomaly, state.observer, state.backwards = True, None, watch, 0
    try:
        yield
    finally:
        state.grad, state.anomaly, state.observer, state.backwards = before


def parsed(text: str, limits: Limits) -> ast.Module:
    """The program's tree.

    Raises:
        LimitError: it is too long, or nested too deeply.
        ProgramError: it is no Python, at the line where it stops being so.
    """
    if len(text) > limits.text:
        raise LimitError(
            f"The program has {len(text):,} characters; at most {limits.text:,} are read.",
            next_step="Cut out the part you want to see.",
        )
    if text.count("{") > limits.braces:
        raise LimitError(
            f"The program has more than {limits.braces:,} braces.",
            next_step="Write its numbers in lists, and its texts in pieces.",
        )
    try:
        return ast.parse(text)
    except SyntaxError as error:
        made: ProgramError = program_error("SyntaxError", error.msg or "invalid syntax")
        made.line = error.lineno
        raise made from None
    except (RecursionError, MemoryError):
        raise LimitError(
            "The program is nested too deeply.", next_step="Write it in shorter steps.", line=1
        ) from None
    except ValueError as error:
        made = program_error("SyntaxError", str(error))
        made.line = 1
        raise made from None
