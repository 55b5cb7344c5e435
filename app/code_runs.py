"""What edited code does after its forward, as the run of the graph that it was written from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from core.export import Exported
from core.graph import Action, Assign, Backward, Grad, GradRef, Graph, Run, ZeroGrad
from core.graph.actions import problem, prune, roots_of

#: What a run is called that had no name before.
NEW = "from code"


class Ends(Protocol):
    """A graph that a program was laid over."""

    graph: Graph

    def end(self, node: str, output: str) -> tuple[str, str] | None:
        """Where an output of the program is in it."""


def merged_runs(
    before: Graph, exported: Exported, text: str, run: Run | None, program: Graph, merge: Ends
) -> list[Run]:
    """The runs of the graph after the edit: those that still can be, and what the text does.

    Where the text does what it did, its run stays as it is.
    """
    kept = [made for old in before.runs if (made := prune(old, merge.graph.knows)) is not None]
    if run is None and not program.runs:
        return kept
    if run is not None and f"\n{exported.ending()}" in f"\n{text}\n":
        return kept
    names = [old.name for old in before.runs]
    name = run.name if run is not None and run.name in names else NEW
    done = [_moved(action, merge) for action in (program.runs[0].actions if program.runs else ())]
    actions = tuple(action for action in done if action is not None)
    made = Run(name, actions)
    if not actions or problem(made, merge.graph.knows):
        return [old for old in kept if old.name != name]
    if name in [old.name for old in kept]:
        return [made if old.name == name else old for old in kept]
    return [*kept, made]


def _moved(action: Action, merge: Ends) -> Action | None:
    """The action with the nodes of the graph in place of the program's."""

    def node(node_id: str) -> str:
        end = merge.end(node_id, "y")
        return node_id if end is None else end[0]

    def root(entry: Any) -> Any:
        if isinstance(entry, GradRef):
            return replace(entry, node=node(entry.node))
        if isinstance(entry, tuple):
            return merge.end(*entry) or entry
        return entry

    match action:
        case Backward():
            inputs = None if action.inputs is None else tuple(map(node, action.inputs))
            cotangents = action.cotangents and tuple(map(root, action.cotangents))
            return replace(
                action,
                roots=tuple(map(root, roots_of(action))),
                cotangents=cotangents,
                inputs=inputs,
            )
        case Grad():
            cotangents = action.cotangents and tuple(map(root, action.cotangents))
            return replace(
                action,
                outputs=tuple(map(root, roots_of(action))),
                cotangents=cotangents,
                inputs=tuple(map(node, action.inputs)),
            )
        case ZeroGrad():
            return replace(action, nodes=action.nodes and tuple(map(node, action.nodes)))
        case Assign():
            return replace(action, node=node(action.node))
        case _:
            return action
