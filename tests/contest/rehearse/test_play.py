"""Tests whole rehearsals of a small contest, and that they find faults."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from msgspec import to_builtins

from contest.errors import UserError
from contest.record import reading
from contest.rehearse.play import FAULTS
from contest.rehearse.players import Connect, EntryProgram, RememberingDirectory
from contest.rehearse.report import LEFT_OUT, NO_RESULT, OVERCOME, RehearsalReport
from contest.verify.verify import verify
from judge_console.client import SeatClient
from loebner.rehearse import console
from lpp.channel import DirectoryChannel
from tests.contest.rehearse.build import make, play


def red(report: RehearsalReport) -> dict[str, str]:
    return {check.id: check.words for check in report.checks if not check.ok}


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    return make(tmp_path / "contest", people=2, minutes=1)


def test_contest_overcomes_every_fault(tmp_path: Path) -> None:
    contest = make(tmp_path / "contest", people=2, minutes=2)
    before = {file.name: file.read_bytes() for file in contest.iterdir()}
    report = play(contest, None, out=tmp_path / "out")
    assert red(report) == {}
    assert report.ok
    assert [each.fault for each in report.faults] == list(FAULTS)
    assert {each.came for each in report.faults} == {OVERCOME}
    assert {file.name: file.read_bytes() for file in contest.iterdir()} == before

    # The rehearsal leaves an ordinary contest folder with a separate record.
    out = tmp_path / "out"
    assert verify(out, report.head).ok
    kinds = {event.kind for event in reading.open_log(out).events()}
    assert {"taken-up", "entry-exited", "round-paused", "contest-closed"} <= kinds
    assert "Small Contest" in (out / "results.html").read_text(encoding="utf-8")
    assert not (out / "copy.db").exists()

    # The report is for people and for programs.
    text = "\n".join(report.lines())
    assert NO_RESULT in text
    assert "entry-dies, E" in text
    assert text.endswith("All checks passed.")
    document = json.loads(json.dumps(to_builtins(report)))
    assert (document["ok"], document["note"]) == (True, NO_RESULT)
    assert (document["faults"][0]["fault"], document["faults"][0]["came"]) == (
        *("entry-dies", "overcome"),
    )
    assert sorted(file.name for file in out.iterdir()) == [
        *("contest.toml", "head.txt", "record.db", "results.html", "results.json")
    ]


def test_faults_happen_in_several_rounds(tmp_path: Path) -> None:
    contest = make(tmp_path / "contest", people=2, rounds=2, minutes=1)
    report = play(contest, "server-stops,server-stops")
    assert red(report) == {}
    assert [(each.round, each.came) for each in report.faults] == [
        (number, OVERCOME) for number in (1, 2)
    ]


async def silent(keys: DirectoryChannel, life: int) -> None:
    async for _ in keys:
        pass


def test_fault_without_time_to_happen_is_left_out(tmp_path: Path) -> None:
    # The round ends before all of these faults can happen.
    contest = make(tmp_path / "contest", people=2, minutes=1)
    report = play(contest, ",".join(["seat-disconnects"] * 25), program=quiet)
    assert report.ok, red(report)
    left_out = [each for each in report.faults if each.came is LEFT_OUT]
    assert left_out
    assert all(each.words for each in left_out)


def quiet(*_: object) -> EntryProgram:
    return EntryProgram("says nothing", silent)


async def types_on(keys: DirectoryChannel, life: int) -> None:
    await anext(aiter(keys))
    while True:
        await asyncio.sleep(2)
        await keys.send("a")


NOISE = ("Shift_L", "BackSpace", "Return", "Return", "eacute", "0", "quotedbl")


async def noise(keys: DirectoryChannel, life: int) -> None:
    async for received in keys:
        for key in NOISE if received.press.key == "Return" else ():
            await keys.send(key)
            await asyncio.sleep(0.1)


def test_programs_that_type_noise_or_type_on_after_the_end_do_no_harm(contest: Path) -> None:
    programs = {"E1": EntryProgram("types on", types_on), "E2": EntryProgram("makes noise", noise)}
    report = play(contest, program=lambda _, entry: programs[entry.id])
    assert report.ok, red(report)


# Faults that a rehearsal must find


def test_lost_keys_and_wrong_screens_are_found(
    contest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_key = RememberingDirectory.make
    made: list[str] = []

    def lose_the_tenth(self: RememberingDirectory, name: str) -> None:
        if self.path == "E1" and name.endswith(".judge"):
            made.append(name)
            if len(made) == 10:
                return
        make_key(self, name)

    def forgetful(seat: str, connect: Connect, folder: Path) -> SeatClient:
        made = console(seat, connect, folder)
        keys = made.keys
        if seat == "J2":
            monkeypatch.setattr(made, "keys", lambda place: keys(place)[1:])
        return made

    monkeypatch.setattr(RememberingDirectory, "make", lose_the_tenth)
    report = play(contest, console=forgetful)
    found = red(report)
    assert set(found) == {"keys E1", "screens"}
    assert "J2" in found["screens"]
    assert not report.ok
    assert "\n".join(report.lines()).endswith("Some checks FAILED.")


def test_crash_of_a_program_ends_the_rehearsal(contest: Path) -> None:
    async def dies(keys: DirectoryChannel, life: int) -> None:
        await asyncio.sleep(20)
        raise MemoryError("no more room")

    report = play(contest, program=lambda *_: EntryProgram("dies", dies))
    assert "has crashed: MemoryError" in red(report)["end"]


# The rehearsal's folder


def test_output_folder_must_be_empty(contest: Path) -> None:
    with pytest.raises(UserError, match="not empty"):
        play(contest, out=contest)
