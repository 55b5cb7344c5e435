import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from core.errors import FileFormatError
from core.files import (
    VERSION,
    decoding,
    dumps,
    dumps_fragment,
    json_schema,
    load,
    loads,
    loads_fragment,
    migrations,
    save,
)
from core.files.arrays import INLINE_LIMIT
from core.graph import (
    CAST,
    DETACH,
    INPUT,
    UNKNOWN,
    Assign,
    Backward,
    Forward,
    Grad,
    GradRef,
    Graph,
    Run,
    ZeroGrad,
    paste,
)
from core.graph.params import same

FILES = Path(__file__).parents[1] / "files"


def with_value(value, **params):
    return Graph().with_node(INPUT, params={"value": value, **params})[0]


def value_of(graph, name="x"):
    return graph.named(name).params["value"]


@pytest.fixture
def everything():
    """One of all there is."""
    graph, x = Graph().with_node(
        INPUT,
        (0, 0),
        params={
            "value": [2.0, 3.0],
            "requires_grad": True,
            "source": {"kind": "random", "seed": 7, "range": [-1.0, 1.0]},
        },
    )
    graph, square = graph.with_node("square", (272, 0.5))
    graph, _ = graph.with_node(
        "getitem", params={"index": (slice(1, None, 2), ..., None, [1, 0], -1)}
    )
    graph, _ = graph.with_node("getitem", params={"index": [np.array([True, False])]})
    graph, stack = graph.with_node("concatenate", inline={"xs[1]": [1.5, float("nan")]})
    graph, clip = graph.with_node("clip", params={"min": float("-inf"), "max": 1})
    graph, _ = graph.with_node("sum", params={"axis": [0], "keepdims": True})
    graph, split = graph.with_node("split", params={"indices_or_sections": [1, 2]})
    graph, _ = graph.with_node(CAST, params={"dtype": "float32"})
    graph, detach = graph.with_node(DETACH, name="détaché → ∂")
    graph, _ = graph.with_wire(x, "y", square, "x", [(100, 20), (150.25, 20)])
    graph, _ = graph.with_wire(square, "y", stack, "xs[0]")
    graph, _ = graph.with_wire(square, "y", split, "x")
    graph, _ = graph.with_wire(split, "y[2]", detach, "x")
    graph = graph.with_collapsed([clip]).with_pinned([square])
    graph, _ = graph.with_frame("Title", (-10, -10, 500, 200.5), "a\nnote", "green", no_grad=True)
    ones = np.ones(2)
    return graph.with_runs(
        [
            Run("ones (1, 1)", (Backward(((square, "y"),), (ones,)),)),
            Run(
                "all",
                (
                    Grad(((square, "y"),), (x,), (ones,), create_graph=True, allow_unused=True),
                    Backward((GradRef(0, x),), (GradRef(0, x),), retain_graph=True, inputs=(x,)),
                    ZeroGrad((x,), set_to_none=False),
                    ZeroGrad(),
                    Assign(x, [4.0, float("inf")]),
                    Forward(),
                    Backward(((square, "y"), (square, "y")), (ones, None), create_graph=True),
                ),
            ),
        ]
    )


# -- there and back ------------------------------------------------------------------------------


def test_everything_survives_saving(everything):
    read = loads(dumps(everything))

    assert dumps(read) == dumps(everything)
    assert read.next_id == everything.next_id
    assert read.wires == everything.wires
    assert read.frames == everything.frames
    assert read.names == everything.names
    for node_id, node in everything.nodes.items():
        copy = read.nodes[node_id]
        assert (copy.op, copy.pos, copy.collapsed) == (node.op, node.pos, node.collapsed)
        for mine, theirs in ((node.params, copy.params), (node.inline, copy.inline)):
            assert mine.keys() == theirs.keys()
            for key, value in mine.items():
                kept = value == theirs[key] if key == "source" else same(value, theirs[key])
                assert kept, (node.name, key)


def test_runs_survive_saving(everything):
    for mine, theirs in zip(everything.runs, loads(dumps(everything)).runs, strict=True):
        assert mine.name == theirs.name
        for a, b in zip(mine.actions, theirs.actions, strict=True):
            assert type(a) is type(b)
            for field in a.__dataclass_fields__:
                assert same(getattr(a, field), getattr(b, field)) or getattr(a, field) == getattr(
                    b, field
                )


def test_the_empty_graph_survives_saving():
    assert dumps(loads(dumps(Graph()))) == dumps(Graph())


def test_text_is_one_record_a_line_in_the_order_things_were_made(everything):
    lines = dumps(everything).splitlines()

    assert lines[0] == '{"format": "pullback", "version": 2, "next_id": 16,'
    assert lines[2].startswith('{"id": "n1", "op": "input", "name": "x", "pos": [0.0, 0.0], ')
    assert len(lines) == 1 + 4 * 2 + sum(
        map(len, (everything.nodes, everything.wires, everything.frames, everything.runs))
    )
    assert json.loads(dumps(everything))["nodes"][1]["name"] == "square"


