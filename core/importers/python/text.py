"""Values as text: print, str, repr, f-strings; tensors as torch prints them."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from core.importers.python.failures import program_error
from core.importers.python.limits import LETTER
from core.importers.python.machine import Machine
from core.importers.python.torch.grad_fns import grad_fn_of
from core.importers.python.values import (
    Builtin,
    DefaultDict,
    Device,
    DType,
    Failure,
    Function,
    Instance,
    Items,
    Namespace,
    NdArray,
    Record,
    Size,
    UserClass,
)
from core.importers.python.words import type_name
from core.tensor import Tensor

Array = np.ndarray[Any, Any]
_SPEC = re.compile(r"(?:.?[<>=^])?[-+ ]?#?0?(\d*)[,_]?(?:\.(\d+))?[a-zA-Z%]?")
_WIDEST = 500
#: What shows itself in a line: nothing in it is another value of the program.
_SHORT = (
    bool, int, float, complex, str, range, type(Ellipsis), Size, DType, Device, Builtin, Function,
    Namespace, UserClass, Instance, Items,
)  # fmt: skip


def string(m: Machine, value: Any) -> str:
    """``str(value)``"""
    if isinstance(value, str):
        return value
    if isinstance(value, Failure):
        said = value.args if len(value.args) != 1 else value.args[0]
        if value.args and value.cls.name != "KeyError":
            return string(m, said)
        return representation(m, said) if value.args else ""
    if isinstance(value, Instance):
        found = value.cls.lookup("__str__")
        if found is not None:
            return str(m.call(found[0], [value], {}))
    if isinstance(value, NdArray):
        return str(value.tensor.data)
    if isinstance(value, Device):
        return str(value)
    return representation(m, value)


def representation(m: Machine, value: Any) -> str:
    """``repr(value)``"""
    m.budget.step()
    if isinstance(value, Tensor):
        return _of_tensor(value, m.default)
    if isinstance(value, NdArray):
        return repr(value.tensor.data)
    if isinstance(value, list):
        return f"[{_joined(m, value)}]"
    if isinstance(value, tuple) and not isinstance(value, Size):
        return f"({_joined(m, value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, set | frozenset):
        return f"{{{_joined(m, value)}}}" if value else "set()"
    if isinstance(value, dict):
        inside = (f"{representation(m, k)}: {representation(m, v)}" for k, v in value.items())
        shown = f"{{{', '.join(inside)}}}"
        if isinstance(value, DefaultDict):
            return f"defaultdict({representation(m, value.factory)}, {shown})"
        return shown
    if isinstance(value, Record):
        inside = (f"{k}={representation(m, v)}" for k, v in value.parts.items())
        return f"torch.return_types.{value.name}(\n{(',' + chr(10)).join(inside)})"
    if isinstance(value, Instance) and not isinstance(value, Failure):
        found = value.cls.lookup("__repr__")
        if found is not None:
            return str(m.call(found[0], [value], {}))
    if isinstance(value, Failure):
        return f"{value.cls.name}({_joined(m, value.args)})"
    if isinstance(value, slice):
        return f"slice({_joined(m, (value.start, value.stop, value.step))})"
    if isinstance(value, str):
        m.budget.take(len(value), "text", LETTER)
    return repr(value) if value is None or isinstance(value, _SHORT) else f"<{type_name(value)}>"


def _joined(m: Machine, values: Any) -> str:
    parts = [representation(m, v) for v in values]
    m.budget.take(sum(map(len, parts)), "text", LETTER)
    return ", ".join(parts)


def formatted(m: Machine, value: Any, spec: str) -> str:
    """``format(value, spec)``"""
    if isinstance(value, NdArray):
        value = value.tensor
    if isinstance(value, Tensor) and spec:
        if value._data.size != 1 or value.ndim:
            raise program_error(
                "TypeError", "unsupported format string passed to Tensor.__format__"
            )
        value = value._data.item()
    if not spec:
        if isinstance(value, Tensor) and not value.ndim:
            return str(value._data.item())
        return string(m, value)
    known = _SPEC.fullmatch(spec)
    if known is None or any(int(n) > _WIDEST for n in known.groups() if n):
        raise program_error("ValueError", f"Invalid format specifier '{spec}'")
    if isinstance(value, str | int | float | complex):
        return format(value, spec)
    raise program_error(
        "TypeError", f"unsupported format string passed to {type(value).__name__}.__format__"
    )


def _of_tensor(x: Tensor, default: np.dtype[Any]) -> str:
    """A tensor as torch prints it, to four digits; its dtype where it cannot be guessed."""
    body = _body(x.data)
    suffix = ""
    guessed = (default, np.result_type(default, np.complex64), np.dtype(np.int64), np.dtype(bool))
    if x.dtype not in (guessed if x._data.size else (default,)):
        suffix += f", dtype=torch.{x.dtype.name}"
    made_by = grad_fn_of(x.record)
    if made_by is not None:
        suffix += f", grad_fn=<{made_by.name()}>"
    elif x.requires_grad:
        suffix += ", requires_grad=True"
    return f"tensor({body}{suffix})"


def _body(array: Array) -> str:
    shown = _number_format(array)
    if array.ndim == 0:
        return str(shown(array[()])).strip()
    with np.printoptions(threshold=1000, edgeitems=3, linewidth=80):
        return str(
            np.array2string(array, separator=", ", prefix="tensor(", formatter={"all": shown})
        )


def _number_format(array: Array) -> Any:
    if array.dtype.kind == "b":
        width = 5 if array.ndim and not array.all() else 4
        return lambda v: str(bool(v)).rjust(width if array.ndim else 0)
    if array.dtype.kind in "iu":
        width = max((len(str(v)) for v in array.ravel()[:1000]), default=0)
        return lambda v: str(int(v)).rjust(width)
    if array.dtype.kind == "c":
        real, imaginary = _number_format(array.real), _number_format(np.abs(array.imag))
        return lambda v: f"{real(v.real)}{'-' if v.imag < 0 else '+'}" \
            f"{imaginary(abs(v.imag)).strip()}j"  # fmt: skip
    sample = array.ravel()[:1000].astype(float)
    finite = sample[np.isfinite(sample) & (sample != 0)]
    whole = bool(np.all(finite == np.floor(finite)))
    sizes = np.abs(finite)
    low, high = (float(sizes.min()), float(sizes.max())) if sizes.size else (1.0, 1.0)
    scientific = high / low > 1000 or high > 1e8 or (not whole and low < 1e-4)

    def shown(v: Any) -> str:
        v = float(v)
        if not math.isfinite(v):
            return repr(v)
        if scientific and (not whole or high / low > 1000 or high > 1e8):
            return f"{v:.4e}"
        return f"{v:.0f}." if whole else f"{v:.4f}"

    width = max((len(shown(v)) for v in finite), default=0)
    return lambda v: shown(v).rjust(width)
