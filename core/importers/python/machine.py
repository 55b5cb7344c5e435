"""The machine that a program runs on: operations on Tensors, with torch's types and views.

``Machine.op`` is the one door through which a program's operations go: it asks what they cost,
applies them with our engine, and tells the recorder, which builds the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core import ops
from core.errors import PullbackError
from core.importers.python import costs, dtypes
from core.importers.python.failures import outside, program_error
from core.importers.python.limits import Budget
from core.importers.python.recorder import Recorder
from core.importers.python.values import NdArray
from core.library.casting import CAST
from core.library.spec import OpSpec
from core.recording import apply
from core.records import LEAF, SELECT, Freed
from core.tensor import Tensor, make_tensor

if TYPE_CHECKING:
    from core.importers.python.views import Views

_CASTS = CAST.params[0].choices


class Machine:
    """What a running program has beside its names.

    Attributes:
        budget: what it may still take.
        recorder: who is told what the program does, and builds the graph.
        views: which tensors look at the same memory (set by who makes the machine).
        default: the type of tensors made of plain numbers.
        call: calls a function of the program (set by the interpreter).
        line: where the program is.
        printed: what it printed, in pieces.
        caught: lists that warnings go to, innermost last.
    """

    views: Views

    def __init__(self, budget: Budget, recorder: Recorder) -> None:
        self.budget = budget
        self.recorder = recorder
        self.default: np.dtype[Any] = np.dtype(np.float32)
        self.call: Callable[..., Any] = _not_ready
        self.line = 0
        self.printed: list[str] = []
        self._printed = 0
        self.caught: list[list[Any]] = []
        self.extras: dict[str, Any] = {}  # state of single modules: the random generator, ...

    # -- operations -------------------------------------------------------------------------------

    def op(self, name: str, *inputs: Any, **params: Any) -> Any:
        """Apply an operation to Tensors and numbers; NumPy's rules on types.

        Raises:
            LimitError: it would cost too much.
            OperandError: it cannot take these values.
        """
        return self.apply(ops.find(name), inputs, params)

    def apply(self, spec: OpSpec, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
        """``op``, of a given operation."""
        inputs = [x.tensor if isinstance(x, NdArray) else x for x in inputs]
        shapes = [x.shape for x in inputs if isinstance(x, Tensor | np.ndarray)]
        costs.charge(self.budget, spec, shapes, params)
        self.budget.step()
        self.budget.check_time()
        try:
            made = apply(spec, inputs, params, Tensor)
        except MemoryError:
            self.budget.refuse(
                f"{spec.name} needs more memory than there is.", "Make its arrays smaller."
            )
        outputs = made if isinstance(made, tuple) else (made,)
        for y in outputs:
            settle(y)
            self.budget.hold(y._data)
        self.recorder.operation(spec, inputs, params, outputs)
        return made

    def pointwise(self, name: str, *inputs: Any, floating: bool = False, **params: Any) -> Any:
        """Apply an elementwise operation with torch's rules on types.

        Args:
            floating: whether the operation is of real numbers, so that integers become floats.
        """
        return self.op(name, *self.promoted(inputs, floating), **params)

    def promoted(self, inputs: Sequence[Any], floating: bool = False) -> list[Any]:
        """The operands, those cast whose type would come to another result in NumPy."""
        given = [x.tensor if isinstance(x, NdArray) else x for x in inputs]
        known = [x for x in given if x is not None]
        wanted = dtypes.result_type(known, self.default)
        if floating and dtypes.category(wanted) < 2:
            wanted = self.default
        numpys = np.result_type(*[x.dtype if isinstance(x, Tensor) else x for x in known])
        if numpys == wanted and not (floating and dtypes.category(numpys) < 2):
            return given
        return [
            self.cast(x, wanted)
            if isinstance(x, Tensor)
            else (x if x is None else make_tensor(np.asarray(x, wanted)))
            for x in given
        ]

    def cast(self, x: Tensor, dtype: Any) -> Tensor:
        """The same values as another type; ``x`` itself if it has it."""
        wanted = np.dtype(dtype)
        if x.dtype == wanted:
            return x
        if wanted.name in _CASTS:
            made: Tensor = self.apply(CAST, (x,), {"dtype": wanted.name})
            return made
        if x.requires_grad and dtypes.category(wanted) > 1:
            raise outside(
                f"Gradients through a cast to {wanted.name} are not computed here.",
                "Use float32 or float64.",
            )
        with np.errstate(all="ignore"):
            return self.constant(x.data.astype(wanted))

    def constant(self, value: Any, requires_grad: bool = False) -> Tensor:
        """A new Tensor of values."""
        array = np.asarray(value)
        self.budget.shape(array.shape)
        self.budget.hold(array)
        return Tensor(array, requires_grad=requires_grad)

    # -- printing and warnings --------------------------------------------------------------------

    def print(self, text: str) -> None:
        """Keep what the program prints."""
        self._printed += len(text)
        self.budget.length(self._printed, "printed text")
        self.printed.append(text)

    def warn(self, message: str, category: str = "UserWarning") -> None:
        """A warning of torch's, for a program that listens."""
        if self.caught:
            self.caught[-1].append((message, category))


def settle(y: Tensor) -> None:
    """Keep a tensor's value as an array, never as a NumPy scalar.

    Then views and aliases share it, and what is changed in place through one is seen by all.
    """
    scalar = y._data
    if isinstance(scalar, np.ndarray):
        return
    array = np.asarray(scalar)
    record = y._record
    if record is not None and record.lane not in (LEAF, SELECT) and type(record.args) is not Freed:
        record.args = tuple(
            args and tuple(array if x is scalar else x for x in args) for args in record.args
        )
    y._data = array


def need(x: Any, function: str, position: int = 1) -> Tensor:
    """``x``, which must be a tensor.

    Raises:
        ProgramError: it is something else.
    """
    if isinstance(x, Tensor):
        return x
    if isinstance(x, NdArray):
        return x.tensor
    raise program_error(
        "TypeError",
        f"{function}(): argument (position {position}) must be Tensor, not {type(x).__name__}",
    )


def _not_ready(*_: Any) -> Any:
    raise PullbackError("No program is running.", next_step="Start one.")
