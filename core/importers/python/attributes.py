"""``value.name``: looked up in tables, never on the Python object itself."""

from __future__ import annotations

from typing import Any

from core.errors import did_you_mean
from core.gradients import HookHandle
from core.importers.python import arrays
from core.importers.python.containers import keyed, methods_of
from core.importers.python.failures import CLASSES, outside, program_error
from core.importers.python.machine import Machine
from core.importers.python.torch.grad_fns import GradFn
from core.importers.python.torch.grads import Removal
from core.importers.python.torch.library import spelled
from core.importers.python.torch.tensors import ATTRIBUTES, METHODS, SETTERS
from core.importers.python.values import (
    Bound,
    Builtin,
    Context,
    Decorated,
    Device,
    DType,
    Failure,
    Function,
    Instance,
    Namespace,
    NdArray,
    Record,
    UserClass,
)
from core.importers.python.words import TypeName, type_name
from core.tensor import Tensor

_SLICE = ("start", "stop", "step")
_NUMBER = ("real", "imag")
_FINFO = ("eps", "max", "min", "tiny", "bits", "smallest_normal", "resolution")


def get_attribute(m: Machine, own: Any, name: str) -> Any:
    """``own.name``

    Raises:
        ProgramError: there is no such attribute.
        UnsupportedError: there is one in torch or NumPy, but not here.
    """
    if isinstance(own, Tensor):
        return _of_tensor(m, own, name)
    if isinstance(own, NdArray):
        return _of_array(m, own, name)
    if isinstance(own, Namespace):
        if name in own.members:
            return own.members[name]
        near = did_you_mean(name, own.members, "Look for another function that does it.")
        raise outside(f"{own.name}.{name} is not read.", near)
    if isinstance(own, Instance):
        return _of_instance(m, own, name)
    if isinstance(own, UserClass):
        return _of_class(m, own, name)
    found = _of_others(m, own, name)
    if found is not _MISSING:
        return found
    methods = methods_of(own)
    if name in methods:
        return Bound(Builtin(name, methods[name]), own)
    raise _missing(own, name)


_MISSING = object()


def _of_others(m: Machine, own: Any, name: str) -> Any:
    if name == "__class__" and not isinstance(own, Function | Builtin):
        return m.extras["kind_of"](m, own)
    if name in ("__name__", "__qualname__") and isinstance(own, Function | Builtin):
        return own.name
    if isinstance(own, Function) and name in own.attributes:
        return own.attributes[name]
    if name == "__doc__":
        return None
    if isinstance(own, Record) and name in own.parts:
        return own.parts[name]
    if isinstance(own, Bound) and name == "__self__":
        return own.owner
    if isinstance(own, Bound):
        return get_attribute(m, own.function, name)
    if isinstance(own, HookHandle | Removal) and name == "remove":
        return Builtin("remove", lambda m: own.remove())
    if isinstance(own, GradFn):
        return _of_grad_fn(own, name)
    if isinstance(own, DType):
        return _of_dtype(own, name)
    if isinstance(own, Device) and name == "type":
        return own.name
    if isinstance(own, TypeName):
        return _of_type(m, own, name)
    if isinstance(own, Builtin) and own.name == "gradcheck" and name in CLASSES:
        return CLASSES[name]  # torch.autograd.gradcheck is a module, too
    if (isinstance(own, slice) and name in _SLICE) or (
        isinstance(own, int | float | complex) and name in _NUMBER
    ):
        return getattr(own, name)
    if type(own).__name__ == "finfo" and name in _FINFO:
        return float(getattr(own, name))
    if isinstance(own, Context) and name in ("__enter__", "__exit__"):
        step = own.enter if name == "__enter__" else own.leave
        return Builtin(name, lambda m, *_: step())
    return _MISSING


def _of_tensor(m: Machine, own: Tensor, name: str) -> Any:
    get = ATTRIBUTES.get(name)
    if get is not None:
        return get(m, own)
    method = METHODS.get(name)
    if method is not None:
        return Bound(Builtin(name, spelled(method)), own)
    if name == "__class__":
        return m.extras["kind_of"](m, own)
    held = m.extras.get("tensor_attributes", {}).get(id(own))
    if held is not None and name in held[1]:
        return held[1][name]
    if name.startswith("__"):
        raise outside(f"Tensor.{name} is not read.", "Use the operator or function itself.")
    if name in _ELSEWHERE or name.endswith("_"):
        raise outside(
            f"Tensor.{name} is not read.",
            did_you_mean(name, METHODS, "Write it with operations that are."),
        )
    raise program_error("AttributeError", f"'Tensor' object has no attribute '{name}'")


#: Methods that torch has and that are outside.
_ELSEWHERE = frozenset({
    "unfold", "as_strided", "map_", "apply_", "storage", "untyped_storage", "sparse_dim",
    "to_sparse", "cuda", "share_memory_", "histc", "bincount", "multinomial", "cholesky_solve",
    "lu", "geqrf", "ormqr", "stft", "istft", "fft", "put", "masked_scatter", "index_reduce",
    "scatter_reduce", "renorm", "mode", "nanmedian", "nanquantile", "polygamma", "mvlgamma", "i0",
    "igamma", "igammac", "nextafter", "ldexp", "frexp", "gcd", "lcm", "bfloat16", "resize_",
    "set_", "dequantize", "names", "rename", "refine_names", "align_to", "layout", "is_sparse",
})  # fmt: skip


