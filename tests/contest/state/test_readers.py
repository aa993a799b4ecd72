# mypy: ignore-errors
"""The fold says of a record what each of its readers says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from contest.history.publication import publishable
from contest.history.timeline import read
from contest.record.events import Event
from contest.spectators.show import AT_ONCE, DELAYED, Show
from contest.state.model import State
from contest.state.phases import status
from contest.state.reducer import take
from contest.verification.replay import ReplayCheck
from tests.contest import build, scenarios

SECOND = 1_000_000_000


def same_as_view(state: State, events: Sequence[Event]) -> None:
    view = read(events)
    attempts = sorted(state.attempts.values(), key=lambda each: (each.number, each.attempt))
    for mine, was in zip(attempts, view.rounds, strict=True):
        for name in (
            "number",
            "attempt",
            "counts",
            "opened_ns",
            "started_ns",
            "ended_ns",
            "closed_ns",
            "seconds",
            "end_reason",
            "voided",
        ):
            assert getattr(mine, name) == getattr(was, name), name
        assert tuple(mine.pauses) == was.pauses
        assert tuple(mine.extensions) == was.extensions
        assert mine.offset_ns(state.last_ns) == was.offset_ns(state.last_ns)
    for talk in view.talks:
        mine = state.talks[talk.id]
        assert (mine.opened_ns, mine.closed_ns, mine.turns) == (
            talk.opened_ns,
            talk.closed_ns,
            talk.turns,
        )
        assert state.why_void(mine.round, mine.attempt, mine.judge, mine.side) == talk.voided
        attempt = state.attempts[f"{mine.round}.{mine.attempt}"]
        assert (attempt.counts and mine.voided is None) == talk.counts
    for verdict in view.verdicts:
        given = state.verdicts[f"{verdict.round}.{verdict.attempt}.{verdict.judge}"]
        assert (given.seq, given.body.human, given.body.version) == (
            verdict.seq,
            verdict.human,
            verdict.version,
        )
        assert state.why_void(verdict.round, verdict.attempt, verdict.judge) == verdict.voided
    assert len(view.verdicts) == len(state.verdicts)
    for ranking in view.rankings:
        given = state.rankings[ranking.judge]
        assert (given.seq, given.body.ranks) == (ranking.seq, ranking.ranks)
        assert state.excluded.get(ranking.judge) == ranking.excluded
    for side in view.sides:
        name = f"{side.round}.{side.attempt}.{side.judge}"
        assert state.seals[name] == side.seal
        assert state.reveals.get(name, (None, None)) == (side.human, side.nonce)
    assert view.revealed == state.revealed
    assert view.result == state.result
    assert view.schedule == state.schedule
    assert view.stopped == state.stopped
    assert tuple(dict.fromkeys(view.shown)) == tuple(state.shown)
    assert view.is_closed == state.closed
    assert view.final == (None if state.final is None else state.final.reason)
    if state.final is not None:
        assert view.final_by == tuple(state.final_by)
    if not state.closed:
        assert list(view.incidents) == state.incidents
    for who, person in view.people.items():
        if who in state.persons:
            assert len(person.before) == len(state.persons[who]) - 1


def same_as_show(state: State, show: Show) -> None:
    if state.again and state.attempt is not None and state.attempt.closed_ns is None:
        return  # the spectators' page does not know of `round-again` before the round's end
    found = show.at(state.last_ns)
    mine = status(state, state.last_ns)
    if mine.phase.value != found.phase:
        # The spectators' page takes the recorded end of the interaction for its end.
        assert {mine.phase.value, found.phase} <= {"scoring", "interaction", "closed"}
    assert (mine.round, mine.attempt) == (found.round, found.attempt)
    if (
        mine.remaining is not None
        and found.remaining_ms is not None
        and mine.phase.value == found.phase
    ):
        assert mine.remaining * 1000 == pytest.approx(found.remaining_ms, abs=300)


def same_as_replay(state: State, check: ReplayCheck) -> None:
    for (number, attempt), was in check._rounds.items():
        mine = state.attempts[f"{number}.{attempt}"]
        if mine.closed_ns is not None:
            expected = "closed"
        elif mine.ended_ns is not None:
            expected = "ended"
        elif mine.started_ns is None:
            expected = "opened"
        else:
            expected = "paused" if mine.pauses and mine.pauses[-1][1] is None else "on"
        assert was.state == expected
        assert was.started_ns == (mine.started_ns or 0)
        assert was.seconds == (mine.seconds or 0)
        assert was.paused_ns == sum(to - since for since, to, _ in mine.pauses if to is not None)
    for name, talk in check._talks.items():
        assert talk.closed == (not state.talks[name].open)


def check_all(events: Sequence[Event]) -> None:
    state, show, replay = State(), Show(), ReplayCheck()
    for event in events:
        body = take(state, event)
        assert body is not None
        if event.kind in AT_ONCE or event.kind == "talk-opened":
            show.note(body)
        if event.kind in DELAYED:
            show.take(event, body)
        replay.take(event, body)
        if event.kind not in ("key", "times"):
            same_as_show(state, show)
            same_as_replay(state, replay)
    replay.check()
    published = publishable(events)
    folded = State()
    for event in published:
        take(folded, event)
    same_as_view(folded, events)
    for part in (len(events) // 3, len(events) // 2):
        if part:
            some = publishable(events[:part])
            folded = State()
            for event in some:
                take(folded, event)
            same_as_view(folded, events[:part])


@pytest.mark.parametrize("made", [build.brief, build.contest])
def test_records_of_the_builder(made: Any) -> None:
    check_all(made().events)


@pytest.mark.parametrize("seed", range(8))
def test_records_of_a_server(seed: int, tmp_path: Path) -> None:
    check_all(scenarios.played(random.Random(seed), tmp_path))
