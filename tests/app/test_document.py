import gc

from app.document import Document
from core.graph import Graph


def test_undoing_everything_brings_the_first_graph_back(qtbot):
    document = Document(first := Graph())
    for i in range(50):
        document.edit(f"Add {i}", document.graph.with_node("add", (i, 0))[0])
    gc.collect()  # the stack, not Python, must keep the commands alive
    last = document.graph

    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.graph is first
    while document.undo_stack.canRedo():
        document.undo_stack.redo()
    assert document.graph is last


def test_an_edit_that_changes_nothing_does_not_exist(qtbot, square):
    document = Document(square)
    document.edit("Nothing", square)
    document.edit("Nothing", square.moved({"n1": square.nodes["n1"].pos}))

    assert document.undo_stack.count() == 0


def test_edits_with_one_merge_word_are_one_entry(qtbot, square):
    document = Document(square)
    for x in (10.0, 20.0, 30.0):
        document.edit("Move x", document.graph.moved({"n1": (x, 0.0)}), merge="drag 1")
    document.edit("Move x", document.graph.moved({"n1": (40.0, 0.0)}), merge="drag 2")

    assert document.undo_stack.count() == 2
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert document.graph is square


def test_a_series_that_ends_where_it_began_leaves_no_entry(qtbot, square):
    document = Document(square)
    document.edit("Move x", document.graph.moved({"n1": (10.0, 0.0)}), merge="nudge")
    document.edit("Move x", document.graph.moved({"n1": (0.0, 0.0)}), merge="nudge")

    assert document.undo_stack.count() == 0
    assert document.graph.nodes["n1"].pos == (0.0, 0.0)


def test_every_change_is_announced_once(qtbot, square):
    document = Document(square)
    diffs = []
    document.changed.connect(diffs.append)
    document.edit("Rename", square.with_name("n1", "w"))
    document.undo_stack.undo()

    assert [diff.nodes_renamed for diff in diffs] == [{"n1"}, {"n1"}]


def test_opening_another_graph_clears_the_history(qtbot, square, tmp_path):
    document = Document()
    document.edit("Add", document.graph.with_node("add")[0])
    assert document.modified
    with qtbot.waitSignals([document.replaced, document.changed]):
        document.set_graph(square, tmp_path / "square.pullback")

    assert document.title == "square"
    assert not document.modified
    assert not document.undo_stack.canUndo()


def test_saving_is_not_an_edit_but_an_edit_after_it_is(qtbot, square, tmp_path):
    document = Document(square)
    document.edit("Rename", square.with_name("n1", "w"))
    document.set_saved(tmp_path / "a.pullback")
    assert not document.modified

    document.undo_stack.undo()
    assert document.modified
