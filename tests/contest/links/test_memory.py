"""What a link remembers over its own death."""

from __future__ import annotations

from pathlib import Path

import pytest

from contest.links import memory as module
from contest.links.entry_end import OnFile
from contest.links.memory import Memory
from lpp.errors import Surroundings


def life(file: Path) -> Memory:
    """The next life's memory; nothing is closed by a process that is killed."""
    return Memory(file)


def test_nothing_is_remembered_at_first(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "sub" / "m.jsonl")
    assert memory.on_file == OnFile()
    assert memory.find_out(["0000000001.a.judge"])
    assert not (tmp_path / "sub").exists()


def test_what_was_made_is_remembered(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "m.jsonl")
    memory.emptied("c1", 3)
    for n in (1, 2):
        memory.making()
        memory.made(n, 40 + n)
    memory.close()
    again = life(tmp_path / "m.jsonl")
    assert again.on_file == OnFile("c1", 3, 2)
    assert again.find_out([])
    again.emptied("c1", 4)
    again.close()
    assert life(tmp_path / "m.jsonl").on_file == OnFile("c1", 4, 0)


@pytest.mark.parametrize(
    ("names", "known", "made"),
    [
        (["0000000042.b.judge"], True, 2),  # it stands there: it was made
        (["0000000041.a.judge"], False, 1),  # only the one before does
        (["0000000042.b.other", "notes.txt"], False, 1),
        ([], False, 1),
    ],
)
def test_a_death_in_the_middle_of_a_key(
    tmp_path: Path, names: list[str], known: bool, made: int
) -> None:
    memory = Memory(tmp_path / "m.jsonl")
    memory.emptied("c1", 1)
    memory.making()
    memory.made(1, 41)
    memory.making()
    memory.close()
    again = life(tmp_path / "m.jsonl")
    assert again.find_out(names) is known
    assert again.on_file.made == made
    again.close()
    third = life(tmp_path / "m.jsonl")
    assert third.find_out([])  # it is settled once
    assert third.on_file.made == made


def test_a_last_line_that_was_cut(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "m.jsonl")
    memory.emptied("c1", 1)
    memory.making()
    memory.made(1, 41)
    memory.close()
    with (tmp_path / "m.jsonl").open("ab") as file:
        file.write(b'{"contest": "c1", "ta')
    assert life(tmp_path / "m.jsonl").on_file == OnFile("c1", 1, 1)


def test_the_file_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINES", 10)
    memory = Memory(tmp_path / "m.jsonl")
    memory.emptied("c1", 1)
    for n in range(1, 101):
        memory.making()
        memory.made(n, n)
    memory.close()
    assert len((tmp_path / "m.jsonl").read_bytes().splitlines()) <= 11
    assert life(tmp_path / "m.jsonl").on_file == OnFile("c1", 1, 100)


def test_a_file_that_can_t_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    memory = Memory(tmp_path / "file" / "m.jsonl")
    with pytest.raises(Surroundings, match="can't be written"):
        memory.emptied("c1", 1)
    assert memory.on_file == OnFile()


def test_each_directory_has_its_own(tmp_path: Path) -> None:
    assert Memory.of(str(tmp_path)).file == Memory.of(f"{tmp_path}/.").file
    assert Memory.of(str(tmp_path)).file != Memory.of(str(tmp_path / "other")).file
