"""Whatever the bytes: a graph that holds together, or one FileFormatError that names the place."""

import base64
import io
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FileFormatError
from core.files import dumps, loads
from core.graph import INPUT, Backward, Graph, Run


def good():
    """A small file as plain data, to be spoilt."""
    graph, x = Graph().with_node(INPUT, params={"value": [2.0, 3.0], "requires_grad": True})
    graph, square = graph.with_node("square")
    graph, tanh = graph.with_node("tanh", inline={"x": 1.0})
    graph, _ = graph.with_wire(x, "y", square, "x")
    graph, _ = graph.with_wire(square, "y", tanh, "x")
    graph, _ = graph.with_frame("frame", (0, 0, 100, 100))
    graph = graph.with_run(Run("ones", (Backward(((tanh, "y"),), ([1.0, 1.0],)),)))
    return json.loads(dumps(graph))


def refusal(text):
    with pytest.raises(FileFormatError) as caught:
        loads(text)
    assert caught.value.what.endswith(".")
    assert caught.value.next_step
    assert len(str(caught.value)) < 400
    return caught.value.what


def spoilt(change):
    data = good()
    change(data)
    return json.dumps(data)


def test_the_file_is_good_before_it_is_spoilt():
    assert set(loads(json.dumps(good())).names) == {"x", "square", "tanh"}


# -- bytes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b" \n\n ", "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "Line 1: this is not UTF-8"),
        (bytes(1000), "Line 1, column 1: this is not JSON"),
        (b"PK\x03\x04 a zip file", "not JSON"),
        (pickle.dumps({"nodes": []}), "not UTF-8"),
        ("{}".encode("utf-16"), "not UTF-8"),
        (b"x = torch.ones(3)\nx.backward()", "Line 1, column 1: this is not JSON"),
        (
            b'{"format": "pullback",\n"version": 2,\n"next_id": NaN}',
            "Line 3, column 12: .* not JSON",
        ),
        (b'{"format": "pullback", "version": 2, "next_id": 1, "nodes": [],}', "not JSON"),
        (b'{"format": "pullback", "version": 2, "next_id": 1} {}', "not JSON"),
        (b"null", "Expected an object"),
        (b"[]", "Expected an object"),
        (b"3", "Expected an object"),
        (b"{}", "key is missing: 'format'"),
        (b'{"format": "pullback"}', "key is missing: 'version'"),
        (b'{"format": 1, "version": 2}', "format: expected text"),
        (b'{"format": "svg", "version": 2}', "of format 'svg'"),
        (b'{"format": "pullback", "version": 0}', "no version 0"),
        (b'{"format": "pullback", "version": -3}', "no version -3"),
        (b'{"format": "pullback", "version": "1"}', "version: expected a whole number"),
        (b'{"format": "pullback", "version": 2}', "key is missing: 'next_id'"),
    ],
)
def test_bytes_that_are_no_graph(data, message):
    with pytest.raises(FileFormatError, match=message):
        loads(data)


def test_a_newer_version_says_so():
    text = '{"format": "pullback", "version": 99, "what": {"nobody": ["knows", "yet"]}}'
    with pytest.raises(FileFormatError, match=r"version 99.*up to version 2") as caught:
        loads(text)

    assert "newer version of Pullback" in caught.value.next_step


def test_every_truncation_of_a_file_is_refused():
    text = dumps(loads(json.dumps(good()))).rstrip().encode()
    for length in range(len(text)):
        refusal(text[:length])


def test_a_truncated_file_names_the_line_where_it_ends():
    text = dumps(loads(json.dumps(good())))
    what = refusal(text[: text.index('"wires"') + 30])

    assert what.startswith("Line 8: the file ends in the middle")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"format": "pullback", "version": 2, "next_id": 1, "nodes": ' + "[" * 100_000,
        '{"format": "pullback", "version": 2, "next_id": 1, "nodes": '
        + "[" * 100_000
        + "]" * 100_000
        + "}",
    ],
)
def test_deep_nesting_is_refused_without_recursion(text):
    refusal(text)


@pytest.mark.parametrize(
    ("written", "twice", "what"),
    [
        ('"op": "square"', '"op": "square", "op": "tanh"', "'square': the key 'op'"),
        ('"requires_grad": true', '"requires_grad": true, "requires_grad": false', "requires_grad"),
        ('"dtype": "float64", "data": [2.0', '"data": [2.0], "data": [2.0', "the key 'data'"),
        ('"title": "frame"', '"title": "frame", "title": "other"', "'other': the key 'title'"),
        ('"wires": [', '"wires": [],"wires": [', "'The file': the key 'wires'"),
        ('"frames": [', '"nodes": [],"frames": [', "the key 'nodes'"),
    ],
)
def test_a_key_that_is_given_twice_is_refused(written, twice, what):
    text = dumps(loads(json.dumps(good())))
    assert text.count(written) == 1
    assert what in refusal(text.replace(written, twice))


