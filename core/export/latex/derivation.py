"""The document: what was computed, and how every gradient came about."""

from __future__ import annotations

from core.export.exported import Exported, Writer
from core.export.latex.symbols import bar, escaped, legend, numbers, substituted, symbol
from core.export.literals import ArrayWords
from core.export.outline import Operand, Outline
from core.export.outline import Step as Computed
from core.graph import CAST, DETACH, INPUT, Grad, Graph, Run, Wire
from core.graph.actions import DO, Assign
from core.results import ActionResult
from core.session import Session, Snapshot
from core.trace import Flow, Step

_HEAD = r"""\documentclass{article}
\usepackage{amsmath, amssymb}
\allowdisplaybreaks
\begin{document}"""


def latex_derivation(graph: Graph, run: Run | None, snapshot: Snapshot | None = None) -> Exported:
    """The derivation of ``graph`` and of each step of ``run``."""
    outline = Outline(graph, ArrayWords("np", "array"), snapshot)
    body = Writer()
    body.add(_HEAD)
    derivation = _Derivation(outline, body)
    derivation.forward()
    if run is not None:
        derivation.run(run)
    body.add(r"\end{document}")
    return Exported(
        "latex",
        tuple(body.lines),
        outline.identifiers,
        outline.arrays,
        tuple(outline.left_out),
    )


