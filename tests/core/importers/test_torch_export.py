"""Programs of torch.export, told by stand-ins: torch itself is compared with in benchmarks/."""

import operator
from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import UnsupportedError
from core.graph import INPUT, UNKNOWN
from core.importers.torch_export import read_export
from core.session import Session

SCHEMAS = {
    "aten.linear.default": "input weight bias=None",
    "aten.tanh.default": "self",
    "aten.relu_.default": "self",
    "aten.add.Tensor": "self other alpha=1",
    "aten.view.default": "self size",
    "aten.sum.dim_IntList": "self dim keepdim=False dtype=None",
    "aten.split.Tensor": "self split_size dim=0",
    "aten.dropout.default": "input p train",
    "aten.nonzero.default": "self",
    "aten.eq.Scalar": "self other",
    "aten.ones.default": "size dtype=None",
    "aten.masked_fill.Scalar": "self mask value",
}


class Operator:
    """A torch operator: its name, and what its arguments are called."""

    def __init__(self, name):
        self._name = name
        self._schema = SimpleNamespace(arguments=[argument(a) for a in SCHEMAS[name].split()])

    def __str__(self):
        return self._name


def argument(text):
    name, has_default, default = text.partition("=")
    value = {"None": None, "False": False, "": None}.get(default, default)
    value = int(value) if isinstance(value, str) else value
    return SimpleNamespace(
        name=name, default_value=value, has_default_value=lambda: bool(has_default)
    )


class Node:
    """A node of a program's graph."""

    def __init__(self, op, name, target="", args=(), module=""):
        self.op, self.name, self.target, self.args, self.kwargs = op, name, target, args, {}
        self.users = {}
        paths = (
            [module.rsplit(".", n)[0] for n in range(module.count("."), -1, -1)] if module else []
        )
        self.meta = {"nn_module_stack": {path: (path, "Module") for path in paths}}
        self.all_input_nodes = [a for a in args if isinstance(a, Node)]
        for source in self.all_input_nodes:
            source.users[self] = None

    def __str__(self):
        return self.name


class Program:
    """What ``torch.export.export`` gives, as far as it is looked at."""

    def __init__(self, parameters, inputs):
        self.nodes = []
        self.state_dict = {
            name: SimpleNamespace(
                requires_grad=True, detach=lambda a=a: SimpleNamespace(cpu=lambda: Numbers(a))
            )
            for name, a in parameters.items()
        }
        self.constants = {}
        self.example_inputs = (tuple(inputs.values()), {})
        self.graph = SimpleNamespace(nodes=self.nodes)
        self.graph_signature = SimpleNamespace(
            inputs_to_parameters={f"p_{n.replace('.', '_')}": n for n in parameters},
            inputs_to_buffers={},
            user_inputs=tuple(inputs),
            user_outputs=(),
        )
        names = [*self.graph_signature.inputs_to_parameters, *inputs]
        self.placeholders = {name: self._add(Node("placeholder", name)) for name in names}

    def _add(self, node):
        self.nodes.append(node)
        return node

    def call(self, name, target, *args, module=""):
        target = Operator(target) if isinstance(target, str) else target
        return self._add(Node("call_function", name, target, args, module))

    def result(self, *nodes):
        self.graph_signature.user_outputs = tuple(node.name for node in nodes)
        self._add(Node("output", "output", args=(nodes,)))
        return self


class Numbers:
    def __init__(self, array):
        self._array = array

    def numpy(self):
        return self._array


@pytest.fixture
def mlp():
    weight = np.array([[1.0, 2.0], [0.5, -1.0]])
    program = Program({"net.0.weight": weight}, {"x": np.array([[1.0, 3.0]])})
    x, w = program.placeholders["x"], program.placeholders["p_net_0_weight"]
    h = program.call("linear", "aten.linear.default", x, w, module="net.0")
    y = program.call("tanh", "aten.tanh.default", h, module="net.1")
    z = program.call("add", "aten.add.Tensor", y, y)
    return program.result(z)


