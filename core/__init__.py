"""The part of the program that knows no Qt: operations, engine, graph, session and files.

Reading order: ``library.spec`` (what an operation is), ``tensor`` and ``autograd`` (how it is
recorded and run backward), ``trace`` (what a backward leaves behind), ``graph`` (what the user
draws), ``session`` (a graph being run).
"""

from core import functional, ops
from core.autograd import backward, grad
from core.modes import detect_anomaly, enable_grad, is_grad_enabled, no_grad
from core.observe import observe
from core.tensor import Tensor

__all__ = [
    "Tensor",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "is_grad_enabled",
    "no_grad",
    "observe",
    "ops",
]
