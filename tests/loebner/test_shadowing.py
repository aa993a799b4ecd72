"""Tests that another project's package with one of our names is reported at once, before any of its
code runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loebner.cli import MARK, PACKAGES, other_projects_package

ROOT = Path(__file__).parents[2]
#: The packages that another project's may hide.
OTHERS = [name for name in PACKAGES if name != "loebner"]


def test_our_own_packages_are_recognized() -> None:
    assert other_projects_package() is None


def foreign(folder: Path, *names: str) -> list[Path]:
    """Another project's packages in a folder; none may run."""
    files = [folder / name / "__init__.py" for name in names]
    for file in files:
        file.parent.mkdir()
        file.write_text("raise SystemExit('theirs ran')\n", encoding="utf-8")
    return files


@pytest.mark.parametrize("name", OTHERS)
def test_another_projects_package_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [theirs] = foreign(tmp_path, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    said = other_projects_package()
    assert said is not None
    assert str(theirs) in said


def test_another_projects_packages_are_not_run(tmp_path: Path) -> None:
    theirs = foreign(tmp_path, *OTHERS)
    ran = subprocess.run(
        [sys.executable, "-m", "loebner", "--version"],
        cwd=tmp_path,  # the first place where Python looks
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert str(theirs[0]) in ran.stderr
    assert "pipx" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_contest_folder_named_like_a_package_is_no_problem(tmp_path: Path) -> None:
    """Runs `loebner new contest`, then a command that starts our programs in the same folder."""
    for name in OTHERS:
        (tmp_path / name).mkdir()
    ran = subprocess.run(
        [sys.executable, "-m", "loebner", "--version"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_an_overwritten_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two projects in one environment: our files with the other project's `__init__.py`."""
    ours = tmp_path / "bots"
    shutil.copytree(ROOT / "bots", ours, ignore=shutil.ignore_patterns("*.pyc", "data"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "bots", raising=False)
    assert other_projects_package() is None
    (ours / "__init__.py").write_text("# theirs\n", encoding="utf-8")
    said = other_projects_package()
    assert said is not None
    assert str(ours / "__init__.py") in said


@pytest.mark.parametrize("name", PACKAGES)
def test_each_package_has_the_projects_mark(name: str) -> None:
    assert MARK in (ROOT / name / "__init__.py").read_text(encoding="utf-8")
