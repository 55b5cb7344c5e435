"""The command line, as a user types it: output, exit codes, and no abort without a display."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app.cli import main
from app.render import REST
from core.files import load, save
from core.graph import INPUT, Assign, Backward, Graph, Run, ZeroGrad, gather
from core.schedule import PAUSE, TRAVEL

ROOT = Path(__file__).parents[2]
HEADLESS = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}


def pullback(*arguments, env=HEADLESS):
    return subprocess.run(
        [sys.executable, "-m", "app", *map(str, arguments)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def square(tmp_path):
    """x = (2, 3), y = x², with a run that works, one that fails, and one by create_graph."""
    graph, x = Graph().with_node(
        INPUT, name="x", params={"value": np.array([2.0, 3.0]), "requires_grad": True}
    )
    graph, y = graph.with_node("square", (280, 0), name="y")
    graph, _ = graph.with_wire(x, "y", y, "x")
    backward = Backward(((y, "y"),), (np.array([1.0, 0.0]),))
    graph = graph.with_runs([Run("first (1, 0)", (backward,)), Run("twice", (backward, backward))])
    path = tmp_path / "square.pullback"
    save(graph, path)
    return path


def test_run_prints_values_vjps_and_gradients(square):
    done = pullback("run", square, "--run", "first (1, 0)")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "y square float64 (2) (4, 9)" in lines
    assert "x → x vᵀJ = (4, 0)" in lines
    assert "x grad None → (4, 0)" in lines


def test_run_names_what_an_action_changes(tmp_path, capsys):
    graph, x = Graph().with_node(
        INPUT, name="x", params={"value": np.array([2.0, 3.0]), "requires_grad": True}
    )
    actions = (Assign(x, np.array([0.5, 0.25])), ZeroGrad((x,)), ZeroGrad())
    save(graph.with_runs([Run("step", actions)]), tmp_path / "step.pullback")
    assert main(["run", str(tmp_path / "step.pullback")]) == 0
    said = capsys.readouterr().out
    assert "1. assign (0.5, 0.25) to x\n" in said
    assert "2. zero_grad of x\n" in said
    assert "3. zero_grad\n" in said


def test_json_is_one_object_and_nothing_else(square):
    done = pullback("run", square, "--run", "first (1, 0)", "--json")
    data = json.loads(done.stdout)
    (run,) = data["runs"]
    assert data["values"]["y"] == {"y": [4.0, 9.0]}
    assert run["grads"] == {"x": [4.0, 0.0]}
    assert run["actions"][0]["steps"][0]["vjps"] == {"x": [4.0, 0.0]}
    assert data["error"] is None
    assert done.returncode == 0


def test_a_run_that_fails_exits_with_1_and_says_where(square):
    done = pullback("run", square, "--run", "twice", "--json")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["node"]) == ("graph_freed", "y")
    assert "'y'" in done.stderr


@pytest.mark.parametrize("command", [["run"], ["render", "-o", "out.png"]])
@pytest.mark.parametrize("content", [None, b"", b"not a graph", b"\x00\xff\xfe"])
def test_an_unreadable_file_exits_with_2_in_one_line(tmp_path, command, content):
    path = tmp_path / "bad.pullback"
    if content is not None:
        path.write_bytes(content)
    done = pullback(command[0], path, *command[1:])
    assert done.returncode == 2
    assert done.stderr.startswith("pullback: ")
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_unknown_run_suggests_the_close_one(square):
    done = pullback("run", square, "--run", "first (1,0)")
    assert done.returncode == 2
    assert "Did you mean 'first (1, 0)'?" in done.stderr


def test_a_step_is_drawn_at_the_scale_asked_for(square, tmp_path):
    small, large = tmp_path / "a.png", tmp_path / "b.png"
    first = pullback("render", square, "-o", small, "--step", "1")
    second = pullback("render", square, "-o", large, "--step", "1", "--scale", "2")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    with Image.open(small) as one, Image.open(large) as two:
        assert two.size == tuple(2 * n for n in one.size)
        assert len(one.convert("RGB").getcolors(1 << 24)) > 100


def test_a_step_too_far_says_how_many_there_are(square, tmp_path):
    done = pullback("render", square, "-o", tmp_path / "a.png", "--step", "99")
    assert done.returncode == 2
    assert "this run has 2" in done.stderr


def test_a_gif_plays_the_whole_backward(square, tmp_path):
    out = tmp_path / "square.gif"
    done = pullback("render", square, "-o", out, "--run", "first (1, 0)", "--theme", "light")
    assert done.returncode == 0, done.stderr
    with Image.open(out) as gif:
        durations = []
        for frame in range(gif.n_frames):
            gif.seek(frame)
            durations.append(gif.info["duration"])
    assert min(durations) == 40  # frames that are alike are one
    assert len(durations) > 8
    assert sum(durations) / 1000 == pytest.approx(TRAVEL + PAUSE + REST, abs=0.1)


def test_other_endings_are_refused(square, tmp_path):
    done = pullback("render", square, "-o", tmp_path / "out.jpg")
    assert done.returncode == 2
    assert ".png" in done.stderr


def test_without_a_display_it_says_so_and_names_what_works():
    env = {k: v for k, v in HEADLESS.items() if k != "QT_QPA_PLATFORM"}
    done = pullback(env=env)
    assert done.returncode == 2
    assert "no display" in done.stderr
    assert "pullback run" in done.stderr
    assert "pullback render" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_display_that_is_not_there_does_not_abort():
    env = {k: v for k, v in HEADLESS.items() if k != "QT_QPA_PLATFORM"}
    done = pullback(env={**env, "DISPLAY": ":98765"})
    assert done.returncode == 2
    assert "cannot open a window" in done.stderr
    assert "qt.qpa" not in done.stderr


def test_version_and_help():
    assert pullback("--version").stdout.startswith("pullback ")
    text = pullback("--help").stdout
    assert "examples:" in text
    assert "exit codes" in text


def test_nothing_heavy_is_imported_for_the_version():
    code = (
        "import sys; from app.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'PySide6', 'core'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_convert_goes_to_onnx_and_back(square, tmp_path):
    model, back = tmp_path / "square.onnx", tmp_path / "back.json"
    done = pullback("convert", square, model)
    assert done.returncode == 0, done.stderr
    done = pullback("run", model, "--json")
    assert json.loads(done.stdout)["values"]["y"]["y"] == [4, 9]
    done = pullback("convert", model, back)
    assert done.returncode == 0, done.stderr
    assert "2 nodes" in done.stderr
    graph = load(back)
    assert graph.named("y").op == "multiply"  # ONNX has no square
    np.testing.assert_array_equal(graph.named("x").params["value"], [2, 3])


def test_convert_reads_programs_up_to_their_error(tmp_path):
    program, out = tmp_path / "p.py", tmp_path / "p.pullback"
    program.write_text("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.sin()\nz = oops")
    done = pullback("convert", program, out)
    assert done.returncode == 1
    assert "line 4" in done.stderr
    assert load(out).named("y").op == "sin"


def test_convert_names_the_node_that_cannot_be_told(tmp_path):
    graph, x = Graph().with_node(INPUT, name="x", params={"value": np.eye(2)})
    graph, inverse = graph.with_node("linalg.inv", name="inverted")
    graph, _ = graph.with_wire(x, "y", inverse, "x")
    save(graph, tmp_path / "g.pullback")
    done = pullback("convert", tmp_path / "g.pullback", tmp_path / "g.onnx")
    assert done.returncode == 1
    assert "'inverted'" in done.stderr
    assert not (tmp_path / "g.onnx").exists()


def test_convert_refuses_other_endings_and_what_is_not_there(square, tmp_path):
    assert "does not end in" in pullback("convert", square, tmp_path / "a.txt").stderr
    assert "no folder" in pullback("convert", square, tmp_path / "none" / "a.onnx").stderr
    done = pullback("convert", tmp_path / "none.onnx", tmp_path / "a.json")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("pytorch", "y = torch.square(x)"),
        ("numpy", "x_bar = y_bar * (2 * x)"),
        ("jax", "y, pull = jax.vjp(model, x)"),
        ("latex", r"\bar{x} &= 2\,\bar{y}\,x"),
    ],
)
def test_export_prints_the_code(square, target, words):
    done = pullback("export", square, "--to", target, "--run", "first (1, 0)")
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
    assert done.stderr == ""


def test_export_writes_files_that_are_read_back(square, tmp_path):
    path = tmp_path / "square.py"
    done = pullback("export", square, "--to", "pytorch", "-o", path)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"Wrote {path}." in done.stderr
    again = pullback("run", path)
    assert again.returncode == 0, again.stderr
    assert "x.grad = tensor([4., 0.]" in again.stdout


def test_export_writes_large_values_beside_the_code(tmp_path):
    value = np.arange(2000.0).reshape(40, 50)
    graph, _ = Graph().with_node(INPUT, name="W", params={"value": value})
    path = tmp_path / "large.pullback"
    save(graph, path)
    printed = pullback("export", path, "--to", "numpy")
    assert "the text loads W.npy" in printed.stderr
    done = pullback("export", path, "--to", "numpy", "-o", tmp_path / "large.py")
    assert done.returncode == 0, done.stderr
    assert 'W = np.load("W.npy")' in (tmp_path / "large.py").read_text("utf-8")
    np.testing.assert_array_equal(np.load(tmp_path / "W.npy"), value)


def test_export_says_what_it_left_out(tmp_path):
    graph, _ = Graph().with_node("add", name="lonely")
    path = tmp_path / "lonely.pullback"
    save(graph, path)
    done = pullback("export", path, "--to", "pytorch")
    assert done.returncode == 1
    assert "left out" in done.stderr
    assert "lonely" in done.stderr


@pytest.mark.parametrize("more", [["--to", "fortran"], [], ["--to", "jax", "--run", "third"]])
def test_export_refuses_what_it_does_not_know(square, more):
    done = pullback("export", square, *more)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr


def test_a_function_is_one_step_and_written_out_in_code(square, tmp_path):
    graph = load(square)
    after, _ = gather(graph, [graph.named("y").id], "f")
    path = tmp_path / "function.pullback"
    save(after, path)

    done = pullback("run", path, "--run", "first (1, 0)")
    assert done.returncode == 0, done.stderr
    steps = [line.split() for line in done.stdout.splitlines() if "vᵀJ" in line or "call" in line]
    assert steps[0][:2] == ["f", "call"]
    assert "vᵀJ = (4, 0)" in done.stdout
    records = json.loads(pullback("run", path, "--json").stdout)
    assert set(records["values"]) == {"x", "f", "f/x", "f/y", "f/out"}
    picture = tmp_path / "out.png"
    assert pullback("render", path, "-o", picture, "--step", "1").returncode == 0
    assert picture.exists()
    assert "y = torch.square(x)" in pullback("export", path, "--to", "pytorch").stdout


def test_every_file_named_is_opened(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("app.display.why_no_window", lambda: None)
    monkeypatch.setattr("app.launch.run_window", lambda paths: opened.extend(paths) or 0)
    paths = [tmp_path / "a.pullback", tmp_path / "b.pullback"]
    for path in paths:
        path.touch()
    assert main([str(path) for path in paths]) == 0
    assert opened == paths
    assert main([str(paths[0]), str(tmp_path / "none.pullback")]) == 2
    assert opened == paths, "nothing is opened when one is not there"
