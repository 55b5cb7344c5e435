"""The style sheet and palette of panels: as quiet as the canvas, with one accent.

Widgets opt into variants by their properties: ``button.setProperty("kind", "primary")``,
``label.setProperty("kind", "title")``; see the rules below.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from PySide6.QtGui import QColor, QPalette

from app.colors import Theme, faded, mix


def palette(theme: Theme) -> QPalette:
    """The colours for what the style sheet leaves to Fusion."""
    result = QPalette()
    role = QPalette.ColorRole
    for target, color in {
        role.Window: _panel(theme),
        role.Base: theme.surface,
        role.AlternateBase: theme.surface_raised,
        role.Button: theme.surface_raised,
        role.ToolTipBase: theme.pill,
        role.WindowText: theme.text,
        role.Text: theme.text,
        role.ButtonText: theme.text,
        role.ToolTipText: theme.text,
        role.BrightText: theme.error,
        role.PlaceholderText: theme.text_faint,
        role.Highlight: theme.accent,
        role.HighlightedText: _on_accent(theme),
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Light: theme.surface_raised,
        role.Midlight: theme.surface_raised,
        role.Mid: theme.border,
        role.Dark: theme.border,
        role.Shadow: theme.background,
    }.items():
        result.setColor(target, color)
    for target in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, target, theme.text_faint)
    result.setColor(QPalette.ColorGroup.Disabled, role.Highlight, theme.chip)
    return result


def stylesheet(theme: Theme) -> str:
    """The style sheet of the whole program."""
    colors = {
        "panel": _panel(theme),
        "ground": theme.background,
        "surface": theme.surface,
        "raised": theme.surface_raised,
        "border": theme.border,
        "border_strong": mix(theme.border, theme.text_muted, 0.35),
        "hover": mix(theme.surface_raised, theme.text, 0.06),
        "pressed": mix(theme.surface_raised, theme.text, 0.11),
        "text": theme.text,
        "muted": theme.text_muted,
        "faint": theme.text_faint,
        "accent": theme.accent,
        "accent_hover": mix(theme.accent, theme.text, 0.12),
        "on_accent": _on_accent(theme),
        "selection": faded(theme.accent, 0.22 if theme.is_dark else 0.14),
        "pill": theme.pill,
        "chip": theme.chip,
        "error": theme.error,
        "error_text": theme.error_text,
        "scroll": mix(theme.surface_raised, theme.text_muted, 0.35),
    }
    sheet = _SHEET
    for name, color in colors.items():
        sheet = sheet.replace(f"@{name};", f"{_css(color)};")
    for icon in ("chevron-down", "chevron-up", "chevron-left", "chevron-right", "check", "x"):
        sheet = sheet.replace(f"@icon({icon})", _themed_icon(icon, theme))
    return sheet


def _panel(theme: Theme) -> QColor:
    return mix(theme.background, theme.surface, 0.45)


def _on_accent(theme: Theme) -> QColor:
    return QColor("#0B0E14") if theme.is_dark else QColor("#FFFFFF")


def _css(color: QColor) -> str:
    return f"rgba({color.red()}, {color.green()}, {color.blue()}, {color.alphaF():.3f})"


def _themed_icon(name: str, theme: Theme) -> str:
    """A path Qt can load: style sheets take no data URLs, so tinted copies are resources."""
    with as_file(files("resources") / "icons" / theme.name / f"{name}.svg") as path:
        return f'url("{path.as_posix()}")'


_SHEET = """
* { outline: none; }
QMainWindow, QDialog, QDockWidget, QWidget[kind="panel"] { background: @panel; color: @text; }
QMainWindow::separator { background: @border; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent; }
QLabel { background: transparent; }
QLabel[kind="title"] { font-weight: 600; }
QLabel[kind="muted"] { color: @muted; }
QLabel[kind="error"] { color: @error_text; }

QDockWidget { color: @muted; font-weight: 600; titlebar-close-icon: @icon(x); }
QDockWidget::close-button { subcontrol-position: right center; subcontrol-origin: margin;
  right: 10px; width: 22px; height: 22px; padding: 0; border: none; border-radius: 6px; }
QDockWidget::close-button:hover { background: @hover; }
QDockWidget::title { background: @panel; padding: 9px 12px 7px 12px; text-align: left;
  border-bottom: 1px solid @border; }

QMenuBar { background: @panel; color: @muted; padding: 2px 6px; border-bottom: 1px solid @border; }
QMenuBar::item { background: transparent; padding: 5px 9px; border-radius: 6px; }
QMenuBar::item:selected { background: @hover; color: @text; }
QMenu { background: @surface; color: @text; border: 1px solid @border; padding: 6px; }
QMenu::item { padding: 6px 26px 6px 12px; border-radius: 6px; background: transparent; }
QMenu::item:selected { background: @selection; color: @text; }
QMenu::item:disabled { color: @faint; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: @border; margin: 6px 8px; }

QToolBar { background: @panel; border: none; border-bottom: 1px solid @border; padding: 5px 8px;
  spacing: 3px; }
QToolBar::separator { width: 1px; background: @border; margin: 5px 6px; }
QStatusBar { background: @panel; color: @muted; border-top: 1px solid @border; }
QStatusBar::item { border: none; }