class _Derivation:
    """Writes the sections."""

    def __init__(self, outline: Outline, body: Writer) -> None:
        self._outline, self._body = outline, body
        nodes = outline.graph.nodes
        self._symbols = {place: symbol(nodes[place[0]].name) for place in outline.outputs}
        for step in outline.steps:
            if len(step.outputs) > 1:
                for place in [p for p in self._symbols if p[0] == step.node.id]:
                    port = place[1].replace("[", "").replace("]", "")
                    self._symbols[place] = f"{symbol(step.node.name)}_{{{escaped(port)}}}"

    # -- forward ----------------------------------------------------------------------------------

    def forward(self) -> None:
        """Every value with the formula it is made by."""
        self._section("Forward")
        for step in self._outline.steps:
            value = ",\\quad ".join(
                f"{self._symbols[place]} = {numbers(y.value)}" for place, y in self._places(step)
            )
            if step.node.op == INPUT:
                head, _, tail = value.partition(" = ")
                self._line(f"{head} &= {tail}", step.node.id)
                continue
            rule = self._rule(step)
            if len(step.outputs) == 1 and "qquad" not in rule:
                self._line(f"{rule} = {numbers(step.outputs[0].value)}", step.node.id)
            else:
                self._line(f"{rule} \\\\ &\\quad {value}", step.node.id)
        self._end()
        for node_id, why in self._outline.left_out.items():
            name = self._outline.graph.nodes[node_id].name
            self._body.add(f"% left out: {name} ({' '.join(why.split())})", node_id)

    def _rule(self, step: Computed) -> str:
        names = self._names(step)
        y = next(self._symbols[place] for place, _ in self._places(step))
        if step.node.op in (DETACH, CAST):
            word = rf"\mathrm{{{step.node.op}}}"
            return f"{y} &= {word}({names['x']})"
        assert step.spec is not None
        text = substituted(step.spec.formula, step.spec, names)
        return f"{_aligned(text)}{legend(step.spec.formula, step.spec, names)}"

    def _names(self, step: Computed) -> dict[str, str]:
        """Symbols by port and output."""
        found: dict[str, str] = {}
        for port, operand in self._outline.graph.operands(step.node.id):
            if isinstance(operand, Wire):
                found[port] = self._symbols[operand.source, operand.output]
            elif operand is not None:
                found[port] = numbers(operand)
        for place, _ in self._places(step):
            found.setdefault(place[1], self._symbols[place])
        return found

    def _places(self, step: Computed) -> list[tuple[tuple[str, str], Operand]]:
        places = [place for place in self._outline.outputs if place[0] == step.node.id]
        return [(place, self._outline.outputs[place]) for place in places]

    # -- the run ----------------------------------------------------------------------------------

    def run(self, run: Run) -> None:
        """Every action that goes backward, step by step."""
        result = Session(self._outline.graph).run(run)
        for number, done in enumerate(result.results, 1):
            if done.trace is not None:
                self._backward(done, f"{run.name}, {number}" if len(run.actions) > 1 else run.name)
            elif isinstance(done.action, Assign):
                node = done.action.node
                self._section(f"{run.name}, {number}")
                self._line(f"{self._of(node, 0)} &\\leftarrow {numbers(done.action.value)}", node)
                self._end()
            else:
                self._section(f"{run.name}, {number}: {DO[type(done.action)]}", empty=True)
            if done.error is not None:
                self._body.add(rf"\paragraph{{It stops here.}} {_text(str(done.error))}")

    def _backward(self, done: ActionResult, title: str) -> None:
        assert done.trace is not None
        self._section(f"Backward: {title}")
        for node, output, cotangent in done.trace.roots:
            self._line(f"{bar(self._of(node, output))} &= {numbers(cotangent)}", node)
        for step in done.trace.steps:
            if step.accumulates:
                self._accumulated(step)
            else:
                for flow in step.flows:
                    self._flow(step, flow)
        if isinstance(done.action, Grad):
            for node, found in done.results.items():
                gradient = rf"\nabla_{{{self._of(node, 0)}}}"
                self._line(f"{gradient} &= {numbers(found)}", node)
        self._end()

    def _flow(self, step: Step, flow: Flow) -> None:
        """One VJP: its formula, its value, and the sum so far."""
        computed = self._outline.step(step.node)
        if computed is None:
            return
        target = bar(self._of(flow.node, flow.output))
        sign = "&=" if flow.count == 1 else r"&\mathrel{+}="
        rule = self._vjp(computed, flow)
        text = (
            f"{target} {sign} {rule} = {numbers(flow.contribution)}"
            if rule
            else (f"{target} {sign} {numbers(flow.contribution)}")
        )
        if flow.count > 1:
            text += rf"\quad\Rightarrow\quad {target} = {numbers(flow.total)}"
        self._line(text, step.node, flow.node)

    def _vjp(self, computed: Computed, flow: Flow) -> str:
        """The right-hand side of the rule, in the symbols of the graph."""
        spec = computed.spec
        names = self._names(computed)
        place = self._places(computed)[0][0]
        if spec is None:
            return bar(self._symbols[place])
        names["g"] = bar(self._symbols[place])
        rule = spec.vjps.get(flow.port.partition("[")[0])
        if rule is None:
            return ""
        _, _, right = substituted(rule.formula, spec, names).partition("=")
        return right

    def _accumulated(self, step: Step) -> None:
        name = self._of(step.node, 0)
        before = "" if step.before is None else f"{numbers(step.before)} + {bar(name)} = "
        self._line(rf"{name}.\mathrm{{grad}} &= {before}{numbers(step.after)}", step.node)

    # -- parts ------------------------------------------------------------------------------------

    def _of(self, node: str, output: int) -> str:
        places = [place for place in self._outline.outputs if place[0] == node]
        return self._symbols[places[output]] if places else symbol(node)

    def _section(self, title: str, *, empty: bool = False) -> None:
        self._body.add("")
        self._body.add(rf"\section*{{{_text(title)}}}")
        if not empty:
            self._body.add(r"\begin{align*}")

    def _line(self, text: str, *nodes: str) -> None:
        self._body.add(rf"  {text} \\", *dict.fromkeys(nodes))

    def _end(self) -> None:
        r"""The last line of an ``align*`` has no ``\\``; without lines there is none."""
        last = self._body.lines[-1]
        if last.text == r"\begin{align*}":
            self._body.lines.pop()
            return
        self._body.lines[-1] = type(last)(last.text.removesuffix(r" \\"), last.nodes)
        self._body.add(r"\end{align*}")


def _aligned(formula: str) -> str:
    """The formula with its first equals sign as the place to align at."""
    return formula.replace("=", " &= ", 1) if "=" in formula else f"&{formula}"


def _text(words: str) -> str:
    """Text outside of math."""
    words = " ".join(words.split())
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(
        special.get(c, rf"\{c}" if c in "_#$%&{}" else c) for c in " ".join(words.split())
    )
