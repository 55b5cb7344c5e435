"""What is written of the file format is true: the schema, and the examples in its description."""

import json
import re
from pathlib import Path

import pytest

from core.files import VERSION, dumps, loads
from core.files.schema import SCHEMA_PATH, schema_text
from core.importers.python import load_program
from tests.core.importers.programs import rows
from tests.core.json_schema import flaws

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(SCHEMA_PATH.read_text("utf-8"))
DESCRIPTION = (ROOT / "docs/file_format.md").read_text("utf-8")
FILES = re.findall(r"```json\n(\{.*?\})\n```", DESCRIPTION, re.DOTALL)
EXAMPLES = sorted((ROOT / "resources/examples").glob("*.pullback"))


def test_the_schema_is_up_to_date():
    assert SCHEMA_PATH.read_text("utf-8") == schema_text(), "run: python -m core.files"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_valid(path):
    assert flaws(json.loads(path.read_text("utf-8")), SCHEMA, SCHEMA) == []


def test_what_programs_become_is_valid():
    for row in rows("pasted.jsonl"):
        graph = load_program(row["code"], layout=False).graph
        assert flaws(json.loads(dumps(graph)), SCHEMA, SCHEMA) == []


@pytest.mark.parametrize("text", FILES, ids=lambda text: f"{len(text)} letters")
def test_a_file_in_the_description_is_valid_and_opens(text):
    assert flaws(json.loads(text), SCHEMA, SCHEMA) == []
    assert loads(text).nodes


def test_the_description_has_examples_and_the_version():
    assert len(FILES) == 2
    assert f"version {VERSION}" in DESCRIPTION


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"version": 1}, "$.version"),
        ({"format": "other"}, "$.format"),
        ({"next_id": 0}, "$.next_id"),
        ({"colour": "blue"}, "$ has"),
        ({"nodes": [{"id": "n1", "op": "input"}]}, "$.nodes[0] lacks"),
        ({"wires": [{"id": "w1", "from": ["n1"], "to": ["n2", "x"]}]}, "$.wires[0].from"),
        ({"runs": [{"name": "r", "actions": [{"do": "jump"}]}]}, "$.runs[0].actions[0]"),
    ],
)
def test_what_is_wrong_is_not_valid(change, where):
    file = json.loads(EXAMPLES[0].read_text("utf-8"))
    assert any(flaw.startswith(where) for flaw in flaws({**file, **change}, SCHEMA, SCHEMA))
