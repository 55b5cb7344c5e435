"""Operations as methods of a Tensor, with torch's spelling of parameters where it differs."""

from __future__ import annotations

from typing import Any

from core.errors import OperandError
from core.library.spec import OpSpec

#: torch's spelling of parameter names.
_SPELLINGS = {"dim": "axis", "keepdim": "keepdims", "dims": "axes", "correction": "ddof"}


class Method:
    """An operation as a method of a Tensor: ``x.softmax(dim=-1)``."""

    __slots__ = ("_spec", "_tensor")

    def __init__(self, spec: OpSpec, tensor: Any) -> None:
        self._spec = spec
        self._tensor = tensor

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        spec = self._spec
        params = [p.name for p in spec.params]
        named = {k if k in params else _SPELLINGS.get(k, k): v for k, v in kwargs.items()}
        ports = () if spec.variadic else spec.ports[1:]
        inputs = [self._tensor, *args[: len(ports)]]
        inputs.extend(named.pop(port, None) for port in ports[len(inputs) - 1 :])
        given = args[len(ports) :]
        if len(given) > len(params) and params and spec.params[0].kind in ("shape", "ints", "axes"):
            given = (given,)  # x.permute(2, 0, 1)
        if len(given) > len(params):
            raise OperandError(
                f"{spec.name} was given {len(args)} arguments.",
                next_step=f"It takes {', '.join([*ports, *params]) or 'none'}.",
            )
        settings = dict(zip(params, given, strict=False))
        return type(self._tensor).__pullback_apply__(spec, inputs, {**settings, **named})


def with_axis(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Named arguments in NumPy's spelling: ``axis`` for ``dim``."""
    return {_SPELLINGS.get(k, k): v for k, v in kwargs.items()}
