"""Tests that a contest has only one server, even across processes."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contest.errors import EnvironmentProblem, InUse
from contest.setup.lock import FILE_NAME, lock_file, locked

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


def test_a_lock_that_outlives_its_process_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "file.lock"

    def take() -> None:
        with lock_file(file, wait=60):
            pass

    with ThreadPoolExecutor() as threads:
        with lock_file(file):
            taking = threads.submit(take)
            with pytest.raises(TimeoutError):
                taking.result(0.1)
        taking.result()


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
