"""torch.nn and torch.optim, written in the very language that is interpreted here.

A layer is a few lines over torch.nn.functional, and reads here as it would in a program. The texts
are interpreted when a program first asks for one of their names.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from core.importers.python.failures import outside
from core.importers.python.machine import Machine, need
from core.importers.python.prelude.activations_text import ACTIVATIONS
from core.importers.python.prelude.data_text import DATA
from core.importers.python.prelude.init_text import INIT
from core.importers.python.prelude.layers_text import LAYERS
from core.importers.python.prelude.losses_text import LOSSES
from core.importers.python.prelude.module_text import MODULES
from core.importers.python.prelude.optim_text import OPTIM, SCHEDULERS
from core.importers.python.prelude.recurrent_text import RECURRENT
from core.importers.python.values import Builtin, Instance, Namespace, Scope
from core.tensor import Tensor

if TYPE_CHECKING:
    from core.importers.python.interpreter import Interpreter

#: Our text of each module that has one.
TEXTS = {
    "torch.nn": MODULES + LAYERS + RECURRENT + ACTIVATIONS + LOSSES,
    "torch.nn.init": INIT,
    "torch.utils.data": DATA,
    "torch.optim": OPTIM,
    "torch.optim.lr_scheduler": SCHEDULERS,
}


def prelude_module(m: Machine, name: str) -> dict[str, Any] | None:
    """The names that our text for a module defines; None for other modules."""
    text = TEXTS.get(name)
    if text is None:
        return None
    made: dict[str, dict[str, Any]] = m.extras.setdefault("prelude", {})
    if name not in made:
        made[name] = _read(m, name, text)
    return made[name]


def _read(m: Machine, name: str, text: str) -> dict[str, Any]:
    interpreter: Interpreter = m.extras["interpreter"]
    scope, ours, line = interpreter.scope, interpreter.ours, m.line
    top = scope.top
    assert top.above is not None  # Python's own names
    interpreter.scope, interpreter.ours = Scope(top.above), True
    interpreter.scope.names.update(_HELPERS)
    if name == "torch.optim.lr_scheduler":
        interpreter.scope.names.update(prelude_module(m, "torch.optim") or {})
    try:
        with m.recorder.paused():
            interpreter.run(ast.parse(text).body)
        found = interpreter.scope.names
    finally:
        interpreter.scope, interpreter.ours, m.line = scope, ours, line
    return {k: v for k, v in found.items() if k not in _HELPERS and not isinstance(v, Namespace)}


def _parameter(m: Machine, data: Any = None, requires_grad: bool = True) -> Tensor:
    """nn.Parameter"""
    x = m.constant(need(data, "Parameter").data)
    if requires_grad:
        x.requires_grad_(True)
        m.recorder.leaf(x)
    m.extras.setdefault("parameters", {})[id(x)] = x
    return x


def _parts(m: Machine, own: Instance) -> list[tuple[str, Any, str]]:
    """A module's own parameters, buffers and modules: (name, value, kind) each."""
    known = m.extras.get("parameters", {})
    buffers = own.attributes.get("_buffers", {})
    found: list[tuple[str, Any, str]] = []
    for name, value in own.attributes.items():
        if isinstance(value, Tensor):
            kind = "parameter" if id(value) in known else "buffer" if name in buffers else ""
        elif isinstance(value, Instance) and value.cls.lookup("named_parameters") is not None:
            kind = "module"
        else:
            kind = ""
        if kind:
            found.append((name, value, kind))
    return found


def parameters_of(m: Machine, own: Instance, depth: int = 0) -> list[tuple[str, Tensor]]:
    """The parameters of a module and of those in it, with their paths: ``a_weight``."""
    if not m.extras.get("parameters") or own.cls.lookup("named_parameters") is None or depth > 10:
        return []
    found: list[tuple[str, Tensor]] = []
    for name, value, kind in _parts(m, own):
        if kind == "parameter":
            found.append((name, value))
        elif kind == "module":
            inner = parameters_of(m, value, depth + 1)
            found.extend((f"{name}_{path}", parameter) for path, parameter in inner)
    return found


def _identity(m: Machine, value: Any) -> int:
    return id(value)


def _name_of(m: Machine, own: Instance) -> str:
    return own.cls.name


def _outside(m: Machine, what: str, instead: str) -> None:
    raise outside(what, instead)


_HELPERS = {
    "outside": Builtin("outside", _outside),
    "Parameter_": Builtin("Parameter", _parameter),
    "parts_of": Builtin("parts_of", _parts),
    "identity": Builtin("identity", _identity),
    "name_of": Builtin("name_of", _name_of),
}
