"""Tests that a contest has only one server, even across processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from contest.errors import EnvironmentProblem, InUse
from contest.setup.lock import FILE_NAME, locked

HOLDER = """
import sys
from pathlib import Path
from contest.setup.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_second_lock_is_refused_until_the_first_is_released(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(InUse, match="another server runs"), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


def test_lock_is_released_when_its_process_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with pytest.raises(InUse), locked(tmp_path):
            pass
        holder.kill()
    assert (tmp_path / FILE_NAME).exists()
    with locked(tmp_path):
        pass


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="can't be written"), locked(tmp_path / "nowhere"):
        pass
