"""How each of our operations is told in ONNX's operators, by family.

A rule takes an ``Emit`` (one node of the graph with the types and shapes of what feeds it), adds
ONNX nodes, and returns the names of its outputs. ``table`` lists them all.
"""
