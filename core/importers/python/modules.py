"""The modules that programs import, by name."""

from __future__ import annotations

from typing import Any

from core.importers.python import (
    numpy_library,
    stdlib,
)
from core.importers.python.failures import outside
from core.importers.python.machine import Machine
from core.importers.python.prelude import TEXTS, prelude_module
from core.importers.python.stdlib import Anything
from core.importers.python.torch import library
from core.importers.python.values import (
    Namespace,
)

_MODULES: dict[str, dict[str, Any]] = {
    **library.MODULES, **numpy_library.MODULES, **stdlib.MODULES,
}  # fmt: skip


_ALIASES = {"torch.nn.modules": "torch.nn", "torch.nn.parameter": "torch.nn",
            "torch.functional": "torch",
            "torch.autograd.variable": "torch.autograd"}  # fmt: skip


_OUTSIDE = "Only torch, numpy and a few modules of Python's own are known here: write what is " \
    "needed of it in the program itself."  # fmt: skip


def find_module(m: Machine, name: str) -> Namespace:
    """The module of that name, with those under it.

    Raises:
        UnsupportedError: it is not known here.
    """
    known: dict[str, Namespace] = m.extras.setdefault("modules", {})
    name = _ALIASES.get(name, name)
    if name in known:
        return known[name]
    members = _MODULES.get(name)
    if members is None and name in TEXTS:
        members = {}
    if members is None or name in ("os", "torch.autograd.forward_ad"):
        raise outside(f"The module '{name}' is not followed.", _OUTSIDE)
    module = Namespace(name, members if isinstance(members, Anything) else _Lazy(m, name, members))
    known[name] = module
    return module


class _Lazy(dict[str, Any]):
    """A module's names; the modules under it, and our own text, are made when asked for."""

    def __init__(self, m: Machine, name: str, members: dict[str, Any]) -> None:
        super().__init__(members)
        self._machine = m
        self._name = name

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or self._made(str(name))

    def _made(self, name: str) -> bool:
        full = f"{self._name}.{name}"
        text = prelude_module(self._machine, self._name)
        if text is not None and name in text:
            self[name] = text[name]
            return True
        if full in _MODULES or full in TEXTS:
            self[name] = find_module(self._machine, full)
            return True
        return False