def last(read):
    node_id, _ = read.outputs[0]
    return Session(read.graph).snapshot().values[node_id][0]


def test_parameters_are_leaves_and_modules_are_frames(mlp):
    read = read_export(mlp)
    graph = read.graph
    assert {n.name for n in graph.nodes.values() if n.params.get("requires_grad")} == {
        "net.0.weight"
    }
    assert {f.title for f in graph.frames.values()} == {"net", "net/0"}
    assert graph.named("add").op == "add"
    np.testing.assert_allclose(last(read), 2 * np.tanh([[7.0, -2.5]]))


def test_the_run_gives_gradients(mlp):
    graph = read_export(mlp).graph
    grads = Session(graph).run(graph.run("backward")).grads
    slopes = 2 * (1 - np.tanh([7.0, -2.5]) ** 2)
    np.testing.assert_allclose(grads[graph.named("net.0.weight").id], np.outer(slopes, [1, 3]))


def test_other_inputs_may_be_given(mlp):
    np.testing.assert_array_equal(last(read_export(mlp, [np.zeros((3, 2))])), np.zeros((3, 2)))


def test_what_changes_in_place_is_followed():
    program = Program({}, {"x": np.array([-1.0, 2.0])})
    h = program.call("tanh", "aten.tanh.default", program.placeholders["x"])
    program.call("relu_", "aten.relu_.default", h)
    y = program.call("add", "aten.add.Tensor", h, 1.0)
    np.testing.assert_allclose(last(read_export(program.result(y))), [1, 1 + np.tanh(2)])


def test_what_changes_under_a_view_is_grey():
    program = Program({}, {"x": np.array([-1.0, 2.0])})
    h = program.call("tanh", "aten.tanh.default", program.placeholders["x"])
    view = program.call("view", "aten.view.default", h, [2, 1])
    program.call("relu_", "aten.relu_.default", view)
    y = program.call("add", "aten.add.Tensor", h, 1.0)
    read = read_export(program.result(y))
    assert "memory" in read.unknown["relu_"]


def test_several_outputs_are_taken_apart():
    program = Program({}, {"x": np.arange(5.0)})
    parts = program.call("split", "aten.split.Tensor", program.placeholders["x"], 2)
    second = program.call("getitem", operator.getitem, parts, 1)
    total = program.call("total", "aten.sum.dim_IntList", second, [0])
    assert last(read_export(program.result(total))) == 2 + 3


def test_a_mask_of_constants_needs_no_comparison():
    program = Program({}, {"x": np.arange(2.0)})
    ones = program.call("ones", "aten.ones.default", [2])
    mask = program.call("mask", "aten.eq.Scalar", ones, 1)
    y = program.call("y", "aten.masked_fill.Scalar", program.placeholders["x"], mask, 7.0)
    read = read_export(program.result(y))
    assert {n.op for n in read.graph.nodes.values()} == {INPUT, "masked_fill"}
    np.testing.assert_array_equal(last(read), [7, 7])


@pytest.mark.parametrize(
    ("target", "arguments", "why"),
    [
        ("aten.nonzero.default", (), "no operation here"),
        ("aten.dropout.default", (0.5, True), "eval mode"),
        ("aten.view.default", ([7],), "reshape"),
        ("aten.eq.Scalar", (1,), "inputs are data"),
    ],
)
def test_what_is_not_here_is_grey_and_said(target, arguments, why):
    program = Program({}, {"x": np.arange(2.0)})
    strange = program.call("strange", target, program.placeholders["x"], *arguments)
    y = program.call("y", "aten.tanh.default", strange)
    read = read_export(program.result(y))
    assert read.graph.named("strange").op == UNKNOWN
    assert why in read.unknown["strange"]
    assert any("'strange'" in note for note in read.notes)


def test_something_else_is_refused():
    with pytest.raises(UnsupportedError, match=r"torch\.export"):
        read_export(object())


def test_an_input_without_a_value_is_refused(mlp):
    with pytest.raises(UnsupportedError, match="'x'"):
        read_export(mlp, [])
