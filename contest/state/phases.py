"""The phase of a contest, as a pure function of its state and the time.

A round goes waiting -> interaction -> scoring -> closed (rules 2010, section 3: 25 minutes of
interaction, 5 of scoring). Pauses don't count towards the interaction's time.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from contest.record.bodies import talk_id
from contest.state.model import Attempt, State, Talk
from texts import Sentence

_SECOND = 1_000_000_000
#: How long judges can correct their ballots after the last one came in, within the ranking's time.
CORRECTIONS_NS = 60 * _SECOND


class Phase(enum.Enum):
    """The phase of a round or of the contest. The values are those of the wire protocol."""

    BEFORE = "before"
    WAITING = "waiting"
    INTERACTION = "interaction"
    PAUSED = "paused"
    SCORING = "scoring"
    CLOSED = "closed"
    RANKING = "ranking"
    OVER = "over"


#: The phases of typing, whether or not it is paused.
TYPING = (Phase.INTERACTION, Phase.PAUSED)


@dataclass(frozen=True, slots=True)
class Status:
    """The contest's status, as every seat knows it: see lpp.wire.State.

    Attributes:
        phase: the phase of the contest.
        round, attempt: the last attempt that was opened; 0 before the first.
        remaining: seconds of the contest's clock until the phase ends (during the interaction and
            its pauses, of the interaction's own time); None if there is no limit.
        reason: why the clock is stopped, or was stopped early.
    """

    phase: Phase
    round: int
    attempt: int
    remaining: float | None
    reason: str = ""


def status(state: State, now_ns: int) -> Status:
    """The status of the contest at a moment of its clock, after all events up to then."""
    attempt = state.attempt
    if attempt is None:
        return Status(Phase.BEFORE, 0, 0, None)
    phase, left_ns = phase_of(state, now_ns)
    reason = attempt.reason
    if phase is Phase.RANKING:
        reason = ""
    elif phase is Phase.OVER:
        reason = state.ranking_closed or ""
    left = None if left_ns is None else left_ns / _SECOND
    return Status(phase, attempt.number, attempt.attempt, left, reason)


def phase_of(state: State, now_ns: int) -> tuple[Phase, int | None]:
    """The phase of the contest, and the nanoseconds left in it; see `status`."""
    if state.revealed or state.ranking_closed is not None:
        return Phase.OVER, None
    if state.ranking_opened is not None:
        end = end_of_ranking(state)
        return Phase.RANKING, None if end is None else max(0, end - now_ns)
    attempt = state.attempt
    if attempt is None:
        return Phase.BEFORE, None
    return phase_of_attempt(attempt, state.scoring_ns, now_ns)


def phase_of_attempt(attempt: Attempt, scoring_ns: int, now_ns: int) -> tuple[Phase, int | None]:
    """The phase of an attempt, and the nanoseconds left in it.

    Arguments:
        attempt: the attempt, after all events up to now.
        scoring_ns: how long scoring lasts.
        now_ns: the moment.
    """
    if attempt.shut_ns is not None or attempt.closed_ns is not None:
        return Phase.CLOSED, None
    if attempt.started_ns is None or attempt.seconds is None:
        return Phase.WAITING, None
    end = end_of_interaction(attempt)
    if end is not None and now_ns >= end:
        left = end + scoring_ns - now_ns
        return (Phase.SCORING, left) if left > 0 else (Phase.CLOSED, None)
    paused = bool(attempt.pauses) and attempt.pauses[-1][1] is None
    left = max(0, attempt.seconds * _SECOND - (attempt.offset_ns(now_ns) or 0))
    return (Phase.PAUSED if paused else Phase.INTERACTION), left


def end_of_interaction(attempt: Attempt) -> int | None:
    """When the interaction ends; None while that is unknown: not begun, or paused."""
    if attempt.cut_ns is not None:
        return attempt.cut_ns
    if attempt.started_ns is None or attempt.seconds is None:
        return attempt.ended_ns
    end = attempt.started_ns + attempt.seconds * _SECOND
    for since, to, _ in attempt.pauses:
        if since >= end:
            break
        if to is None:
            return attempt.ended_ns
        end += to - since
    return end if attempt.ended_ns is None else min(end, attempt.ended_ns)


def end_of_round(state: State) -> int | None:
    """When the scoring of the last attempt ends by the clock; None while that is unknown."""
    attempt = state.attempt
    end = None if attempt is None else end_of_interaction(attempt)
    return None if end is None else end + state.scoring_ns


def is_between_rounds(state: State) -> bool:
    """Whether no round is running, and more rounds or the ranking follow."""
    attempt = state.attempt
    closed = attempt is None or attempt.closed_ns is not None
    return closed and state.ranking_opened is None and not state.revealed


def last_round(state: State) -> int:
    """The last round to be played: the schedule's, or the one after which the organizer stopped."""
    return len(state.schedule.get("rounds", ())) if state.stopped is None else state.stopped[0]


def next_attempt(state: State) -> tuple[int, int] | None:
    """The next round and its attempt; None when the ranking comes next."""
    attempt = state.attempt
    if attempt is not None and state.again:
        return attempt.number, attempt.attempt + 1
    begun = 0 if attempt is None else attempt.number
    return None if begun >= last_round(state) else (begun + 1, 1)


# The ranking


def labels(state: State, judge: str) -> dict[str, list[Talk]]:
    """Neutral labels for everybody whom a judge met in the last closed attempt at each round: the
    round and side of the first talk with that participant.

    Returns:
        Label, such as `1 left`, to the judge's talks with one participant, in order.
    """
    last = {each.number: each.attempt for each in state.attempts.values() if each.closed_ns}
    met: dict[str, list[Talk]] = {}
    for number, attempt in sorted(last.items()):
        for side in ("left", "right"):
            talk = state.talks.get(talk_id(number, attempt, judge, side))
            if talk is not None:
                met.setdefault(talk.entity, []).append(talk)
    return {f"{talks[0].round} {talks[0].side}": talks for talks in met.values()}


def end_of_ranking(state: State) -> int | None:
    """When the ranking ends, as far as is known now: when its time is over or, once all ballots are
    in, `CORRECTIONS_NS` after the last one, so that judges can still correct it."""
    if state.ranking_opened is None:
        return None
    latest = state.ranking_opened + state.ranking_ns
    if not state.asked <= state.rankings.keys():
        return latest
    ballots = (each.mono_ns for each in state.rankings.values())
    return min(latest, max(ballots, default=0) + CORRECTIONS_NS)


# In words


def in_words(now: Status, *, waits: bool, last: bool = False) -> Sentence:
    """The status of a contest in words, without a full stop.

    Arguments:
        now: the status.
        waits: whether the contest waits for the organizer's start.
        last: whether the round is the last one because the contest was stopped.
    """
    name = "coming_attempt" if now.attempt > 1 else "coming_round"
    which = Sentence(f"board.now.{name}", round=now.round, attempt=now.attempt)
    which = Sentence("board.state.last", round=which) if last else which
    state = Sentence(f"board.state.{now.phase.value}", round=which)
    return Sentence("board.state.waits", state=state) if waits else state