def _of_array(m: Machine, own: NdArray, name: str) -> Any:
    get = arrays.ATTRIBUTES.get(name)
    if get is not None:
        return get(m, own)
    method = arrays.METHODS.get(name)
    if method is not None:
        return Bound(Builtin(name, method), own)
    raise outside(
        f"ndarray.{name} is not read.",
        did_you_mean(name, arrays.METHODS, "Use a function of NumPy's instead."),
    )


def _of_instance(m: Machine, own: Instance, name: str) -> Any:
    if name in own.attributes:
        return own.attributes[name]
    if isinstance(own, Failure) and name == "args":
        return own.args
    if name == "__class__":
        return own.cls
    if name == "__dict__":
        return own.attributes
    found = own.cls.lookup(name)
    if found is not None:
        return _bound(m, found[0], own, own.cls)
    fallback = own.cls.lookup("__getattr__")
    if fallback is not None:
        return m.call(fallback[0], [own, name], {})
    raise _missing(own, name)


def _bound(m: Machine, member: Any, own: Any, cls: UserClass) -> Any:
    if isinstance(member, Decorated):
        if member.how == "property":
            return m.call(member.function, [own], {})
        if member.how == "classmethod":
            return Bound(member.function, cls)
        return member.function
    return Bound(member, own) if isinstance(member, Function | Builtin) else member


def _of_class(m: Machine, own: UserClass, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return own.name
    if name == "__bases__":
        return own.bases
    if name == "__mro__":
        return own.lineage
    found = own.lookup(name)
    if found is None:
        if name == "__init__":
            return Builtin("__init__", lambda m, *_, **__: None)
        raise program_error("AttributeError", f"type object '{own.name}' has no attribute '{name}'")
    member = found[0]
    if isinstance(member, Decorated) and member.how == "classmethod":
        return Bound(member.function, own)
    return member.function if isinstance(member, Decorated) else member


def _of_grad_fn(own: GradFn, name: str) -> Any:
    if name == "name":
        return Builtin("name", lambda m: own.name())
    if name == "next_functions":
        return own.next_functions
    if name == "variable" and own.record.args is not None:
        return own.record.args()
    if name.startswith("_saved"):
        raise outside(f"grad_fn.{name} is not read.", "Look at the node's saved values instead.")
    return _MISSING


def _of_dtype(own: DType, name: str) -> Any:
    if name == "is_floating_point":
        return own.numpy.kind == "f"
    if name == "is_complex":
        return own.numpy.kind == "c"
    if name == "itemsize":
        return own.numpy.itemsize
    return own.name if name in ("name", "__name__") else _MISSING


#: A value of each type whose methods can be had from the type itself: ``str.upper``.
_EMPTY: dict[str, Any] = {"str": "", "list": [], "dict": {}, "set": set(), "int": 0, "float": 0.0}


def _of_type(m: Machine, own: TypeName, name: str) -> Any:
    """``torch.Tensor.add``, ``str.upper``: the method, which takes the object first."""
    if own.types and own.types[0] is Tensor and name in METHODS:
        return Builtin(name, spelled(METHODS[name]))
    methods = methods_of(_EMPTY.get(own.name))
    if name in methods:
        return Builtin(name, methods[name])
    if name == "fromkeys" and own.name == "dict":
        return Builtin(name, lambda m, keys, value=None: keyed(
            m, ((k, value) for k in m.extras["iterate"](m, keys))))  # fmt: skip
    return _MISSING


def _missing(own: Any, name: str) -> Exception:
    return program_error("AttributeError", f"'{type_name(own)}' object has no attribute '{name}'")


def has_attribute(m: Machine, own: Any, name: str) -> bool:
    """``hasattr``"""
    if isinstance(own, Tensor):
        return name in ATTRIBUTES or name in METHODS
    if isinstance(own, Namespace):
        return name in own.members
    if isinstance(own, Instance):
        return name in own.attributes or own.cls.lookup(name) is not None
    if isinstance(own, UserClass):
        return own.lookup(name) is not None
    return name in methods_of(own) or _of_others(m, own, name) is not _MISSING


def set_attribute(m: Machine, own: Any, name: str, value: Any) -> None:
    """``own.name = value``"""
    if isinstance(own, Tensor):
        setter = SETTERS.get(name)
        if setter is not None:
            setter(m, own, value)
        elif name in ATTRIBUTES or name in METHODS:
            raise program_error(
                "AttributeError", f"attribute '{name}' of 'torch._C.TensorBase' is not writable"
            )
        else:  # programs hang names and notes on tensors
            held = m.extras.setdefault("tensor_attributes", {})
            held.setdefault(id(own), (own, {}))[1][name] = value
    elif isinstance(own, Instance):
        setter_method = own.cls.lookup("__setattr__")
        if setter_method is not None:
            m.call(setter_method[0], [own, name, value], {})
        else:
            own.attributes[name] = value
    elif isinstance(own, UserClass) and not own.ours:
        own.members[name] = value
    elif isinstance(own, Function):
        own.attributes[name] = value
    elif isinstance(own, NdArray) and name == "shape":
        own.tensor = arrays.reshape(m, own, *value).tensor
    elif isinstance(own, Namespace | UserClass):
        raise outside(
            f"{own.name}.{name} cannot be replaced here.", "Give your own function another name."
        )
    else:
        raise _missing(own, name)
