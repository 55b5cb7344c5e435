"""What backward checks on its way, and how it says that it cannot go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core import versions
from core.errors import AnomalyError, GraphFreedError, ModifiedSavedError
from core.records import Freed, Record
from core.tensor import Tensor


def check_versions(record: Record) -> None:
    """Refuse to use saved values that were changed in place since.

    Raises:
        ModifiedSavedError: names the node, the value and both versions.
    """
    for name, value in record.saved().items():
        for one in value if isinstance(value, tuple) else (value,):
            saved, now = versions.version_at(one, record.seq), versions.version(one)
            if saved != now:
                raise ModifiedSavedError(
                    f"{record.name} saved {name} at version {saved} for its backward, but it "
                    f"was changed in place since and is at version {now} now.",
                    next_step="Change a copy instead (x = x + ... rather than x.add_(...)), "
                    "or run forward again after the change.",
                    node=getattr(record, "tag", None),
                )


def check_anomaly(record: Record, k: int, g: Any, h: Any, *, infinities: bool) -> None:
    """Stop at a VJP ``h`` with a NaN (or an infinity) that its cotangent ``g`` had not.

    Raises:
        AnomalyError: names the node, the port and the forward values.
    """
    got, came = _raw_array(h), _flat_arrays(g)
    kinds: list[tuple[str, Callable[[Any], Any]]] = [("NaN", np.isnan)]
    if infinities:
        kinds.append(("an infinity", np.isinf))
    for word, test in kinds:
        if np.any(test(got)) and not any(np.any(test(c)) for c in came):
            where = tuple(int(i) for i in np.argwhere(test(got))[0])
            port = record.op.spec.ports[0 if record.op.variadic else k]
            values = ", ".join(
                f"{name} = {np.array2string(np.asarray(v), threshold=8)}"
                for name, v in record.saved().items()
                if not isinstance(v, tuple)
            )
            raise AnomalyError(
                f"The VJP of {record.name} for its input {port} has {word} at {where}, which "
                f"the cotangent that arrived had not. Saved values: {values or 'none'}.",
                next_step="Look at the forward values of this node, and keep its input away "
                "from the pole or kink.",
                node=getattr(record, "tag", None),
                port=port,
            )


def freed_error(record: Record, freed: Freed) -> GraphFreedError:
    """The error for a record whose saved values an earlier backward let go."""
    spec = record.op.spec
    names = sorted({n for p in spec.ports if p in spec.vjps for n in spec.saved(p)})
    return GraphFreedError(
        f"{spec.name} needs the values it saved ({', '.join(names)}), but backward "
        f"{freed.by} freed them.",
        next_step="Pass retain_graph=True to the first backward, or run forward again.",
        node=getattr(record, "tag", None),
    )


def _raw_array(x: Any) -> np.ndarray[Any, Any]:
    return np.asarray(x._data if isinstance(x, Tensor) else x)


def _flat_arrays(g: Any) -> list[np.ndarray[Any, Any]]:
    parts = list(g.values()) if isinstance(g, dict) else [g]
    return [_raw_array(p) for p in parts if p is not None]
