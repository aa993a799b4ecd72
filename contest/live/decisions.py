"""The organizer's decisions.

Each decision is a function of the state, the time and the order's values. It returns the events
that carry out the order, or refuses with a reason. `contest.live.conductor` writes the events; the
table of orders (`contest.organizer.orders`) and the board ask each decision whether it is possible
now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Concatenate, Generic, ParamSpec, TypeAlias

from contest.errors import BadOrder, WrongMoment
from contest.record import bodies
from contest.record.bodies import AnyBody
from contest.results.contest import steps_of
from contest.state import phases
from contest.state.model import Attempt, State, Talk, people_in
from contest.state.phases import TYPING, Phase, is_between_rounds, last_round, phase_of
from contest.state.schedules import Triple, change, read_schedule, replanned, swapped
from scheduler.texts import joined
from texts import Sentence

_P = ParamSpec("_P")
#: Says why a decision can't be made now, in words without a full stop; empty if it can.
WhyNot: TypeAlias = Callable[[State, int], str]


class Decision(Generic[_P]):
    """A decision, and when it is possible: `why_not` says why it can't be made now."""

    def __init__(
        self, decide: Callable[Concatenate[State, int, _P], list[AnyBody]], why_not: WhyNot
    ) -> None:
        self._decide = decide
        self.why_not = why_not
        self.__doc__ = decide.__doc__

    def __call__(
        self, state: State, now_ns: int, /, *args: _P.args, **kwargs: _P.kwargs
    ) -> list[AnyBody]:
        """The events that carry it out.

        Raises:
            WrongMoment: if it can't be done now.
            BadOrder: if its values can't be used, such as an unknown seat.
        """
        if why := self.why_not(state, now_ns):
            raise WrongMoment(why)
        return self._decide(state, now_ns, *args, **kwargs)


def _decision(
    why_not: WhyNot,
) -> Callable[[Callable[Concatenate[State, int, _P], list[AnyBody]]], Decision[_P]]:
    return lambda decide: Decision(decide, why_not)


def _only_during(during: Sequence[Phase], why: str) -> WhyNot:
    def why_not(state: State, now_ns: int) -> str:
        return "" if phase_of(state, now_ns)[0] in during else _not_now(why, state, now_ns)

    return why_not


# Rounds


def why_not_start(state: State, now_ns: int) -> str:
    """Why neither a round nor the ranking can be started now; empty if one can."""
    return "" if is_between_rounds(state) else _not_now("start", state, now_ns)


