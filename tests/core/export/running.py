"""Running an exported program for what it is, and comparing it with our engine."""

import contextlib
import io
import warnings

import numpy as np

from core.session import Session
from tests.core.export.graphs import same


def differences(exported, graph, run, symmetric=False, tolerance=1e-6):
    """What the program's own run finds otherwise than our engine, in words.

    Args:
        symmetric: only the symmetric parts of gradients count.
    """
    session = Session(graph)
    outcome = None if run is None else session.run(run)
    error = next((a.error for a in outcome.results if a.error), None) if outcome else None
    try:
        names = executed(exported)
    except Exception as raised:  # noqa: BLE001  (whatever a library refuses is a finding)
        return [] if error is not None else [f"{type(raised).__name__}: {raised}"[:300]]
    if error is not None:  # NumPy has no graph that is freed
        return [f"ends well, but here in: {error}"] if exported.target == "pytorch" else []
    found = []
    values = session.snapshot().values
    for node_id, name in exported.identifiers.items():
        got = _array(names.get(name))
        if got is not None and not same(got, values[node_id][0], tolerance=tolerance):
            found.append(f"value of {name}: {got} instead of {values[node_id][0]}")
    for node_id, want in (outcome.grads if outcome else {}).items():
        name = exported.identifiers[node_id]
        leaf = names.get(name)
        got = _array(leaf.grad if hasattr(leaf, "grad") else names.get(f"{name}_grad"))
        # What nothing reached is None for one and zeros for another.
        want = want if want is not None or got is None or got.any() else np.zeros(got.shape)
        got = got if got is not None or want is None or want.any() else np.zeros(want.shape)
        if not same(got, want, symmetric, tolerance):
            found.append(f"gradient of {name}: {got} instead of {want}")
    return found


def executed(exported):
    """The names of the program after it was run by Python."""
    names = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(exported.text, "exported", "exec"), names)
    return names


def _array(value):
    if value is None:
        return None
    if hasattr(value, "resolve_conj"):
        value = value.detach().resolve_conj()
    return np.asarray(value)
