"""A function of fixed shapes, with its backward, compiled once into straight-line NumPy.

The eager engine runs once over ``core.symbols``, which note every call that forward operations and
VJP rules make: recording, grad, create_graph and all. What was noted is then simplified and
written as one Python function without Tensors or records. The values are the eager ones.

Each call of a plan costs what NumPy costs: elementwise results take the memory of operands that
are used no more, and what is needed no more is let go.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from core.errors import PlanError
from core.modes import state
from core.symbols import METHODS, Array, Place, Step, Symbol, Tracer
from core.tensor import Tensor, make_tensor

#: Arrays of fewer bytes are not worth writing over: making one is as quick.
_REUSED_BYTES = 4096
#: Elements of a block: a few of float64 fit in a processor's second cache.
_BLOCK = 8192
#: The lanes call Python's operators, which the same functions stand behind.
_UFUNCS: dict[Callable[..., Any], np.ufunc] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply,
    operator.truediv: np.divide, operator.matmul: np.matmul, operator.neg: np.negative,
}  # fmt: skip
_INFIX: dict[Callable[..., Any], str] = {
    np.add: "{} + {}", np.subtract: "{} - {}", np.multiply: "{} * {}", np.divide: "{} / {}",
    np.matmul: "{} @ {}", np.negative: "-{}",
}  # fmt: skip


class Plan:
    """``function`` compiled for inputs of the shapes and dtypes of ``examples``.

    Args:
        function: takes a Tensor an example, each requiring grad if it can; returns a Tensor or a
            tuple of Tensors. It may call ``grad`` with create_graph, too. Python decides while it
            is compiled, so nothing in it may depend on values.
        examples: arrays (or numbers); they must be values the function can take.

    Raises:
        PlanError: something depends on values, is written in place, or escapes being noted.

    Attributes:
        source: the compiled function's text.
    """

    def __init__(self, function: Callable[..., Any], *examples: Any) -> None:
        arrays = [np.asarray(x) for x in examples]
        self._likes = [(x.shape, x.dtype) for x in arrays]
        tracer = Tracer()
        symbols = [tracer.symbol(x) for x in arrays]
        results = _traced(function, symbols, tracer)
        self._many = isinstance(results, tuple)
        outputs = results if isinstance(results, tuple) else (results,)
        steps, renamed = _simplified(tracer)
        ends = [renamed.get(y.noted, y.noted) if isinstance(y, Symbol) else y for y in outputs]
        kept, ends = _without_copies(_needed(steps, ends), ends)
        self.source, scope = _written(kept, [x.noted for x in symbols], ends, tracer.examples)
        exec(self.source, scope)
        self._run: Callable[..., tuple[Any, ...]] = scope["run"]
        self._dtypes = [tracer.examples[y.index].dtype for y in ends if isinstance(y, Place)]
        self._block = len(self._dtypes) == len(ends) and _is_in_blocks(
            kept, arrays, tracer.examples
        )
        self._check(function, arrays)

    def __call__(self, *inputs: Any) -> Any:
        """The outputs as arrays (NumPy scalars for shape ()), a tuple if the function gave one.

        Raises:
            PlanError: an input has another shape or dtype than its example.
        """
        for i, (x, like) in enumerate(zip(inputs, self._likes, strict=True)):
            if (np.shape(x), getattr(x, "dtype", None)) != like:
                raise PlanError(
                    f"Input {i} is {getattr(x, 'dtype', type(x).__name__)} {np.shape(x)}; the plan "
                    f"was made for {like[1]} {like[0]}.",
                    next_step="Make a plan for these shapes and dtypes.",
                )
        run = self._in_blocks if self._block else self._run
        found = state.mode.quietly(run, *inputs)
        return found if self._many else found[0]

    def _in_blocks(self, *inputs: Array) -> tuple[Array, ...]:
        """Run piece by piece, so that all intermediate results stay in the cache."""
        shape = self._likes[0][0]
        flat = [x.reshape(-1) for x in inputs]
        outputs = [np.empty(flat[0].size, dtype) for dtype in self._dtypes]
        for start in range(0, flat[0].size, _BLOCK):
            block = slice(start, start + _BLOCK)
            for output, piece in zip(outputs, self._run(*[x[block] for x in flat]), strict=True):
                output[block] = piece
        return tuple(output.reshape(shape) for output in outputs)

    def _check(self, function: Callable[..., Any], arrays: list[Array]) -> None:
        """Compare with the eager engine on other values: nothing may have become a constant."""
        others = [x * x.dtype.type(0.999) if x.dtype.kind in "fc" else x for x in arrays]
        eager = function(*[_leaf(x) for x in others])
        planned = self(*[x[()] for x in others])
        pairs = zip(eager, planned, strict=True) if self._many else [(eager, planned)]
        for y, z in pairs:
            if not np.allclose(y._data, z, rtol=1e-7, atol=0.0, equal_nan=True):
                raise PlanError(
                    "The plan does not give the values of the function: something in it depends "
                    "on values, or on something that changes from call to call.",
                    next_step="Compute it without a plan.",
                )


def _leaf(x: Array) -> Tensor:
    leaf = make_tensor(x)
    if x.dtype.kind in "fc":
        leaf.requires_grad = True
    return leaf


def _traced(function: Callable[..., Any], symbols: list[Symbol], tracer: Tracer) -> Any:
    """What the function returns on Tensors of Symbols: Symbols, or arrays that are constant."""
    mode = state.mode
    before: Any = mode.quietly
    mode.quietly = tracer.call  # type: ignore[assignment]
    try:
        with np.errstate(all="ignore"):
            result = function(*[_leaf(symbol) for symbol in symbols])
    finally:
        mode.quietly = before
    if isinstance(result, tuple):
        return tuple(y._data for y in result)
    return result._data


# -- simplifying -----------------------------------------------------------------------------------


def _simplified(tracer: Tracer) -> tuple[list[Step], dict[Place, Place]]:
    """Steps without repetitions and products with 1, and which place stands for which."""
    renamed: dict[Place, Place] = {}
    known: dict[Any, Step] = {}
    kept: list[Step] = []
    for step in tracer.steps:
        args = _renamed(step.args, renamed)
        kwargs = _renamed(step.kwargs, renamed)
        function = _UFUNCS.get(step.function, step.function)
        step = _with_numbers(Step(function, args, kwargs, step.out), tracer.examples)
        same = _times_one(step, tracer.examples)
        if same is not None:
            renamed[_outs(step)[0]] = same
            continue
        key = (step.function, _key(args), _key(kwargs))
        twin = known.setdefault(key, step)
        if twin is step:
            kept.append(step)
        else:
            renamed.update(zip(_outs(step), _outs(twin), strict=True))
    return kept, renamed


def _renamed(value: Any, renamed: Mapping[Place, Place]) -> Any:
    if isinstance(value, Place):
        return renamed.get(value, value)
    if type(value) in (tuple, list):
        return type(value)(_renamed(part, renamed) for part in value)
    if type(value) is dict:
        return {key: _renamed(part, renamed) for key, part in value.items()}
    return value


def _key(value: Any) -> Any:
    """Equal for equal arguments: arrays only if they are the same one."""
    if type(value) in (tuple, list):
        return (type(value), *[_key(part) for part in value])
    if type(value) is dict:
        return tuple((name, _key(part)) for name, part in sorted(value.items()))
    if type(value) is slice:
        return (slice, value.start, value.stop, value.step)
    plain = isinstance(value, Place | int | float | str | type(None) | np.dtype | type)
    return (type(value), value) if plain else id(value)


def _with_numbers(step: Step, examples: list[Any]) -> Step:
    """An elementwise step with a number for each constant array that holds but one number."""
    if not _is_elementwise(step):
        return step
    shape = examples[_outs(step)[0].index].shape
    if not any(isinstance(x, Place) and examples[x.index].shape == shape for x in step.args):
        return step
    args = tuple(
        x.flat[0] if isinstance(x, np.ndarray) and x.size and np.all(x == x.flat[0]) else x
        for x in step.args
    )
    return Step(step.function, args, step.kwargs, step.out)


def _times_one(step: Step, examples: list[Any]) -> Place | None:
    """The factor that a product with 1 equals, shape and dtype and all."""
    if step.function is not np.multiply or step.kwargs:
        return None
    for one, other in (step.args, step.args[::-1]):
        if isinstance(other, Place) and not isinstance(one, Place) and np.all(one == 1):
            assert isinstance(step.out, Place)  # a product has one result
            made, given = examples[step.out.index], examples[other.index]
            if (made.shape, made.dtype) == (given.shape, given.dtype):
                return other
    return None


def _needed(steps: list[Step], ends: list[Any]) -> list[Step]:
    """The steps that the outputs depend on."""
    wanted = {end for end in ends if isinstance(end, Place)}
    kept: list[Step] = []
    for step in reversed(steps):
        if any(out in wanted for out in _outs(step)):
            kept.append(step)
            wanted.update(_places((step.args, step.kwargs)))
    return kept[::-1]


def _without_copies(steps: list[Step], ends: list[Any]) -> tuple[list[Step], list[Any]]:
    """Copies of what a ufunc made for them alone are left out: it is theirs already."""
    uses = Counter(_places([(step.args, step.kwargs) for step in steps] + ends))
    made = {step.out for step in steps if isinstance(step.function, np.ufunc)}
    same: dict[Place, Place] = {}
    for step in steps:
        source = step.args[0] if step.args else None
        if step.function is METHODS["copy"] and source in made and uses[source] == 1:
            same[_outs(step)[0]] = source
    kept = [step for step in steps if step.out not in same]
    renamed = [
        Step(step.function, _renamed(step.args, same), _renamed(step.kwargs, same), step.out)
        for step in kept
    ]
    return renamed, _renamed(ends, same)


def _outs(step: Step) -> tuple[Place, ...]:
    return (step.out,) if isinstance(step.out, Place) else step.out


def _places(value: Any) -> Iterator[Place]:
    if isinstance(value, Place):
        yield value
    elif type(value) in (tuple, list):
        for part in value:
            yield from _places(part)
    elif type(value) is dict:
        for part in value.values():
            yield from _places(part)


def _is_in_blocks(steps: list[Step], inputs: list[Array], examples: list[Any]) -> bool:
    """Whether every step works element by element on large arrays of one shape and numbers."""
    shape = inputs[0].shape
    if inputs[0].size <= _BLOCK or any(x.shape != shape for x in inputs):
        return False
    return all(
        _is_elementwise(step)
        and all(np.ndim(x) == 0 for x in step.args if not isinstance(x, Place))
        and all(examples[out.index].shape == shape for out in _outs(step))
        for step in steps
    )


# -- writing ---------------------------------------------------------------------------------------


def _written(
    steps: list[Step], inputs: list[Place], ends: list[Any], examples: list[Any]
) -> tuple[str, dict[str, Any]]:
    """The source of ``run`` and the names it uses."""
    scope: dict[str, Any] = {}
    names: dict[int, str] = {}

    def name_of(value: Any, letter: str) -> str:
        name = names.get(id(value))
        if name is None:
            name = names[id(value)] = f"{letter}{len(names)}"
            scope[name] = value
        return name

    def words(value: Any) -> str:
        if isinstance(value, Place):
            return f"v{value.index}"
        if type(value) is tuple and any(_places(value)):
            return f"({''.join(f'{words(part)}, ' for part in value)})"
        if type(value) is list and any(_places(value)):
            return f"[{', '.join(map(words, value))}]"
        if value is None or type(value) in (bool, int):
            return repr(value)
        return name_of(value, "k")

    last = {place: i for i, step in enumerate(steps) for place in _places((step.args, step.kwargs))}
    lasting = {*inputs, *(end for end in ends if isinstance(end, Place))}
    fresh = _written_over(steps, examples) - lasting
    lines = [f"def run({', '.join(map(words, inputs))}):"]
    for i, step in enumerate(steps):
        args = [words(value) for value in step.args]
        out = ", ".join(map(words, _outs(step)))
        dying = [p for p in dict.fromkeys(_places(step.args)) if last[p] == i and p in fresh]
        over = next((p for p in dying if _fits(step, p, examples)), None)
        infix = _INFIX.get(step.function)
        if over is not None:
            call = f"{name_of(step.function, 'f')}({', '.join([*args, words(over)])})"
        elif infix and not step.kwargs:
            call = infix.format(*args)
        else:
            args += [f"{key}={words(value)}" for key, value in step.kwargs.items()]
            call = f"{name_of(step.function, 'f')}({', '.join(args)})"
        lines.append(f"    {out} = {call}")
        dead = [p for p in dict.fromkeys(_places((step.args, step.kwargs)))
                if last[p] == i and p not in lasting and _is_large(examples[p.index])]  # fmt: skip
        if dead:
            lines.append(f"    del {', '.join(map(words, dead))}")
    lines.append(f"    return ({''.join(f'{words(end)}, ' for end in ends)})")
    return "\n".join(lines) + "\n", scope


def _is_large(example: Any) -> bool:
    return bool(example.nbytes >= _REUSED_BYTES)


def _is_elementwise(step: Step) -> bool:
    function = step.function
    return isinstance(function, np.ufunc) and function.signature is None and not step.kwargs


def _written_over(steps: list[Step], examples: list[Any]) -> set[Place]:
    """Places whose memory is theirs alone: made and only used by elementwise functions."""
    fresh = {
        step.out
        for step in steps
        if isinstance(step.out, Place)
        and _is_elementwise(step)
        and _is_large(examples[step.out.index])
    }
    for step in steps:
        if not _is_elementwise(step):
            fresh -= set(_places((step.args, step.kwargs)))
    return fresh


def _fits(step: Step, place: Place, examples: list[Any]) -> bool:
    """Whether the result of an elementwise step can take the memory of one of its operands."""
    if not _is_elementwise(step) or not isinstance(step.out, Place):
        return False
    made, given = examples[step.out.index], examples[place.index]
    return bool((made.shape, made.dtype) == (given.shape, given.dtype))
