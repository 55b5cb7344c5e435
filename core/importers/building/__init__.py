"""Graphs built from the graphs of others (ONNX, torch.export), computed as they are built.

Reading order: ``refs`` (a value while the graph is made), ``builder``, ``finishing`` (names,
groups, the run).
"""
