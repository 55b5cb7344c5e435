"""Grey nodes for what a source asks for and the library does not have."""

from __future__ import annotations

import json

from core.graph.nodes import UNKNOWN, Node


def placeholder(node_id: str, op: str, name: str, **facts: str) -> Node:
    """A node that shows what stood in the source, and that files keep as it is.

    Args:
        op: the source's own name of it, with the source before it ("onnx.NonZero"): none of ours
            may look like that, or a file would be read with our operation in its place.
        facts: what else is worth keeping.
    """
    record = {"id": node_id, "op": op, "name": name, "params": facts}
    text = json.dumps(record, ensure_ascii=False)
    return Node(node_id, UNKNOWN, name, params={"op": op, "record": text})
