import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from app.catalog import ENTRY_MIME, entries, search
from app.edits import WireEnd, fits
from app.panels.palette import Palette, PalettePopup


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("sum", "sum"),
        ("mul", "multiply"),
        ("x²", "square"),
        ("relu", "relu"),
        ("natural logarithm", "log"),
        ("+", "add"),
        ("requires_grad", "leaf"),
        ("sqre", "square"),
    ],
)
def test_a_word_finds_the_operation_first(query, first):
    assert search(entries(), query)[0].key == first


def test_every_word_must_fit():
    assert search(entries(), "sum zebra") == []
    assert len(search(entries(), "")) == len(entries())


@pytest.fixture
def palette(shown, theme):
    return shown(Palette(theme))


def test_it_shows_everything_under_headings(palette):
    rows = palette.model.rows
    assert rows[0] == "Values"
    assert {"leaf", "constant", "detach", "cast", "multiply"} <= {
        row.key for row in rows if not isinstance(row, str)
    }


def test_typing_filters_and_enter_chooses(qtbot, palette):
    qtbot.keyClicks(palette.search_field, "tanh")
    with qtbot.waitSignal(palette.chosen) as chosen:
        qtbot.keyClick(palette.search_field, Qt.Key.Key_Return)
    assert chosen.args[0].key == "tanh"


def test_arrows_move_while_the_field_has_the_focus(qtbot, palette):
    before = palette.current()
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Down)
    assert palette.current() is not before


def test_a_double_click_chooses(qtbot, palette):
    index = palette.model.index(2)
    at = palette.list.visualRect(index).center()
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    with qtbot.waitSignal(palette.chosen) as chosen:
        qtbot.mouseDClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args[0] is palette.model.entry(index)


def test_a_dragged_row_carries_its_key(palette):
    data = palette.model.mimeData([palette.model.index(1)])
    assert palette.entry(bytes(data.data(ENTRY_MIME).data()).decode()).key == "leaf"


def test_nothing_found_says_so(qtbot, palette):
    qtbot.keyClicks(palette.search_field, "zzzz")
    assert palette.model.rows == []
    assert palette.list.isHidden()
    qtbot.keyClick(palette.search_field, Qt.Key.Key_Return)  # chooses nothing, and lives


def test_the_popup_offers_what_fits_and_closes_on_a_choice(qtbot, shown, theme):
    window = shown(QWidget())
    popup = PalettePopup(theme, window)
    end = WireEnd("n1", "y", is_output=True)
    popup.open_at(window.mapToGlobal(QPoint(10, 10)), lambda entry: fits(entry, end))
    keys = {row.key for row in popup.palette_list.model.rows if not isinstance(row, str)}
    assert "leaf" not in keys
    assert "multiply" in keys

    with qtbot.waitSignal(popup.chosen):
        qtbot.keyClick(popup.palette_list.search_field, Qt.Key.Key_Return)
    assert popup.isHidden()


def test_escape_dismisses_the_popup(qtbot, shown, theme):
    window = shown(QWidget())
    popup = PalettePopup(theme, window)
    popup.open_at(window.mapToGlobal(QPoint(10, 10)), lambda _entry: True)
    with qtbot.waitSignal(popup.dismissed):
        qtbot.keyClick(popup, Qt.Key.Key_Escape)
