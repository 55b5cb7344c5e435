"""What one backward did, as plain data.

A ``Trace`` is recorded by the engine's observer and stays playable after its tape was freed. How it
is laid out in time, see ``core.schedule``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """What is kept of an array when a trace would grow too large.

    Attributes:
        sample: the first elements in C order, at most 16.
        rms, mean, low, high: over all elements (NaN when one is NaN).
    """

    shape: tuple[int, ...]
    dtype: str
    rms: float
    mean: float
    low: float
    high: float
    sample: Array


@dataclass(frozen=True, slots=True)
class Flow:
    """One VJP travelling back from a node to the node that made its input.

    Attributes:
        port: input port of the visited node (``xs[2]`` for a variadic one).
        node, output: who receives it: node id and index of its output.
        contribution: what the VJP rule gave, shaped like the value on the wire.
        total: the receiver's cotangent after this arrival: the sum so far.
        count: which arrival at the receiver this is, from 1.
    """

    port: str
    node: str
    output: int
    contribution: Array | Summary
    total: Array | Summary
    count: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One visited record, or one leaf that accumulated.

    Attributes:
        node: id of the node.
        op: name of its operation; ``""`` for a leaf.
        cotangents: what had arrived, one per output; None where nothing did.
        flows: what it sent to its inputs, in port order.
        freed: names of the saved values that this backward let go.
        accumulates: whether it added to the node's ``.grad`` (leaves and retained nodes).
        before, after: ``.grad`` before and after; None if there was none.
    """

    node: str
    op: str
    cotangents: tuple[Array | Summary | None, ...]
    flows: tuple[Flow, ...] = ()
    freed: tuple[str, ...] = ()
    before: Array | Summary | None = None
    after: Array | Summary | None = None
    accumulates: bool = False


@dataclass(frozen=True, slots=True)
class CallPorts:
    """Where an instance of a function begins and ends among the nodes it stands for.

    Attributes:
        inputs: id of the node of each argument, ``"n7/n1"`` -> name of the input port.
        outputs: id of the node of each result, one an output port.
        inside: id of each node directly inside -> its name there.
    """

    inputs: Mapping[str, str]
    outputs: tuple[str, ...]
    inside: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole backward.

    Attributes:
        number: which backward of its session this is, from 1.
        roots: (node id, output index, cotangent given) of every root.
        steps: in the order the engine visited them.
        retained: whether saved values were kept.
        error: why it stopped early, if it did (``core.errors.PullbackError``).
        summarised: whether arrays were replaced by summaries to bound the memory.
        bytes: of the arrays it keeps, at most ``core.observe.TRACE_BYTES``.
        calls: the functions its nodes are inside of, by id; inner ones first.
    """

    number: int
    roots: tuple[tuple[str, int, Array | Summary], ...]
    steps: tuple[Step, ...]
    retained: bool = False
    error: Exception | None = None
    summarised: bool = False
    bytes: int = 0
    calls: Mapping[str, CallPorts] = field(default_factory=dict)
