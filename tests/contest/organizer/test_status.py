"""Tests the organizer's status: desks in words and codes, who is ready, and differing delays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from contest.links.link import LinkStatus
from contest.live.hub import KEYS_FOR_MEDIAN
from contest.organizer.status import Overview, Readiness
from contest.record.bodies import DelaysDiffer, EntryStarted, Trouble
from contest.record.store import Record
from contest.results.contest import Contest as Read
from contest.setup import folder
from contest.state.model import Talk
from lpp import wire
from tests.contest.console import Console
from tests.contest.journals import bodies
from tests.contest.live.test_conductor import Contest, contest, start

pytestmark = pytest.mark.looptime


@pytest.fixture
def short() -> str:
    """A contest of two rounds of two minutes."""
    template = folder.template()
    for old, new in (
        ("rounds = 4 ", "rounds = 2 "),
        ("interaction_minutes = 25", "interaction_minutes = 2"),
        ("scoring_minutes = 5 ", "scoring_minutes = 1 "),
    ):
        assert old in template
        template = template.replace(old, new, 1)
    return template


def with_status(played: Contest, status: LinkStatus) -> None:
    """Makes an entry's link report a status."""
    played.conductor.links[status.entry].status = lambda: status  # type: ignore[method-assign]


def overview_of(played: Contest, place: Path, **running: bool) -> Overview:
    """An overview of a contest; `running` says which entries' programs are known to run."""
    conductor = played.conductor
    for entry, runs in running.items():
        conductor.links[entry].running = runs
    made = Overview(conductor, place)
    conductor._journal.watchers.append(made.event)
    return made


