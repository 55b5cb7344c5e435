"""What a program does, noted as a graph: each operation a node, each backward an action.

A tensor is known by identity. Constants become nodes, or values typed at ports, when they are
first used, with the value they have then. After a leaf was changed in place the program computes
anew; what it computes the same way as before is the same node again, so a training loop is one
iteration's graph with a long run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import versions
from core.errors import PullbackError
from core.graph.actions import GradRef
from core.graph.nodes import CAST, INPUT
from core.importers.python.deeds import Deeds
from core.importers.python.drafting import Drafting
from core.importers.python.drafts import Array, Marks, Place
from core.library.spec import OpSpec
from core.tensor import Tensor

#: Unnamed constants up to so many elements are typed at their ports.
MOST_INLINE = 64


class Recorder(Drafting):
    """Builds the graph of one program.

    Attributes:
        deeds: the actions so far.
        demonstrates: whether the graph gets a backward though the program has none (formulas).
    """

    def __init__(self) -> None:
        super().__init__()
        self.deeds = Deeds(self)
        self.demonstrates = False
        self._places: Marks[Place] = Marks()
        self._detached: Marks[Place] = Marks()
        self._names: Marks[str] = Marks()
        self._of_gradients: Marks[GradRef | Tensor | bool] = Marks()
        self._leaves: dict[int, Tensor] = {}  # by storage
        self._unused: dict[int, Tensor] = {}  # leaves with a name that nothing has used yet

    # -- operations -------------------------------------------------------------------------------

    def operation(
        self, spec: OpSpec, inputs: Sequence[Any], params: dict[str, Any], outputs: Sequence[Tensor]
    ) -> None:
        """An operation was applied."""
        tensors = [x for x in inputs if isinstance(x, Tensor)]
        if any(self._of_gradients.get(x) is not None for x in tensors):
            for y in outputs:
                self._of_gradients[y] = True
            return
        if not self.draws:
            return
        if tensors and all(self._anonymous(x) for x in tensors):
            return  # made of unnamed numbers: a constant like them
        wired = self._wired(spec, inputs)
        op = CAST if spec.name == "cast" else spec.name
        grad = any(y.requires_grad for y in outputs)
        known = len(self.drafts)
        draft = self._again(op, dict(params), wired, grad)
        if len(self.drafts) > known:
            self.take(sum(y._data.nbytes for y in outputs))
        draft.shape = outputs[0].shape if outputs[0].dtype.kind == "f" else None
        for k, y in enumerate(outputs):
            self._places[y] = Place(draft.id, k)

    def _anonymous(self, x: Tensor) -> bool:
        return (
            self._places.get(x) is None
            and self._detached.get(x) is None
            and self._names.get(x) is None
            and not x.requires_grad
        )

    def _wired(self, spec: OpSpec, inputs: Sequence[Any]) -> dict[str, Place | Array]:
        """What goes into each port: a place, or a value typed there."""
        wired: dict[str, Place | Array] = {}
        dtypes = [x.dtype for x in inputs if isinstance(x, Tensor | np.ndarray)]
        for k, x in enumerate(inputs):
            port = f"{spec.ports[0]}[{k}]" if spec.variadic else spec.ports[k]
            if x is None:
                continue
            if isinstance(x, Tensor):
                small = x._data.size <= MOST_INLINE
                if small and self._anonymous(x):
                    wired[port] = self._copy(x.data)
                    continue
                place = self.place(x)
                if not self._flows and x.requires_grad:
                    place = self._cut(place)
                if self._outdated(place):
                    self.note("a value from before a leaf was changed, used again after")
                wired[port] = place
            elif isinstance(x, np.ndarray):
                wired[port] = self._copy(x)
            else:  # a number takes the type it has beside the others
                kind = np.result_type(*dtypes, x) if dtypes else np.asarray(x).dtype
                wired[port] = np.asarray(x, kind)
        return wired

    def place(self, x: Tensor) -> Place:
        """Where a tensor is in the graph; an input is made for it if it is nowhere yet."""
        place = self._places.get(x)
        if place is not None:
            return place
        origin = self._detached.get(x)
        if origin is not None:
            place = self._cut(origin)
            if place != origin:
                cut = self.drafts[place.node]
                cut.name = cut.name or self._names.get(x) or ""
        else:
            leaf = x.requires_grad and x.is_leaf
            value = self._copy(x.data)
            params = {"value": value, "requires_grad": leaf, "source": None}
            name = self._names.get(x) or ""
            draft = self._constant(params, name) if not leaf else self._new(INPUT, params, {})
            draft.name = draft.name or name
            draft.grad, draft.weak = leaf, not leaf
            place = Place(draft.id, 0)
            if leaf:
                draft.frames = ()
                self._leaves[id(versions.storage(x._data))] = x
                self._unused.pop(id(x), None)
        self._places[x] = place
        return place

    # -- what else happens to tensors -------------------------------------------------------------

    def leaf(self, x: Tensor) -> None:
        """A tensor was made, or marked, to require grad."""
        if not self.draws:
            return
        self.forget(x)
        self._unused[id(x)] = x

    def named(self, name: str, x: Tensor) -> None:
        """The program called a tensor so."""
        if self._pauses:
            return
        place = self._places.get(x)
        if place is not None and place.output == 0:
            draft = self.drafts[place.node]
            draft.name = draft.name or name
        elif self._names.get(x) is None:
            self._names[x] = name

    def detached(self, x: Tensor, y: Tensor) -> None:
        """y is x without history."""
        place = self._places.get(x)
        if self._of_gradients.get(x) is not None:
            self._of_gradients[y] = True
        elif x.requires_grad and place is None and self.draws:
            place = self.place(x)
        if place is not None:
            self._detached[y] = place
            if x is y:
                self._places.drop(x)
        else:
            name = self._names.get(x)
            if name is not None:
                self._names[y] = name

    def same(self, x: Tensor, y: Tensor) -> None:
        """x stands where y stood."""
        self.forget(x)
        place, mark = self._places.get(y), self._of_gradients.get(y)
        if place is not None:
            self._places[x] = place
        if mark is not None:
            self._of_gradients[x] = mark

    def changed(self, x: Tensor, result: Tensor) -> None:
        """x was changed in place to result."""
        if x.requires_grad and x.is_leaf:
            return  # a leaf stays what it is; see ``written``
        if isinstance(self._of_gradients.get(x), GradRef | Tensor):
            return
        before = self._places.get(x)
        self.same(x, result)
        if before is not None:
            self._overwritten(before, self._places.get(x))

    def _overwritten(self, before: Place, after: Place | None) -> None:
        """A copy was changed in place: its name goes to what it is now, and if nothing else
        uses it, the change is one of the original's."""
        if after is None or after == before or self.drafts[before.node].op != "copy":
            return
        copy, change = self.drafts[before.node], self.drafts[after.node]
        if change.op == "setitem" and change.inputs.get("x") == before:
            change.inputs["x"] = copy.inputs["x"]
            change.name, copy.name = change.name or copy.name, ""
            copy.weak = True

    def past_autograd(self, x: Tensor) -> None:
        """The value of x will be changed; the graph cannot say so if x shares another's memory."""
        shared = id(versions.storage(x._data)) not in self._leaves
        if shared and self._detached.get(x) is not None and not self._pauses:
            self.note("a value changed through .data or detach()")

    def forget(self, *tensors: Tensor) -> None:
        """These are constants from now on, with the values they have when they are used."""
        for x in tensors:
            self._places.drop(x)
            self._detached.drop(x)

    def written(self, root: Tensor) -> None:
        """The memory of root was written to."""
        if self._full:
            return
        owner = self._of_gradients.get(root)
        if isinstance(owner, Tensor):
            if np.any(root._data):
                self.note("a gradient is changed in place")
            else:
                self.deeds.cleared(self._places.get(owner), to_none=False)
            return
        leaf = self._leaves.get(id(versions.storage(root._data)))
        if root.requires_grad and root.is_leaf:
            leaf = root
        if leaf is None:
            return
        place = self._places.get(leaf)
        if place is not None:
            self._leaves[id(versions.storage(leaf._data))] = leaf
            self.deeds.assigned(place, self._copy(leaf.data))
            self.generation += 1
            self._changed[place.node] = self.generation

    # -- gradients --------------------------------------------------------------------------------

    def backward(
        self,
        roots: Sequence[Tensor],
        cotangents: Any,
        *,
        failed: PullbackError | None,
        **options: Any,
    ) -> None:
        """backward() was called."""
        if self.draws:
            self.deeds.backward(roots, cotangents, failed, options)

    def grad(
        self,
        outputs: Sequence[Tensor],
        inputs: Sequence[Tensor],
        cotangents: Any,
        found: Sequence[Tensor | None] | None,
        *,
        failed: PullbackError | None,
        **options: Any,
    ) -> None:
        """autograd.grad() was called; ``found`` is None if it failed."""
        if not self.draws:
            for g in found or ():
                if g is not None:
                    self._of_gradients[g] = True
            return
        refs = self.deeds.grad(outputs, inputs, cotangents, failed, options)
        for k, g in enumerate(found or ()):
            if g is not None:
                self._of_gradients[g] = refs[k] if refs else True

    def ref_of(self, x: Tensor) -> GradRef | Tensor | bool | None:
        """What is known of a tensor that was computed from gradients."""
        return self._of_gradients.get(x)

    def grad_read(self, leaf: Tensor, grad: Tensor) -> None:
        """leaf.grad was looked at."""
        self._of_gradients[grad] = leaf

    def grad_cleared(self, leaf: Tensor, to_none: bool) -> None:
        """leaf.grad was set to None."""
        if self.draws:
            self.deeds.cleared(self._places.get(leaf), to_none)

    def caught(self) -> None:
        """The program caught an error."""
        self.deeds.caught()

    def finish(self) -> None:
        """The program is over: leaves that it named and never used are nodes, too."""
        for x in () if self._full else list(self._unused.values()):
            if self._names.get(x) is not None and self._places.get(x) is None:
                self.place(x)
