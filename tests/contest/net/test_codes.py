"""Tests the seals of sides, and that a code opens only its own seat."""

from __future__ import annotations

import hashlib
import itertools
import random
import stat
import sys
from pathlib import Path

import pytest

from contest.errors import UserError
from contest.live.conductor import draw_side
from contest.net import codes
from contest.net.codes import Codes
from contest.record.store import Record
from tests.contest.journals import InlineJournal


def test_seal_is_the_hash_of_side_and_nonce() -> None:
    sealed = draw_side()
    assert len(bytes.fromhex(sealed.nonce)) * 8 == 128
    assert sealed.seal == hashlib.sha256(f"{sealed.human}:{sealed.nonce}".encode()).hexdigest()
    assert {sealed.human, sealed.program} == {"left", "right"}


def test_seals_are_all_different() -> None:
    rng = random.Random(1)
    seals = {draw_side(rng).seal for _ in range(200)}
    assert len(seals) == 200


def test_sides_are_drawn_independently() -> None:
    rng = random.Random(2010)
    drawn = [draw_side(rng).human for _ in range(2000)]
    assert 900 < drawn.count("left") < 1100
    same_as_before = sum(a == b for a, b in itertools.pairwise(drawn))
    assert 900 < same_as_before < 1100


def test_code_opens_only_its_own_seat() -> None:
    issued = codes.issue(["J1", "J11", "C1"])
    table = codes.CodeTable(issued)
    hashes = {seat: codes.hash_code(code) for seat, code in issued.items()}
    for seat, code in issued.items():
        for typed in (code, f"  {code.lower()} "):
            assert table.find(typed) == seat
            assert [name for name in hashes if codes.matches(typed, hashes[name])] == [seat]
        assert code not in repr(hashes)
    other = "J1" + issued["C1"][2:]
    for wrong in ("", "J1", "J1-", other, issued["J1"][:-1], "é" * 100, "\ud800", "x" * 60_000):
        assert table.find(wrong) is None
    for wrong in ("", other, issued["J1"][:-1]):
        assert not codes.matches(wrong, hashes["J1"])


def test_new_code_replaces_the_old_one() -> None:
    issued = codes.issue(["J1", "C1"])
    table = codes.CodeTable(issued)
    new = codes.issue(["J1"])["J1"]
    table.replace("J1", new)
    assert [table.find(code) for code in (issued["J1"], new, issued["C1"])] == [None, "J1", "C1"]


PUBLIC = ["J1", "C1", codes.ORGANIZER]


def sealed(record: Record, name: str) -> str:
    """The last sealed hash of a name's code."""
    found = record.unseal(codes.SEALED)
    return str([found[key][name] for key in sorted(found) if name in found[key]][-1])


async def opened(
    folder: Path, journal: InlineJournal, record: Record, e1: str, *, again: bool = True
) -> tuple[Codes, list[str]]:
    """The codes of J1, C1, the organizer and a local link; and the names whose codes were lost."""
    made = Codes(journal, folder)
    sealed = record.unseal(codes.SEALED) if again else None
    return made, await made.open(["J1", "C1"], [], [codes.ORGANIZER], {"E1": e1}, sealed)


async def test_codes_stay_valid_when_a_contest_continues(
    tmp_path: Path, journal: InlineJournal, record: Record
) -> None:
    file = tmp_path / codes.FILE_NAME
    made, _ = await opened(tmp_path, journal, record, "", again=False)
    if sys.platform != "win32":  # which has no file modes
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert codes.read_file(file) == made.codes, "the codes of local links are not handed out"
    everyone = made.of([*PUBLIC, "E1"])
    assert all(codes.matches(code, sealed(record, name)) for name, code in everyone.items())
    with pytest.raises(UserError, match="codes of another contest"):
        await opened(tmp_path, journal, record, "", again=False)
    again, lost = await opened(tmp_path, journal, record, everyone["E1"])
    assert (again.of(everyone), lost) == (everyone, []), "a link may reconnect at any time"
    # Once more: the hash that was sealed last is valid.
    third, _ = await opened(tmp_path, journal, record, "E1-lost")
    assert third.of(["E1"]) != made.of(["E1"])
    assert codes.matches(third.of(["E1"])["E1"], sealed(record, "E1"))
    assert third.codes == made.codes


async def test_lost_and_renewed_codes_are_new(
    tmp_path: Path, journal: InlineJournal, record: Record
) -> None:
    file = tmp_path / codes.FILE_NAME
    made, _ = await opened(tmp_path, journal, record, "", again=False)
    lines = file.read_text(encoding="utf-8").splitlines()
    changed = [line.replace("C1-", "C1-X") for line in lines if not line.startswith("J1")]
    file.write_text("\n".join(changed), encoding="utf-8")
    again, lost = await opened(tmp_path, journal, record, "")
    assert lost == ["J1", "C1"]
    assert again.codes[codes.ORGANIZER] == made.codes[codes.ORGANIZER]
    assert codes.read_file(file) == again.codes
    assert not codes.matches(made.codes["J1"], sealed(record, "J1"))
    assert codes.matches(again.codes["J1"], sealed(record, "J1"))
    new, where = await again.renew("J1", "organizer")
    assert where == "is in codes.txt"
    assert codes.read_file(file) == again.codes
    assert again.codes["J1"] == new
    assert (again.seats.find(new), again.seats.find(made.codes["J1"])) == ("J1", None)
    # On another machine, the file doesn't exist.
    file.unlink()
    third, lost = await opened(tmp_path, journal, record, "")
    assert lost == PUBLIC
    assert codes.read_file(file) == third.codes
