"""Tests the conductor with a whole contest on virtual time: its phases, orders and record."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import scheduler
from contest.errors import WrongMoment
from contest.links.link import Link
from contest.live import decisions
from contest.live.conductor import Conductor, Sealed
from contest.record.bodies import ContestClosed
from contest.record.events import Event
from contest.record.store import Record
from contest.results.contest import Contest as Read
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from contest.state.phases import Phase, next_attempt
from contest.verify.verify import verify
from lpp import wire
from lpp.clock import LoopClock
from tests.contest import linked
from tests.contest.console import Console
from tests.contest.journals import InlineJournal, bodies

pytestmark = pytest.mark.looptime


@pytest.fixture(autouse=True)
def _seldom_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The contest takes hours of virtual time: measuring each link's delay every second would take
    most of the test's time."""
    monkeypatch.setattr("contest.links.link.PING_EVERY", 300.0)


@dataclass
class Contest:
    """A contest like that of 2010, whose entries answer immediately."""

    conductor: Conductor
    consoles: dict[str, Console]
    entries: dict[str, linked.Entry]
    play: asyncio.Task[None] | None = None
    happened: set[tuple[str, int]] = field(default_factory=set)
    something: asyncio.Event = field(default_factory=asyncio.Event)

    def start(self) -> None:
        self.play = asyncio.create_task(self.conductor.play())
        for console in self.consoles.values():
            console.sit()

    async def until(self, kind: str, round_: int) -> None:
        """Waits until an event of this kind and round is recorded."""
        async with asyncio.timeout(10 * 3600):
            while (kind, round_) not in self.happened:
                self.something.clear()
                await self.something.wait()

    def event(self, event: Event) -> None:
        self.happened.add((event.kind, event.body.get("round", 0)))
        self.something.set()


@asynccontextmanager
async def contest(
    record: Record,
    tmp_path: Path,
    undecided: str = "",
    template: str = "",
    manual: bool = False,
) -> AsyncIterator[Contest]:
    set_ = settings.parse(template or folder.template())
    clock = LoopClock()
    async with InlineJournal(record, clock) as journal:
        conductor = Conductor(*(set_, schedule_of(set_, tmp_path), journal), rng=random.Random(1))
        await conductor.open()
        consoles = {
            id_: Console(conductor, id_, decides=id_ != undecided) for id_ in conductor.seats.seats
        }
        entries = {}
        stack = AsyncExitStack()
        for entry in set_.entry:
            link = Link(entry.id, conductor.hub, "Contest")
            conductor.links[entry.id] = await stack.enter_async_context(link)
            entries[entry.id] = linked.Entry(link)
        made = Contest(conductor, consoles, entries)
        journal.watchers.append(made.event)
        starting = linked.start_rounds(conductor) if not manual else asyncio.sleep(0)
        organizer = asyncio.create_task(starting)
        try:
            yield made
        finally:
            organizer.cancel()
            if made.play is not None:
                made.play.cancel()
                await asyncio.wait([made.play])
            await stack.aclose()


async def test_a_whole_contest(record: Record, tmp_path: Path) -> None:
    async with contest(record, tmp_path) as played:
        loop = asyncio.get_running_loop()
        began = loop.time()
        played.start()
        assert played.play is not None
        await played.play
        lasted = loop.time() - began
        last = await played.conductor._journal.finish("server", ContestClosed)
        played.conductor.seats.broadcast()
    # Each round takes half an hour; the ranking ends a minute after the last ballot.
    assert 4 * 30 * 60 + 60 <= lasted < 4 * 30 * 60 + 90

    assert [(body["round"], body["judge"]) for body in bodies(record, "side-sealed")] == [
        (p.round, p.judge) for p in scheduler.schedule_2010().pairings
    ]
    assert len(bodies(record, "talk-opened")) == 32
    assert len(bodies(record, "verdict")) == 16
    assert len(bodies(record, "ranking")) == 4
    states = played.consoles["J1"].states()
    assert list(dict.fromkeys((state.phase, state.round) for state in states)) == [
        ("before", 0),
        *(
            (phase, round_)
            for round_ in (1, 2, 3, 4)
            for phase in ("waiting", "interaction", "scoring", "closed")
        ),
        ("ranking", 4),
        ("over", 4),
    ]
    assert last.kind == "contest-closed"
    assert len(last.body["heads"]) == 32
    kinds = [event.kind for event in record.events()]
    assert kinds.index("sides-revealed") > max(
        i for i, kind in enumerate(kinds) if kind in ("verdict", "ranking")
    )
    for side in bodies(record, "sides-revealed")[0]["sides"]:  # type: ignore[attr-defined]
        seal = Sealed(side["human"], side["nonce"]).seal
        assert any(seal == body["seal"] for body in bodies(record, "side-sealed"))


