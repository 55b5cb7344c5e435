"""Reductions, cumulative operations and sorting in PyTorch."""

from __future__ import annotations

from core.export.literals import plain
from core.export.outline import Step
from core.export.spelling import Spelling, call, text


def reduced(function: str, *params: str) -> Spelling:
    """A reduction along ``axis``, given only where there is one."""

    def spelled(step: Step) -> str:
        return call(function, *_axes(step), *params)(step)

    return spelled


def _axes(step: Step) -> tuple[str, ...]:
    """The parameters that say along which axes; keepdim means something beside ``dim`` only."""
    if step.params["axis"] is None and not step.params["keepdims"]:
        return ()
    return ("axis:dim!", "keepdims:keepdim")


def _over_all(step: Step) -> tuple[int, ...]:
    """Every axis of the input: what an empty ``axis`` stands for."""
    return tuple(range(step.given[0].ndim))


def _sum(function: str) -> Spelling:
    """torch spells "all axes, kept" as all of them by number."""

    def spelled(step: Step) -> str:
        if step.params["axis"] is None and step.params["keepdims"]:
            return f"{function}({step.given[0].text}, dim={_over_all(step)}, keepdim=True)"
        return reduced(function)(step)

    return spelled


def _spread(function: str) -> Spelling:
    """var and std: torch's correction is 1 unless it is told otherwise."""

    def spelled(step: Step) -> str:
        return reduced(function, "ddof:correction!")(step)

    return spelled


def _prod(step: Step) -> str:
    """torch multiplies along one axis at a time."""
    (x,) = step.given
    axis, keep = step.params["axis"], step.params["keepdims"]
    if axis is None and not keep:
        return f"torch.prod({x.text})"
    axes = _over_all(step) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    made = x.text
    for a in sorted((a % x.ndim for a in axes), reverse=True):
        made = f"torch.prod({made}, dim={a}{', keepdim=True' if keep else ''})"
    return made


def _logsumexp(step: Step) -> str:
    axis = _over_all(step) if step.params["axis"] is None else step.params["axis"]
    keep = ", keepdim=True" if step.params["keepdims"] else ""
    return f"torch.logsumexp({step.given[0].text}, dim={plain(axis)}{keep})"


def _nanmean(step: Step) -> str:
    return reduced("torch.nanmean")(step)


def _chosen(function: str) -> Spelling:
    """max and min, whose gradient goes to one element: torch's do so along an axis only."""

    def spelled(step: Step) -> str:
        (x,) = step.given
        axis, keep = step.params["axis"], step.params["keepdims"]
        if isinstance(axis, int):
            return call(function, "axis:dim!", "keepdims:keepdim", after=".values")(step)
        merged, shape = _merged(step)
        if not x.ndim:
            return f"{x.text}.clone()"
        made = f"{function}({merged}, dim=-1).values"
        return f"{made}.reshape({shape})" if keep else made

    return spelled


def _merged(step: Step) -> tuple[str, tuple[int, ...]]:
    """The input with the reduced axes merged into the last, and the shape of a kept result."""
    (x,) = step.given
    axis = step.params["axis"]
    gone = _over_all(step) if axis is None else tuple(a % x.ndim for a in axis)
    shape = tuple(1 if k in gone else n for k, n in enumerate(x.shape))
    if len(gone) == x.ndim:
        return f"{x.text}.flatten()", shape
    rest = tuple(k for k in range(x.ndim) if k not in gone)
    moved = f"{x.text}.permute({(*rest, *gone)})"
    return f"{moved}.flatten(start_dim={len(rest)})", shape


def _quantile(step: Step) -> str:
    """torch's quantile takes one axis, or all; the median of NumPy is the quantile of a half."""
    (x,) = step.given
    q = plain(step.params.get("q", 0.5))
    axis, keep = step.params["axis"], step.params["keepdims"]
    if axis is None and not keep:
        return f"torch.quantile({x.text}, {q})"
    if isinstance(axis, int):
        return f"torch.quantile({x.text}, {q}, dim={axis}{', keepdim=True' if keep else ''})"
    merged, shape = _merged(step)
    made = f"torch.quantile({merged}, {q}, dim=-1)"
    return f"{made}.reshape({shape})" if keep else made


def _running(function: str, after: str = "") -> Spelling:
    """Along an axis, or, without one, along all elements in order."""

    def spelled(step: Step) -> str:
        (x,) = step.given
        if step.params["axis"] is None:
            return f"{function}({x.text}.flatten(), dim=0){after}"
        return call(function, "axis:dim!", after=after)(step)

    return spelled


def _sort(step: Step) -> str:
    return _running("torch.sort", ".values")(step)


TABLE: dict[str, Spelling] = {
    "sum": _sum("torch.sum"), "mean": _sum("torch.mean"), "nansum": _sum("torch.nansum"),
    "amax": _sum("torch.amax"), "amin": _sum("torch.amin"), "nanmean": _nanmean,
    "var": _spread("torch.var"), "std": _spread("torch.std"), "prod": _prod,
    "logsumexp": _logsumexp, "max": _chosen("torch.max"), "min": _chosen("torch.min"),
    "median": _quantile, "quantile": _quantile, "cumsum": _running("torch.cumsum"),
    "cumprod": _running("torch.cumprod"), "logcumsumexp": _running("torch.logcumsumexp"),
    "cummax": _running("torch.cummax", ".values"), "cummin": _running("torch.cummin", ".values"),
    "diff": call("torch.diff", "n", "axis:dim"), "sort": _sort,
    "topk": text("torch.topk({x}, {k}, dim={axis}, largest={largest}).values"),
}  # fmt: skip