def test_a_file_that_leaves_out_or_spells_out_defaults_is_read():
    text = '{"format": "pullback", "version": 2, "next_id": 2, "nodes": [NODE]}'
    node = '{"id": "n1", "op": "add", "name": "a \\": b", "pos": [0, 0], "collapsed": false}'

    assert loads(text.replace("NODE", node)).names == {'a ": b': "n1"}


@pytest.mark.parametrize("depth", [70, 300, 450, 700, 900])
@pytest.mark.parametrize(
    ("op", "param"), [("warp", "a"), ("pad", "pad_width"), ("getitem", "index"), ("tanh", "x")]
)
def test_deeply_nested_parameters_are_refused(depth, op, param):
    text = spoilt(put("nodes.1", {"id": "n2", "op": op, "name": "s", "params": {param: "HERE"}}))

    refusal(text.replace('"HERE"', "[" * depth + "]" * depth))


def test_a_deeply_nested_source_is_refused():
    text = spoilt(put("nodes.0.params.source", {"kind": "HERE"}))

    refusal(text.replace('"HERE"', "[" * 400 + "]" * 400))


def test_a_split_into_very_many_parts_takes_no_memory():
    record = {"id": "n2", "op": "split", "name": "s", "params": {"indices_or_sections": 10**12}}

    refusal(spoilt(put("nodes.1", record)))  # for the wire at its output 'y', not for its size


def test_halves_of_surrogate_pairs_are_refused():
    refusal('{"format": "pullback\ud800"}')
    refusal('{"format": "pullback", "version": 2, "next_id": 1, "nodes": ["\\ud800"]}')


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_junk_is_refused(junk):
    refusal(junk)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_file_with_some_bytes_changed_is_read_or_refused(data):
    text = bytearray(dumps(loads(json.dumps(good()))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    read_or_refused(bytes(text))


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_file_with_any_part_replaced_is_read_or_refused(data):
    record = good()
    at = record
    while True:
        key = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key] or data.draw(st.booleans()):
            break
        at = at[key]
    at[key] = data.draw(anything)
    read_or_refused(json.dumps(record, allow_nan=False))


def read_or_refused(text):
    try:
        graph = loads(text)
    except FileFormatError:
        return
    assert dumps(loads(dumps(graph))) == dumps(graph)


# -- records -------------------------------------------------------------------------------------


def put(path, value):
    """A change that sets the item at a path such as "nodes.1.op"."""
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]

    def change(data):
        for key in way:
            data = data[key]
        data[last] = value

    return change


def drop(path):
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]

    def change(data):
        for key in way:
            data = data[key]
        del data[last]

    return change