async def test_round_waits_until_everybody_is_connected(record: Record, tmp_path: Path) -> None:
    async with contest(record, tmp_path) as played:
        late = played.consoles.pop("C3")
        played.start()
        await asyncio.sleep(3600)
        assert played.conductor.status().phase is Phase.BEFORE
        late.sit()
        await asyncio.sleep(1)
        assert played.conductor.status().phase is Phase.INTERACTION


async def test_missing_verdict_does_not_stop_the_contest(record: Record, tmp_path: Path) -> None:
    async with contest(record, tmp_path, undecided="J3") as played:
        played.start()
        await played.until("round-ended", 1)
        await asyncio.sleep(290)
        assert played.conductor.status().phase is Phase.SCORING
        await asyncio.sleep(20)
        assert played.conductor.status().round == 2
        assert [body["judge"] for body in bodies(record, "verdict")] == ["J1", "J2", "J4"]


async def test_pause_does_not_count_as_interaction_time(record: Record, tmp_path: Path) -> None:
    async with contest(record, tmp_path) as played:
        loop = asyncio.get_running_loop()
        played.start()
        await played.until("round-started", 1)
        began = loop.time()
        await asyncio.sleep(600)
        with pytest.raises(RuntimeError):
            played.conductor.order(decisions.resume)
        played.conductor.order(decisions.pause, "a lamp fell down")
        left = played.conductor.status().remaining
        await asyncio.sleep(1000)
        assert played.conductor.status().remaining == pytest.approx(left)
        state = [f for f in played.consoles["J2"].frames if isinstance(f, wire.State)][-1]
        assert (state.phase, state.reason) == ("paused", "a lamp fell down")
        with pytest.raises(RuntimeError):
            played.conductor.order(decisions.pause, "again")
        played.conductor.order(decisions.resume)
        await played.until("round-ended", 1)
        assert loop.time() - began == pytest.approx(25 * 60 + 1000, abs=2)
        assert bodies(record, "round-paused")[0]["reason"] == "a lamp fell down"


async def test_verdict_can_be_corrected_until_the_organizer_closes_the_round(
    record: Record, tmp_path: Path
) -> None:
    async with contest(record, tmp_path) as played:
        conductor = played.conductor
        judge = played.consoles["J1"]
        played.start()
        with pytest.raises(RuntimeError, match="no round is being scored"):
            conductor.order(decisions.close, "too early")
        await played.until("round-ended", 1)
        await asyncio.sleep(200)
        assert len(bodies(record, "verdict")) == 4, "all verdicts are in, and scoring continues"
        conductor.seats.handle(judge.seat, wire.Verdict(1, 1, "right"))
        await asyncio.sleep(20)
        conductor.order(decisions.close, "all are sure")
        conductor.seats.handle(judge.seat, wire.Verdict(1, 1, "left"))
        await played.until("round-closed", 1)
        assert judge.states()[-1].phase == "closed"
        assert judge.states()[-1].reason == "all are sure"
        assert [f.code for f in judge.frames if isinstance(f, wire.Refused)] == ["not-now"]
        with pytest.raises(RuntimeError):
            conductor.order(decisions.close, "again")
    assert [
        (v["human"], v["version"]) for v in bodies(record, "verdict") if v["judge"] == "J1"
    ] == [
        ("left", 1),
        ("right", 2),
    ]
    (event,) = record.events(kind="scoring-closed")
    assert (event.actor, event.body["reason"]) == ("organizer", "all are sure")


async def test_end_of_interaction_is_recorded_before_end_of_scoring(
    record: Record, tmp_path: Path
) -> None:
    async with contest(record, tmp_path) as played:
        played.start()
        await played.until("round-started", 1)
        await asyncio.sleep(60)
        played.conductor.order(decisions.end_interaction, "fire drill")
        await played.until("round-ended", 1)
        assert played.consoles["C2"].states()[-1].phase == "scoring"
        assert played.consoles["C2"].states()[-1].reason == "fire drill"
        played.conductor.order(decisions.close, "at once")
        await played.until("round-closed", 1)
        kinds = [event.kind for event in record.events() if event.talk is None]
        assert kinds.index("round-ended") < kinds.index("scoring-closed")
        (event,) = record.events(kind="round-ended")
        assert (event.actor, event.body["reason"]) == ("organizer", "fire drill")


@pytest.fixture
def short() -> str:
    """A contest of one round of one minute, to reach the ranking soon."""
    template = folder.template()
    for old, new in (
        ("rounds = 4 ", "rounds = 1 "),
        ("interaction_minutes = 25", "interaction_minutes = 1"),
        ("scoring_minutes = 5 ", "scoring_minutes = 1 "),
    ):
        assert old in template
        template = template.replace(old, new, 1)
    return template


