"""Shapes, joining and indexing in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.export.literals import nested, plain
from core.export.outline import Operand, Step
from core.export.pytorch.pointwise import mask
from core.export.spelling import Spelling, call, listed, text


def _dims(axis: Any) -> tuple[int, ...]:
    return (int(axis),) if isinstance(axis, int | np.integer) else tuple(int(a) for a in axis)


def _transpose(step: Step) -> str:
    (x,) = step.given
    axes = step.params["axes"]
    return f"{x.text}.permute({tuple(reversed(range(x.ndim))) if axes is None else _dims(axes)})"


def _expand_dims(step: Step) -> str:
    (x,) = step.given
    if isinstance(step.params["axis"], int):
        return f"torch.unsqueeze({x.text}, {step.params['axis']})"
    return f"{x.text}.reshape({step.outputs[0].shape})"


def _squeeze(step: Step) -> str:
    (x,) = step.given
    axis = step.params["axis"]
    return f"torch.squeeze({x.text}{'' if axis is None else f', {plain(axis)}'})"


def _concatenate(step: Step) -> str:
    """Empty vectors are passed over by torch; NumPy's "no axis" means end to end."""
    if step.params["axis"] is None:
        flat = ", ".join(f"{x.text}.flatten()" for x in step.given)
        return f"torch.cat([{flat}])"
    return f"torch.cat({listed(step.given)}, dim={step.params['axis']})"


def _split(step: Step) -> str:
    (x,) = step.given
    cut = plain(step.params["indices_or_sections"])
    return f"torch.tensor_split({x.text}, {cut}, dim={step.params['axis']})"


def _tile(step: Step) -> str:
    (x,) = step.given
    return f"torch.tile({x.text}, {_dims(step.params['reps'])})"


def _repeat(step: Step) -> str:
    (x,) = step.given
    repeats, axis = step.params["repeats"], step.params["axis"]
    many = isinstance(repeats, list | tuple)
    times = f"torch.tensor({list(repeats)})" if many else plain(repeats)
    along = "" if axis is None else f", dim={axis}"
    return f"torch.repeat_interleave({x.text}, {times}{along})"


def _flip(step: Step) -> str:
    (x,) = step.given
    axis = step.params["axis"]
    return f"torch.flip({x.text}, {tuple(range(x.ndim)) if axis is None else _dims(axis)})"


