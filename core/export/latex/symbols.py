r"""Names, arrays and the formulas of operations in LaTeX.

The records' formulas speak of ports: ``\bar{a}=g\,b``. Where every port has one letter these are
replaced by what is wired there, else the formula stands as it is and says what its ports are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from core.export.exported import Array
from core.library.spec import OpSpec
from core.trace import Summary

#: Larger arrays are given by their shape.
_ROWS, _COLUMNS = 6, 6
_TOKENS = re.compile(
    r"\\(?:mathrm|operatorname|text|mathit|mathbb)\{[^{}]*\}|\\[A-Za-z]+|\\.|[A-Za-z]|."
)
_SPECIAL = {
    "\\": r"\backslash{}", "_": r"\_", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&",
    "{": r"\{", "}": r"\}", "~": r"\sim{}", "^": r"\hat{}", "·": r"\cdot{}",
}  # fmt: skip


def symbol(name: str) -> str:
    """The symbol of a node: a letter as such, longer names upright."""
    if len(name) == 1 and name.isalpha():
        return name
    match = re.fullmatch(r"([A-Za-z])_?([0-9]+)", name)
    if match:
        return f"{match[1]}_{{{match[2]}}}"
    return rf"\mathrm{{{escaped(name)}}}"


def escaped(text: str) -> str:
    """Any text inside of math; spaces are kept."""
    return "".join(_SPECIAL.get(c, r"\ " if c == " " else c) for c in text)


def bar(name: str) -> str:
    """The cotangent of a value."""
    wide = r"\bar" if len(name) <= 2 else r"\overline"
    return rf"{wide}{{{name}}}"


def numbers(value: Array | Summary | None) -> str:
    """An array with four digits, or its shape."""
    if value is None:
        return "0"
    if isinstance(value, Summary):
        return _shaped(value.shape)
    array = np.asarray(value)
    if not array.ndim:
        return _number(array[()])
    if array.ndim > 2 or array.shape[0] > _ROWS or array.shape[-1] > _COLUMNS or not array.size:
        return _shaped(array.shape)
    if array.ndim == 1:
        row = r",\; ".join(map(_number, array))
        return rf"\left({row}\right)"
    rows = r" \\ ".join(" & ".join(map(_number, row)) for row in array)
    return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"


def _shaped(shape: tuple[int, ...]) -> str:
    sizes = r" \times ".join(map(str, shape))
    return f"[{sizes}]"


def _number(value: Any) -> str:
    if isinstance(value, np.bool_ | bool):
        return r"\mathrm{true}" if value else r"\mathrm{false}"
    if isinstance(value, np.complexfloating):
        joint = "" if value.imag < 0 else "+"
        return f"{_number(value.real)}{joint}{_number(value.imag)}i"
    value = float(value)
    if not math.isfinite(value):
        return r"\mathrm{NaN}" if math.isnan(value) else r"\infty" if value > 0 else r"-\infty"
    text = f"{value:.4g}"
    if "e" in text:
        digits, power = text.split("e")
        return rf"{digits}\cdot 10^{{{int(power)}}}"
    return text


def letters(spec: OpSpec) -> dict[str, str]:
    """The letter that stands for each port and output in the formulas of a record.

    Long names go by their first letter, an input by x; where two would share one, neither has it.
    """
    found: dict[str, str] = {}
    for port in (*spec.ports, *spec.outputs):
        letter = port if len(port) == 1 else "x" if port == "input" else port[0]
        found[port] = letter
    shared = [letter for letter in found.values() if list(found.values()).count(letter) > 1]
    return {port: letter for port, letter in found.items() if letter not in shared}


def substituted(formula: str, spec: OpSpec, names: Mapping[str, str]) -> str:
    """The formula with symbols in the place of its ports, in small letters or capitals.

    Args:
        names: symbols by port and output, and ``g`` for the cotangent.
    """
    words: dict[str, str] = {}
    for port, letter in {**letters(spec), "g": "g"}.items():
        if port in names:
            words[letter] = words[letter.upper()] = names[port]
    tokens = [_spaced(words.get(t, t), t) for t in _TOKENS.findall(formula)]
    return _grown("".join(tokens))


def _spaced(new: str, old: str) -> str:
    """A symbol of several letters in the place of one stands off a little."""
    return new if len(new) < 3 or new == old else rf"{new}\,"


def _grown(text: str) -> str:
    r"""No space before what closes or follows closely; ``\bar`` over long names is a line."""
    text = re.sub(r"\\,(?=[\s})\]^_,;=+-]|\\,|\\\}|$)", "", text)
    text = re.sub(r"([_^])(\\mathrm\{[^{}]*\})", r"\1{\2}", text)
    return re.sub(r"\\bar\{(\\mathrm\{[^{}]*\})\}", r"\\overline{\1}", text)


def legend(formula: str, spec: OpSpec, names: Mapping[str, str]) -> str:
    """What the ports are that a formula has no letter for; empty if there are none."""
    known = letters(spec)
    tokens = set(_TOKENS.findall(formula))
    parts = [
        rf"\mathrm{{{escaped(port)}}}={name}"
        for port, name in names.items()
        if port != "g" and not {known.get(port, ""), known.get(port, "").upper()} & tokens
    ]
    listed = r",\ ".join(parts)
    return rf"\qquad({listed})" if parts else ""
