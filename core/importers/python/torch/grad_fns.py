"""What made a tensor, as torch shows it."""

from __future__ import annotations

from typing import Any

from core.records import LEAF, SELECT, Record


class GradFn:
    """What made a tensor, as ``grad_fn`` shows it."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def name(self) -> str:
        """torch's name of it."""
        if self.record.lane == LEAF:
            return "torch::autograd::AccumulateGrad"
        spec = self.record.op.spec
        if spec.hidden:  # a class of the program
            return f"{spec.name}Backward"
        op = spec.name
        known = _GRAD_NAMES.get(op)
        short = "".join(part.title() for part in op.split(".")[-1].split("_"))
        return f"{known or short}Backward0"

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """What its gradients go to."""
        record = self.record
        if record.lane == LEAF:
            return ()
        return tuple(
            (None if edge is None else grad_fn_of(edge, leaves=True), 0) for edge in record.edges
        )

    def __repr__(self) -> str:
        return f"<{self.name()}>"


_GRAD_NAMES = {
    "multiply": "Mul", "subtract": "Sub", "divide": "Div", "power": "Pow", "negative": "Neg",
    "matmul": "Mm", "absolute": "Abs", "copy": "Clone", "concatenate": "Cat", "transpose": "T",
    "broadcast_to": "Expand", "expand_dims": "Unsqueeze", "getitem": "Select", "clip": "Clamp",
    "reshape": "View", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan", "cast": "ToCopy",
    "linear": "Addmm", "setitem": "CopySlices",
}  # fmt: skip


def grad_fn_of(record: Record | None, leaves: bool = False) -> GradFn | None:
    """.grad_fn of a tensor with this record."""
    if record is None or (record.lane == LEAF and not leaves):
        return None
    if record.lane == SELECT:
        (owner,) = record.edges
        return None if owner is None else GradFn(owner)
    return GradFn(record)