def _roll(step: Step) -> str:
    (x,) = step.given
    shift, axis = step.params["shift"], step.params["axis"]
    if axis is None:
        if not isinstance(shift, int):
            shift = sum(shift)
        return f"torch.roll({x.text}, {shift})"
    shifts, axes = _dims(shift), _dims(axis)
    count = max(len(shifts), len(axes))
    shifts, axes = shifts * (count // len(shifts)), axes * (count // len(axes))
    return f"torch.roll({x.text}, {shifts}, dims={axes})"


def _pad(step: Step) -> str:
    """Constants by F.pad, innermost axis first; other modes by picking elements, which F.pad
    can do for images only."""
    (x,) = step.given
    width = np.broadcast_to(np.asarray(step.params["pad_width"]), (x.ndim, 2))
    if step.params["mode"] == "constant":
        flat = tuple(int(n) for pair in width[::-1] for n in pair)
        return f"F.pad({x.text}, {flat}, value={plain(step.params['constant_values'])})"
    made = x.text
    for axis, pair in enumerate(width):
        if pair.any():
            picks = np.pad(np.arange(x.shape[axis]), tuple(pair), mode=step.params["mode"])
            made = f"{made}.index_select({axis}, torch.tensor({nested(picks)}))"
    return made if made != x.text else f"{x.text}.clone()"


# -- indexing -------------------------------------------------------------------------------------


def _getitem(step: Step) -> str:
    (x,) = step.given
    turned, index = _forward_steps(x, step.params["index"])
    base = x.text if not turned else f"torch.flip({x.text}, {turned})"
    return f"{base}[{subscript(index)}]"


def subscript(index: Any) -> str:
    """What stands in the brackets."""
    parts = index if isinstance(index, tuple) else (index,)
    if not parts:
        return "..."
    written = ", ".join(_part(part) for part in parts)
    return f"{written}," if len(parts) == 1 and isinstance(parts[0], tuple) else written


def _part(part: Any) -> str:
    if isinstance(part, slice):
        ends = ["" if e is None else plain(e) for e in (part.start, part.stop)]
        return ":".join(ends) + ("" if part.step is None else f":{part.step}")
    if isinstance(part, np.ndarray | list | tuple):
        array = np.asarray(part)
        if not array.size:
            return f"torch.zeros({array.shape}, dtype=torch.int64)"
        return f"torch.tensor({nested(array)})"
    return plain(part)


def _forward_steps(x: Operand, index: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """An index without negative steps, which torch refuses, of the tensor flipped along axes."""
    parts = list(index) if isinstance(index, tuple) else [index]
    used = sum(_axes_used(part) for part in parts)
    turned, axis = [], 0
    for place, part in enumerate(parts):
        if isinstance(part, slice) and part.step is not None and part.step < 0:
            start, stop, step = part.indices(x.shape[axis])
            count = len(range(start, stop, step))
            first = x.shape[axis] - 1 - start
            parts[place] = slice(first, first + (count - 1) * -step + 1 if count else first, -step)
            turned.append(axis)
        axis += x.ndim - used if part is Ellipsis else _axes_used(part)
    return tuple(turned), tuple(parts)


def _axes_used(part: Any) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    array = np.asarray(part) if isinstance(part, np.ndarray | list | tuple) else None
    return array.ndim if array is not None and array.dtype.kind == "b" else 1


def _setitem(step: Step) -> str:
    """A copy, changed in place: two statements."""
    x, value = step.given
    name = step.result
    turned, index = _forward_steps(x, step.params["index"])
    change = f"{name}[{subscript(index)}] = {value.text}"
    if turned:
        return f"torch.flip({x.text}, {turned})\n{change}\n{name} = torch.flip({name}, {turned})"
    return f"{x.text}.clone()\n{change}"


def _take(step: Step) -> str:
    x, indices = step.given
    axis = step.params["axis"]
    if axis is None:
        return f"torch.take({x.text}, {indices.text})"
    if indices.ndim == 1 and (indices.value >= 0).all():
        return f"torch.index_select({x.text}, {axis}, {indices.text})"
    before = ":, " * (axis % x.ndim)
    return f"{x.text}[{before}{indices.text}]"


def _extract(step: Step) -> str:
    where, x = step.given
    return f"torch.masked_select({x.text}, {mask(where)})"


def _along(function: str) -> Spelling:
    """scatter and scatter_add: torch wants indices from 0 on, and operands that need no
    broadcasting."""

    def spelled(step: Step) -> str:
        x, indices, source = step.given
        axis = step.params["axis"]
        where, shape = indices.text, indices.shape
        if (indices.value < 0).any():
            where = f"({where} % {x.shape[axis]})"
        wide = list(x.shape)
        wide[axis] = shape[axis]
        if function == "torch.scatter" and shape != tuple(wide):
            where, shape = f"{where}.broadcast_to({tuple(wide)})", tuple(wide)
        short = source.ndim < len(shape) or any(
            n < m for n, m in zip(source.shape, shape, strict=True)
        )
        fill = source.text
        if short:
            fill = f"{fill}.broadcast_to({shape})"
        elif source.shape != shape:  # its gradient would have the shape of the indices
            fill = f"{fill}[{', '.join(f':{n}' for n in shape)}]"
        return f"{function}({x.text}, {axis}, {where}, {fill})"

    return spelled


def _take_along(step: Step) -> str:
    x, indices = step.given
    axis = step.params["axis"]
    if axis is None:
        return f"torch.take({x.text}, {indices.text})"
    where = indices.text
    if (indices.value < 0).any():
        where = f"({where} % {x.shape[axis]})"
    return f"torch.take_along_dim({x.text}, {where}, dim={axis})"


TABLE: dict[str, Spelling] = {
    "reshape": text("{x}.reshape({shape})"), "ravel": text("{x}.flatten()"),
    "transpose": _transpose, "swapaxes": text("{x}.transpose({axis1}, {axis2})"),
    "moveaxis": text("torch.movedim({x}, {source}, {destination})"), "expand_dims": _expand_dims,
    "squeeze": _squeeze, "broadcast_to": text("torch.broadcast_to({x}, {shape})"),
    "concatenate": _concatenate,
    "stack": lambda step: f"torch.stack({listed(step.given)}, dim={step.params['axis']})",
    "split": _split, "unstack": call("torch.unbind", "axis:dim"), "tile": _tile,
    "repeat": _repeat, "flip": _flip, "roll": _roll,
    "rot90": text("torch.rot90({x}, {k}, dims={axes})"), "pad": _pad,
    "tril": call("torch.tril", "k:diagonal"), "triu": call("torch.triu", "k:diagonal"),
    "diag": call("torch.diag", "k:diagonal"),
    "diagonal": call("torch.diagonal", "offset", "axis1:dim1", "axis2:dim2"),
    "getitem": _getitem, "setitem": _setitem, "take": _take, "take_along_axis": _take_along,
    "put_along_axis": _along("torch.scatter"), "scatter_add": _along("torch.scatter_add"),
    "extract": _extract,
}  # fmt: skip
