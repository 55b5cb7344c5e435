"""How values are made: constants, ranges, and random numbers that come out the same every time.

A *source* is the plain mapping that an input node remembers and files hold: ``kind``, the name of a
recipe, and what the recipe asks for. The same source makes the same array, always.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from core.errors import EditRefusedError

Array = np.ndarray[Any, Any]
Source = Mapping[str, Any]

#: Elements that a value made by a recipe may have.
MOST_ELEMENTS = 10_000_000
#: Seeds are whole numbers below this.
SEEDS = 2**31


@dataclass(frozen=True, slots=True)
class Ingredient:
    """One thing that a recipe asks for.

    Attributes:
        kind: ``shape`` (a list of lengths), ``number``, ``count`` (a whole number, 0 or more) or
            ``seed``.
        default: what it is at first, and where a source does not say.
    """

    name: str
    label: str
    kind: Literal["shape", "number", "count", "seed"]
    default: Any = 0.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to make an array.

    Attributes:
        make: the array (of whatever dtype) of the ingredients, in their order.
        size: how many elements that would be; asked before ``make``.
        words: what else people call it.
    """

    kind: str
    label: str
    ingredients: tuple[Ingredient, ...]
    make: Callable[..., Array]
    size: Callable[..., float]
    words: tuple[str, ...] = ()


def _of_shape(shape: tuple[int, ...], *_rest: Any) -> float:
    return math.prod(map(float, shape))


def _range_size(start: float, stop: float, step: float) -> float:
    if step == 0:
        raise EditRefusedError("This range has no end.", next_step="Give a step other than 0.")
    return max(0.0, (stop - start) / step)


_SHAPE = Ingredient("shape", "shape", "shape", (2, 3))
_SEED = Ingredient("seed", "seed", "seed", 0)


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


RECIPES: Mapping[str, Recipe] = {
    recipe.kind: recipe
    for recipe in (
        Recipe("zeros", "zeros", (_SHAPE,), np.zeros, _of_shape),
        Recipe("ones", "ones", (_SHAPE,), np.ones, _of_shape),
        Recipe(
            "full", "all the same",
            (_SHAPE, Ingredient("value", "value", "number", 1.0)),
            np.full, _of_shape, ("full", "fill", "constant"),
        ),
        Recipe(
            "eye", "identity matrix",
            (Ingredient("rows", "rows", "count", 3), Ingredient("columns", "columns", "count", 3)),
            np.eye, lambda rows, columns: float(rows) * columns, ("eye", "identity"),
        ),
        Recipe(
            "range", "range by step",
            (
                Ingredient("start", "from", "number", 0.0),
                Ingredient("stop", "to, exclusive", "number", 4.0),
                Ingredient("step", "step", "number", 1.0),
            ),
            np.arange, _range_size, ("arange",),
        ),
        Recipe(
            "linspace", "range by count",
            (
                Ingredient("start", "from", "number", 0.0),
                Ingredient("stop", "to, inclusive", "number", 1.0),
                Ingredient("count", "count", "count", 5),
            ),
            np.linspace, lambda _start, _stop, count: float(count), ("linspace",),
        ),
        Recipe(
            "normal", "random, normal",
            (
                _SHAPE,
                Ingredient("mean", "mean", "number", 0.0),
                Ingredient("deviation", "deviation", "number", 1.0),
                _SEED,
            ),
            lambda shape, mean, width, seed: mean + width * _rng(seed).standard_normal(shape),
            _of_shape, ("randn", "gaussian", "random"),
        ),
        Recipe(
            "uniform", "random, uniform",
            (
                _SHAPE,
                Ingredient("low", "from", "number", 0.0),
                Ingredient("high", "to", "number", 1.0),
                _SEED,
            ),
            lambda shape, low, high, seed: low + (high - low) * _rng(seed).random(shape),
            _of_shape, ("rand", "random"),
        ),
    )
}  # fmt: skip


def default_source(kind: str) -> dict[str, Any]:
    """A recipe's source with what its ingredients are at first, in plain lists and numbers."""
    defaults = {item.name: item.default for item in RECIPES[kind].ingredients}
    return {
        "kind": kind,
        **{k: list(v) if isinstance(v, tuple) else v for k, v in defaults.items()},
    }


def is_recipe(source: Source | None) -> bool:
    """Whether a source says how to make its value again."""
    return source is not None and _recipe(source) is not None


def make(source: Source, dtype: str = "float64") -> Array:
    """The array that a source describes.

    Raises:
        EditRefusedError: if the source is of no known kind, or what it asks for cannot be made.
    """
    recipe = _recipe(source)
    if recipe is None:
        raise EditRefusedError(
            "How this value was made is not known here.", next_step="Choose a way to make it."
        )
    given = [_checked(item, source.get(item.name, item.default)) for item in recipe.ingredients]
    if recipe.size(*given) > MOST_ELEMENTS:
        raise EditRefusedError(
            f"This value would have more than {MOST_ELEMENTS:,} elements.",
            next_step="Make it smaller.",
        )
    with np.errstate(over="ignore", invalid="ignore"):  # NumPy's choice is as good as any
        return np.asarray(recipe.make(*given)).astype(dtype)


def described(source: Source) -> str:
    """A source in one line: ``random, normal: shape 2 × 3, seed 5``."""
    recipe = RECIPES[source["kind"]]
    parts = []
    for item in recipe.ingredients:
        value = source.get(item.name, item.default)
        if item.kind == "shape":
            parts.append(f"shape {' × '.join(map(str, value)) or 'scalar'}")
        elif item.kind == "seed" or value != item.default or recipe.kind in ("range", "linspace"):
            parts.append(f"{item.label} {value:g}")
    return f"{recipe.label}: {', '.join(parts)}"


def _recipe(source: Source) -> Recipe | None:
    kind = source.get("kind")
    return RECIPES.get(kind) if isinstance(kind, str) else None


def _checked(item: Ingredient, value: Any) -> Any:
    if item.kind == "shape":
        if isinstance(value, list | tuple) and all(map(_is_count, value)) and len(value) <= 32:
            return tuple(value)
        raise EditRefusedError(
            "This shape cannot be filled.", next_step="Give lengths of 0 or more, such as 2, 3."
        )
    if item.kind == "number":
        if isinstance(value, int | float) and math.isfinite(value):
            return float(value)
        raise EditRefusedError(
            f"'{item.label}' is not a finite number.", next_step="Give it a number."
        )
    limit = SEEDS if item.kind == "seed" else MOST_ELEMENTS + 1
    if _is_count(value) and value < limit:
        return value
    raise EditRefusedError(
        f"'{item.label}' is not a whole number from 0 to {limit - 1:,}.", next_step="Give it one."
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0