@_decision(_only_during((Phase.INTERACTION,), "pause"))
def pause(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Stops the clock of the interaction."""
    return [bodies.RoundPaused(*_last(state), reason)]


@_decision(_only_during((Phase.PAUSED,), "resume"))
def resume(state: State, now_ns: int) -> list[AnyBody]:
    """Restarts the clock."""
    return [bodies.RoundResumed(*_last(state))]


@_decision(_only_during(TYPING, "extend"))
def extend(state: State, now_ns: int, minutes: float, reason: str) -> list[AnyBody]:
    """Extends the interaction by a number of minutes above 0."""
    return [bodies.RoundExtended(*_last(state), max(1, round(minutes * 60)), reason)]


@_decision(_only_during(TYPING, "end"))
def end_interaction(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Ends the interaction early."""
    return [bodies.RoundEnded(*_last(state), reason)]


def _why_not_close(state: State, now_ns: int) -> str:
    phase, attempt = phase_of(state, now_ns)[0], state.attempt
    # The end of the interaction must be recorded before the end of the scoring.
    ended = attempt is not None and attempt.ended_ns is not None
    if phase is Phase.RANKING or (phase is Phase.SCORING and ended):
        return ""
    return _not_now("close", state, now_ns)


@_decision(_why_not_close)
def close(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Closes the scoring, or the ranking, early: no more verdicts, or ballots, are accepted."""
    if phase_of(state, now_ns)[0] is Phase.RANKING:
        return [bodies.RankingClosed(reason)]
    return [bodies.ScoringClosed(*_last(state), reason)]


def _why_not_repeat(state: State, now_ns: int) -> str:
    on = phase_of(state, now_ns)[0] in (*TYPING, Phase.SCORING)
    if not on and not (state.attempts and is_between_rounds(state)):
        return _not_now("again", state, now_ns)
    return Sentence("board.not_now.again_already", round=_last(state)[0]) if state.again else ""


@_decision(_why_not_repeat)
def again(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Has the current round, or the last one, played again as a new attempt."""
    ended: list[AnyBody] = []
    if phase_of(state, now_ns)[0] in TYPING:
        ended = [bodies.RoundEnded(*_last(state), reason)]
    return [bodies.RoundAgain(*_last(state), reason), *ended]


def _why_not_stop(state: State, now_ns: int) -> str:
    if not state.attempts:
        return Sentence("board.not_now.stop_early")
    over = phase_of(state, now_ns)[0] in (Phase.RANKING, Phase.OVER)
    if over or state.stopped is not None:
        return _not_now("stop", state, now_ns)
    return ""


@_decision(_why_not_stop)
def stop(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Ends the rounds: after the current one, the ranking comes next."""
    return [bodies.RoundsStopped(reason)]


def _why_not_void(state: State, now_ns: int) -> str:
    if not state.attempts:
        return Sentence("board.not_now.void_early")
    if phase_of(state, now_ns)[0] is Phase.OVER:
        return Sentence("board.not_now.void_late")
    return ""


@_decision(_why_not_void)
def void(state: State, now_ns: int, what: str, reason: str) -> list[AnyBody]:
    """Voids an attempt such as `2.1`, a talk such as `2.1.J3.left`, or the ballot of a judge such
    as `J3`, so that it does not count."""
    if what in _ids(state, "judge"):
        if what not in state.rankings:
            raise WrongMoment(Sentence("board.refused.no_ballot", judge=what))
        if what in state.excluded:
            raise WrongMoment(Sentence("board.refused.ballot_void", judge=what))
        return [bodies.BallotExcluded(what, reason)]
    found: Talk | Attempt | None = state.talks.get(what) or state.attempts.get(what)
    if found is None or (isinstance(found, Attempt) and not found.talks):
        raise WrongMoment(Sentence("board.refused.no_talk", what=repr(what)))
    number = found.round if isinstance(found, Talk) else found.number
    attempt = state.attempts[f"{number}.{found.attempt}"]
    if found.voided is not None or attempt.voided is not None:
        raise WrongMoment(Sentence("board.refused.is_void", what=what))
    return [bodies.Voided(number, found.attempt, reason, what if isinstance(found, Talk) else "")]


# People and the schedule

_BEFORE_RANKING = tuple(phase for phase in Phase if phase not in (Phase.RANKING, Phase.OVER))


@_decision(_only_during(_BEFORE_RANKING, "replace"))
def replace(state: State, now_ns: int, seat: str, name: str, reason: str) -> list[AnyBody]:
    """Gives a seat to another person, with this name. The earlier person's consent remains valid
    for the earlier talks; the new person has not agreed to anything yet."""
    name = " ".join(name.split())
    if seat not in _ids(state, "judge", "confederate"):
        raise BadOrder(Sentence("board.refused.no_seat", seat=repr(seat)))
    attempt = state.attempt
    talks = [] if attempt is None else [state.talks[talk] for talk in attempt.talks]
    if any(talk.open and seat in (talk.judge, talk.entity) for talk in talks):
        raise WrongMoment(Sentence("board.refused.in_talk", seat=seat))
    for other, occupants in state.persons.items():
        held = " ".join((occupants[-1].name or other).split())
        if other != seat and held.casefold() == name.casefold():
            raise WrongMoment(Sentence("board.refused.name_taken", seat=other))
    return [bodies.PersonReplaced(seat, name, reason)]


def _why_not_plan(state: State, now_ns: int) -> str:
    attempt = state.attempt
    begun = 0 if attempt is None else attempt.number
    over = phase_of(state, now_ns)[0] in (Phase.RANKING, Phase.OVER)
    if over or state.stopped is not None or begun >= last_round(state):
        return _not_now("plan", state, now_ns)
    return ""


@_decision(_why_not_plan)
def swap(
    state: State, now_ns: int, round: int, one: str, other: str, reason: str, later: bool = False
) -> list[AnyBody]:
    """Has two judges, or two confederates, swap desks in a round, and with `later` in all rounds
    after it. One of them may have no desk in a round. Because each gets the other's desk, nobody
    ends up in two places at once."""
    kinds = (_ids(state, "judge"), _ids(state, "confederate"))
    if one == other or not any({one, other} <= kind for kind in kinds):
        raise BadOrder(Sentence("board.refused.not_two", one=repr(one), other=repr(other)))
    schedule = read_schedule(state.schedule)
    last = len(schedule.rounds)
    if round > last:
        raise WrongMoment(Sentence("board.refused.no_round", round=round, last=last))
    if state.attempt is not None and round <= state.attempt.number:
        raise WrongMoment(Sentence("board.refused.round_begun", round=round))
    changed = swapped(schedule, one, other, range(round, (last if later else round) + 1))
    if changed == schedule:
        raise WrongMoment(Sentence("board.refused.no_desk", one=one, other=other))
    return [change(changed, round, reason)]


@_decision(_why_not_plan)
def replan(
    state: State, now_ns: int, rounds: Mapping[str, Sequence[Triple]], reason: str
) -> list[AnyBody]:
    """Replaces the plan of all remaining rounds, by their numbers; see
    `contest.state.schedules.replanned`."""
    begun = 0 if state.attempt is None else state.attempt.number
    known = {kind: _ids(state, kind) for kind in ("judge", "entry", "confederate")}
    plan = {int(number): pairings for number, pairings in rounds.items()}
    changed = replanned(read_schedule(state.schedule), plan, begun, known)
    return [change(changed, begun + 1, reason)]


# The end: the result is recorded as provisional, shown to the public step by step, and declared
# final.


def result_state(state: State) -> str | None:
    """`provisional`, `final`, or None before there is a result."""
    if state.result is None:
        return None
    return "provisional" if state.final is None else "final"


def steps_left(state: State) -> list[str]:
    """The steps of the result that have not been shown yet."""
    return [step for step in steps_of(state) if step not in state.shown]


def _why_not_reveal(state: State, now_ns: int) -> str:
    if state.result is None:
        return _not_now("no_result", state, now_ns)
    return "" if steps_left(state) else Sentence("board.not_now.all_shown")


@_decision(_why_not_reveal)
def reveal(state: State, now_ns: int, everything: bool = False) -> list[AnyBody]:
    """Shows the public the next step of the result, or all remaining steps."""
    left = steps_left(state)
    return [bodies.Revealed(step) for step in (left if everything else left[:1])]


def _why_not_declare(state: State, now_ns: int) -> str:
    if state.result is None:
        return _not_now("no_result", state, now_ns)
    return Sentence("board.not_now.is_final") if state.final is not None else ""


@_decision(_why_not_declare)
def declare_final(
    state: State, now_ns: int, reason: str, still_open: list[str], anyway: bool = False
) -> list[AnyBody]:
    """Shows the remaining steps of the result and declares it final, which closes the contest.
    `anyway` accepts open items (`contest.results.contest.Contest.still_open`)."""
    if still_open and not anyway:
        not_yet, anyway_ = Sentence("board.refused.open"), Sentence("board.refused.open_anyway")
        items = joined([not_yet, *still_open], "\n- ")
        raise WrongMoment(joined([items, anyway_], "\n"))
    shown = [bodies.Revealed(step) for step in steps_left(state)]
    return [*shown, bodies.DeclaredFinal(reason, still_open)]


def _last(state: State) -> tuple[int, int]:
    attempt = state.attempt
    assert attempt is not None, "`why_not` has checked it"
    return attempt.number, attempt.attempt


def _not_now(why: str, state: State, now_ns: int) -> Sentence:
    """Why something is not possible, by its name in `board.not_now` of texts/, with the contest's
    status."""
    now = phases.in_words(phases.status(state, now_ns), waits=is_between_rounds(state))
    return Sentence(f"board.not_now.{why}", now=now)


def _ids(state: State, *roles: str) -> set[str]:
    return set() if state.opened is None else set(people_in(state.opened.settings, *roles))
