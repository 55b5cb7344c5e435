"""The programs that tests read, and how their results are compared."""

import json
import math
from pathlib import Path

from core.importers.python.limits import Limits

DATA = Path(__file__).parents[2] / "data/programs"
#: Time enough for a collection of all the garbage that other tests left.
PATIENT = Limits(seconds=10.0)


def rows(name):
    """The rows of a file of programs."""
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def same(got, want, rel_tol=2e-4):
    """Whether two plain results agree, by default to the precision of float32."""
    if isinstance(want, dict):
        return isinstance(got, dict) and got.keys() == want.keys() and all(
            same(got[k], want[k], rel_tol) for k in want
        )  # fmt: skip
    if isinstance(want, list):
        return (
            isinstance(got, list)
            and len(got) == len(want)
            and all(same(a, b, rel_tol) for a, b in zip(got, want, strict=True))
        )
    if isinstance(want, int | float) and not isinstance(want, bool):
        return math.isclose(got, want, rel_tol=rel_tol, abs_tol=rel_tol / 100)
    return got == want