async def test_ballot_can_be_corrected_for_a_minute_after_the_last_one(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, undecided="J2", template=short) as played:
        loop = asyncio.get_running_loop()
        played.start()
        late, early = played.consoles["J2"], played.consoles["J1"]
        await played.until("ranking", 0)
        await asyncio.sleep(600)
        assert played.conductor.status().phase is Phase.RANKING, "one ballot is missing"
        assert played.conductor.status().remaining == pytest.approx(300, abs=1)
        (asked,) = [f for f in late.frames if isinstance(f, wire.RankThese)]
        ranks = {label: 2 * n for n, label in enumerate(asked.participants, 1)}
        played.conductor.seats.handle(late.seat, wire.Ranks(ranks))
        await asyncio.sleep(40)
        told = early.states()[-1]
        assert told.phase == "ranking"
        assert told.remaining_ms is not None
        assert told.remaining_ms <= 60_000
        # After a correction, the minute begins again.
        played.conductor.seats.handle(
            early.seat, wire.Ranks({la: 6 - r for la, r in ranks.items()})
        )
        corrected = loop.time()
        await played.until("sides-revealed", 0)
        assert loop.time() - corrected == pytest.approx(60, abs=1)
    ballots = [(b["judge"], b["version"]) for b in bodies(record, "ranking")]
    assert ballots[-2:] == [("J2", 1), ("J1", 2)]


async def test_organizer_closes_the_ranking(record: Record, tmp_path: Path, short: str) -> None:
    async with contest(record, tmp_path, undecided="J2", template=short) as played:
        played.start()
        with pytest.raises(RuntimeError, match="no ranking is open"):
            played.conductor.order(decisions.close, "too early")
        await played.until("ranking", 0)
        played.conductor.order(decisions.close, "J2 has gone home")
        judge = played.consoles["J1"]
        (asked,) = [f for f in judge.frames if isinstance(f, wire.RankThese)]
        ranks = {label: 2 * n for n, label in enumerate(asked.participants, 1)}
        played.conductor.seats.handle(judge.seat, wire.Ranks(ranks))
        await played.until("sides-revealed", 0)
        assert judge.states()[-1].phase == "ranking", "the end is announced later"
    (event,) = record.events(kind="ranking-closed")
    assert (event.actor, event.body["reason"]) == ("organizer", "J2 has gone home")
    assert all(ranking["version"] == 1 for ranking in bodies(record, "ranking"))


# The organizer's orders


async def start(played: Contest) -> None:
    """Starts the next round or the ranking, and waits until it has begun."""
    played.conductor.start()
    await played.conductor.step()


async def test_nothing_begins_without_the_organizers_start(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, template=short, manual=True) as played:
        conductor = played.conductor
        played.start()
        await asyncio.sleep(70)
        assert conductor.status().phase is Phase.BEFORE
        assert (conductor.waits, next_attempt(conductor.state)) == (True, (1, 1))
        for wrong in (
            *(decisions.pause, decisions.stop, decisions.again, decisions.end_interaction),
        ):
            with pytest.raises(WrongMoment):
                conductor.order(wrong, "too early")
        await start(played)
        assert conductor.status().phase is Phase.INTERACTION
        with pytest.raises(WrongMoment, match="the interaction of round 1 is running"):
            conductor.start()
        await played.until("round-closed", 1)
        await asyncio.sleep(70)
        assert conductor.status().phase is Phase.CLOSED
        assert (conductor.waits, next_attempt(conductor.state)) == (True, None)
        await start(played)
        assert conductor.status().phase is Phase.RANKING
        for wrong in (decisions.again, decisions.stop):
            with pytest.raises(WrongMoment, match="the ranking is open"):
                conductor.order(wrong, "too late")
        await played.until("sides-revealed", 0)
        with pytest.raises(WrongMoment, match="nothing can be voided now"):
            conductor.order(decisions.void, "1.1", "too late")
    for kind in ("round-opened", "round-started", "ranking-opened"):
        assert [event.actor for event in record.events(kind=kind)] == ["organizer"]


async def test_organizer_extends_an_interaction(record: Record, tmp_path: Path, short: str) -> None:
    async with contest(record, tmp_path, template=short) as played:
        loop = asyncio.get_running_loop()
        played.start()
        await played.until("round-started", 1)
        began = loop.time()
        await asyncio.sleep(20)
        played.conductor.order(decisions.extend, 2, "began late")
        await asyncio.sleep(1)
        told = played.consoles["J2"].states()[-1]
        assert told.remaining_ms == pytest.approx((60 - 20 + 120) * 1000, abs=2000)
        played.conductor.order(decisions.pause, "a lamp fell down")
        played.conductor.order(decisions.extend, 0.5, "the lamp")
        await asyncio.sleep(100)
        played.conductor.order(decisions.resume)
        await played.until("round-ended", 1)
        assert loop.time() - began == pytest.approx(60 + 120 + 30 + 100, abs=2)
        with pytest.raises(WrongMoment, match="round 1 is being scored"):
            played.conductor.order(decisions.extend, 1, "too late")
    assert [(b["seconds"], b["reason"]) for b in bodies(record, "round-extended")] == [
        (120, "began late"),
        (30, "the lamp"),
    ]
    assert bodies(record, "round-ended")[0]["reason"] == "time"
    assert verify(tmp_path).ok


