"""Graphs as files: one JSON text, read whole or not at all.

``schema`` says what a file holds, ``encoding`` and ``decoding`` turn graphs into it and back,
``migrations`` bring old files up to date, ``storage`` writes them so that a crash loses nothing.
"""

from core.files.decoding import loads, loads_fragment
from core.files.encoding import dumps, dumps_fragment
from core.files.schema import VERSION, json_schema
from core.files.storage import load, save

__all__ = [
    "VERSION",
    "dumps",
    "dumps_fragment",
    "json_schema",
    "load",
    "loads",
    "loads_fragment",
    "save",
]
