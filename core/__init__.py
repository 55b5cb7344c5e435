"""The part of the program that knows no Qt: operations, engine, graph, session and files.

Reading order: ``library.spec`` (what an operation is), ``tensor`` and ``autograd`` (how it is
recorded and run backward), ``trace`` (what a backward leaves behind), ``graph`` (what the user
draws), ``session`` (a graph being run).
"""

from core import functional, ops
from core.autograd import backward, grad
from core.tensor import Tensor, enable_grad, no_grad

__all__ = ["Tensor", "backward", "enable_grad", "functional", "grad", "no_grad", "ops"]
