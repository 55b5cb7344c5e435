"""The actions of a program's run, as it does them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import AnomalyError, LimitError, ModifiedSavedError, PullbackError
from core.graph.actions import Action, Assign, Backward, Forward, Grad, GradRef, ZeroGrad
from core.importers.python.drafts import Array, Place
from core.tensor import Tensor

if TYPE_CHECKING:
    from core.importers.python.recorder import Recorder

#: A root as (node, number of the output), or a gradient; ports get their names at the end.
Root = tuple[str, int] | GradRef
MOST_ACTIONS = 2000


class Deeds:
    """The run that is being put together.

    Attributes:
        actions: so far; their roots are (node, number of the output).
    """

    def __init__(self, recorder: Recorder) -> None:
        self.actions: list[Action] = []
        self._recorder = recorder
        self._stale = False  # leaves were assigned since the last forward
        self._failed: int | None = None  # the last action, if it ended in an error
        self._pruned = False

    # -- the actions ------------------------------------------------------------------------------

    def backward(
        self,
        roots: Sequence[Tensor],
        cotangents: Any,
        failed: PullbackError | None,
        options: dict[str, Any],
    ) -> None:
        """backward() was called."""
        if self._elsewhere(failed) or _uneven(roots, cotangents):
            return
        found = self._roots(roots)
        inputs = None if options["inputs"] is None else self._nodes(options["inputs"])
        if found is None or (options["inputs"] is not None and inputs is None):
            return
        self._add(
            Backward(
                found,
                self._cotangents(cotangents),
                options["retain_graph"],
                options["create_graph"],
                inputs,
            ),
            failed,
        )

    def grad(
        self,
        outputs: Sequence[Tensor],
        inputs: Sequence[Tensor],
        cotangents: Any,
        failed: PullbackError | None,
        options: dict[str, Any],
    ) -> list[GradRef]:
        """autograd.grad() was called; a reference to each gradient, none if it has no action."""
        if self._elsewhere(failed) or _uneven(outputs, cotangents):
            return []
        found, nodes = self._roots(outputs), self._nodes(inputs)
        if found is None or nodes is None:
            return []
        self._add(Grad(found, nodes, self._cotangents(cotangents), **options), failed)
        place = len(self.actions) - 1
        return [GradRef(place, node) for node in nodes]

    def cleared(self, place: Place | None, to_none: bool) -> None:
        """A leaf's gradient was set to None, or to zeros."""
        if place is None or not any(isinstance(a, Backward) for a in self.actions):
            return
        last = self.actions[-1]
        if isinstance(last, ZeroGrad) and last.set_to_none is to_none and last.nodes:
            if place.node not in last.nodes:
                self.actions[-1] = replace(last, nodes=(*last.nodes, place.node))
            return
        self._add(ZeroGrad((place.node,), to_none))

    def assigned(self, place: Place, value: Array) -> None:
        """A leaf was changed in place."""
        last = self.actions[-1] if self.actions else None
        if isinstance(last, Assign) and last.node == place.node:
            self.actions.pop()
        self._add(Assign(place.node, value))
        self._stale = True

    def caught(self) -> None:
        """The program caught the error that the last action ended in, and went on."""
        if self._failed is not None and self._failed == len(self.actions) - 1:
            self.actions.pop()
            self._recorder.note("an action that failed, whose error the program caught")
        self._failed = None

    # ---------------------------------------------------------------------------------------------

    def _elsewhere(self, failed: PullbackError | None) -> bool:
        """Whether an action failed by what the graph does not have: it would not fail there."""
        if not isinstance(failed, ModifiedSavedError | LimitError):
            return False
        self._recorder.note(f"a backward that failed ({failed.kind.replace('_', ' ')})")
        return True

    def _add(self, action: Action, failed: PullbackError | None = None) -> None:
        if len(self.actions) >= MOST_ACTIONS:
            self._recorder.note(f"what comes after {MOST_ACTIONS:,} actions")
            return
        if isinstance(failed, AnomalyError):
            self._recorder.note("anomaly detection")
        self.actions.append(action)
        self._failed = None if failed is None else len(self.actions) - 1

    def _roots(self, roots: Sequence[Any]) -> Any:
        """The roots, with a forward before them if they were computed anew; None if there are
        none, or they are beyond what a run can say."""
        found: list[Root] = []
        fresh = False
        for y in roots:
            if not isinstance(y, Tensor):
                return None
            ref = self._recorder.ref_of(y)
            if isinstance(ref, GradRef):
                found.append(ref)
                continue
            if ref is not None:
                self._recorder.note("a backward through what was computed from gradients")
                return None
            place = self._recorder.place(y)
            found.append((place.node, place.output))
            draft = self._recorder.drafts[place.node]
            fresh = fresh or draft.generation == self._recorder.generation
        if self._stale and fresh:
            self._add(Forward())
            self._stale = False
        return tuple(found) or None

    def _nodes(self, inputs: Sequence[Any]) -> tuple[str, ...] | None:
        nodes: list[str] = []
        for x in inputs:
            if not isinstance(x, Tensor) or self._recorder.ref_of(x) is not None:
                self._recorder.note("gradients by what was computed from gradients")
                return None
            place = self._recorder.place(x)
            if place.output:
                self._recorder.note("gradients by a further output of an operation")
                return None
            nodes.append(place.node)
        return tuple(nodes)

    def _cotangents(self, given: Any) -> Any:
        if given is None:
            return None
        found: list[Any] = []
        for v in given:
            ref = self._recorder.ref_of(v) if isinstance(v, Tensor) else None
            if isinstance(ref, GradRef):
                found.append(ref)
            elif v is None:
                found.append(None)
            else:
                found.append(np.array(v.data if isinstance(v, Tensor) else v))
        return tuple(found)


def _uneven(roots: Sequence[Any], cotangents: Sequence[Any] | None) -> bool:
    """Whether there is not one cotangent a root: the program fails, and no run can say so."""
    return cotangents is not None and len(cotangents) != len(roots)
