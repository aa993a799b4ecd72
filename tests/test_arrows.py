"""Tests that imports run only downwards, and that modules without I/O stay so."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: Package to our packages that it may import.
ARROWS: dict[str, set[str]] = {
    "lpp": set(),
    "scheduler": set(),
    "bots": {"lpp"},
    "texts": set(),
    "judge_console": {"lpp", "texts"},
    "contest": {"lpp", "scheduler", "texts"},
    "disciplines": {"lpp", "scheduler", "bots", "contest"},
    "loebner": {"lpp", "scheduler", "bots", "judge_console", "contest", "disciplines", "texts"},
}

#: The packages within `contest`, from below: each imports from the lines above its own. Packages of
#: one line may import each other's modules, which never import themselves through others.
LAYERS: list[set[str]] = [
    {"errors", "pages", "scripted"},
    {"worker", "setup"},
    {"record"},
    {"state"},
    {"verify"},
    {"results"},
    {"links", "live", "net"},
    {"preflight", "recovery", "screening"},
    {"audience", "organizer", "seat_page", "serving"},
    {"rehearse"},
]

#: Modules with I/O, which modules without I/O must not import.
IO = {
    *("asyncio", "concurrent", "ctypes", "glob", "logging", "multiprocessing", "os"),
    *("pathlib", "selectors", "shutil", "signal", "socket", "ssl", "subprocess", "sys"),
    *("tempfile", "threading", "time", "urllib", "platformdirs", "watchdog", "websockets"),
}
PURE_OF_PCG = ("editions", "extraction", "level", "prompts", "scoring")
PURE = [
    *("lpp/errors.py", "lpp/keypress.py", "lpp/lines.py", "lpp/names.py", "lpp/pace.py"),
    *("lpp/session.py", "scheduler", "contest/state"),
    *("disciplines/agreement.py", "disciplines/standing.py"),
    *(f"disciplines/chatgpt4pcg/{name}.py" for name in PURE_OF_PCG),
    *("disciplines/ige/base.py", "disciplines/ige/ratings.py"),
    *(f"disciplines/labyrinth/{name}.py" for name in ("functions", "game", "metrics")),
]

#: The one shell in the package of a core; no module of the core imports it.
SHELL = ROOT / "scheduler" / "files.py"

#: Modules that `loebner --help` must not import.
HEAVY = {"watchdog", "sqlalchemy", "PySide6", "rich", "aiohttp", "websockets", "aiml"}


def modules(where: str) -> list[Path]:
    path = ROOT / where
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def core(where: str) -> list[Path]:
    return [file for file in modules(where) if file != SHELL]


@cache
def imports(file: Path, *, at_import: bool = False) -> frozenset[str]:
    """The full names that a module imports anywhere, or only on its own import."""
    package = file.relative_to(ROOT).parts[:-1]  # the package from which relative names begin
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in _at_import(tree) if at_import else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level:
                name = importlib.util.resolve_name("." * node.level + name, ".".join(package))
            names |= {name, *(f"{name}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and _called(node) in ("__import__", "import_module"):
            # Imports by name at run time can be checked only if the name is a literal.
            names |= {str(each.value) for each in node.args[:1] if isinstance(each, ast.Constant)}
    return frozenset(names)


def _at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module that run on its import."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _at_import(child)


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def roots(file: Path, *, at_import: bool = False) -> set[str]:
    # To the cache, an explicit `at_import=False` is a different call, which reads the file again.
    names = imports(file, at_import=True) if at_import else imports(file)
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("package", ARROWS)
def test_imports_run_downwards(package: str) -> None:
    files = modules(package)
    assert files
    allowed = ARROWS[package] | {package}
    ours = {*ARROWS, "tests", "benchmarks"}
    broken = {
        str(file.relative_to(ROOT)): sorted(found)
        for file in files
        if (found := (roots(file) & ours) - allowed)
    }
    assert broken == {}


def test_the_packages_of_the_contest_are_layered() -> None:
    layer = {name: number for number, names in enumerate(LAYERS) for name in names}
    found = {path.stem for path in (ROOT / "contest").iterdir() if any(path.glob("*.py"))}
    assert found - set(layer) == set()
    broken = set()
    for file in modules("contest"):
        own = file.relative_to(ROOT / "contest").parts[0].removesuffix(".py")
        for name in imports(file):
            other = name.split(".")[1] if name.startswith("contest.") else own
            if other != own and other in layer and layer[other] > layer.get(own, 0):
                broken.add((str(file.relative_to(ROOT)), name))
    assert broken == set()


def test_no_module_imports_itself_through_others() -> None:
    def name_of(file: Path) -> str:
        return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    files = {name_of(file): file for package in ARROWS for file in modules(package)}
    graph: dict[str, set[str]] = {}
    for name, file in files.items():
        found = {each for each in imports(file) if each in files}
        # `from package import module` needs the module, not the package's other names.
        packages = {each.rpartition(".")[0] for each in found}
        graph[name] = found - packages - {name}
    circle: list[str] = []
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        circle = exc.args[1]
    assert circle == []


@pytest.mark.parametrize("where", PURE)
def test_no_io_in_the_core(where: str) -> None:
    broken = {
        str(file.relative_to(ROOT)): sorted(found)
        for file in core(where)
        if (found := roots(file) & IO)
    }
    assert broken == {}


def test_the_core_does_not_import_its_shell() -> None:
    for file in core("scheduler"):
        assert "scheduler.files" not in imports(file), file


def test_the_core_opens_no_file() -> None:
    for where in PURE:
        for file in core(where):
            calls = {
                _called(node)
                for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(node, ast.Call)
            }
            assert not calls & {"open", "print", "input"}, file


def test_the_root_of_the_command_imports_none_of_our_packages() -> None:
    for name in ("__init__", "__main__", "cli"):
        file = ROOT / "loebner" / f"{name}.py"
        assert not roots(file, at_import=True) & (set(ARROWS) - {"loebner"}), file


@pytest.mark.parametrize("module", ["loebner.cli", "loebner"])
def test_the_command_starts_without_heavy_imports(module: str) -> None:
    script = f"import sys, json, {module}; print(json.dumps(sorted(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    names = {name.partition(".")[0] for name in json.loads(loaded.stdout)}
    assert not names & (HEAVY | set(ARROWS) - {"loebner"})


def test_help_imports_no_command() -> None:
    script = (
        "import sys, json; from loebner.cli import main; code = main(['--help']);"
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)"
    )
    helped = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    code, names = json.loads(helped.stderr)
    assert code == 0
    assert not {name.partition(".")[0] for name in names} & (HEAVY | set(ARROWS) - {"loebner"})


@pytest.mark.parametrize(
    ("source", "everywhere", "at_import"),
    [
        ("import a.b, c", {"a", "c"}, {"a", "c"}),
        ("from a.b import c", {"a"}, {"a"}),
        ("def f():\n    import a", {"a"}, set()),
        ("class C:\n    import a", {"a"}, {"a"}),
        ("try:\n    import a\nexcept ImportError:\n    import b", {"a", "b"}, {"a", "b"}),
        (
            "import importlib\nimportlib.import_module('a.b')",
            {"a", "importlib"},
            {"a", "importlib"},
        ),
        ("from typing import TYPE_CHECKING as TYPE_CHECKING", {"typing"}, {"typing"}),
        ("if TYPE_CHECKING:\n    import a", {"a"}, set()),
        ("from . import x", {"tests"}, {"tests"}),
    ],
)
def test_imports_are_read_correctly(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    everywhere: set[str],
    at_import: set[str],
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    file = tmp_path / "tests" / "module.py"
    file.write_text(source)
    assert roots(file) == everywhere
    assert roots(file, at_import=True) == at_import
