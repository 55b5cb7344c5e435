"""The table of operations as Markdown: ``python -m core.opdoc`` writes docs/operations.md."""

from __future__ import annotations

from pathlib import Path

from core import ops
from core.library import CATEGORIES
from core.library.spec import OpSpec, Param

PATH = Path(__file__).parents[1] / "docs" / "operations.md"


def markdown() -> str:
    """Every operation a user can choose, by category."""
    specs = [ops.find(name) for name in ops.names()]
    lines = [
        "# Operations",
        "",
        f"{len(specs)} operations, written from their records by `python -m core.opdoc`. In the",
        "formulas g is the cotangent of the output, and a bar marks the VJP of an input. Sums over",
        "broadcast axes are left out.",
    ]
    for category, title in CATEGORIES.items():
        members = [spec for spec in specs if spec.category == category]
        if members:
            lines += ["", f"## {title}"]
            for spec in members:
                lines += ["", *_entry(spec)]
    return "\n".join(lines) + "\n"


def _entry(spec: OpSpec) -> list[str]:
    ports = [f"{p}…" if spec.variadic else p for p in spec.ports]
    shown = [f"{p}?" if p in spec.optional_ports else p for p in ports]
    lines = [f"### {spec.name}", "", f"{spec.summary}", ""]
    lines.append(f"- {', '.join(shown)} → {', '.join(spec.outputs)}: ${spec.formula}$")
    lines += [f"- VJP of {port}: ${vjp.formula}$" for port, vjp in spec.vjps.items()]
    lines += [f"- `{p.name}` = {p.default!r}: {_about(p)}" for p in spec.params]
    if spec.domain != "all reals":
        lines.append(f"- Domain: {spec.domain}.")
    lines += [f"- {note}" for note in spec.notes]
    if spec.aliases:
        lines.append(f"- Also found as {', '.join(spec.aliases)}.")
    return lines


def _about(param: Param) -> str:
    choices = f" One of {', '.join(map(repr, param.choices))}." if param.choices else ""
    return f"{param.doc[:1].upper()}{param.doc[1:].rstrip('.')}.{choices}"


if __name__ == "__main__":
    PATH.write_text(markdown(), "utf-8")
