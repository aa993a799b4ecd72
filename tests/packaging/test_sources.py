"""Tests that the source archive has everything needed to read, build and test the project."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Directories whose tracked files the archive has.
HELD = (
    *("bots", "benchmarks", "contest", "docs", "judge_console", "loebner", "lpp", "packaging"),
    *("scheduler", "scripts", "tests"),
)
FILES = {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"}
FILES |= {"SECURITY.md", "pyproject.toml", "setup.cfg"}

BUILD = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tarfile.TarFile]:
    """The source archive, built in a temporary directory."""
    pytest.importorskip("setuptools")
    out = tmp_path_factory.mktemp("sources")
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BUILD, str(out)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (file,) = out.glob("loebner-*.tar.gz")
    with tarfile.open(file) as tar:
        yield tar


def test_the_archive_has_all_tracked_files(archive: tarfile.TarFile) -> None:
    kept = subprocess.run(
        ["git", "ls-files", *HELD, *FILES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if kept.returncode:
        pytest.skip("this is no clone")
    names = set(kept.stdout.split("\n")[:-1])
    assert names >= FILES
    assert names - {member.name.partition("/")[2] for member in archive if member.isfile()} == set()


@pytest.mark.soak
def test_the_archives_tests_run(archive: tarfile.TarFile, tmp_path: Path) -> None:
    archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    environment = {**os.environ, "PYTHONPATH": str(unpacked), "PYTHONDONTWRITEBYTECODE": "1"}
    files = ["lpp/test_names.py", "scheduler/test_squares.py", "loebner/test_shadowing.py"]
    words = ["-q", "-p", "no:cacheprovider", *(f"tests/{file}" for file in files)]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=unpacked,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3000:]


def test_the_citation_has_the_version_and_the_authors() -> None:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    about = setup["metadata"]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    found = dict(re.findall(r"^(cff-version|version|license|title): (.*)$", cited, re.MULTILINE))
    assert found == {
        "cff-version": "1.2.0",
        "version": about["version"],
        "license": about["license"],
        "title": about["name"],
    }
    assert f"- name: {about['author']}" in cited
    license_ = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert about["author"] in license_
