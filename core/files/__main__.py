"""``python -m core.files`` writes docs/pullback.schema.json."""

from core.files.schema import SCHEMA_PATH, schema_text

SCHEMA_PATH.write_text(schema_text(), "utf-8")
