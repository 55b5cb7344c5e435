"""The Qt program: shows a graph, its values and how gradients flow through it."""

__version__ = "0.1.0"
