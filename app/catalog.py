"""What can be put on the canvas, and how a typed word finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from core import ops
from core.graph import ARGUMENT, CALL, CAST, DETACH, INPUT, RESULT, Graph
from core.graph.nodes import frozen
from core.library.spec import OpSpec
from core.making import default_source, make

#: What a row dragged from the palette carries: the key of its entry, as UTF-8.
ENTRY_MIME = "application/x-pullback-entry"

#: Categories in the order of the palette, with their headings.
HEADINGS = {
    "function": "Functions",
    "data": "Values",
    "arithmetic": "Arithmetic",
    "exponential": "Exponential",
    "trigonometry": "Trigonometry",
    "special": "Special functions",
    "reduction": "Reductions",
    "cumulative": "Cumulative",
    "linalg": "Linear algebra",
    "shape": "Shape",
    "indexing": "Indexing",
    "activation": "Activations",
    "loss": "Losses",
    "nn": "Neural networks",
    "fft": "Fourier",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the palette.

    Attributes:
        key: unique; what a drag carries.
        op: ``Node.op`` of the node it makes.
        name: what the new node is called first ("x"; the graph makes it unique); "" for the op's.
        params: makes the new node's parameters; of a call, the id of its function.
        color: category whose colour it has.
        first_port, first_output: what a wire that is dropped with it connects to; "" for none.
        words: further words it is found by.
    """

    key: str
    op: str
    label: str
    category: str
    glyph: str
    summary: str
    name: str = ""
    params: Callable[[], Mapping[str, Any]] = dict
    color: str = ""
    first_port: str = ""
    first_output: str = "y"
    words: tuple[str, ...] = ()


_ONE = np.array(1.0)
_ONE.flags.writeable = False


def _inputs() -> list[Entry]:
    constant = {"value": _ONE, "requires_grad": False, "source": None}
    leaf = {"value": _ONE, "requires_grad": True, "source": None}
    return [
        Entry(
            "leaf", INPUT, "leaf", "data", "x", "A value that requires grad: it gets a gradient",
            name="x", params=lambda: leaf, color="parameter",
            words=("input", "parameter", "variable", "weight", "tensor", "requires_grad"),
        ),
        Entry(
            "constant", INPUT, "constant", "data", "c", "A value without a gradient",
            name="c", params=lambda: constant, color="data",
            words=("input", "value", "number", "data", "target"),
        ),
        Entry(
            "random", INPUT, "random", "data", "~", "Random numbers, the same for the same seed",
            name="W", params=lambda: _made("normal", leaf=True), color="parameter",
            words=("randn", "rand", "normal", "gaussian", "uniform", "seed", "weights"),
        ),
        Entry(
            "range", INPUT, "range", "data", "…", "Numbers evenly apart",
            name="t", params=lambda: _made("linspace"), color="data", words=("arange", "linspace"),
        ),
        Entry(
            "zeros", INPUT, "zeros", "data", "0", "Zeros, ones, or one number everywhere",
            name="c", params=lambda: _made("zeros"), color="data", words=("ones", "full", "fill"),
        ),
        Entry(
            "eye", INPUT, "identity", "data", "I", "The identity matrix",
            name="I", params=lambda: _made("eye"), color="data", words=("eye", "unit", "diagonal"),
        ),
        Entry(
            DETACH, DETACH, "detach", "data", "⊣", "The same value, cut off from backward",
            color="graph", first_port="x", words=("stop_gradient", "no_grad", "stop"),
        ),
        Entry(
            CAST, CAST, "cast", "data", "→T", "The same value in another dtype",
            color="graph", first_port="x", params=lambda: {"dtype": "float32"},
            words=("dtype", "astype", "float32", "to", "int64"),
        ),
    ]  # fmt: skip


def _made(kind: str, *, leaf: bool = False) -> dict[str, Any]:
    """What an input has whose value a recipe makes."""
    source = default_source(kind)
    return {"value": frozen(make(source)), "requires_grad": leaf, "source": source}


def function_entries(graph: Graph) -> list[Entry]:
    """The functions that may be used in a graph, and in the body of one its ends."""
    found = [
        Entry(
            key=f"function {function.id}", op=CALL, label=function.name, category="function",
            glyph="ƒ", summary=f"{', '.join(function.inputs)} → {', '.join(function.outputs)}",
            params=partial(dict, function=function.id), color="function",
            first_port=next(iter(function.inputs), ""), first_output=function.outputs[0],
            words=("function", "call"),
        )
        for function in sorted(graph.functions.values(), key=lambda f: f.name.lower())
        if graph.inside not in function.callees | {function.id}
    ]  # fmt: skip
    return found + _ENDS if graph.inside else found


_ENDS = [
    Entry(
        ARGUMENT, ARGUMENT, "argument", "function", "in", "A port at which a value comes in",
        color="function", words=("input", "port", "parameter"),
    ),
    Entry(
        RESULT, RESULT, "result", "function", "out", "A port at which a value goes out",
        color="function", first_port="x", words=("output", "port", "return"),
    ),
]  # fmt: skip


@cache
def entries() -> tuple[Entry, ...]:
    """Everything that can be added, category by category."""
    found = [_entry(ops.find(name)) for name in ops.names()]
    order = {category: i for i, category in enumerate(HEADINGS)}
    visible = [entry for entry in found if entry is not None]
    sorted_ops = sorted(visible, key=lambda entry: order.get(entry.category, len(order)))
    return (*_inputs(), *sorted_ops)


def _entry(spec: OpSpec) -> Entry | None:
    if spec.hidden:
        return None
    port = spec.ports[0] if spec.ports else ""
    return Entry(
        key=spec.name,
        op=spec.name,
        label=spec.label,
        category=spec.category,
        glyph=spec.glyph or spec.label[:2],
        summary=spec.summary,
        color=spec.category,
        first_port=f"{port}[0]" if spec.variadic else port,
        # "y*" stands for as many outputs as there are; the first is "y0" or so: the graph knows.
        first_output="" if spec.outputs[0].endswith("*") else spec.outputs[0],
        words=(spec.name, *spec.aliases, *spec.keywords),
    )


def search(candidates: Iterable[Entry], query: str) -> list[Entry]:
    """The entries that every word of ``query`` fits, best first."""
    words = query.lower().split()
    ranked = [
        (rank, i, entry)
        for i, entry in enumerate(candidates)
        if (rank := _rank(entry, words)) is not None
    ]
    return [entry for _, _, entry in sorted(ranked, key=lambda r: r[:2])]


def _rank(entry: Entry, words: Sequence[str]) -> int | None:
    ranks = [_rank_word(entry, word) for word in words]
    return None if any(rank is None for rank in ranks) else sum(r for r in ranks if r is not None)


def _rank_word(entry: Entry, word: str) -> int | None:
    """How badly ``word`` fits: 0 is its very name, None not at all."""
    own = {entry.key.lower(), entry.label.lower()}
    others = {other.lower() for other in entry.words}
    if word in own or word == entry.glyph.lower():
        return 0
    if word in others:
        return 1
    if any(name.startswith(word) for name in own):
        return 2
    if any(name.startswith(word) for name in others):
        return 3
    if any(word in name for name in own | others):
        return 4
    summary = entry.summary.lower()
    if any(part.startswith(word) for part in summary.split()):
        return 5
    if word in summary or word in HEADINGS.get(entry.category, "").lower():
        return 6
    # "sfmx" finds softmax, but two letters would find everything.
    if len(word) > 2 and any(_is_subsequence(word, name) for name in own):
        return 8
    return None


def _is_subsequence(word: str, name: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in word)
