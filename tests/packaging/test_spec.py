"""Tests what packaging/loebner.spec makes PyInstaller include, without PyInstaller."""

from __future__ import annotations

import pkgutil
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bots.adapters.table import ADAPTERS
from bots.registry import BOTS
from loebner.cli import COMMANDS
from tests.test_arrows import imports, modules

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "packaging" / "loebner.spec"


@dataclass
class SpecCalls:
    """The calls that the spec makes to PyInstaller."""

    analysis: dict[str, Any] = field(default_factory=dict)
    programs: dict[str, dict[str, Any]] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)


def submodules(package: str) -> list[str]:
    if package not in COVERED:
        return [package]
    path = ROOT / package
    found = pkgutil.walk_packages([str(path)], f"{package}.", onerror=lambda name: None)
    return [package, *(each.name for each in found)]


COVERED = (
    "lpp",
    "scheduler",
    "bots",
    "judge_console",
    "contest",
    "disciplines",
    "loebner",
    "texts",
)


@pytest.fixture(scope="module")
def spec_calls() -> SpecCalls:
    """Runs the spec with a PyInstaller that only records the calls."""
    spec_calls = SpecCalls()
    hooks: Any = types.ModuleType("PyInstaller.utils.hooks")
    hooks.collect_submodules = submodules
    hooks.collect_data_files = lambda package: [(f"data of {package}", package)]
    hooks.copy_metadata = lambda name: [(f"metadata of {name}", name)]

    def analysis(scripts: list[str], **options: Any) -> types.SimpleNamespace:
        spec_calls.analysis = {"scripts": scripts, **options}
        own = [(Path(script).stem, script, "PYSOURCE") for script in scripts]
        hook = ("pyi_rth_inspect", "…/pyi_rth_inspect.py", "PYSOURCE")
        return types.SimpleNamespace(pure=[], scripts=[hook, *own], binaries=[], datas=[])

    def exe(pyz: object, scripts: list[tuple[str, str, str]], *, name: str, **options: Any) -> str:
        spec_calls.programs[name] = {"scripts": [script for script, _, _ in scripts], **options}
        return name

    spec_calls.names = {
        "SPECPATH": str(SPEC.parent),
        "Analysis": analysis,
        "PYZ": lambda pure: None,
        "EXE": exe,
        "COLLECT": lambda *parts, **options: None,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PyInstaller", "PyInstaller.utils"):
            patch.setitem(sys.modules, name, types.ModuleType(name))
        patch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
        exec(compile(SPEC.read_text(encoding="utf-8"), str(SPEC), "exec"), spec_calls.names)
    return spec_calls


def test_two_programs_with_one_script_each(spec_calls: SpecCalls) -> None:
    assert {
        name: (options["console"], [each for each in options["scripts"] if "rth" not in each])
        for name, options in spec_calls.programs.items()
    } == {"loebner": (True, ["command"]), "loebner-terminal": (False, ["terminal"])}
    for options in spec_calls.programs.values():
        assert options["scripts"][0] == "pyi_rth_inspect"
    for script in spec_calls.analysis["scripts"]:
        assert Path(script).is_file()


def test_the_icon_exists(spec_calls: SpecCalls) -> None:
    for options in spec_calls.programs.values():
        assert Path(options["icon"]).read_bytes()[:4] == b"\0\0\1\0"


def test_modules_imported_by_name_are_included(spec_calls: SpecCalls) -> None:
    wanted = {place.module for place in COMMANDS.values()}
    wanted |= {bundled.class_path.partition(":")[0] for bundled in BOTS.values()}
    wanted |= {adapter.module for adapter in ADAPTERS.values()}
    assert len(wanted) > 15
    assert wanted - set(spec_calls.analysis["hiddenimports"]) == set()
    assert {package for _, package in spec_calls.analysis["datas"]} >= set(COVERED) | {"loebner"}


def test_all_imported_modules_are_included(spec_calls: SpecCalls) -> None:
    # Except Tk, which the dialog uses only without Qt, and libraries of extras that are left out.
    excluded = set(spec_calls.analysis["excludes"]) - set(spec_calls.names["OTHER_EXTRAS"])
    words = {each.rpartition(".")[2].encode() for each in excluded}
    files = [file for package in COVERED for file in modules(package)]
    # Reading all files carefully would take seconds.
    suspected = [file for file in files if any(word in file.read_bytes() for word in words)]
    assert {
        name
        for name in set().union(*map(imports, suspected))
        if any(name == each or name.startswith(f"{each}.") for each in excluded)
    } == {"tkinter", "tkinter.filedialog"}


@pytest.mark.parametrize(
    "file",
    [
        "PySide6/Qt6Core.dll",
        "PySide6/Qt6Gui.dll",
        "PySide6/Qt6Widgets.dll",
        "PySide6/Qt6Svg.dll",
        "PySide6/Qt6DBus.dll",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6/plugins/platforms/qoffscreen.dll",
        "PySide6/plugins/styles/qmodernwindowsstyle.dll",
        "PySide6/plugins/iconengines/qsvgicon.dll",
        "PySide6/plugins/imageformats/qico.dll",
        "PySide6/plugins/imageformats/qsvg.dll",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/translations/qtbase_de.qm",
        "babel/locale-data/root.dat",
        "babel/locale-data/de.dat",
        "babel/locale-data/en_US.dat",
        "judge_console/look/fonts/OFL.txt",
        "vcruntime140.dll",
        "libxcb-cursor.so.0",
    ],
)
def test_libraries_for_windows_are_included(spec_calls: SpecCalls, file: str) -> None:
    assert spec_calls.names["wanted"]([(file, "source", "BINARY")]) == [(file, "source", "BINARY")]


@pytest.mark.parametrize(
    "file",
    [
        "PySide6/opengl32sw.dll",
        "PySide6/Qt6Quick.dll",
        "PySide6/Qt6QmlModels.dll",
        "PySide6\\plugins\\platforms\\qdirect2d.dll",
        "PySide6/plugins/tls/qschannelbackend.dll",
        "PySide6/plugins/platforminputcontexts/qtvirtualkeyboardplugin.dll",
        "PySide6/plugins/imageformats/qpdf.dll",
        "PySide6/plugins/vectorimageformats/qlottievectorimage.dll",
        "PySide6/Qt/lib/libQt6WlShellIntegration.so.6",
        "PySide6/Qt/lib/libQt6EglFSDeviceIntegration.so.6",
        "PySide6/translations/qtbase_fr.qm",
        "babel/locale-data/fr.dat",
        "babel/locale-data/en_US_POSIX.dat",
        "PySide6/translations/qt_help_de.qm",
        "libgtk-3.so.0",
    ],
)
def test_unneeded_libraries_are_excluded(spec_calls: SpecCalls, file: str) -> None:
    assert spec_calls.names["wanted"]([(file, "source", "BINARY")]) == []
