"""The graph of a program, put together at its end: names, wires, places, frames, its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from core import ops
from core.errors import EditRefusedError
from core.graph import Graph, Node, Run, Wire, naming
from core.graph.actions import Action, Backward, Grad, GradRef, nodes_of, roots_of
from core.graph.checks import checked_inline, checked_params
from core.graph.nodes import DETACH, INPUT, SPECIAL
from core.graph.ports import output_name
from core.importers.placeholders import placeholder
from core.importers.placing import Group, placed
from core.importers.python.drafts import Draft, Place
from core.importers.python.recorder import Recorder

#: Calls that get no frame: their names say nothing.
_QUIET = ("forward", "__call__", "__init__", "<lambda>")


def assembled(recorder: Recorder, *, layout: bool = True) -> Graph:
    """The graph of what was recorded, with one run, "program"."""
    recorder.finish()
    drafts = _needed(recorder)
    actions = recorder.deeds.actions
    bare = not any(d.params.get("requires_grad") for d in drafts.values())
    if not actions and (bare or recorder.demonstrates):
        actions = _demonstration(drafts)
    nodes: dict[str, Node] = {}
    wires: dict[str, Wire] = {}
    namer = naming.Namer()
    number = len(recorder.drafts) + 1
    for draft in drafts.values():
        nodes[draft.id] = _node(draft, namer)
        for port, source in draft.inputs.items():
            if isinstance(source, Place):
                output = output_name(nodes[source.node], source.output)
                wires[f"w{number}"] = Wire(f"w{number}", source.node, output, draft.id, port)
                number += 1
    graph = Graph.of(nodes, wires, {}, (), number)
    if layout:
        graph = placed(graph, _groups(drafts, recorder.frames))
    run = tuple(_with_ports(action, nodes) for action in actions)
    return graph.with_runs([Run("program", run)]) if run else graph


# -- which nodes ----------------------------------------------------------------------------------


def _needed(recorder: Recorder) -> dict[str, Draft]:
    """The drafts that something needs, in order."""
    drafts = recorder.drafts
    wanted: set[str] = set()
    for action in recorder.deeds.actions:
        wanted.update(nodes_of(action))
        wanted.update(
            root.node if isinstance(root, GradRef) else root[0] for root in roots_of(action)
        )
    kept: set[str] = set()
    for draft in reversed(drafts.values()):
        if draft.id in wanted or draft.id in kept or not _droppable(draft):
            kept.add(draft.id)
            kept.update(x.node for x in draft.inputs.values() if isinstance(x, Place))
    return {draft_id: draft for draft_id, draft in drafts.items() if draft_id in kept}


def _droppable(draft: Draft) -> bool:
    return draft.weak and (not draft.name or draft.op in SPECIAL)


def _demonstration(drafts: Mapping[str, Draft]) -> list[Action]:
    """A formula, or a program that asks for no gradients: leaves, and a backward from its end."""
    used = {
        x.node for draft in drafts.values() for x in draft.inputs.values() if isinstance(x, Place)
    }
    leaves = [d for d in drafts.values() if d.op == INPUT and d.params["value"].dtype.kind in "fc"]
    reached = {leaf.id for leaf in leaves}
    for draft in drafts.values():
        if draft.op != DETACH and any(
            isinstance(x, Place) and x.node in reached for x in draft.inputs.values()
        ):
            reached.add(draft.id)
    ends = [
        (draft, draft.shape)
        for draft in drafts.values()
        if draft.op != INPUT
        and draft.id in reached
        and draft.id not in used
        and draft.shape is not None
    ]
    if not ends:
        return []
    end, shape = ends[-1]
    for leaf in leaves:
        leaf.params["requires_grad"] = True
    cotangents = None if np.prod(shape) == 1 else (np.ones(shape),)
    return [Backward(((end.id, 0),), cotangents)]  # type: ignore[arg-type]


# -- nodes ----------------------------------------------------------------------------------------


def _node(draft: Draft, namer: naming.Namer) -> Node:
    wanted = draft.name if draft.name and naming.flaw(draft.name) is None else ""
    name = namer.name(draft.op, wanted)
    node = Node(draft.id, draft.op if draft.op in SPECIAL else ops.find(draft.op).name, name)
    inline = {port: x for port, x in draft.inputs.items() if not isinstance(x, Place)}
    try:
        node = structs.replace(node, params=checked_params(node, draft.params))
        return structs.replace(node, inline=checked_inline(node, inline))
    except EditRefusedError as error:
        return placeholder(draft.id, f"python.{draft.op}", name, why=error.what)


def _with_ports(action: Action, nodes: Mapping[str, Node]) -> Action:
    """An action with the names of its roots' ports."""

    def named(root: Any) -> Any:
        return (
            root if isinstance(root, GradRef) else (root[0], output_name(nodes[root[0]], root[1]))
        )

    if isinstance(action, Backward):
        return replace(action, roots=tuple(map(named, action.roots)))
    if isinstance(action, Grad):
        return replace(action, outputs=tuple(map(named, action.outputs)))
    return action


# -- places ---------------------------------------------------------------------------------------


def _groups(drafts: Mapping[str, Draft], titles: list[str]) -> list[Group]:
    """The nodes that one call made, for every call whose name says something."""
    members: dict[int, list[Draft]] = {}
    for draft in drafts.values():
        for number in draft.frames:
            members.setdefault(number, []).append(draft)
    return [
        Group(
            titles[number],
            tuple(draft.id for draft in inside),
            max(draft.frames.index(number) for draft in inside),
        )
        for number, inside in members.items()
        if titles[number] not in _QUIET
    ]
