import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.document import Document
from app.saving import Saver, read, write
from app.settings import Settings
from core.errors import FileFormatError
from core.files import dumps


@pytest.fixture
def document(qtbot, square):
    return Document(square)


@pytest.fixture
def saver(qtbot, document):
    window = QWidget()
    qtbot.addWidget(window)
    return Saver(document, Settings(), window, lambda path: path.stem == "taken")


def answer(monkeypatch, button):
    asked = []
    monkeypatch.setattr(
        QMessageBox,
        "question",
        lambda *args: asked.append(args) or QMessageBox.StandardButton[button],
    )
    return asked


def test_a_saved_graph_reads_back_equal(document, tmp_path):
    write(document.graph, tmp_path / "a.pullback")
    assert dumps(read(tmp_path / "a.pullback")) == dumps(document.graph)


def test_save_asks_for_a_file_once(monkeypatch, document, saver, tmp_path):
    path = tmp_path / "chosen"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    document.edit("Rename", document.graph.with_name("n1", "w"))
    assert saver.save()
    assert document.path == path.with_suffix(".pullback")
    assert not document.modified

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("asked twice"))
    document.edit("Rename", document.graph.with_name("n1", "u"))
    assert saver.save()
    assert read(document.path).nodes["n1"].name == "u"
    assert Settings().recent() == [document.path]


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(FileFormatError, match=r"nowhere\.pullback"):
        read(tmp_path / "nowhere.pullback")


def test_a_file_that_is_open_elsewhere_is_left_alone(monkeypatch, qtbot, document, saver, tmp_path):
    path = tmp_path / "taken.pullback"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(saver.failed) as failed:
        assert not saver.save_as()
    assert "another tab" in failed.args[0].what
    assert not path.exists()
    assert document.path is None


def test_writing_into_nothing_is_said(document, tmp_path):
    with pytest.raises(FileFormatError, match="could not be written"):
        write(document.graph, tmp_path / "no folder" / "a.pullback")


def test_unsaved_changes_are_asked_about(monkeypatch, document, saver):
    document.edit("Rename", document.graph.with_name("n1", "w"))
    asked = answer(monkeypatch, "Cancel")
    assert not saver.may_close()
    assert len(asked) == 1

    answer(monkeypatch, "Discard")
    assert saver.may_close()


def test_saved_changes_are_not_asked_about(monkeypatch, document, saver):
    asked = answer(monkeypatch, "Cancel")
    assert saver.may_close()
    assert asked == []
