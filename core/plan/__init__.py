"""A function of fixed shapes, with its backward, compiled once into straight-line NumPy.

The eager engine runs once over ``core.symbols``, which note every call that forward operations and
VJP rules make: recording, grad, create_graph and all. What was noted is then simplified and
written as one Python function without Tensors or records. The values are the eager ones.

Each call of a plan costs what NumPy costs: elementwise results take the memory of operands that
are used no more, and what is needed no more is let go.
"""

from core.plan.compiled import Plan

__all__ = ["Plan"]
