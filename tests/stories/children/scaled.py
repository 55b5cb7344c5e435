"""Checks, in a process that Qt scales, that things lie where they are painted.

The argument is the scale.
"""

import sys
import tempfile

from PySide6.QtCore import QDeadlineTimer, QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QPushButton

QSettings.setPath(
    QSettings.Format.IniFormat, QSettings.Scope.UserScope, tempfile.mkdtemp(prefix="pullback-")
)
QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
app = QApplication(sys.argv[:1])

from app.examples import examples  # noqa: E402
from app.main_window import MainWindow  # noqa: E402
from app.windows import Windows  # noqa: E402
from app.worker import wait_for_threads  # noqa: E402
from core.graph import INPUT  # noqa: E402


def settle():
    """Until values are there, nothing moves and every panel is laid out."""
    tab = window.current
    deadline = QDeadlineTimer(20_000)
    while not tab.evaluator.is_idle:
        assert not deadline.hasExpired()
        app.processEvents()
    tab.canvas.finish_animation()
    app.sendPostedEvents()
    app.processEvents()


def check_header(canvas, name):
    """The middle of a node's header is painted in its colour, and a click there selects it."""
    settle()
    node = canvas.picture.graph.named(name)
    image = canvas.grab().toImage()
    place = canvas.to_screen(QPointF(node.pos[0] + 130, node.pos[1] + 22)).toPoint()
    scale = image.devicePixelRatio()
    pixel = image.pixelColor(round(place.x() * scale), round(place.y() * scale))
    wanted = window.theme.header("parameter" if node.op == INPUT else node.category)[1]
    distance = max(abs(a - b) for a, b in zip(pixel.getRgb(), wanted.getRgb(), strict=True))
    assert distance < 40, (name, pixel.name(), place, canvas.size(), canvas.view, canvas.still.view)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place)
    assert canvas.selection == {node.id}, name


def check_words(window):
    """No word of a panel is wider than the place it has."""
    settle()
    for kind in (QLabel, QPushButton, QCheckBox):
        for widget in window.findChildren(kind):
            if widget.visibleRegion().isEmpty() or not widget.text() or "\n" in widget.text():
                continue
            if isinstance(widget, QLabel) and (widget.wordWrap() or "<" in widget.text()):
                continue
            width = widget.fontMetrics().horizontalAdvance(widget.text())
            assert width <= widget.width() + 1, (widget.text(), width, widget.width())


window = MainWindow(Windows())
window.resize(1400, 880)
window.show()
assert QTest.qWaitForWindowActive(window)
window.opener.open_copy(examples()[0])
canvas = window.current.canvas
settle()
assert canvas.devicePixelRatioF() == float(sys.argv[1])
names = [node.name for node in canvas.picture.graph.nodes.values()]
for name in names:
    check_header(canvas, name)
check_words(window)

# A node is dragged by the mouse exactly as far as the mouse goes.
node = canvas.picture.graph.named(names[0])
start = canvas.to_screen(QPointF(node.pos[0] + 81, node.pos[1] + 15)).toPoint()
end = start + QPoint(37, 141)
QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
QTest.mouseMove(canvas, start + QPoint(20, 70))
QTest.mouseMove(canvas, end)
QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier, end)
canvas.select(())
check_header(canvas, names[0])
window.current.document.undo_stack.setClean()
window.close()
assert wait_for_threads(2.0)