ARRAY = {"dtype": "float64", "data": [1.0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # shapes of records
        (put("colour", "red"), "unknown key 'colour'"),
        (put("nodes.1.colour", "red"), r"nodes\[1\] 'square': there is an unknown key 'colour'"),
        (put("nodes.1.name", 3), r"nodes\[1\] 'square', name: expected text, got a whole number"),
        (put("nodes.1", 3), r"nodes\[1\]: expected an object"),
        (put("nodes", {}), "nodes: expected a list"),
        (drop("nodes.1.op"), r"nodes\[1\] 'square': a key is missing: 'op'"),
        (drop("nodes.0.id"), r"nodes\[0\] 'x': a key is missing: 'id'"),
        (put("nodes.1.pos", [1]), r"nodes\[1\] 'square', pos"),
        (put("nodes.1.pos", ["left", 0]), r"nodes\[1\] 'square', pos\[0\]: expected a number"),
        (put("nodes.1.pos", [1e300, 0]), r"nodes\[1\] 'square': .* too far away"),
        (put("nodes.1.pos", [10**400, 0]), r"nodes\[1\] 'square', pos\[0\]"),
        (put("nodes.1.collapsed", 1), "expected true or false"),
        (put("nodes.1.inline", {"x": 3.0}), r"nodes\[1\] 'square', inline"),
        (put("wires.0.from", ["n1"]), r"wires\[0\] 'w4', from"),
        (put("runs.0.actions.0.do", "explode"), r"runs\[0\] 'ones', actions\[0\]"),
        (drop("runs.0.actions.0.do"), r"runs\[0\] 'ones', actions\[0\]"),
        (put("frames.0.rect", [0, 0, 1]), r"frames\[0\] 'frame', rect"),
        # ids and names
        (put("nodes.1.id", "n1"), r"nodes\[1\]: the id 'n1' is used twice"),
        (put("nodes.1.id", ""), r"nodes\[1\] 'square', id"),
        (put("nodes.1.name", "x"), r"nodes\[1\]: the name 'x' is used twice"),
        (put("nodes.1.name", ""), r"nodes\[1\] '': the name is empty"),
        (put("nodes.1.name", "a\nb"), r"nodes\[1\] .*cannot be shown"),
        (put("wires.1.id", "w4"), r"wires\[1\]: the id 'w4' is used twice"),
        (lambda d: d["frames"].append(d["frames"][0]), r"frames\[1\] 'frame': the id"),
        (lambda d: d["runs"].append(d["runs"][0]), r"runs\[1\] 'ones': the name is used twice"),
        (put("runs.0.name", " "), r"runs\[0\] ' ': the name is empty"),
        (put("next_id", 3), "next_id: 3 is too small: the id 'n3' is in use"),
        (put("next_id", 0), "next_id"),
        (put("next_id", 10**30), "next_id"),
        # parameters
        (put("nodes.1.params", {"axis": 1}), r"nodes\[1\] 'square': 'square' has no parameter"),
        (put("nodes.0.params.valeu", 1), r"Did you mean 'value'"),
        (put("nodes.0.params.requires_grad", "yes"), r"nodes\[0\] 'x': 'requires_grad' cannot"),
        (put("nodes.0.params.value", 3.0), r"nodes\[0\] 'x': the value is not an array"),
        (put("nodes.0.params.source", [1]), r"nodes\[0\] 'x': 'source' cannot"),
        (
            put("nodes.0.params.value", {"dtype": "int64", "data": [1]}),
            r"nodes\[0\] 'x': A value of dtype int64 cannot require grad",
        ),
        (put("nodes.2.inline", {"z": ARRAY}), r"nodes\[2\] 'tanh': there is no input 'z'"),
        # wires
        (put("wires.0.from", ["n9", "y"]), r"wires\[0\] 'w4': there is no node 'n9'"),
        (put("wires.0.to", ["n9", "x"]), r"wires\[0\] 'w4': there is no node 'n9'"),
        (put("wires.0.from", ["n1", "z"]), r"wires\[0\] 'w4': 'x' has no output 'z'"),
        (put("wires.0.to", ["n2", "z"]), r"wires\[0\] 'w4': 'square' has no input 'z'"),
        (
            put("wires.1.to", ["n2", "x"]),
            r"wires\[1\]: there is another wire at input 'x' of node 'n2'",
        ),
        (put("wires.0.points", [[1e99, 0]]), r"wires\[0\] 'w4': .* too far away"),
        (
            put("wires.0.from", ["n3", "y"]),
            "close a loop: square → tanh → square|tanh → square → tanh",
        ),
        (put("wires.0.from", ["n2", "y"]), "close a loop: square → square"),
        # frames
        (put("frames.0.rect", [0, 0, -1, 5]), r"frames\[0\] 'frame': A frame cannot be -1.0 by"),
        # runs
        (put("runs.0.actions.0.roots", [["n9", "y"]]), r"runs\[0\] 'ones': .* names node 'n9'"),
        (put("runs.0.actions.0.roots", [["n3", "q"]]), r"runs\[0\] 'ones': .* names output 'q'"),
        (put("runs.0.actions.0.roots", [["n1", 0]]), r"makes no such gradient"),
        (put("runs.0.actions.0.roots", []), r"runs\[0\] 'ones': .* has no roots"),
        (put("runs.0.actions.0.inputs", ["n9"]), r"runs\[0\] 'ones': .* names node 'n9'"),
        (put("runs.0.actions.0.cotangents", [None, None]), r"1 roots and 2 cotangents"),
        (
            put("runs.0.actions.0.cotangents.0", {"dtype": "str", "data": 1}),
            r"runs\[0\] 'ones': 'str'",
        ),
        (put("outside", [{"from": ["n1", "y"]}]), r"outside\[0\]"),
    ],
)
def test_a_fault_is_refused_and_names_its_place(change, message):
    with pytest.raises(FileFormatError, match=message):
        loads(spoilt(change))


# -- arrays --------------------------------------------------------------------------------------


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def packed(raw, dtype="float64", **more):
    return {"dtype": dtype, "npy": base64.b64encode(raw).decode(), **more}


