"""What nodes say, before, during and after a backward."""

from __future__ import annotations

import numpy as np
import pytest

from app.canvas.content import NodeContent, node_content
from app.canvas.facts import Facts, Traced
from app.canvas.geometry import Geometry
from app.canvas.labels import label_of, plain_formula
from app.canvas.metrics import PORT_ROW, ROW
from app.canvas.picture import Picture
from app.canvas.styles import WireKind
from core.graph import INPUT, Backward, Graph
from core.schedule import Schedule
from core.session import Session


@pytest.fixture
def picture(story) -> Picture:
    shown = Picture(story.graph)
    shown.show_snapshot(story.before)
    return shown


def content(picture: Picture, story, name: str) -> NodeContent:
    return picture.content(picture.geometry.row[story.ids[name]])


def test_leaves_constants_and_roots_are_told_apart(picture, story) -> None:
    assert content(picture, story, "W").mark == "leaf"
    assert content(picture, story, "x").mark == "constant"
    assert content(picture, story, "z").mark == ""
    assert content(picture, story, "L").root
    assert not content(picture, story, "s").root


def test_name_and_operation_are_shown_once_each(picture, story) -> None:
    assert (content(picture, story, "z").title, content(picture, story, "z").subtitle) == (
        "z",
        "matmul",
    )
    assert content(picture, story, "log").subtitle == ""


def test_nan_is_an_error_colour_and_a_note(picture, story) -> None:
    log = content(picture, story, "log")
    assert "NaN" in log.message
    assert not log.is_error


def test_only_wires_from_nodes_without_grad_are_dashed(picture, story) -> None:
    for row, wire in enumerate(story.graph.wires.values()):
        dashed = picture.wires.kind[row] == WireKind.NO_GRAD
        assert dashed == (wire.source not in story.before.needs_grad)


def test_contributions_add_up_while_playing(picture, story) -> None:
    picture.show_snapshot(story.after)
    picture.show_trace(story.trace)
    tallies, labels = [], []
    for part in (0.0, 0.85, 1.0):
        picture.show_moment(story.moment(part))
        tallies.append(content(picture, story, "W").tally)
        labels.append(content(picture, story, "W").rows[1][0])
    assert tallies[0] == "0 of 2"
    assert tallies[-1] == "2 of 2"
    assert labels[0] == "grad"
    assert labels[-1] == "grad"


def test_freed_values_stay_readable_and_their_chips_say_freed(picture, story) -> None:
    picture.show_snapshot(story.after)
    square = content(picture, story, "e²")
    assert square.freed
    assert all(chip.freed for chip in square.saved)
    assert square.rows[0][1].strip is not None


def test_values_are_freed_when_the_backward_gets_there(picture, story) -> None:
    picture.show_snapshot(story.after)
    picture.show_trace(story.trace)
    picture.show_moment(story.moment(0.0))
    assert not content(picture, story, "e²").freed
    picture.show_moment(story.moment(1.0))
    assert content(picture, story, "e²").freed


def test_stepping_back_shows_what_was_shown_before(picture, story) -> None:
    picture.show_snapshot(story.after)
    picture.show_trace(story.trace)
    picture.show_moment(story.moment(0.3))
    lit = picture.wires.kind.tolist()
    picture.show_moment(story.moment(0.9))
    picture.show_moment(story.moment(0.3))
    assert picture.wires.kind.tolist() == lit


def test_root_shows_the_cotangent_it_was_given(picture, story) -> None:
    picture.show_snapshot(story.after)
    picture.show_trace(story.trace)
    picture.show_moment(story.moment(0.0))
    label, cell = content(picture, story, "L").rows[1]
    assert (label, cell.text) == ("cotangent", "+1")


def test_labels_name_the_derivative_and_its_rule(picture, story) -> None:
    picture.show_snapshot(story.after)
    picture.show_trace(story.trace)
    for part in (0.1, 0.3, 0.5, 0.7):
        moment = story.moment(part)
        picture.show_moment(moment)
        for flight in moment.in_flight:
            label = label_of(flight, picture.facts)
            receiver = story.graph.nodes[flight.flow.node].name
            assert label.symbol == f"∂L/∂{receiver}"
            assert label.text


def test_the_label_of_a_vector_names_the_product_with_the_cotangent() -> None:
    params = {"value": np.array([2.0, 3.0]), "requires_grad": True, "source": None}
    graph, x = Graph().with_node(INPUT, (0, 0), name="x", params=params)
    graph, y = graph.with_node("square", (272, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "x")
    trace = Session(graph).perform(Backward(((y, "y"),), (np.array([1.0, 0.0]),))).trace
    picture = Picture(graph)
    picture.show_trace(trace)
    schedule = Schedule(trace, "wave")
    moment = schedule.at(schedule.duration * 0.3)
    picture.show_moment(moment)
    (flight,) = moment.in_flight
    assert label_of(flight, picture.facts).symbol == "vᵀ∂y/∂x"


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\bar{x}=2\,g\,x", "2·ḡ·x"),
        (r"\bar{b}=-g", "−ḡ"),
        (r"\bar{a}=g\,b^2", "ḡ·b²"),
        (r"\bar{A}=g\,B^{\top}", "ḡ·Bᵀ"),
        (r"\bar{x}=\frac{g}{x}", ""),
    ],
)
def test_short_rules_are_written_plainly(latex: str, plain: str) -> None:
    assert plain_formula(latex) == plain


def test_each_of_several_outputs_has_its_rows() -> None:
    params = {"value": [[3.0, 1.0], [4.0, 2.0]], "requires_grad": True, "source": None}
    graph, a = Graph().with_node(INPUT, params=params)
    graph, qr = graph.with_node("linalg.qr")
    graph, total = graph.with_node("sum")
    graph, _ = graph.with_wire(a, "y", qr, "x")
    graph, _ = graph.with_wire(qr, "R", total, "x")
    session = Session(graph)
    trace = session.perform(Backward(((total, "y"),))).trace
    assert trace is not None
    moment = Schedule(trace).at(1e9)
    facts = Facts(graph, session.snapshot(), moment, Traced(trace))
    geometry = Geometry(graph)
    ports = geometry.ports[geometry.row[qr]]

    rows = dict(node_content(graph.nodes[qr], ports, facts).rows)
    assert list(rows) == ["Q", "R", "∂Q", "∂R"]
    assert rows["Q"].strip is not None
    assert rows["R"].strip is not None
    assert rows["∂Q"].text == "—"
    assert rows["∂R"].tone == "gradient"
    single = geometry.ports[geometry.row[total]]
    assert ports.height == single.height + 2 * ROW + PORT_ROW
