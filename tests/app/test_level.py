"""A level of a document looks like a document: what is edited there is the definition."""

import pytest

from app.descent import way
from app.document import Document
from app.level import Level
from core.graph import CALL, INPUT, Graph, gather
from core.session import Session


@pytest.fixture
def level(qapp):
    """f(x) = tanh(2 x), twice in a document."""
    graph, x = Graph().with_node(INPUT, name="x", params={"value": 1.0, "requires_grad": True})
    graph, two = graph.with_node(INPUT, name="two", params={"value": 2.0})
    graph, product = graph.with_node("multiply", name="product")
    graph, tanh = graph.with_node("tanh", name="tanh")
    for source, target, port in ((x, product, "a"), (two, product, "b"), (product, tanh, "x")):
        graph, _ = graph.with_wire(source, "y", target, port)
    graph, call = gather(graph, [two, product, tanh], "f")
    function = graph.nodes[call].params["function"]
    graph, _ = graph.with_node(CALL, (0, 300), "g", params={"function": function})
    document = Document(graph)
    level = Level(document)
    level.call, level.two = call, two
    return level


def test_at_the_top_it_is_the_document(level):
    after = level.graph.moved({level.call: (5, 5)})
    level.edit("Move f", after)

    assert level.document.graph is level.graph is after
    assert level.names == ("Untitled",)


def test_inside_edits_are_of_the_definition(level, qtbot):
    level.open(level.call)
    assert level.names == ("Untitled", "f")
    with qtbot.waitSignal(level.changed) as changed:
        level.edit("Set two", level.graph.with_params(level.two, value=3.0))

    assert changed.args[0].nodes_changed == {level.two}
    for name in ("f", "g"):
        body = level.document.graph.named(name).params["function"].body
        assert body.nodes[level.two].params["value"] == 3.0
    level.document.undo_stack.undo()
    assert level.graph.nodes[level.two].params["value"] == 2.0
    assert level.path == (level.call,)


def test_undoing_leads_to_where_it_was_done(level):
    level.edit("Move f", level.graph.moved({level.call: (5, 5)}))
    level.open(level.call)
    level.edit("Set two", level.graph.with_params(level.two, value=3.0))
    level.leave()
    level.document.undo_stack.undo()
    assert level.path == (level.call,)
    level.document.undo_stack.undo()
    assert level.path == ()
    level.document.undo_stack.redo()
    level.document.undo_stack.redo()
    assert level.path == (level.call,)


def test_nodes_of_one_id_at_two_levels_are_not_moved_in_one_go(level):
    level.edit("Move", level.graph.moved({level.call: (5, 5)}), merge="nudge")
    level.open(level.call)
    level.edit("Move", level.graph.moved({level.two: (5, 5)}), merge="nudge")

    assert level.document.undo_stack.count() == 2


def test_previews_inside_become_one_edit_or_none(level):
    level.open(level.call)
    before = level.document.graph
    for value in (3.0, 4.0):
        level.preview(level.graph.with_params(level.two, value=value))
        assert level.graph.nodes[level.two].params["value"] == value
    level.end_preview()
    assert level.document.graph is before

    level.preview(level.graph.with_params(level.two, value=5.0))
    level.edit("Set two", level.graph.with_params(level.two, value=6.0))
    assert level.document.undo_stack.count() == 1
    assert level.graph.nodes[level.two].params["value"] == 6.0
    level.document.undo_stack.undo()
    assert level.document.graph is before


def test_what_is_open_and_goes_leads_out(level, qtbot):
    level.open(level.call)
    with qtbot.waitSignals([level.replaced, level.moved]):
        level.document.edit("Delete f", level.document.graph.without([level.call]))

    assert level.path == ()
    assert level.graph is level.document.graph


def test_another_document_is_shown_from_the_top(level, qtbot):
    level.open(level.call)
    with qtbot.waitSignals([level.replaced, level.moved]):
        level.document.set_graph(Graph())

    assert level.path == ()
    assert level.graph is level.document.graph


def test_what_cannot_be_opened_is_not(level):
    level.open("n99")
    level.open(level.graph.named("x").id)
    level.leave()

    assert level.path == ()


def test_a_snapshot_is_seen_from_here(level):
    snapshot = Session(level.document.graph).snapshot()
    assert level.seen(snapshot).values.keys() == {
        i for i, node in level.graph.nodes.items() if node.name != "g"
    }
    level.open(level.call)
    assert level.seen(snapshot).values[level.two] == (2.0,)


def test_where_a_node_of_the_engine_is_here(level):
    place = f"{level.call}/{level.two}"
    assert level.here(place) == level.call
    level.open(level.call)
    assert level.here(place) == level.two
    assert level.here("n1") is None


def test_the_way_from_place_to_place():
    def steps(here, there):
        return [(step.place, step.node, step.is_inward) for step in way(here, there)]

    assert steps("a/b", "a/c/d") == [("a", "b", False), ("a/c", "c", True), ("a/c/d", "d", True)]
    assert steps("", "a") == [("a", "a", True)]
    assert steps("a", "") == [("", "a", False)]
    assert steps("a", "a") == []