def test_an_edit_changes_the_lines_it_is_about(everything):
    before = dumps(everything).splitlines()
    after = dumps(everything.moved({"n2": (5, 5)})).splitlines()

    assert [a for a, b in zip(before, after, strict=True) if a != b] == [before[3]]


def test_a_byte_order_mark_is_passed_over(everything):
    assert loads(b"\xef\xbb\xbf" + dumps(everything).encode()).names == everything.names


def test_an_alias_in_a_file_is_read_as_the_operation(everything):
    text = dumps(everything).replace('"op": "concatenate"', '"op": "concat"')

    assert loads(text).named("concatenate").op == "concatenate"


# -- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, '{"dtype": "float64", "data": 2.0}'),
        ([1, 2], '{"dtype": "int64", "data": [1, 2]}'),
        ([[True], [False]], '{"dtype": "bool", "data": [[true], [false]]}'),
        (np.float32(0.1), '{"dtype": "float32", "data": 0.1}'),
        ([np.nan, np.inf, -np.inf], '{"dtype": "float64", "data": ["nan", "inf", "-inf"]}'),
        (1 - 2j, '{"dtype": "complex128", "data": [1.0, -2.0]}'),
        ([[1j]], '{"dtype": "complex128", "data": [[[0.0, 1.0]]]}'),
        (np.zeros((0, 3)), '{"dtype": "float64", "shape": [0, 3], "data": []}'),
        (np.zeros((2, 0), complex), '{"dtype": "complex128", "shape": [2, 0], "data": [[], []]}'),
        (-0.0, '{"dtype": "float64", "data": -0.0}'),
    ],
)
def test_small_arrays_can_be_read_in_the_file(value, text):
    written = dumps(with_value(value))

    assert f'"value": {text}' in written
    assert same(value_of(loads(written)), value_of(with_value(value)))


numbers = arrays_of.arrays(
    dtype=st.sampled_from(
        [
            "bool",
            "int8",
            "uint64",
            "int64",
            "float16",
            "float32",
            "float64",
            "complex64",
            "complex128",
        ]
    ),
    shape=arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
)


@settings(max_examples=200, deadline=None)
@given(numbers)
def test_any_small_array_survives_to_the_last_bit(array):
    read = value_of(loads(dumps(with_value(array))))

    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(read, array)
    finite = np.nan_to_num(array) if array.dtype.kind in "fc" else array
    assert value_of(loads(dumps(with_value(finite)))).tobytes() == finite.tobytes()


@pytest.mark.parametrize("dtype", ["float64", "complex64", "bool", "int32"])
def test_large_arrays_are_packed_and_survive_to_the_last_bit(dtype):
    rng = np.random.default_rng(0)
    array = rng.normal(size=(4, INLINE_LIMIT)).astype(dtype)
    text = dumps(with_value(array))

    assert '"npy"' in text
    assert '"data"' not in text
    assert same(value_of(loads(text)), array)
    assert not value_of(loads(text)).flags.writeable


def test_the_limit_of_readable_arrays():
    assert '"npy"' not in dumps(with_value(np.zeros(INLINE_LIMIT)))
    assert '"npy"' in dumps(with_value(np.zeros(INLINE_LIMIT + 1)))


# -- unknown operations --------------------------------------------------------------------------

STRANGE = '{"op": "warp", "id": "n2",  "name": "w", "pos": [1,2.50], "params": {"a": [1e3, {}]}}'
WITH_STRANGE = """{"format": "pullback", "version": 2, "next_id": 6, "nodes": [
{"id": "n1", "op": "input", "name": "x", "params": {"value": {"dtype": "float64", "data": 1.0}}},
STRANGE,
{"id": "n5", "op": "tanh", "name": "t"}],
"wires": [{"id": "w3", "from": ["n1", "y"], "to": ["n2", "left"]},
{"id": "w4", "from": ["n2", "out"], "to": ["n5", "x"]}],
"runs": [{"name": "r", "actions": [{"do": "backward", "roots": [["n2", "out"]]}]}]}
""".replace("STRANGE", STRANGE)


def test_an_unknown_operation_becomes_a_placeholder_that_is_saved_as_it_was():
    graph = loads(WITH_STRANGE)
    node = graph.nodes["n2"]

    assert (node.op, node.label, node.pos) == (UNKNOWN, "warp", (1.0, 2.5))
    assert set(graph.wires_into("n2")) == {"left"}
    assert STRANGE in dumps(graph)
    assert STRANGE in dumps(loads(dumps(graph)))


