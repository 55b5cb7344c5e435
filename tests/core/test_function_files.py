"""Functions in files: written once, read in any order, refused when they make no sense."""

import json
import time

import pytest

from core.errors import FileFormatError
from core.files import dumps, dumps_fragment, loads, loads_fragment
from core.graph import CALL, INPUT, Backward, Graph, Run, gather, paste


def document():
    """sum(net(x)) with net = layer of x² → tanh, and a second layer."""
    graph, x = Graph().with_node(
        INPUT, name="x", params={"value": [2.0, 3.0], "requires_grad": True}
    )
    graph, square = graph.with_node("square", (100, 0))
    graph, tanh = graph.with_node("tanh", (200, 0))
    graph, total = graph.with_node("sum", (300, 0))
    for source, target in ((x, square), (square, tanh), (tanh, total)):
        graph, _ = graph.with_wire(source, "y", target, "x")
    graph = graph.with_run(Run("sum", (Backward(((total, "y"),)),)))
    graph, layer = gather(graph, [square, tanh], "layer")
    graph, _ = gather(graph, [layer], "net")
    function = next(f for f in graph.functions.values() if f.name == "layer")
    graph, _ = graph.with_node(CALL, (0, 300), params={"function": function}, inline={"x": 0.5})
    return graph


def refusal(data):
    with pytest.raises(FileFormatError) as caught:
        loads(json.dumps(data))
    assert caught.value.next_step
    return caught.value.what


@pytest.fixture
def data():
    return json.loads(dumps(document()))


def test_functions_survive_saving():
    graph = document()
    read = loads(dumps(graph))

    assert dumps(read) == dumps(graph)
    assert [f.name for f in read.functions.values()] == ["layer", "net"]
    for node in read.nodes.values():
        if node.op == CALL:
            assert node.params["function"] is read.functions[node.params["function"].id]
    net = read.named("net").params["function"]
    assert net.calls[0] is read.named("layer").params["function"]
    assert net.body.inside == net.id


def test_a_function_is_written_once_with_a_line_a_record():
    lines = dumps(document()).splitlines()

    assert sum('"op": "square"' in line for line in lines) == 1
    assert lines[1] == '"functions": ['


def test_functions_may_stand_in_any_order(data):
    data["functions"].reverse()

    read = loads(json.dumps(data))
    assert [f.name for f in read.functions.values()] == ["net", "layer"]
    assert read.named("net").params["function"].calls


def test_unknown_operations_in_a_function_are_saved_as_they_were(data):
    odd = '{"id": "n2", "op": "warp", "name": "square", "pos": [1, 2.5], "params": {"a": [1e3]}}'
    text = json.dumps(data)
    square = json.dumps(data["functions"][0]["nodes"][0])
    assert square in text

    assert odd in dumps(loads(text.replace(square, odd)))


def test_the_clipboard_carries_functions():
    graph = document()
    text = dumps_fragment(graph, [graph.named("net").id])
    elsewhere, (copy,) = paste(Graph(), loads_fragment(text))

    assert {f.name for f in elsewhere.functions.values()} == {"layer", "net"}
    assert elsewhere.nodes[copy].label == "net"
    only = loads_fragment(dumps_fragment(graph, [graph.named("x").id]))
    assert not only.graph.functions


# -- files that make no sense --------------------------------------------------------------------


def test_functions_that_call_themselves_are_refused(data):
    layer, net = data["functions"]
    call = {"id": "n90", "op": "call", "name": "again", "params": {"function": net["id"]}}
    layer["nodes"].append(call)
    layer["next_id"] = 91

    assert "functions: they call themselves: layer → net → layer" in refusal(data)
    call["params"]["function"] = layer["id"]
    assert "they call themselves: layer → layer" in refusal(data)


@pytest.mark.parametrize("called", ["g0", 3, ["g1"], None, {"a": 1}])
def test_a_call_of_no_function_is_refused(data, called):
    next(n for n in data["nodes"] if n["op"] == "call")["params"]["function"] = called

    assert "nodes[" in (what := refusal(data))
    assert "there is no function" in what


def test_a_call_without_a_function_is_refused(data):
    next(n for n in data["nodes"] if n["op"] == "call")["params"] = {}

    assert "a call needs its function" in refusal(data)


@pytest.mark.parametrize("op", ["argument", "result"])
def test_ends_outside_of_functions_are_refused(data, op):
    data["nodes"].append({"id": "n1000", "op": op, "name": "end"})
    data["next_id"] = 1001

    assert f"'end': '{op}' stands in a function only" in refusal(data)


def test_a_function_without_result_is_refused(data):
    layer = data["functions"][0]
    end = next(n["id"] for n in layer["nodes"] if n["op"] == "result")
    layer["nodes"] = [n for n in layer["nodes"] if n["id"] != end]
    layer["wires"] = [w for w in layer["wires"] if w["to"][0] != end]

    assert "functions[0] 'layer': 'layer' would have no result" in refusal(data)


def test_a_function_of_very_many_ports_is_refused_at_once(data):
    layer = data["functions"][0]
    layer["nodes"] += [{"id": f"p{i}", "op": "argument", "name": f"p{i}"} for i in range(50_000)]
    layer["next_id"] = 50_000
    start = time.perf_counter()

    assert "more than 1000 ports" in refusal(data)
    assert time.perf_counter() - start < 2


def test_ports_a_function_does_not_have_are_refused(data):
    data["wires"][0]["to"][1] = "z"

    assert "'net' has no input 'z'" in refusal(data)


@pytest.mark.parametrize("key", ["id", "name"])
def test_functions_of_one_name_or_id_are_refused(data, key):
    data["functions"][1][key] = data["functions"][0][key]

    assert f"functions[1]: the {key} " in refusal(data)


def test_what_is_wrong_in_a_body_is_said_with_its_function(data):
    data["functions"][0]["wires"][0]["from"][0] = "n77"

    assert refusal(data).startswith("functions[0] 'layer', wires[0] ")
    data["functions"][0]["wires"][0]["from"] = 3
    assert refusal(data).startswith("functions[0] 'layer', ")


def test_a_small_file_of_very_many_nodes_is_refused_at_once(data):
    """Ten calls of a function of ten calls of ..., twenty deep: 10^20 nodes."""
    before = data["functions"][0]["id"]
    for k in range(20):
        calls = [
            {"id": f"n{i + 1}", "op": "call", "name": f"c{i}", "params": {"function": before}}
            for i in range(10)
        ]
        end = {"id": "n11", "op": "result", "name": "y"}
        before = f"bomb{k}"
        data["functions"].append(
            {"id": before, "name": before, "next_id": 12, "nodes": [*calls, end]}
        )
    start = time.perf_counter()

    assert "over 100,000 nodes" in refusal(data)
    assert time.perf_counter() - start < 2


def test_a_long_chain_of_functions_is_refused(data):
    before = data["functions"][0]["id"]
    for k in range(2000):
        call = {"id": "n1", "op": "call", "name": "c", "params": {"function": before}}
        end = {"id": "n2", "op": "result", "name": "y"}
        before = f"deep{k}"
        data["functions"].append({"id": before, "name": before, "next_id": 3, "nodes": [call, end]})

    assert "nested more than 32 deep" in refusal(data)