QPushButton { background: @raised; color: @text; border: 1px solid @border; border-radius: 7px;
  padding: 6px 13px; min-height: 16px; }
QPushButton:hover { background: @hover; border-color: @border_strong; }
QPushButton:pressed { background: @pressed; }
QPushButton:focus { border-color: @accent; }
QPushButton:checked { background: @selection; border-color: @accent; }
QPushButton:disabled { color: @faint; background: transparent; border-color: @border; }
QPushButton[kind="primary"] { background: @accent; color: @on_accent; border-color: @accent;
  font-weight: 600; }
QPushButton[kind="primary"]:hover { background: @accent_hover; border-color: @accent_hover; }
QPushButton[kind="primary"]:disabled { background: @chip; color: @faint; border-color: @chip; }
QPushButton[kind="quiet"], QToolButton { background: transparent; color: @muted;
  border: 1px solid transparent; border-radius: 7px; padding: 5px; }
QPushButton[kind="quiet"]:hover, QToolButton:hover { background: @hover; color: @text; }
QPushButton[kind="quiet"]:pressed, QToolButton:pressed { background: @pressed; }
QToolButton:checked { background: @selection; color: @text; }
QToolButton:focus { border-color: @accent; }
QToolButton:disabled { color: @faint; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit, QTextEdit {
  background: @surface; color: @text; border: 1px solid @border; border-radius: 7px;
  padding: 5px 8px; selection-background-color: @accent; selection-color: @on_accent; }
QLineEdit:hover, QSpinBox:hover, QDoubleSpinBox:hover, QComboBox:hover {
  border-color: @border_strong; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus,
QTextEdit:focus { border-color: @accent; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
  color: @faint; background: transparent; }
QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"] { border-color: @error; }
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button,
QDoubleSpinBox::down-button { border: none; background: transparent; width: 18px; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: @icon(chevron-up); width: 11px;
  height: 11px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: @icon(chevron-down); width: 11px;
  height: 11px; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: @icon(chevron-down); width: 13px; height: 13px; }
QComboBox QAbstractItemView { background: @surface; color: @text; border: 1px solid @border;
  padding: 4px; selection-background-color: @selection; selection-color: @text; }

QCheckBox, QRadioButton { spacing: 8px; color: @text; background: transparent; }
QCheckBox:disabled, QRadioButton:disabled { color: @faint; }
QCheckBox::indicator, QRadioButton::indicator { width: 15px; height: 15px;
  border: 1px solid @border_strong; background: @surface; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:hover, QRadioButton::indicator:hover { border-color: @accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent;
  image: @icon(check); }
QRadioButton::indicator:checked { background: @accent; border: 4px solid @surface; }

QSlider::groove:horizontal { height: 4px; background: @border; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @text; border-radius: 2px; }
QSlider::handle:horizontal { width: 14px; height: 14px; margin: -6px 0; border-radius: 8px;
  background: @text; border: 1px solid @surface; }
QSlider::handle:horizontal:hover { background: @accent; }
QSlider:disabled { color: @faint; }
QProgressBar { background: @border; border: none; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: @accent; border-radius: 2px; }

QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 3px; margin: 2px 4px 2px 2px; }
QScrollBar::handle:horizontal { margin: 2px 2px 4px 2px; min-width: 28px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }

QTabWidget::pane { border: none; border-top: 1px solid @border; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: @muted; padding: 8px 12px 7px 12px; border: none;
  border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
#graph-tabs::tab { padding: 7px 4px 7px 12px; border: none; border-top: 2px solid transparent;
  border-right: 1px solid @border; }
#graph-tabs::tab:selected { background: @ground; border-top: 2px solid @accent; }
#code-tabs::tab { padding: 7px 8px 6px 8px; }
QTabBar::scroller { width: 48px; }
QTabBar::tear { width: 0; image: none; }
QTabBar QToolButton { background: @panel; border-radius: 0; padding: 4px; }
QTabBar IconButton { background: transparent; border-radius: 7px; padding: 3px; }
QTabBar IconButton:hover { background: @pressed; }
QTabBar QToolButton::left-arrow { image: @icon(chevron-left); }
QTabBar QToolButton::right-arrow { image: @icon(chevron-right); }

QListView, QTreeView, QTableView, QListWidget, QTreeWidget, QTableWidget {
  background: transparent; color: @text; border: none; alternate-background-color: @raised;
  gridline-color: @border; selection-background-color: @selection; selection-color: @text; }
QListView::item, QTreeView::item { padding: 5px 8px; border-radius: 6px; }
QListView::item:hover, QTreeView::item:hover { background: @hover; }
QListView::item:selected, QTreeView::item:selected, QTableView::item:selected {
  background: @selection; color: @text; }
QHeaderView::section { background: transparent; color: @muted; border: none;
  border-bottom: 1px solid @border; padding: 5px 8px; font-weight: 600; }
QTableCornerButton::section { background: transparent; border: none; }

QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
QGroupBox { border: none; border-top: 1px solid @border; margin-top: 12px; padding-top: 14px; }
QGroupBox::title { subcontrol-origin: margin; left: 0; color: @muted; }
QSplitter::handle { background: @border; }
QToolTip { background: @pill; color: @text; border: 1px solid @border_strong; padding: 6px 8px; }
"""