class Boom:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was opened",))


TERABYTES = npy(np.zeros(4)).replace(b"(4,), }             ", b"(4000000000000,), } ")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"dtype": "float64", "data": [[1.0, 2.0], [3.0]]}, "rows are not all of the same length"),
        ({"dtype": "float64", "data": [[1.0], 2.0]}, "rows are not all of the same length"),
        ({"dtype": "float64", "data": [1.0, [2.0]]}, "a list is not a number"),
        ({"dtype": "float64", "shape": [3], "data": [1.0, 2.0]}, r"said to be \[3\], but is \[2\]"),
        ({"dtype": "float64", "shape": [0, 2], "data": [1.0]}, "said to be"),
        ({"dtype": "float64", "shape": [-1], "data": [1.0]}, "not an array with dtype and data"),
        ({"dtype": "float64", "data": "NaN"}, "'NaN' is not a number"),
        ({"dtype": "float64", "data": [True]}, "'True' is not a number"),
        ({"dtype": "float64", "data": [None]}, "nothing is not a number"),
        ({"dtype": "float64"}, "nothing is not a number"),
        ({"dtype": "float64", "data": [{}]}, "an object is not a number"),
        ({"dtype": "float64", "data": 10**400}, "cannot hold"),
        ({"dtype": "float32", "data": [1e300]}, "cannot hold"),
        ({"dtype": "int64", "data": 1.5}, "'1.5' is not a whole number"),
        ({"dtype": "int8", "data": [300]}, "cannot hold"),
        ({"dtype": "uint8", "data": [-1]}, "cannot hold"),
        ({"dtype": "bool", "data": [1]}, "'1' is neither true nor false"),
        ({"dtype": "complex128", "data": [1.0, 2.0, 3.0]}, "not a pair"),
        ({"dtype": "complex128", "data": 1.0}, "not a pair"),
        ({"dtype": "object", "data": [1.0]}, "'object' is not a dtype"),
        ({"dtype": "float23", "data": [1.0]}, "'float23' is not a dtype"),
        ({"data": [1.0]}, "not an array with dtype and data"),
        ({"dtype": "float64", "data": [1.0], "x": 1}, "not an array with dtype and data"),
        ({"dtype": "float64", "npy": "%%%"}, "not base64"),
        ({"dtype": "float64", "npy": "é"}, "not base64"),
        (packed(b"nothing like it"), "not an .npy file"),
        (packed(npy(np.zeros(4))[:-1]), "cut short"),
        (packed(npy(np.zeros(4)) + b"!"), "too long"),
        (packed(npy(np.zeros(4)), dtype="float32"), "said to be float32, but is float64"),
        (packed(npy(np.zeros(4)), shape=[5]), r"said to be \[5\], but is \[4\]"),
        (packed(npy(np.array([Boom()]))), "not an .npy file of numbers"),
        (packed(npy(np.array(["text"]))), "not an .npy file of numbers"),
        (packed(npy(np.zeros(2, [("a", "f8")]))), "not an .npy file of numbers"),
        (packed(TERABYTES), "cut short"),
    ],
)
def test_arrays_that_are_none(value, message):
    with pytest.raises(FileFormatError, match=rf"nodes\[0\] 'x': .*{message}"):
        loads(spoilt(put("nodes.0.params.value", value)))


def test_the_forged_header_is_one():
    assert b"4000000000000" in TERABYTES
    assert len(TERABYTES) == len(npy(np.zeros(4)))


@pytest.mark.parametrize("data", ["[" * 33 + "1.0" + "]" * 33, "[" * 100 + "]" * 100])
def test_arrays_of_too_many_axes(data):
    text = json.dumps(good()).replace("[2.0, 3.0]", data)

    assert "more than 32 axes" in refusal(text)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "01", "0x1"])
def test_numbers_json_does_not_have(number):
    refusal(json.dumps(good()).replace("2.0", number))


@pytest.mark.parametrize(
    "index",
    [
        ["first"],
        [{"slice": [1, 2]}],
        [{"slice": "all"}],
        [{"slice": [0.5, None, None]}],
        [{"ints": [[1], [1, 2]]}],
        [{"ints": ["a"]}],
        [{"mask": [[True], 3]}],
        [1.5],
        [[0]],
        {"a": 1},
    ],
)
def test_indices_that_are_none(index):
    def change(data):
        data["nodes"][1] |= {"op": "getitem", "params": {"index": index}}

    assert refusal(spoilt(change)).startswith("nodes[1] 'square': ")
