"""The edits of a graph's runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Self

from core.errors import EditRefusedError, UnknownNodeError
from core.graph import naming
from core.graph.actions import Run, problem, prune
from core.graph.parts import Parts


class RunEdits(Parts):
    """Each returns a new graph, or raises."""

    def with_runs(self, runs: Iterable[Run]) -> Self:
        """With these runs in place of all others.

        Raises:
            EditRefusedError: if two have one name.
            UnknownNodeError: if one names a node or an output that is not there.
        """
        runs = tuple(runs)
        taken: set[str] = set()
        for run in runs:
            flaw = "is used twice" if run.name in taken else naming.flaw(run.name)
            if flaw:
                raise EditRefusedError(
                    f"The run name '{run.name}' {flaw}.", next_step="Give every run its own name."
                )
            taken.add(run.name)
            wrong = problem(run, self.knows)
            if wrong:
                raise UnknownNodeError(
                    f"Run '{run.name}': {wrong}.", next_step="Choose another node for it."
                )
        return replace(self, runs=runs)

    def with_run(self, run: Run) -> Self:
        """With a run more, in place of the one of the same name if there is one."""
        names = [old.name for old in self.runs]
        if run.name not in names:
            return self.with_runs((*self.runs, run))
        return self.with_runs(run if old.name == run.name else old for old in self.runs)

    def pruned(self) -> Self:
        """With runs that say nothing about nodes and outputs that are gone."""
        runs = tuple(pruned for run in self.runs if (pruned := prune(run, self.knows)))
        unchanged = len(runs) == len(self.runs) and all(map(lambda a, b: a is b, runs, self.runs))
        return self if unchanged else replace(self, runs=runs)
