import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.document import Document
from app.saving import Files, read, write
from app.settings import Settings
from core.errors import FileFormatError
from core.files import dumps


@pytest.fixture
def document(qtbot, square):
    return Document(square)


@pytest.fixture
def files(qtbot, document):
    window = QWidget()
    qtbot.addWidget(window)
    return Files(document, Settings(), window)


def answer(monkeypatch, button):
    asked = []
    monkeypatch.setattr(
        QMessageBox,
        "question",
        lambda *args: asked.append(args) or QMessageBox.StandardButton[button],
    )
    return asked


def test_a_saved_graph_reads_back_equal(document, files, tmp_path):
    write(document.graph, tmp_path / "a.pullback")
    assert dumps(read(tmp_path / "a.pullback")) == dumps(document.graph)


def test_save_asks_for_a_file_once(monkeypatch, document, files, tmp_path):
    path = tmp_path / "chosen"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    document.edit("Rename", document.graph.with_name("n1", "w"))
    assert files.save()
    assert document.path == path.with_suffix(".pullback")
    assert not document.modified

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("asked twice"))
    document.edit("Rename", document.graph.with_name("n1", "u"))
    assert files.save()
    assert read(document.path).nodes["n1"].name == "u"
    assert Settings().recent() == [document.path]


def test_a_broken_file_leaves_everything_as_it_was(qtbot, document, files, tmp_path):
    broken = tmp_path / "broken.pullback"
    broken.write_text('{"format": "pullback", "version": 1, "nodes": [{')
    document.edit("Rename", before := document.graph.with_name("n1", "w"))
    document.set_saved(tmp_path / "mine.pullback")
    with qtbot.waitSignal(files.failed) as failed:
        files.open_path(broken)

    assert failed.args[0].kind == "file"
    assert document.graph is before
    assert document.path == tmp_path / "mine.pullback"
    assert document.undo_stack.canUndo()


def test_a_file_that_is_not_there_is_said(qtbot, files, tmp_path):
    with qtbot.waitSignal(files.failed) as failed:
        files.open_path(tmp_path / "nowhere.pullback")
    assert "nowhere.pullback" in failed.args[0].what


def test_writing_into_nothing_is_said(document, tmp_path):
    with pytest.raises(FileFormatError, match="could not be written"):
        write(document.graph, tmp_path / "no folder" / "a.pullback")


def test_unsaved_changes_are_asked_about(monkeypatch, document, files):
    document.edit("Rename", document.graph.with_name("n1", "w"))
    asked = answer(monkeypatch, "Cancel")
    files.new()
    assert len(asked) == 1
    assert document.graph.nodes

    answer(monkeypatch, "Discard")
    files.new()
    assert not document.graph.nodes


def test_saved_changes_are_not_asked_about(monkeypatch, document, files):
    asked = answer(monkeypatch, "Cancel")
    files.new()
    assert asked == []
    assert not document.graph.nodes