@pytest.mark.parametrize("when", ["interaction", "paused", "scoring", "closed"])
async def test_organizer_repeats_a_round(
    record: Record, tmp_path: Path, short: str, when: str
) -> None:
    async with contest(record, tmp_path, template=short, manual=True) as played:
        conductor, judge = played.conductor, played.consoles["J1"]
        played.start()
        await start(played)
        await asyncio.sleep(10)
        if when == "paused":
            conductor.order(decisions.pause, "smoke")
        elif when == "scoring":
            await played.until("verdict", 1)
        elif when == "closed":
            await played.until("round-closed", 1)
            await asyncio.sleep(10)
        assert conductor.status().phase.value == when
        conductor.order(decisions.again, "no power")
        with pytest.raises(WrongMoment, match="again"):
            conductor.order(decisions.again, "twice")
        await played.until("round-closed", 1)
        await asyncio.sleep(70)
        assert conductor.status().phase is Phase.CLOSED
        assert next_attempt(conductor.state) == (1, 2)
        await start(played)
        state = judge.states()[-1]
        assert (state.phase, state.round, state.attempt) == ("interaction", 1, 2)
        fresh = [f for f in judge.frames if isinstance(f, wire.Talk) and f.attempt == 2]
        assert [(talk.place, talk.keys) for talk in fresh] == [("left", []), ("right", [])]
        await asyncio.sleep(130)
        await start(played)
        await played.until("sides-revealed", 0)
        asked = [f for f in judge.frames if isinstance(f, wire.RankThese)]
        # The labels are those of the last attempt, one per participant.
        assert asked[0].participants == {
            "1 left": [(1, 2, "left")],
            "1 right": [(1, 2, "right")],
        }
    assert verify(tmp_path).ok
    view = Read.load(tmp_path)
    assert [(each.attempt, each.counts) for each in view.attempts] == [(1, False), (2, True)]
    assert [v.body.attempt for v in view.verdicts if view.attempts[v.body.attempt - 1].counts] == [
        2
    ] * 4
    [revealed] = record.events(kind="sides-revealed")
    assert len(revealed.body["sides"]) == 8, "of both attempts"
    kinds = [event.kind for event in record.events()]
    assert kinds.index("round-again") < kinds.index("round-opened", kinds.index("round-opened") + 1)


async def test_voided_talks_and_ballots_do_not_count(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, template=short, manual=True) as played:
        conductor = played.conductor
        played.start()
        await start(played)
        conductor.order(decisions.void, "1.1.J2.left", "they know one another")
        for unknown in ("1.1.J2.left", "1.1.J9.left", "2.1", "1.2", "", "J2"):
            with pytest.raises(WrongMoment):
                conductor.order(decisions.void, unknown, "?")
        await played.until("round-closed", 1)
        await asyncio.sleep(10)
    view = Read.load(tmp_path)
    assert [v.pairing.judge for v in view.counted[1]] == ["J1", "J3", "J4"]
    assert [(t.id, view.voided(t)) for t in view.talks if not view.counts(t)] == [
        ("1.1.J2.left", "they know one another")
    ]
    assert "The verdict of J2 in round 1 was voided: they know one another" in (view.tally.warnings)
    assert view.result().warnings[-1] == "The verdict of J2 in round 1 was voided"
    assert verify(tmp_path).ok


async def test_previous_attempt_counts_if_the_last_one_is_voided(
    record: Record, tmp_path: Path, short: str
) -> None:
    async with contest(record, tmp_path, template=short, manual=True) as played:
        played.start()
        await start(played)
        await asyncio.sleep(200)
        played.conductor.order(decisions.again, "to be sure")
        await start(played)
        await asyncio.sleep(200)
        played.conductor.order(decisions.void, "1.2", "the wrong judges sat there")
        with pytest.raises(WrongMoment, match="already void"):
            played.conductor.order(decisions.void, "1.2.J1.left", "and this")
        await asyncio.sleep(10)
    view = Read.load(tmp_path)
    assert [(r.attempt, r.counts, r.voided) for r in view.attempts] == [
        (1, True, None),
        (2, False, "the wrong judges sat there"),
    ]
    assert verify(tmp_path).ok
