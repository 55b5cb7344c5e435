"""An ONNX model as a graph: weights are leaves, operators are nodes, scopes are frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import FileFormatError, LimitError, PullbackError
from core.graph import Graph
from core.graph.nodes import MOST_AXES
from core.importers.building.builder import Builder
from core.importers.building.finishing import Finished, Origin, finished
from core.importers.building.refs import Ref, Untranslatable, of_value
from core.importers.placing import placed
from core.onnx.protobuf import parse
from core.onnx.reading.call import Call
from core.onnx.reading.table import TRANSLATORS
from core.onnx.records import DTYPES, Array, OnnxModel, OnnxNode, OnnxValue, Shape

#: Files larger than this are refused: protobuf has the same limit.
_MOST_BYTES = 2**31
#: Elements of an input's value, which is made up here.
_MOST_ELEMENTS = 10_000_000
#: What a translator raises over attributes that make no sense.
_NONSENSE = (ArithmeticError, LookupError, TypeError, ValueError, MemoryError, RuntimeError)


@dataclass(frozen=True)
class OnnxImport:
    """What came of reading a model.

    Attributes:
        graph: with a run "backward" from the first output, where there is a way.
        notes: what is not as the model has it, a sentence each.
        inputs, outputs: the model's, by name: the node's id and the output's name.
        unknown: names of the grey nodes, with the reason why each is grey.
    """

    graph: Graph
    notes: tuple[str, ...] = ()
    inputs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    outputs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)


def read_onnx(
    path: Path, inputs: Mapping[str, Array] | None = None, *, layout: bool = True
) -> OnnxImport:
    """The graph of a model in a file.

    Raises:
        FileFormatError: it is no ONNX model, or the package ``onnx`` is missing.
        LimitError: computing it once would take too much.
        OSError: it cannot be read.
    """
    if path.stat().st_size > _MOST_BYTES:
        raise FileFormatError(
            f"{path.name} is larger than 2 GB, more than an ONNX file may be.",
            next_step="Export a part of the model.",
        )
    return load_onnx(path.read_bytes(), inputs, folder=path.parent, layout=layout)


def load_onnx(
    data: bytes,
    inputs: Mapping[str, Array] | None = None,
    *,
    folder: Path | None = None,
    layout: bool = True,
) -> OnnxImport:
    """The graph of a model.

    Args:
        data: the bytes of its file.
        inputs: values of the model's inputs by name. Others are drawn at random (floating, with a
            seed that is kept) or zero; axes of no fixed length get a length of 1.
        folder: where files with further weights lie.
        layout: whether to arrange the nodes; without it they have no places and no frames.

    Raises:
        FileFormatError, LimitError: as ``read_onnx`` does.
    """
    reading = _Reading(parse(data, folder), inputs or {})
    try:
        reading.read()
    except RecursionError:
        raise FileFormatError(
            "The model is nested too deeply.", next_step="Export a part of it."
        ) from None
    outputs = reading.outputs()
    done = finished(reading.build, reading.groups, reading.given.values(), outputs)
    graph = placed(done.graph, done.groups) if layout else done.graph
    return OnnxImport(
        graph,
        tuple(reading.notes(done)),
        reading.places(done, reading.given),
        reading.places(done, dict(outputs)),
        {graph.nodes[n].name: why for n, why in reading.unknown.items()},
    )


class _Reading:
    """One model being read."""

    def __init__(self, model: OnnxModel, inputs: Mapping[str, Array]) -> None:
        self.model = model
        self.build = Builder()
        self.groups: list[Origin] = []
        self.unknown: dict[str, str] = {}
        self.given: dict[str, Ref] = {}
        self._refs: dict[str, Ref] = {}
        self._said: list[str] = []
        self._fixed: dict[str, None] = {}
        self._inferred: Mapping[str, OnnxValue] | None = None
        self._inputs = inputs
        self._used = frozenset(
            [name for node in model.nodes for name in node.inputs]
            + [value.name for value in model.outputs]
        )

    # -- what is given ----------------------------------------------------------------------------

    def read(self) -> None:
        """Make the nodes."""
        names = {value.name for value in self.model.inputs}
        for name, array in self.model.initializers.items():
            if name not in names:
                self._refs[name] = self._weight(name, array)
        for value in self.model.inputs:
            default = self.model.initializers.get(value.name)
            self.given[value.name] = self._refs[value.name] = self._input(value, default)
        for node in self.model.nodes:
            self._node(node)

    def _weight(self, name: str, array: Array | None) -> Ref:
        if array is None or array.ndim > MOST_AXES:
            return Ref(name=name)
        floating = array.dtype.kind in "fc"
        return of_value(array, name, constant=not floating, leaf=floating)

    def _input(self, info: OnnxValue, default: Array | None) -> Ref:
        value = self._inputs.get(info.name, default)
        array = None if value is None else np.asarray(value)
        if array is not None and array.dtype in DTYPES.values() and array.ndim <= MOST_AXES:
            return of_value(array, info.name)
        if info.dtype is None or len(info.shape or ()) > MOST_AXES:
            return Ref(name=info.name)
        shape = tuple(n if isinstance(n, int) else 1 for n in info.shape or ())
        if math.prod(shape) > _MOST_ELEMENTS or min(shape, default=0) < 0:
            raise LimitError(
                f"The model's input '{info.name}' is {shape}: too large to make up a value for.",
                next_step="Export it for a smaller input.",
            )
        if shape != info.shape:
            self._said.append(
                f"Input '{info.name}' has axes of no fixed length: they are 1 long here."
            )
        return _made_up(info.name, shape, info.dtype)

    # -- nodes ------------------------------------------------------------------------------------

    def _node(self, node: OnnxNode) -> None:
        missing = [name for name in node.inputs if name and name not in self._refs]
        if missing:
            raise FileFormatError(
                f"The model's node '{node.name or node.op}' takes '{missing[0]}', which nothing "
                "before it gives.",
                next_step="Export it again; onnx.checker.check_model says what is wrong with it.",
            )
        inputs = tuple(self._refs[name] if name else None for name in node.inputs)
        mark = self.build.mark()
        call = Call(node, inputs, self.model.opset, self.build, self._used)
        try:
            made = self._translated(call)
        except Untranslatable as error:
            self.build.back_to(mark)
            made = self._placeholder(node, inputs, str(error))
        else:
            self._fixed.update(dict.fromkeys(call.fixed))
        for name, ref in zip(node.outputs, made, strict=False):
            if not name:
                continue
            self._refs[name] = ref
            if ref.value is None:
                self._look_up(name, ref)
        self.groups.append(_origin(node, list(self.build.nodes)[mark[0] :]))

    def _translated(self, call: Call) -> tuple[Ref, ...]:
        node = call.node
        translate = TRANSLATORS.get(node.op) if not node.domain else None
        if translate is None:
            raise Untranslatable("there is no such operation here")
        if any(x is not None and x.node is None and x.value is None for x in call.inputs):
            raise Untranslatable("it takes what is no array of numbers")
        try:
            result = translate(call)
        except LimitError:  # the whole model takes too long
            raise
        except (PullbackError, *_NONSENSE) as error:
            raise Untranslatable(f"its settings make no sense ({error})") from None
        made = result if isinstance(result, tuple) else (result,)
        if any(call.uses(k) for k in range(len(made), len(node.outputs))):
            raise Untranslatable("it has outputs that the operation here does not have")
        return made

    def _placeholder(
        self, node: OnnxNode, inputs: tuple[Ref | None, ...], why: str
    ) -> tuple[Ref, ...]:
        known = [x for x in inputs if x is None or x.node is not None or x.value is not None]
        op = f"{node.domain or 'onnx'}.{node.op}"
        made = self.build.unknown(op, known, max(len(node.outputs), 1), onnx=node.text)
        assert made[0].node is not None
        self.unknown[made[0].node] = why
        return made

    def _look_up(self, name: str, ref: Ref) -> None:
        """What ONNX itself says about a value that could not be computed."""
        if self._inferred is None:
            self._inferred = self.model.infer()
        known = self._inferred.get(name)
        if known is None:
            return
        shape: Shape | None = known.fixed_shape
        if shape is not None and min(shape, default=0) >= 0 and math.prod(shape) < _MOST_ELEMENTS:
            ref.shape = shape
        ref.dtype = known.dtype

    # -- what came of it --------------------------------------------------------------------------

    def outputs(self) -> list[tuple[str, Ref]]:
        """The model's outputs, each with a node."""
        found = []
        first: dict[int, str] = {}
        for name, ref in self._refs.items():
            first.setdefault(id(ref), name)
        for value in self.model.outputs:
            if value.name not in self._refs:
                raise FileFormatError(
                    f"Nothing in the model gives its output '{value.name}'.",
                    next_step="Export it again.",
                )
            ref = self._refs[value.name]
            if ref.node is None and ref.value is not None:
                self.build.place(ref, ref.name or value.name)
            if ref.node is not None and first[id(ref)] != value.name and not ref.constant:
                ref = self.build.op("copy", ref)  # what is passed on is an output of its own
            if ref.node is not None:
                found.append((value.name, ref))
        return found

    def places(self, done: Finished, refs: Mapping[str, Ref]) -> dict[str, tuple[str, str]]:
        """Where values stand in the graph, those that do."""
        return {
            name: (ref.node, done.output(ref)) for name, ref in refs.items() if ref.node is not None
        }

    def notes(self, done: Finished) -> list[str]:
        """What is not as the model has it."""
        notes = list(self._said)
        given = [name for name in self._fixed if name in self.given]
        if given:
            notes.append(
                f"Settings are fixed at what {_listed(given)} says now: change it and import again."
            )
        computed = len(self._fixed) - len(given)
        if computed:
            notes.append(f"{computed} settings that the model computes are fixed at their values.")
        for node_id, why in self.unknown.items():
            node = done.graph.nodes[node_id]
            notes.append(f"'{node.name}' ({node.params['op']}) is a grey placeholder: {why}.")
        return notes


def _origin(node: OnnxNode, members: list[str]) -> Origin:
    """Where nodes come from: names such as "/layer1/conv/Conv" tell the scope."""
    *path, title = node.name.rstrip("/").split("/")
    scope: list[str] = []
    outer = ""
    for part in filter(None, path):
        scope.append(part.removeprefix(f"{outer}."))  # torch writes "/layers/layers.0/Conv"
        outer = part
    return Origin(title or node.op.lower(), node.op, tuple(scope), tuple(members))


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _made_up(name: str, shape: Shape, dtype: np.dtype[Any]) -> Ref:
    """A value for an input that the model leaves open."""
    if dtype.kind != "f":
        return of_value(np.zeros(shape, dtype), name)
    ref = of_value(np.random.default_rng(0).standard_normal(shape).astype(dtype), name)
    ref.source = {"kind": "normal", "shape": list(shape), "seed": 0}
    return ref
