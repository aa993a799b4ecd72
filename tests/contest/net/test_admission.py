"""Codes when a contest is opened, and when it is taken up: what is known holds, the rest is new."""

from __future__ import annotations

from pathlib import Path

import pytest

from contest.errors import YoursToFix
from contest.net import codes
from contest.net.admission import SEALED, admit
from contest.record.store import Record
from contest.record.testing import InlineJournal

PUBLIC = ["J1", "C1", codes.ORGANIZER]


def sealed(record: Record, name: str) -> str:
    """The hash that was sealed last of a name."""
    found = record.unseal(SEALED)
    return str([found[key][name] for key in sorted(found) if name in found[key]][-1])


async def test_codes_of_a_new_contest(
    tmp_path: Path, journal: InlineJournal, record: Record
) -> None:
    file = tmp_path / codes.FILE_NAME
    made = await admit(journal, file, PUBLIC, {"E1": ""})
    assert codes.read_file(file) == made.of(PUBLIC), "those of links on this machine are nobody's"
    assert all(codes.fits(made.codes[name], sealed(record, name)) for name in (*PUBLIC, "E1"))
    assert not any(code in file.with_suffix(".db").name for code in made.codes.values())
    with pytest.raises(YoursToFix, match="codes of another contest"):
        await admit(journal, file, PUBLIC, {"E1": ""})


async def test_codes_hold_when_a_contest_is_taken_up(
    tmp_path: Path, journal: InlineJournal, record: Record
) -> None:
    file = tmp_path / codes.FILE_NAME
    made = await admit(journal, file, PUBLIC, {"E1": ""})
    again = await admit(journal, file, PUBLIC, {"E1": made.codes["E1"]}, record.unseal(SEALED))
    assert again.of(PUBLIC) == made.of(PUBLIC)
    assert again.lost == []
    assert again.codes["E1"] == made.codes["E1"], "a link may come back with it at any moment"
    assert codes.fits(again.codes["E1"], sealed(record, "E1"))
    # And once more: the last that was sealed of a name is what holds.
    third = await admit(journal, file, PUBLIC, {"E1": "E1-lost"}, record.unseal(SEALED))
    assert third.codes["E1"] != made.codes["E1"]
    assert codes.fits(third.codes["E1"], sealed(record, "E1"))
    assert third.of(PUBLIC) == made.of(PUBLIC)


async def test_codes_that_are_lost_are_new(
    tmp_path: Path, journal: InlineJournal, record: Record
) -> None:
    file = tmp_path / codes.FILE_NAME
    made = await admit(journal, file, PUBLIC, {})
    lines = file.read_text(encoding="utf-8").splitlines()
    changed = [line.replace("C1-", "C1-X") for line in lines if not line.startswith("J1")]
    file.write_text("\n".join(changed), encoding="utf-8")
    again = await admit(journal, file, PUBLIC, {}, record.unseal(SEALED))
    assert again.lost == ["J1", "C1"]
    assert again.codes[codes.ORGANIZER] == made.codes[codes.ORGANIZER]
    assert codes.read_file(file) == again.codes
    assert not codes.fits(made.codes["J1"], sealed(record, "J1"))
    assert codes.fits(again.codes["J1"], sealed(record, "J1"))
    # On another machine there is no such file at all.
    file.unlink()
    third = await admit(journal, file, PUBLIC, {}, record.unseal(SEALED))
    assert third.lost == PUBLIC
    assert codes.read_file(file) == third.codes
