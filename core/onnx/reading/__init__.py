"""How each ONNX operator is told in our operations, by family.

A translator takes a ``Call`` (one ONNX node with what feeds it), applies our operations to it, and
returns what stands for the node's outputs. ``table`` lists them all.
"""
