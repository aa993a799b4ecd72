"""Tests that the fold of a record agrees with `contest.verify`, which interprets the events
independently."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from contest.record.events import Event
from contest.state.model import Attempt, State
from contest.state.reducer import fold, take
from contest.verify.contest import ContestCheck
from tests.contest import build, scenarios


def stage_of(attempt: Attempt) -> str:
    """The stage of an attempt, as `contest.verify` calls it."""
    if attempt.closed_ns is not None:
        return "closed"
    if attempt.ended_ns is not None:
        return "ended"
    if attempt.started_ns is None:
        return "opened"
    return "paused" if attempt.pauses and attempt.pauses[-1][1] is None else "on"


def compare(state: State, witness: ContestCheck) -> None:
    assert len(state.attempts) == len(witness._attempts)
    for (number, attempt), was in witness._attempts.items():
        mine = state.attempts[f"{number}.{attempt}"]
        assert was.stage == stage_of(mine)
        assert was.started_ns == (mine.started_ns or 0)
        assert was.seconds == (mine.seconds or 0)
        assert was.paused_ns == sum(to - since for since, to, _ in mine.pauses if to is not None)
    assert state.talks.keys() == witness._talks.keys()
    for name, talk in witness._talks.items():
        assert talk.begun == state.talks[name].begun
        assert talk.closed == (not state.talks[name].open)


def check(events: Sequence[Event]) -> None:
    state, witness = State(), ContestCheck()
    for event in events:
        witness.take(event, take(state, event))
        if event.kind not in ("key", "times"):
            compare(state, witness)
    assert all(check.ok for check in witness.checks())


def test_an_attempt_knows_who_paused_it() -> None:
    state = fold(build.contest().events)
    paused = {each.number: each.paused_by for each in state.attempts.values() if each.pauses}
    assert paused
    assert set(paused.values()) == {"organizer"}


@pytest.mark.parametrize("made", [build.brief, build.contest])
def test_fold_agrees_with_verify_on_built_records(made: Callable[[], build.Builder]) -> None:
    check(made().events)


@pytest.mark.parametrize("seed", range(2))
def test_fold_agrees_with_verify_on_random_contests(seed: int, tmp_path: Path) -> None:
    check(scenarios.played(random.Random(seed), tmp_path))
