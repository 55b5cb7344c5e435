"""The layout's process: it reads a task, answers with corners, and knows no Qt."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from core.topology.worker import Task, decode_layout, encode_task

ROOT = Path(__file__).parents[2]
TASK = Task({"a": (162.0, 118.0), "b": (162.0, 118.0)}, [("a", "b")], {"a": "f"})


def test_the_process_finds_what_the_function_finds():
    command = [sys.executable, "-m", "core.topology.worker"]
    done = subprocess.run(
        command, input=encode_task(TASK), stdout=subprocess.PIPE, cwd=ROOT, check=True
    )

    assert decode_layout(done.stdout) == TASK.solve()


def test_the_process_knows_no_qt():
    code = "import sys, core.topology.worker; sys.exit(any('PySide6' in m for m in sys.modules))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_half_an_answer_is_none():
    with pytest.raises(msgspec.DecodeError):
        decode_layout(b'[{"a": [0')
