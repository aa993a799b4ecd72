"""Tests that files other than modules are in the packages, too: fonts, texts, templates, bots'
tables.

In an editable installation nobody notices a pattern that is missing in setup.cfg, but users of a
wheel do.
"""

from __future__ import annotations

import configparser
import glob
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "lpp",
    "scheduler",
    "bots",
    "judge_console",
    "contest",
    "disciplines",
    "loebner",
    "texts",
)


def tracked() -> list[str]:
    """The files in the packages that belong to the project, relative to its root."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not in a work tree of git: which files belong to the project is not known")
    words = [git, "ls-files", "--", *PACKAGES]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    # git still lists files that were removed but not committed.
    return [line for line in done.stdout.splitlines() if (ROOT / line).exists()]


def setup() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def installed_data(patterns: list[str]) -> set[str]:
    """The data files that setuptools includes: matches of each pattern in each package."""
    return {
        (init.parent / found).relative_to(ROOT).as_posix()
        for package in PACKAGES
        for init in (ROOT / package).rglob("__init__.py")
        for pattern in patterns
        for found in glob.glob(pattern, root_dir=init.parent, recursive=True)
    }


def test_every_data_file_is_installed() -> None:
    patterns = setup()["options.package_data"]["*"].split()
    data = {file for file in tracked() if not file.endswith(".py")}
    assert len(data) > 20
    assert data - installed_data(patterns) == set()


def test_a_file_without_a_pattern_is_found() -> None:
    patterns = setup()["options.package_data"]["*"].split()
    patterns.remove("**/*.aiml")
    assert "bots/aiml_bot/talk.aiml" not in installed_data(patterns)


def test_every_module_is_in_a_package() -> None:
    # setuptools' `find:` skips directories without an __init__.py.
    lost = [
        file
        for file in tracked()
        if file.endswith(".py")
        and not all((ROOT / up / "__init__.py").exists() for up in Path(file).parents[:-1])
    ]
    assert lost == []


def test_every_package_is_found() -> None:
    include = setup()["options.packages.find"]["include"].split()
    assert sorted(include) == sorted(f"{package}*" for package in PACKAGES)