def test_a_placeholder_that_was_moved_and_renamed_keeps_the_rest():
    graph = loads(WITH_STRANGE).moved({"n2": (9, 9)}).with_name("n2", "warped")
    record = next(n for n in json.loads(dumps(graph))["nodes"] if n["id"] == "n2")

    assert record == {
        "op": "warp",
        "id": "n2",
        "name": "warped",
        "pos": [9.0, 9.0],
        "params": {"a": [1000.0, {}]},
    }


def test_a_placeholder_can_be_copied():
    graph = loads(WITH_STRANGE)
    graph, (copy,) = paste(graph, loads_fragment(dumps_fragment(graph, ["n2"])))
    read = loads(dumps(graph))

    assert read.nodes[copy].label == "warp"
    assert read.nodes[copy].name == "w2"


# -- clipboard -----------------------------------------------------------------------------------


def test_a_piece_goes_through_text(everything):
    text = dumps_fragment(everything, ["n2", "n5"], list(everything.frames))
    piece = loads_fragment(text)

    assert [node.name for node in piece.graph.nodes.values()] == ["square", "concatenate"]
    assert len(piece.graph.wires) == 1
    assert len(piece.graph.frames) == 1
    (outside,) = piece.outside
    assert (outside.source, outside.name, outside.target) == ("n1", "x", "n2")

    graph, new = paste(everything, piece, keep_outside=True)
    assert graph.wires_into(new[0])["x"].source == "n1"


def test_a_whole_file_can_be_pasted_and_a_piece_can_be_opened(everything):
    assert len(loads_fragment(dumps(everything)).graph.nodes) == len(everything.nodes)
    assert len(loads(dumps_fragment(everything, ["n2"])).nodes) == 1


def test_pasting_something_else_is_refused():
    with pytest.raises(FileFormatError):
        loads_fragment("x = torch.ones(3)")


# -- on disk -------------------------------------------------------------------------------------


def test_save_and_load(everything, tmp_path):
    path = tmp_path / "a graph.pullback"
    save(everything, path)

    assert dumps(load(path)) == dumps(everything)
    assert os.listdir(tmp_path) == [path.name], "no temporary file stays behind"


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(everything, tmp_path, monkeypatch):
    path = tmp_path / "g.pullback"
    save(Graph(), path)

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save(everything, path)

    assert dumps(load(path)) == dumps(Graph())
    assert os.listdir(tmp_path) == [path.name]


def test_saving_keeps_permissions_and_links(everything, tmp_path):
    path, link = tmp_path / "g.pullback", tmp_path / "link.pullback"
    save(Graph(), path)
    path.chmod(0o640)
    link.symlink_to(path)
    save(everything, link)

    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert dumps(load(path)) == dumps(everything)


def test_an_error_names_the_file(tmp_path):
    path = tmp_path / "broken.pullback"
    path.write_text("{")
    with pytest.raises(FileFormatError, match=r"broken\.pullback: "):
        load(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.pullback")


# -- versions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_a_file_of_every_version_can_be_read(version):
    paths = sorted(FILES.glob(f"v{version}_*.pullback"))

    assert paths, f"keep a file of version {version} in {FILES.name}"
    for path in paths:
        graph = load(path)
        assert graph.nodes
        assert graph.runs
        assert dumps(loads(dumps(graph))) == dumps(graph)


def test_a_file_of_this_version_is_saved_as_it_was():
    for path in FILES.glob(f"v{VERSION}_*.pullback"):
        assert dumps(load(path)) == path.read_text("utf-8")


def test_there_is_a_migration_from_every_old_version():
    assert set(migrations.MIGRATIONS) == set(range(1, VERSION))


def test_old_files_go_through_every_migration(everything, monkeypatch):
    def to_2(data):
        return {**data, "nodes": [{**n, "nom": n["name"]} for n in data["nodes"]]}

    def to_3(data):
        renamed = [{**n, "name": n["nom"] + "!"} for n in data["nodes"]]
        return {**data, "nodes": [{k: v for k, v in n.items() if k != "nom"} for n in renamed]}

    text = dumps(everything).replace('"version": 2', '"version": 1', 1)
    monkeypatch.setattr(migrations, "MIGRATIONS", {1: to_2, 2: to_3})
    monkeypatch.setattr(decoding, "VERSION", 3)

    assert "square!" in loads(text).names


# -- schema --------------------------------------------------------------------------------------


def test_the_schema_describes_what_is_written(everything):
    schema = json_schema()
    definitions = schema["$defs"]
    data = json.loads(dumps(everything))

    assert set(data) <= set(definitions["FileRecord"]["properties"])
    assert set(data["nodes"][0]) <= set(definitions["NodeRecord"]["properties"])
    assert set(data["wires"][0]) <= set(definitions["WireRecord"]["properties"])
    assert definitions["NodeRecord"]["additionalProperties"] is False
    assert {"from", "to", "id"} <= set(definitions["WireRecord"]["required"])
    assert all(d.get("description") for d in definitions.values())
    json.dumps(schema)
