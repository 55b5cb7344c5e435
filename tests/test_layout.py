"""The house rules that a test can hold: who may import whom, and no import circles."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Lowest floor first. A module may import its own floor and those below it.
FLOORS = (
    ("core.errors", "core.library.spec"),
    ("core.library",),
    ("core.numpy_fourier", "core.numpy_names"),
    (
        "core.modes",
        "core.versions",
        "core.dispatch",
        "core.records",
        "core.tensor_base",
        "core.gradients",
        "core.plain",
        "core.as_methods",
    ),
    ("core.story",),
    (
        "core.recording",
        "core.lanes",
        "core.methods",
        "core.inplace",
        "core.tensor",
        "core.trace",
        "core.moments",
        "core.schedule",
    ),
    (
        "core.roots",
        "core.guards",
        "core.fitting",
        "core.tape",
        "core.arrivals",
        "core.engine",
        "core.autograd",
        "core.observe",
    ),
    ("core.ops",),
    ("core.symbols", "core.plan"),
    ("core.hidden_axis",),
    ("core.batched_numpy",),
    ("core.batched", "core.calling", "core.check", "core.functional"),
    ("core",),
    ("core.topology",),
    ("core.graph", "core.making"),
    (
        "core.folding",
        "core.results",
        "core.strangeness",
        "core.instances",
        "core.forward",
        "core.session",
    ),
    ("core.files", "core.export", "core.importers", "core.onnx"),
    ("app",),  # the version; a new module under it must be listed below
    ("app.colors", "app.fonts", "app.icons", "app.stylesheet", "app.theme", "app.settings"),
    ("app.catalog", "app.child", "app.formats", "app.fuzzy", "app.garbage"),
    (
        "app.background",
        "app.commands",
        "app.document",
        "app.edits",
        "app.program_edits",
        "app.frame_edits",
        "app.gesture_list",
        "app.wire_edits",
        "app.function_edits",
        "app.level",
        "app.arranging",
        "app.layout_process",
        "app.saving",
        "app.actions",
        "app.examples",
        "app.code_merge",
        "app.code_runs",
        "app.sliding",
        "app.value_edits",
    ),
    ("app.worker", "app.evaluator", "app.code_jobs"),
    ("app.descent", "app.playback"),
    ("app.live",),
    ("app.canvas",),
    ("app.panels", "app.render"),
    (
        "app.arranger",
        "app.canvas_area",
        "app.context_menu",
        "app.keys_dialog",
        "app.value_on_node",
        "app.docks",
        "app.importing",
        "app.models",
        "app.pictures",
    ),
    ("app.conductor", "app.descender"),
    ("app.workspace",),
    ("app.tabs",),
    ("app.windows", "app.availability"),
    ("app.opening", "app.command_list"),
    ("app.dialogs", "app.closing", "app.headline", "app.looks"),
    ("app.menu_bar",),
    ("app.main_window", "app.launch", "app.headless", "app.display"),
    ("app.arguments", "app.command_line"),
    ("app.cli",),
    ("app.__main__",),
)
LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}

# Imports inside functions: for start-up time only, and nowhere else than here.
LATE = {
    "core.topology": {"networkx", "graphlay"},
    "core.library": {"scipy"},
    "core.onnx.protobuf": {"onnx"},
    "app.panels.values": {"pyqtgraph"},
    "app.panels.formulas": {"mathra"},
    "app.cli": {"app"},
    "app.command_line": {"app", "core"},
    "app.formats": {"core"},
    "app.display": {"PySide6"},
}


def modules():
    for path in sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("app/**/*.py")]):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield name.removesuffix(".__init__"), ast.parse(path.read_text("utf-8"))


TREES = dict(modules())


def imported(node):
    """The modules an import statement names: of ``from a import b`` also a.b if it is one."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    deeper = [f"{node.module}.{alias.name}" for alias in node.names]
    return [name if name in TREES else node.module for name in deeper]


def run_time_imports(tree, inside=False):
    """(module, whether inside a function) of every import but those for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((name, inside) for name in imported(node))
        else:
            deeper = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from run_time_imports(node, deeper)


IMPORTS = {name: set(run_time_imports(tree)) for name, tree in TREES.items()}


def under(name, place):
    return f"{name}.".startswith(f"{place}.")


def level(name):
    """The floor of the longest listed name that ``name`` lies under."""
    while name not in LEVEL:
        name = name.rpartition(".")[0]
        assert name, "a module that no floor lists"
    return LEVEL[name]


@pytest.mark.parametrize("name", TREES)
def test_imports_point_down(name):
    ours = {used for used, _ in IMPORTS[name] if used.split(".")[0] in ("core", "app")}
    up = sorted(used for used in ours if level(used) > level(name))
    assert not up, f"{name} stands below {up}: move what it needs down, or pass it in"


@pytest.mark.parametrize("name", [name for name in TREES if name.split(".")[0] == "core"])
def test_core_knows_no_gui(name):
    gui = {u for u, _ in IMPORTS[name] if u.split(".")[0] in ("PySide6", "pyqtgraph", "app")}
    assert not gui, f"{name} imports {gui}: core must run without a screen"


@pytest.mark.parametrize("name", TREES)
def test_late_imports_are_the_listed_ones(name):
    allowed = {lib for place, libs in LATE.items() if under(name, place) for lib in libs}
    late = {used.split(".")[0] for used, inside in IMPORTS[name] if inside}
    assert late <= allowed, f"{name} imports {sorted(late - allowed)} inside a function"


@pytest.mark.parametrize(
    ("library", "places"),
    [
        ("networkx", {"core.topology"}),
        ("graphlay", {"core.topology"}),
        ("onnx", {"core.onnx.protobuf"}),
        ("pyqtgraph", {"app.panels.values"}),
        ("mathra", {"app.panels.formulas"}),
    ],
)
def test_a_library_is_used_in_its_place_only(library, places):
    users = {
        name for name, used in IMPORTS.items() if any(u.split(".")[0] == library for u, _ in used)
    }
    assert users
    assert all(any(under(u, p) for p in places) for u in users)


def test_imports_make_no_circle():
    own = {name: {u for u, _ in used if u in TREES} - {name} for name, used in IMPORTS.items()}
    TopologicalSorter(own).prepare()  # raises CycleError, naming the circle


def test_core_runs_where_qt_is_not_installed():
    code = (
        "import sys; sys.modules['PySide6'] = None; "
        "import core, core.session, core.files, core.topology"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
