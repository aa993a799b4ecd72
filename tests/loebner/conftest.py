"""Fixtures for the tests of commands on contest folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.contest.build import brief, save


@pytest.fixture(scope="session")
def whole_contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole contest, written once; tests change copies of it."""
    return save(tmp_path_factory.mktemp("whole") / "c", brief())


@pytest.fixture
def folder(tmp_path: Path, whole_contest: Path) -> Path:
    """The folder of a whole contest."""
    return Path(shutil.copytree(whole_contest, tmp_path / "c"))
