"""Synthetic graphs of any size: layered, each node fed by the layers before it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from core.graph import INPUT, Graph, Node, Wire
from core.graph.nodes import frozen
from core.moments import InFlight, Moment
from core.session import Snapshot
from core.trace import Flow

#: Distance of columns and rows in scene units.
_COLUMN, _ROW = 290.0, 190.0
_BINARY = ("add", "subtract", "multiply", "maximum")


def layered(nodes: int, seed: int = 1) -> Graph:
    """A graph of about twice as many wires as nodes, in the shape of a window.

    Every node after the first column is an operation of two inputs, fed mostly by the column
    before its own.
    """
    rng = np.random.default_rng(seed)
    rows = max(3, round(math.sqrt(nodes * _COLUMN / (1.6 * _ROW))))
    made: dict[str, Node] = {}
    wires: dict[str, Wire] = {}
    names = [f"n{i}" for i in range(nodes)]
    for i, node_id in enumerate(names):
        column, row = divmod(i, rows)
        pos = (
            column * _COLUMN + float(rng.uniform(-20, 20)),
            row * _ROW + float(rng.uniform(-10, 10)),
        )
        if column == 0:
            params = {"value": np.float64(rng.normal()) * np.ones(()), "requires_grad": bool(i % 3),
                      "source": None}  # fmt: skip
            made[node_id] = Node(node_id, INPUT, f"x{i}", pos, params)
            continue
        op = str(rng.choice(_BINARY))
        made[node_id] = Node(node_id, op, f"{op}{i}", pos)
        for port in ("a", "b"):
            back = 1 if rng.random() < 0.85 else int(rng.integers(1, 4))
            source_row = int(np.clip(row + rng.integers(-2, 3), 0, rows - 1))
            source = names[max(0, column - back) * rows + source_row]
            wire_id = f"w{len(wires)}"
            wires[wire_id] = Wire(wire_id, source, "y", node_id, port)
    return Graph.of(made, wires, {}, (), nodes + len(wires) + 1)


def written(nodes: int, wires: int, seed: int = 1) -> Graph:
    """A graph with some of all that files hold: arrays, parameters, inline values, reroutes."""
    rng = np.random.default_rng(seed)
    made: dict[str, Node] = {}
    joined: dict[str, Wire] = {}
    for i in range(1, nodes + 1):
        node_id, pos = f"n{i}", (float(rng.uniform(0, 1e4)), float(rng.uniform(0, 1e4)))
        ports: tuple[str, ...] = ("a", "b")
        if i <= 50 or i % 9 == 0:
            value = frozen(rng.normal(size=((), 4, (2, 3))[i % 3]))
            params = {"value": value, "requires_grad": bool(i % 2), "source": None}
            made[node_id] = Node(node_id, INPUT, f"x{i}", pos, params)
            continue
        if i % 7 == 0:
            made[node_id] = Node(node_id, "sum", f"sum{i}", pos, {"axis": -1, "keepdims": True})
            ports = ("x",)
        elif i % 11 == 0:
            made[node_id] = Node(node_id, "multiply", f"scaled{i}", pos, {}, {"b": frozen(2.0)})
            ports = ("a",)
        else:
            op = _BINARY[i % len(_BINARY)]
            made[node_id] = Node(node_id, op, f"{op}{i}", pos)
        for port in ports:
            source = f"n{int(rng.integers(max(1, i - 200), i))}"
            wire_id = f"w{nodes + len(joined) + 1}"
            points = ((1.5, 2.5),) if len(joined) % 10 == 0 else ()
            if len(joined) < wires:
                joined[wire_id] = Wire(wire_id, source, "y", node_id, port, points)
    return Graph.of(made, joined, {}, (), nodes + len(joined) + 1)


def computed(graph: Graph, seed: int = 2) -> Snapshot:
    """Values for every node, made up: painting does not care where they come from."""
    rng = np.random.default_rng(seed)
    values: Mapping[str, tuple[np.ndarray, ...]] = {
        node: (rng.normal(size=(2, 4) if i % 3 == 0 else ()) * np.ones(()),)
        for i, node in enumerate(graph.nodes)
    }
    return Snapshot(
        generation=1,
        graph=graph,
        values=values,
        needs_grad=frozenset(node for i, node in enumerate(graph.nodes) if i % 17),
        errors={},
        notes={},
        saved={},
        grads={},
        backwards=0,
    )


def halfway(graph: Graph, *, flying: int = 50, lit: float = 0.5, seed: int = 3) -> Moment:
    """A moment with that many pulses on their way and that share of the wires lit."""
    rng = np.random.default_rng(seed)
    wires = list(graph.wires.values())
    flows = [
        Flow(wire.port, wire.source, 0, gradient, gradient)
        for wire, gradient in zip(
            wires, rng.normal(size=len(wires)) * 10.0 ** rng.uniform(-3, 0.5, len(wires)),
            strict=True,
        )
    ]  # fmt: skip
    order = rng.permutation(len(wires))
    split = round(lit * len(wires))
    arrived = {(wires[i].target, wires[i].port): flows[i] for i in order[:split]}
    moving = tuple(
        InFlight(wires[i].target, flows[i], float(rng.random()))
        for i in order[split : split + flying]
    )
    cotangents = {flow.node: (flow.total,) for flow in arrived.values()}
    return Moment(time=1.0, step=1, in_flight=moving, arrived=arrived, cotangents=cotangents)
