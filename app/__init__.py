"""The Qt program: shows a graph, its values and how gradients flow through it."""
