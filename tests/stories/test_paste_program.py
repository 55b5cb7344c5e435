"""A program or a formula on the clipboard becomes a graph, with what it does as a run."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from core.session import Session

CONTROL = Qt.KeyboardModifier.ControlModifier
FORMULA = "L = sum((W @ x - t)**2) + lam*sum(W**2)"
PROGRAM = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 3)
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))

torch.manual_seed(0)
net = Net()
x = torch.tensor([[1.0, 2.0]])
loss = net(x).pow(2).sum()
loss.backward()
with torch.no_grad():
    net.out.bias -= 0.1 * net.out.bias.grad
loss = net(x).pow(2).sum()
loss.backward()
result = net.out.bias.grad
"""


@pytest.fixture
def paste(make_user):
    """Pastes a text into the canvas of a user, by keys."""
    clipboard = QGuiApplication.clipboard()

    def press(user, text):
        clipboard.setText(text)
        user.key(Qt.Key.Key_V, CONTROL, on=user.canvas)

    yield press
    clipboard.clear()


def new_user(make_user):
    user = make_user()
    user.key(Qt.Key.Key_N, CONTROL, on=user.canvas)
    assert not user.graph.nodes
    return user


def test_a_formula_becomes_a_graph_with_leaves_and_a_backward(make_user, paste):
    user = new_user(make_user)
    paste(user, FORMULA)
    leaves = {node.name for node in user.graph.nodes.values() if node.op == "input"}
    assert leaves == {"W", "x", "t", "lam"}
    assert user.graph.named("L").op == "add"
    assert not user.tab.messages.total
    assert user.canvas.rect().contains(user.output("L"))
    (run,) = user.graph.runs
    grads = Session(user.graph).run(run).grads
    assert {user.graph.nodes[i].name for i, g in grads.items() if g is not None} == leaves
    assert user.document.undo_stack.count() == 1
    user.key(Qt.Key.Key_Z, CONTROL, on=user.canvas)
    assert not user.graph.nodes
    assert not user.graph.runs


def test_a_program_is_pasted_beside_what_is_there_with_frames_and_its_run(make_user, paste):
    user = new_user(make_user)
    paste(user, FORMULA)
    paste(user, PROGRAM)
    names = set(user.graph.names)
    assert {"hidden_weight", "out_bias", "loss", "L"} <= names
    titles = [frame.title for frame in user.graph.frames.values()]
    assert "Net" in titles
    assert [run.name for run in user.graph.runs] == ["program", "program2"]
    result = Session(user.graph).run(user.graph.runs[1])
    assert not any(action.error for action in result.results)
    assert result.grads[user.id("out_bias")] is not None


def test_a_program_is_read_up_to_where_it_ends(make_user, paste):
    user = new_user(make_user)
    paste(user, "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\neval('y')")
    assert user.graph.named("y").op == "multiply"
    (card,) = user.tab.messages.cards
    assert card.error.line == 4
    assert "eval" in card.error.what


def test_copied_nodes_are_pasted_as_before(make_user, paste):
    user = new_user(make_user)
    paste(user, FORMULA)
    count = len(user.graph.nodes)
    user.key(Qt.Key.Key_A, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_C, CONTROL, on=user.canvas)
    user.key(Qt.Key.Key_V, CONTROL, on=user.canvas)
    assert len(user.graph.nodes) == 2 * count
