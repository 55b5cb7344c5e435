"""What a run does: a named list of actions, starting fresh, sharing one tape.

Actions name nodes by id and outputs by (node id, output port). A cotangent is an array, None (ones,
for a one-element root), or a gradient that an earlier ``Grad`` of the same run made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.graph.nodes import Array, frozen

Output = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GradRef:
    """The gradient of ``node`` that the ``Grad`` at position ``action`` of the run made."""

    action: int
    node: str


Root = Output | GradRef
Cotangent = Array | GradRef | None


@dataclass(frozen=True, slots=True, eq=False)
class Backward:
    """backward(roots, cotangents, ...); None for ``cotangents`` stands for None at every root."""

    roots: tuple[Root, ...]
    cotangents: tuple[Cotangent, ...] | None = None
    retain_graph: bool | None = None
    create_graph: bool = False
    inputs: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cotangents", _frozen_cotangents(self.cotangents))


@dataclass(frozen=True, slots=True, eq=False)
class Grad:
    """grad(outputs, inputs, ...): gradients are returned, no ``.grad`` is touched."""

    outputs: tuple[Root, ...]
    inputs: tuple[str, ...]
    cotangents: tuple[Cotangent, ...] | None = None
    retain_graph: bool | None = None
    create_graph: bool = False
    allow_unused: bool | None = None
    materialize_grads: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "cotangents", _frozen_cotangents(self.cotangents))


@dataclass(frozen=True, slots=True)
class ZeroGrad:
    """Gradients of some leaves (None: of all) become None, or zeros."""

    nodes: tuple[str, ...] | None = None
    set_to_none: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """A leaf is changed in place: the only in-place change there is in a graph."""

    node: str
    value: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", frozen(self.value))


@dataclass(frozen=True, slots=True)
class Forward:
    """Forward again, on a new tape."""


Action = Backward | Grad | ZeroGrad | Assign | Forward

#: What actions are called in files, in output and in messages.
DO: dict[type[Action], str] = {
    Backward: "backward",
    Grad: "grad",
    ZeroGrad: "zero_grad",
    Assign: "assign",
    Forward: "forward",
}


@dataclass(frozen=True, slots=True)
class Run:
    """A name, unique in the graph, and what to do in order."""

    name: str
    actions: tuple[Action, ...]


def retaining(run: Run, until: int) -> Run:
    """The run with every backward before its action number ``until`` (from 0) retaining."""
    return Run(
        run.name,
        tuple(
            replace(action, retain_graph=True)
            if k < until and isinstance(action, Backward | Grad)
            else action
            for k, action in enumerate(run.actions)
        ),
    )


def _frozen_cotangents(cotangents: tuple[Any, ...] | None) -> tuple[Cotangent, ...] | None:
    """Arrays made read-only; numbers and lists become arrays."""
    if cotangents is None:
        return None
    return tuple(c if c is None or isinstance(c, GradRef) else frozen(c) for c in cotangents)


#: Whether a node has an output port; a port of None asks whether the node is there at all.
Knows = Callable[[str, str | None], bool]


def problem(run: Run, knows: Knows) -> str | None:
    """What is wrong with a run, in words that name the action (from 1), or None."""
    made: dict[int, tuple[str, ...]] = {}  # what each Grad so far has gradients of
    for i, action in enumerate(run.actions):
        wrong = _problem(action, knows, made)
        if wrong:
            return f"action {i + 1} ({DO[type(action)]}) {wrong}"
        if isinstance(action, Grad):
            made[i] = action.inputs
    return None


def _problem(action: Action, knows: Knows, made: Mapping[int, tuple[str, ...]]) -> str | None:
    roots, cotangents = roots_of(action), cotangents_of(action)
    if isinstance(action, Backward | Grad) and not roots:
        return "has no roots"
    if cotangents and len(cotangents) != len(roots):
        return f"has {len(roots)} roots and {len(cotangents)} cotangents"
    for entry in (*roots, *cotangents):
        if isinstance(entry, GradRef) and entry.node not in made.get(entry.action, ()):
            return (
                f"uses the gradient of node '{entry.node}' from action {entry.action + 1}, "
                "which makes no such gradient before it"
            )
    for root in roots:
        if not isinstance(root, GradRef) and not knows(*root):
            there = knows(root[0], None)
            missing = f"output '{root[1]}' of node '{root[0]}'" if there else f"node '{root[0]}'"
            return f"names {missing}, which is not there"
    for node in nodes_of(action):
        if not knows(node, None):
            return f"names node '{node}', which is not there"
    return None


def prune(run: Run, knows: Knows) -> Run | None:
    """The run without what is no longer known; None when nothing is left to do.

    A root goes with its cotangent, an action with its last root or input, and what used the
    gradient of an action that went goes too.
    """
    if problem(run, knows) is None:
        return run
    moved: dict[int, int] = {}  # old position of an action -> new one
    kept: list[Action] = []

    def known(entry: Root | Cotangent) -> bool:
        match entry:
            case GradRef(action, node):
                return action in moved and knows(node, None)
            case (str(node), str(output)):
                return knows(node, output)
            case _:
                return True

    def renumbered(entry: Root | Cotangent) -> Any:
        return GradRef(moved[entry.action], entry.node) if isinstance(entry, GradRef) else entry

    for i, action in enumerate(run.actions):
        shorter = _pruned(action, knows, known, renumbered)
        if shorter is not None:
            moved[i] = len(kept)
            kept.append(shorter)
    return replace(run, actions=tuple(kept)) if kept else None


def _pruned(
    action: Action,
    knows: Knows,
    known: Callable[[Root | Cotangent], bool],
    renumbered: Callable[[Root | Cotangent], Any],
) -> Action | None:
    named = nodes_of(action)
    nodes = tuple(node for node in named if knows(node, None))
    if named and not nodes:
        return None
    if isinstance(action, ZeroGrad):
        return replace(action, nodes=nodes or None)
    if not isinstance(action, Backward | Grad):
        return action
    roots = roots_of(action)
    cotangents = cotangents_of(action) or (None,) * len(roots)
    pairs = [p for p in zip(roots, cotangents, strict=True) if known(p[0]) and known(p[1])]
    if not pairs:
        return None
    shorter_roots = tuple(renumbered(root) for root, _ in pairs)
    shorter = tuple(renumbered(c) for _, c in pairs) if cotangents_of(action) else None
    if isinstance(action, Grad):
        return replace(action, outputs=shorter_roots, cotangents=shorter, inputs=nodes)
    return replace(action, roots=shorter_roots, cotangents=shorter, inputs=nodes or None)


def with_roots(run: Run, moved: Mapping[Output, Output]) -> Run:
    """The run with other outputs in place of some of its roots."""
    actions = tuple(_with_roots(action, moved) for action in run.actions)
    unchanged = all(map(lambda a, b: a is b, actions, run.actions))
    return run if unchanged else replace(run, actions=actions)


def _with_roots(action: Action, moved: Mapping[Output, Output]) -> Action:
    roots = roots_of(action)
    led = tuple(root if isinstance(root, GradRef) else moved.get(root, root) for root in roots)
    if led == roots:
        return action
    field = "outputs" if isinstance(action, Grad) else "roots"
    return replace(action, **{field: led})  # type: ignore[arg-type]


def with_nodes(run: Run, ids: Mapping[str, str]) -> Run:
    """The run of a copy of its graph, whose nodes have other ids.

    Args:
        ids: the new id of every node the run names.
    """
    return replace(run, actions=tuple(_with_nodes(action, ids) for action in run.actions))


def _with_nodes(action: Action, ids: Mapping[str, str]) -> Action:
    def moved(entry: Root | Cotangent) -> Any:
        if isinstance(entry, GradRef):
            return replace(entry, node=ids[entry.node])
        return (ids[entry[0]], entry[1]) if isinstance(entry, tuple) else entry

    def listed(nodes: tuple[str, ...] | None) -> Any:
        return None if nodes is None else tuple(ids[node] for node in nodes)

    match action:
        case Assign():
            return replace(action, node=ids[action.node])
        case ZeroGrad():
            return replace(action, nodes=listed(action.nodes))
        case Forward():
            return action
    roots = tuple(map(moved, roots_of(action)))
    given = action.cotangents and tuple(map(moved, action.cotangents))
    if isinstance(action, Grad):
        return replace(action, outputs=roots, inputs=listed(action.inputs), cotangents=given)
    return replace(action, roots=roots, inputs=listed(action.inputs), cotangents=given)


def roots_of(action: Action) -> tuple[Root, ...]:
    """The roots of a backward, the outputs of a grad, else nothing."""
    match action:
        case Backward():
            return action.roots
        case Grad():
            return action.outputs
        case _:
            return ()


def cotangents_of(action: Action) -> tuple[Cotangent, ...]:
    """The cotangents that were given; empty when none were."""
    return (action.cotangents or ()) if isinstance(action, Backward | Grad) else ()


def nodes_of(action: Action) -> tuple[str, ...]:
    """Ids of the nodes an action names beside its roots."""
    match action:
        case Backward() | Grad():
            return action.inputs or ()
        case ZeroGrad():
            return action.nodes or ()
        case Assign():
            return (action.node,)
        case Forward():
            return ()