def row(overview: Overview, judge: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = overview.status()["pairings"]
    (found,) = (each for each in rows if each["judge"] == judge)
    return found


def codes_of(overview: Overview, judge: str) -> dict[str, str]:
    return {who: state["code"] for who, state in row(overview, judge)["states"].items()}


async def test_desks_have_codes_and_words(record: Record, tmp_path: Path, short: str) -> None:
    async with contest(record, tmp_path, "J2", short, manual=True) as played:
        overview = overview_of(played, tmp_path, E2=False)
        played.consoles.pop("C3")
        assert codes_of(overview, "J1") == {"judge": "away", "entry": "here", "confederate": "away"}
        played.start()
        first = row(overview, "J1")
        assert (first["round"], first["attempt"], first["left"], first["right"]) == (
            1,
            1,
            None,
            None,
        )
        assert first["delays"]["judge"] is first["delays"]["confederate"] is None
        await start(played)
        await asyncio.sleep(2)
        desk = row(overview, "J1")
        assert codes_of(overview, "J1") == {
            "judge": "typing",
            "entry": "quiet",
            "confederate": "typing",
        }
        sides = {desk[side]["entity"]: desk[side] for side in ("left", "right")}
        assert set(sides) == {desk["entry"], desk["confederate"]}
        assert sides[desk["confederate"]]["keys"] == {"judge": 3, "entity": 3}
        assert sides[desk["entry"]]["keys"] == {"judge": 3, "entity": 0}
        assert desk["left"]["talk"] == "1.1.J1.left"
        lost = next(j for j in ("J1", "J2", "J3", "J4") if row(overview, j)["confederate"] == "C3")
        assert codes_of(overview, lost)["confederate"] == "away"
        ended = next(j for j in ("J1", "J2", "J3", "J4") if row(overview, j)["entry"] == "E2")
        assert codes_of(overview, ended)["entry"] == "ended"
        await played.entries[desk["entry"]].say("Yo")
        await asyncio.sleep(1)
        assert codes_of(overview, "J1")["entry"] == "typing"
        await asyncio.sleep(15)
        assert set(codes_of(overview, "J1").values()) == {"quiet"}
        await played.until("round-ended", 1)
        await asyncio.sleep(1)
        assert codes_of(overview, "J1")["judge"] == "decided"
        assert codes_of(overview, "J2")["judge"] == "decides"
        assert row(overview, "J2")["states"]["judge"]["words"] == "no verdict yet"
        await played.until("round-closed", 1)
        await asyncio.sleep(1)
        # The status now shows the next round's desks.
        assert {each["round"] for each in overview.status()["pairings"]} == {2}
        assert codes_of(overview, "J1")["judge"] == "here"


async def test_an_entry_that_does_not_read_is_stalled(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, "", short, manual=True) as played:
        overview = overview_of(played, tmp_path)
        for oldest, code in ((4.9, "here"), (5.0, "stalled")):
            with_status(played, LinkStatus("E1", True, 0, 3, oldest, 0.25))
            (desk,) = (d for d in overview.status()["pairings"] if d["entry"] == "E1")
            assert desk["states"]["entry"]["code"] == code
            assert (desk["oldest_unread"], desk["delays"]["entry"]) == (oldest, 250)
            (entry,) = (e for e in overview.status()["entries"] if e["entry"] == "E1")
            assert entry["stalled"] == (code == "stalled")
            assert (entry["unread"], entry["oldest_unread"]) == (3, oldest)


async def test_entries_not_restarted_since_their_talk_get_a_warning(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, "", short, manual=True) as played:
        overview = overview_of(played, tmp_path, E1=True, E2=False)
        played.start()

        def levels() -> dict[str, str]:
            return {each.id: each.level for each in overview.check() if each.role == "entry"}

        def said() -> dict[str, str]:
            return {
                said["what"]: said["words"] for said in map(Readiness.as_json, overview.check())
            }

        assert levels() == {"E1": "green", "E2": "red", "E3": "green", "E4": "green"}
        await start(played)
        await played.until("round-closed", 1)
        await asyncio.sleep(1)
        assert levels() == {"E1": "yellow", "E2": "red", "E3": "yellow", "E4": "yellow"}
        words = said()
        assert "since its talk in round 1: `restart` it" in words["entry E1"]
        assert "ask its operator to restart it" in words["entry E3"]
        assert all(each.ok for each in overview.check() if each.id != "E2")
        await played.conductor._journal.write_and_wait(None, "server", EntryStarted("E1", ["x"]))
        await asyncio.sleep(0)
        assert levels()["E1"] == "green"
        with_status(played, LinkStatus("E3", False, 0, 0, 0.0, None))
        words = said()
        assert "logs/E3.link.log in the contest's folder says why" in words["entry E3"]


async def test_late_keys_are_one_incident_and_hide_no_other(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, "", short, manual=True) as played:
        overview = overview_of(played, tmp_path)
        played.start()
        await start(played)
        await played.conductor._journal.write_and_wait(
            None, "server", Trouble("directory of E3", "gone")
        )
        for number in (1, 2):
            await played.until("round-closed", number)
            for name in ("E1", "E2"):
                await played.entries[name].say("x" * 60)
            await asyncio.sleep(1)
            if number == 1:
                await start(played)
        incidents = overview.status()["incidents"]
        assert [(each["who"], each["count"]) for each in incidents] == [
            ("directory of E3", 1),
            *(("E1", 60), ("E2", 60)) * 2,
        ]
        assert "59 more" in incidents[1]["what"]
        assert "0000000001.x.other" in incidents[1]["what"]
    names = [(body["entry"], body["name"]) for body in bodies(record, "breach")]
    assert sorted(names) == sorted(
        (entry, f"{n:010d}.x.other") for entry in ("E1", "E2") for n in range(1, 121)
    )
    recorded = [(each.who, each.count) for each in Read.of(record.log()).incidents]
    assert recorded == [(each["who"], each["count"]) for each in incidents]


async def test_noticeable_differences_in_delay_are_recorded_once(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, "", short, manual=True) as played:
        overview = overview_of(played, tmp_path)
        played.start()
        await start(played)
        judge = played.consoles["J1"]
        talks = {talk.side: talk for talk in judge.seat.talks.values()}
        hub = played.conductor.hub
        slow = talks["right"]

        async def typed(talk: Talk, seconds: float) -> None:
            """The entity types, and the judge sees it later."""
            before = len(talk.seqs["entity"])
            for n in range(KEYS_FOR_MEDIAN):
                raw = f"{before + n:010d}.x.other"
                hub.press(talk, "entity", talk.entity, "x", before + n + 1, raw=raw)
            await asyncio.sleep(seconds)
            _saw(played, judge, talk)

        for _ in range(2):
            await typed(talks["left"], 0.02)
            await typed(slow, 0.3)
            await asyncio.sleep(35)
        (body,) = bodies(record, DelaysDiffer.kind)
        assert (body["judge"], body["to"], body["right_ms"]) == ("J1", "judge", 300)
        assert body["left_ms"] == 20
        assert "the judge could notice" in row(overview, "J1")["warning"]
        assert row(overview, "J1")["right"]["to_judge_ms"] == 300
        assert row(overview, "J1")["delays"]["judge"] == 300
        assert row(overview, "J2")["warning"] == ""
        recorded = [
            each for each in overview.status()["incidents"] if each["kind"] == "delays-differ"
        ]
        assert [each["who"] for each in recorded] == ["J1"]


def _saw(played: Contest, console: Console, talk: Talk) -> None:
    shown = sum(author == "entity" for author, _ in talk.shown)
    frame = wire.Shown(talk.round, talk.attempt, talk.side, "entity", shown)
    played.conductor.seats.handle(console.seat, frame)
