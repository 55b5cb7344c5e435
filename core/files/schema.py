"""What a ``.pullback`` file holds, as types: reading, checking and the JSON Schema come from them.

A file names everything by id. Fields that have their default are left out; keys that are not here
are an error, because dropping them would lose them on the next save.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

#: The version written by this program. A change of any type below needs a new one and a migration.
VERSION = 2
FORMAT = "pullback"
#: Where the format is kept as a JSON Schema, for editors and other programs.
SCHEMA_PATH = Path(__file__).parents[2] / "docs/pullback.schema.json"

Id = Annotated[str, Meta(min_length=1, max_length=80)]
NextId = Annotated[int, Meta(ge=1, le=2**53)]
Point = tuple[float, float]
#: ``["n2", "y"]`` is an output; ``["n1", 0]`` is the gradient of n1 that action 0 of the run made.
Root = tuple[Id, Id | int]


class _Record(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """Records form no cycles, so the garbage collector need not look at them."""


class ArrayRecord(_Record):
    """An array: numbers in nested lists, or base64 of an .npy file when there are many.

    NaN and infinities are "nan", "inf" and "-inf", complex numbers [re, im]. The shape is given
    where the lists do not show it.
    """

    dtype: str
    shape: list[Annotated[int, Meta(ge=0)]] | None = None
    data: Any = None
    npy: bytes | None = None


class NodeRecord(_Record):
    """A node. ``params`` of an input are value (an array), requires_grad and source.

    Those of a call are ``function``, the id of one. Arguments and results stand in functions only.
    """

    id: Id
    op: Annotated[str, Meta(min_length=1)]
    name: str
    pos: Point = (0.0, 0.0)
    params: dict[str, Any] = {}
    inline: dict[str, ArrayRecord] = {}
    collapsed: bool = False
    pinned: bool = False


class WireRecord(_Record, rename={"source": "from", "target": "to"}):
    """A wire, from [node, output port] to [node, input port]."""

    id: Id
    source: tuple[str, str]
    target: tuple[str, str]
    points: tuple[Point, ...] = ()


class OutsideRecord(_Record, rename={"source": "from", "target": "to"}):
    """On the clipboard: a wire into what was copied, from a node of this name outside it."""

    source: tuple[str, str]
    target: tuple[str, str]
    name: str


class FrameRecord(_Record):
    """A titled area, or a comment; ``rect`` is x, y, width, height."""

    id: Id
    title: str
    rect: tuple[float, float, float, float]
    note: str = ""
    color: str = "blue"
    no_grad: bool = False
    comment: bool = False


class BackwardRecord(_Record, tag_field="do", tag="backward"):
    """backward(roots, cotangents, retain_graph, create_graph, inputs)"""

    roots: list[Root]
    cotangents: list[ArrayRecord | tuple[Id, int] | None] | None = None
    retain_graph: bool | None = None
    create_graph: bool = False
    inputs: list[str] | None = None


class GradRecord(_Record, tag_field="do", tag="grad"):
    """grad(outputs, inputs, ...)"""

    outputs: list[Root]
    inputs: list[str]
    cotangents: list[ArrayRecord | tuple[Id, int] | None] | None = None
    retain_graph: bool | None = None
    create_graph: bool = False
    allow_unused: bool | None = None
    materialize_grads: bool = False


class ZeroGradRecord(_Record, tag_field="do", tag="zero_grad"):
    """The gradients of some leaves, or of all, become None or zeros."""

    nodes: list[str] | None = None
    set_to_none: bool = True


class AssignRecord(_Record, tag_field="do", tag="assign"):
    """A leaf is changed in place."""

    node: str
    value: ArrayRecord


class ForwardRecord(_Record, tag_field="do", tag="forward"):
    """Forward again, on a new tape."""


ActionRecord = BackwardRecord | GradRecord | ZeroGradRecord | AssignRecord | ForwardRecord


class RunRecord(_Record):
    """A run: its actions in order."""

    name: str
    actions: list[ActionRecord]


class FunctionRecord(_Record):
    """A function: a body that calls share. Its ports are its argument and result nodes."""

    id: Id
    name: str
    next_id: NextId
    nodes: list[NodeRecord] = []
    wires: list[WireRecord] = []
    frames: list[FrameRecord] = []


class FileRecord(_Record):
    """A whole file."""

    format: str
    version: int
    next_id: NextId
    functions: list[FunctionRecord] = []
    nodes: list[NodeRecord] = []
    wires: list[WireRecord] = []
    frames: list[FrameRecord] = []
    runs: list[RunRecord] = []
    outside: list[OutsideRecord] = []


class Header(Struct):
    """What every version of the format begins with."""

    format: str
    version: int


class RawBody(Struct):
    """The text of every node of a function, to keep those of unknown operations as they are."""

    nodes: list[msgspec.Raw] = []


class RawNodes(Struct):
    """The same of a whole file."""

    functions: list[RawBody] = []
    nodes: list[msgspec.Raw] = []


def json_schema() -> dict[str, Any]:
    """The format as a JSON Schema, made from the types above."""
    made = msgspec.json.schema(FileRecord)
    file = made["$defs"]["FileRecord"]["properties"]
    file["format"], file["version"] = {"const": FORMAT}, {"const": VERSION}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Pullback graph, version {VERSION}",
        **made,
    }


def schema_text() -> str:
    """The JSON Schema as its file holds it."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"
