"""Tests calls in a separate process: results and errors come back, and the process ends with its
caller."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from contest import worker
from contest.errors import BadOrder, ContestError, EnvironmentProblem


class WorkResult(NamedTuple):
    """The result of `work`."""

    process: int
    words: dict[str, tuple[int, ...]]


def work(words: dict[str, tuple[int, ...]]) -> WorkResult:
    return WorkResult(os.getpid(), words)


class OwnError(BadOrder):
    """A subclass that `contest.errors` doesn't have."""


@pytest.fixture(autouse=True)
def _importable_by_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def refuse(words: str) -> int:
    raise OwnError(words)


def wait(place: str) -> None:
    Path(place).write_text(str(os.getpid()), encoding="ascii")
    import time

    time.sleep(600)


async def test_result_has_its_type_and_comes_from_another_process() -> None:
    made = await worker.call(work, 60, "late", {"a": (1, 2)})
    assert made.words == {"a": (1, 2)}
    assert made.process != os.getpid()


async def test_error_is_raised_as_its_base_class_in_contest_errors() -> None:
    with pytest.raises(BadOrder, match="nobody is called E9") as caught:
        await worker.call(refuse, 60, "late", "nobody is called E9")
    assert type(caught.value) is BadOrder


@pytest.mark.skipif(sys.platform == "win32", reason="signal 0 can't test for processes there")
async def test_process_is_killed_after_its_time_limit_and_with_its_caller(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="too late"):
        await worker.call(wait, 0.01, "too late", str(tmp_path / "late"))
    place = tmp_path / "pid"
    asked = asyncio.create_task(worker.call(wait, 60, "late", str(place)))
    while not (place.exists() and place.read_text()):  # noqa: ASYNC110 -- another process writes it
        await asyncio.sleep(0.01)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()), 0)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script")
async def test_crash_and_failed_start_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho oh dear >&2\nexit 3\n")
    broken.chmod(0o700)
    for executable, words in (
        (broken, r"exit code 3\): oh dear"),
        (tmp_path / "none", "no process"),
    ):
        monkeypatch.setattr(sys, "executable", str(executable))
        with pytest.raises(ContestError, match=words):
            await worker.call(refuse, 60, "late", "x")
