"""A program of torch.export as a graph: parameters are leaves, modules are frames.

The program is only looked at: its operators are named by their text and told in our operations, so
torch itself is not needed here.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.errors import UnsupportedError
from core.graph import Graph
from core.importers.building.builder import Builder
from core.importers.building.finishing import Origin, finished
from core.importers.building.refs import Array, Ref, Untranslatable, of_value
from core.importers.placing import placed
from core.importers.torch_export import arrays, networks, pointwise, shapes, training
from core.importers.torch_export.call import Call, Translator

TRANSLATORS: dict[str, Translator] = {
    **pointwise.TRANSLATORS,
    **arrays.TRANSLATORS,
    **shapes.TRANSLATORS,
    **networks.TRANSLATORS,
    **training.TRANSLATORS,
}
#: What a translator raises over arguments that make no sense.
_NONSENSE = (ArithmeticError, LookupError, TypeError, ValueError, MemoryError, RuntimeError)

_Made = Ref | tuple[Ref, ...]


@dataclass(frozen=True)
class ExportImport:
    """What came of reading a program.

    Attributes:
        graph: with a run "backward" from the first output, where there is a way.
        notes: what is not as the program has it, a sentence each.
        outputs: where the program's outputs stand, in order: node id and output's name.
        unknown: names of the grey nodes, with the reason why each is grey.
    """

    graph: Graph
    notes: tuple[str, ...] = ()
    outputs: tuple[tuple[str, str], ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)


def read_export(
    program: Any, inputs: Sequence[Array] | None = None, *, layout: bool = True
) -> ExportImport:
    """The graph of an ``torch.export.ExportedProgram``.

    Args:
        inputs: values of the program's inputs, in order; without them those it was exported with.
        layout: whether to arrange the nodes; without it they have no places and no frames.

    Raises:
        UnsupportedError: it is no such program, or its inputs are not known.
        LimitError: computing it once would take too much.
    """
    reading = _Reading(program, inputs)
    reading.read()
    done = finished(reading.build, reading.origins, reading.given, reading.outputs)
    graph = placed(done.graph, done.groups) if layout else done.graph
    names = {graph.nodes[n].name: why for n, why in reading.unknown.items()}
    notes = [f"'{name}' is a grey placeholder: {why}." for name, why in names.items()]
    places = tuple((ref.node or "", done.output(ref)) for _, ref in reading.outputs)
    return ExportImport(graph, tuple(notes), places, names)


class _Reading:
    """One program being read."""

    def __init__(self, program: Any, inputs: Sequence[Array] | None) -> None:
        self.build = Builder()
        self.origins: list[Origin] = []
        self.given: list[Ref] = []
        self.outputs: list[tuple[str, Ref]] = []
        self.unknown: dict[str, str] = {}
        self._made: dict[Any, _Made] = {}
        self._program = program
        try:
            self._nodes = list(program.graph.nodes)
            self._signature = program.graph_signature
            self._tensors = {**program.state_dict, **program.constants}
            values = program.example_inputs[0] if inputs is None else inputs
        except (AttributeError, TypeError):
            raise UnsupportedError(
                "This is no program of torch.export with example inputs.",
                next_step="Make one with torch.export.export(module, (input, ...)).",
            ) from None
        self._values = dict(zip(self._signature.user_inputs, values, strict=False))

    def read(self) -> None:
        """Make the nodes."""
        for node in self._nodes:
            if node.op == "placeholder":
                self._made[node] = self._placeholder(node)
            elif node.op == "output":
                self._end(node)
            else:
                self._operator(node)

    def _placeholder(self, node: Any) -> Ref:
        signature, name = self._signature, node.name
        if name in signature.inputs_to_parameters:
            target = signature.inputs_to_parameters[name]
            tensor = self._tensors[target]
            return of_value(_array(tensor), target, leaf=bool(tensor.requires_grad))
        constants = getattr(signature, "inputs_to_lifted_tensor_constants", {})
        for table in (signature.inputs_to_buffers, constants):
            if name in table:
                return of_value(_array(self._tensors[table[name]]), table[name])
        if name not in self._values:
            raise UnsupportedError(
                f"The value of the program's input '{name}' is not known.",
                next_step="Give one array for each input.",
            )
        ref = of_value(_array(self._values[name]), name)
        self.given.append(ref)
        return ref

    def _operator(self, node: Any) -> None:
        mark = self.build.mark()
        try:
            made = self._translated(node)
        except Untranslatable as error:
            self.build.back_to(mark)
            made = self._unknown(node, str(error))
        self._made[node] = made
        members = tuple(list(self.build.nodes)[mark[0] :])
        self.origins.append(Origin(node.name, _short(node.target), _scope(node), members))

    def _translated(self, node: Any) -> _Made:
        if node.target is operator.getitem:
            whole, k = self._made[node.args[0]], node.args[1]
            if isinstance(whole, Ref) or k >= len(whole):
                raise Untranslatable("it has outputs that the operation here does not have")
            part: Ref = whole[k]
            return part
        name = _short(node.target)
        changes = name.endswith("_") and not name.startswith("_")
        translate = TRANSLATORS.get(name.rstrip("_") if changes else name)
        if not str(node.target).startswith("aten.") or translate is None:
            raise Untranslatable(f"there is no operation here for {node.target}")
        try:
            result = translate(Call(self._arguments(node), self.build))
        except _NONSENSE as error:
            raise Untranslatable(f"its arguments make no sense ({error})") from None
        made = result if isinstance(result, Ref) else tuple(result)
        if changes:
            self._change(node.args[0], made)
        return made

    def _change(self, changed: Any, made: _Made) -> None:
        """A tensor changed in place: from here on its name stands for the result.

        Raises:
            Untranslatable: others may look at the same memory.
        """
        others = [changed.args[0]] if changed.op == "call_function" and changed.args else []
        views = [n for n in (*others, *changed.users) if _is_view(n) or _is_view(changed)]
        if views:
            raise Untranslatable("it changes memory that other tensors look at")
        self._made[changed] = made

    def _arguments(self, node: Any) -> dict[str, Any]:
        """By name, defaults included, tensors as ``Ref``s."""
        schema = node.target._schema.arguments
        bound = {a.name: a.default_value for a in schema if a.has_default_value()}
        bound |= {a.name: value for a, value in zip(schema, node.args, strict=False)}
        bound |= node.kwargs
        order = {a.name: None for a in schema if a.name in bound}
        return {name: self._value(bound[name]) for name in order}

    def _value(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [self._value(v) for v in value]
        if hasattr(value, "op") and hasattr(value, "users"):  # a node of the program
            made = self._made[value]
            if isinstance(made, Ref) and made.node is None and made.value is None:
                raise Untranslatable("it takes what is not known")
            return made
        return value

    def _unknown(self, node: Any, why: str) -> _Made:
        inputs = [
            made
            for n in node.all_input_nodes
            if isinstance(made := self._made[n], Ref) and (made.node or made.value is not None)
        ]
        value = node.meta.get("val")
        count = len(value) if isinstance(value, list | tuple) else 1
        made = self.build.unknown(f"torch.{node.target}", inputs, count, torch=str(node))
        assert made[0].node is not None
        self.unknown[made[0].node] = why
        return made if isinstance(value, list | tuple) else made[0]

    def _end(self, node: Any) -> None:
        """The program's own outputs; changed buffers come back, too, and are left out."""
        wanted = set(self._signature.user_outputs)
        for result in node.args[0]:
            if getattr(result, "name", None) not in wanted:
                continue
            ref = self._made[result]
            if isinstance(ref, Ref):
                if ref.node is None:
                    self.build.place(ref, result.name)
                self.outputs.append((result.name, ref))


def _array(tensor: Any) -> Array:
    """A tensor's numbers, or an array as it is."""
    return np.asarray(tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor)


def _short(target: Any) -> str:
    """ "aten.add.Tensor" as "add"."""
    parts = str(target).split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def _is_view(node: Any) -> bool:
    return node.op == "call_function" and _short(node.target) in _VIEWS


_VIEWS = frozenset(
    {
        "alias", "chunk", "detach", "expand", "flatten", "movedim", "narrow", "permute", "reshape",
        "select", "slice", "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind",
        "unflatten", "unsqueeze", "view",
    }
)  # fmt: skip


def _scope(node: Any) -> tuple[str, ...]:
    """The modules a node stands in ("net", "0"), outermost first."""
    stack = node.meta.get("nn_module_stack") or {}
    paths = [path for path, _ in stack.values() if path]
    scope: list[str] = []
    before = ""
    for path in paths:
        scope.append(path.removeprefix(f"{before}.") if before else path)
        before = path
    return tuple(scope)
