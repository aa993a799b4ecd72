"""Tests the data that a link keeps when it is killed."""

from __future__ import annotations

import contextlib
import errno
import io
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.links.directory import Checkpoint
from lpp.errors import EnvironmentProblem


def life(file: Path) -> Checkpoint:
    """The checkpoint of the next process; a killed process closes nothing."""
    return Checkpoint(file)


def saved(memory: Checkpoint) -> tuple[str, int, int]:
    return memory.state.contest, memory.state.talk, memory.state.made


def test_new_checkpoint_is_empty_and_writes_nothing(tmp_path: Path) -> None:
    memory = Checkpoint(tmp_path / "sub" / "m.jsonl")
    assert saved(memory) == ("", 0, 0)
    assert memory.check_interrupted_key(["0000000001.a.judge"])
    assert not (tmp_path / "sub").exists()


def test_made_keys_are_remembered_by_the_next_process(tmp_path: Path) -> None:
    memory = Checkpoint(tmp_path / "m.jsonl")
    memory.emptied("c1", 3)
    for n in (1, 2):
        memory.making(40 + n)
        memory.made(n)
    memory.close()
    again = life(tmp_path / "m.jsonl")
    assert saved(again) == ("c1", 3, 2)
    assert again.state.number == 42
    assert again.check_interrupted_key([])
    again.emptied("c1", 4)
    again.close()
    assert saved(life(tmp_path / "m.jsonl")) == ("c1", 4, 0)
    assert life(tmp_path / "m.jsonl").state.number == 42, "numbers keep growing"


@pytest.mark.parametrize(
    ("names", "known", "made"),
    [
        (["0000000042.b.judge"], True, 2),  # it is there, so it was made
        (["0000000041.a.judge"], False, 1),  # only the previous key is there
        (["0000000042.b.other", "notes.txt"], False, 1),
        ([], False, 1),
    ],
)
def test_next_process_finds_out_whether_the_interrupted_key_was_made(
    tmp_path: Path, names: list[str], known: bool, made: int
) -> None:
    memory = Checkpoint(tmp_path / "m.jsonl")
    memory.emptied("c1", 1)
    memory.making(41)
    memory.made(1)
    memory.making(42)
    memory.close()
    again = life(tmp_path / "m.jsonl")
    assert again.check_interrupted_key(names) is known
    assert again.state.made == made
    assert again.state.number == 42


def test_unwritable_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    memory = Checkpoint(tmp_path / "file" / "m.jsonl")
    with pytest.raises(EnvironmentProblem, match="can't be written"):
        memory.emptied("c1", 1)
    with pytest.raises(EnvironmentProblem, match="can't be written"):
        memory.making(1)
    memory.made(1)  # written to the file with the next key
    (tmp_path / "file").unlink()
    memory.making(2)
    memory.close()
    assert saved(life(tmp_path / "file" / "m.jsonl")) == ("c1", 1, 1)


class Disk(io.FileIO):
    """A file whose writes fail or are incomplete, as `faults` says."""

    faults: Iterator[int | None]

    def write(self, data: Any, /) -> int:
        room = next(self.faults, None)
        if room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data if room is None else data[:room])


class Killed(Exception):
    """The link is killed."""


@given(st.integers(0, 2**32))
@settings(max_examples=80)
def test_each_key_is_made_once_or_reported_as_in_doubt(seed: int) -> None:
    """Writes fail or are incomplete, the link is killed between any two steps, and the entry reads
    or doesn't."""
    rng = random.Random(seed)
    standing: list[str] = []
    made: list[int] = []
    doubts: set[int] = set()
    Disk.faults = iter([rng.choice([None, None, None, 0, 36, 62]) for _ in range(60)])

    def may_die() -> None:
        if rng.random() < 0.1:
            raise Killed

    with (
        tempfile.TemporaryDirectory() as place,
        pytest.MonkeyPatch.context() as patch,
        contextlib.ExitStack() as stack,
    ):
        patch.setattr(io, "FileIO", Disk)
        file = Path(place) / "m.jsonl"
        memory = life(file)
        stack.callback(memory.close)
        begun = False
        number = 0
        while memory.state.made < 6:
            number = max(number, memory.state.number) + 1
            try:
                if not begun:
                    memory.emptied("c1", 1)
                    begun = True
                may_die()
                memory.making(number)
                may_die()
                standing.append(f"{number:010d}.a.judge")
                made.append(memory.state.made + 1)
                if rng.random() < 0.5:
                    standing.clear()  # the entry reads all keys
                may_die()
                memory.made(made[-1])
            except EnvironmentProblem:
                continue  # the link tries again
            except Killed:
                memory = life(file)
                stack.callback(memory.close)
                if not memory.check_interrupted_key(standing):
                    doubts.add(memory.state.made + 1)
    assert made == sorted(made)
    assert set(made) == {1, 2, 3, 4, 5, 6}
    assert {n for n in made if made.count(n) > 1} <= doubts
