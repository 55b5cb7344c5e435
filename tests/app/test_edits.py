import numpy as np
import pytest

from app import edits, frame_edits
from app.catalog import entries
from app.edits import WireEnd
from core.errors import FileFormatError, WireRefusedError
from core.graph import Graph

ENTRIES = {entry.key: entry for entry in entries()}
SIZE = (162.0, 120.0)


def test_a_node_is_added_joined_to_an_open_output(square):
    edit = edits.add(square, ENTRIES["sum"], (500, 0), WireEnd("n2", "y", is_output=True))
    (node,) = edit.selected
    (wire,) = edit.graph.wires_into(node).values()
    assert (wire.source, wire.port) == ("n2", "x")
    assert edit.text == "Add sum"


def test_a_node_is_added_in_front_of_an_open_input(square):
    graph, power = square.with_node("power", (500, 0))
    edit = edits.add(graph, ENTRIES["constant"], (400, 0), WireEnd(power, "b", is_output=False))
    assert edit.graph.wires_into(power)["b"].source == edit.selected[0]


def test_new_leaves_get_free_names(square):
    edit = edits.add(square, ENTRIES["leaf"], (0, 200))
    assert edit.graph.nodes[edit.selected[0]].name == "z"
    assert edit.graph.nodes[edit.selected[0]].params["requires_grad"] is True


def test_a_wire_dropped_on_a_node_takes_its_first_free_port(square):
    graph, add = square.with_node("add", (500, 0), inline={"a": 1.0})
    assert edits.best_port(graph, "n1", "y", add) == "a"
    with pytest.raises(WireRefusedError, match="no free input"):
        edits.best_port(square, "n1", "y", "n2")
    graph, upstream = square.with_node("tanh")
    graph, _ = graph.with_wire(upstream, "y", "n2", "a")
    with pytest.raises(WireRefusedError, match="loop"):
        edits.best_port(graph, "n2", "y", upstream)


def test_deleting_names_what_goes(square):
    assert edits.delete(square, ["n1"]).text == "Delete x"
    assert edits.delete(square, ["n1", "n2"]).text == "Delete 2 nodes"
    wire = next(iter(square.wires))
    edit = edits.delete(square, (), [wire])
    assert edit.text == "Delete a wire"
    assert wire not in edit.graph.wires


def test_a_copy_keeps_inner_wires_and_what_feeds_it(square):
    edit = edits.duplicate(square, ["n2"])
    (copy,) = edit.selected
    assert {wire.source for wire in edit.graph.wires_into(copy).values()} == {"n1"}
    assert edit.graph.nodes[copy].name == "y2"


def test_the_clipboard_is_text_that_pastes_into_another_graph(square):
    text = edits.copied(square, ["n1", "n2"])
    edit = edits.pasted(Graph(), text, (100.0, 50.0))
    assert [node.name for node in edit.graph.nodes.values()] == ["x", "y"]
    assert len(edit.graph.wires) == 2
    assert min(node.pos for node in edit.graph.nodes.values()) == (100.0, 50.0)
    np.testing.assert_array_equal(
        edit.graph.named("x").params["value"], square.named("x").params["value"]
    )


def test_pasting_anything_else_says_so(square):
    with pytest.raises(FileFormatError):
        edits.pasted(square, "a shopping list", None)


def test_a_node_dropped_on_a_wire_is_inserted(square):
    graph, tanh = square.with_node("tanh", (150, 0))
    wire = graph.wires_into("n2")["a"].id
    edit = edits.insert(graph, tanh, wire)
    assert edit.graph.wires_into("n2")["a"].source == tanh
    assert edit.graph.wires_into(tanh)["x"].source == "n1"
    assert edits.insert(edit.graph, tanh, edit.graph.wires_into("n2")["a"].id) is None


def test_deleting_with_healing_leads_the_wire_past(square):
    graph, tanh = square.with_node("tanh", (150, 0))
    graph = edits.insert(graph, tanh, graph.wires_into("n2")["a"].id).graph
    healed = edits.dissolve(graph, [tanh]).graph
    assert tanh not in healed.nodes
    assert healed.wires_into("n2")["a"].source == "n1"


def test_frames_go_around_nodes_and_away(square):
    sizes = dict.fromkeys(square.nodes, SIZE)
    graph = frame_edits.frame(square, ["n1", "n2"], sizes).graph
    (frame,) = graph.frames.values()
    assert all(frame.holds(node) for node in graph.nodes.values())
    assert frame_edits.unframe(graph, ["n1"]).graph.frames == {}
    assert frame_edits.unframe(square, ["n1"]) is None


def test_collapse_folds_until_all_are_folded(square):
    graph = edits.collapse(square, ["n1", "n2"]).graph
    assert all(node.collapsed for node in graph.nodes.values())
    assert not any(n.collapsed for n in edits.collapse(graph, ["n1", "n2"]).graph.nodes.values())


def test_arrows_go_to_the_nearest_node_in_their_direction():
    centres = {"a": (0.0, 0.0), "b": (200.0, 10.0), "c": (150.0, 300.0), "d": (0.0, -80.0)}
    assert edits.neighbour(centres, "a", (1, 0)) == "b"
    assert edits.neighbour(centres, "a", (0, 1)) == "c"
    assert edits.neighbour(centres, "a", (0, -1)) == "d"
    assert edits.neighbour(centres, "a", (-1, 0)) is None


def test_moving_both_ends_of_a_wire_takes_its_points_along(square):
    (wire,) = (w for w in square.wires_from("n1") if w.port == "a")
    graph = square.with_points(wire.id, [(100.0, 50.0)])
    assert edits.move(graph, ["n1", "n2"], (7.0, -3.0)).graph.wires[wire.id].points == (
        (107.0, 47.0),
    )
    assert edits.move(graph, ["n2"], (7.0, -3.0)).graph.wires[wire.id].points == ((100.0, 50.0),)


def test_a_frame_takes_along_what_lies_in_it(square):
    graph, outer = square.with_frame("outer", (-50, -80, 600, 400))
    graph, inner = graph.with_frame("inner", (250, -40, 200, 200))
    graph, beside = graph.with_frame("beside", (400, -40, 300, 200))
    after = frame_edits.move_frame(graph, outer, (10.0, 20.0)).graph
    assert after.frames[outer].rect == (-40, -60, 600, 400)
    assert after.frames[inner].rect == (260, -20, 200, 200)
    assert after.frames[beside] == graph.frames[beside]
    x, y = graph.nodes["n1"].pos
    assert after.nodes["n1"].pos == (x + 10.0, y + 20.0)
