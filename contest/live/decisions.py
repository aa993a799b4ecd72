"""What the organizer decides.

Each order is a function of the state, the time and what the order says: it gives the events that
carry it out, or refuses a wrong moment in words. `contest.live.conductor` writes them. Where two
persons are required, one proposes an order and the other confirms it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contest.errors import WrongMoment
from contest.record.bodies import (
    AnyBody,
    BallotExcluded,
    DeclaredFinal,
    PersonReplaced,
    RankingClosed,
    Revealed,
    RoundAgain,
    RoundEnded,
    RoundExtended,
    RoundPaused,
    RoundResumed,
    RoundsStopped,
    ScoringClosed,
    Voided,
)
from contest.results import revealing
from contest.state.incidents import order_in_words
from contest.state.model import Attempt, Proposal, State, Talk, people_in
from contest.state.phases import (
    TYPING,
    Phase,
    Status,
    in_words,
    is_between,
    phase_of,
    status,
)
from contest.state.schedules import Triple, change, read_schedule, replanned, swapped

# Rounds


def pause(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Stops the clock of the interaction.

    Raises:
        WrongMoment: if no interaction is on.
    """
    _refuse_unless(
        state, now_ns, (Phase.INTERACTION,), "only an interaction that is on can be paused"
    )
    return [RoundPaused(*_last(state), reason)]


def resume(state: State, now_ns: int) -> list[AnyBody]:
    """Lets the clock run again.

    Raises:
        WrongMoment: if the round is not paused.
    """
    _refuse_unless(state, now_ns, (Phase.PAUSED,), "the round is not paused")
    return [RoundResumed(*_last(state))]


def extend(state: State, now_ns: int, seconds: int, reason: str) -> list[AnyBody]:
    """Gives the interaction more time.

    Arguments:
        state, now_ns: as they are.
        seconds: how much, above 0.
        reason: why.

    Raises:
        WrongMoment: if no interaction is on.
    """
    _refuse_unless(state, now_ns, TYPING, "only an interaction that is on can be extended")
    return [RoundExtended(*_last(state), seconds, reason)]


def end_interaction(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Ends the interaction before its time.

    Raises:
        WrongMoment: if no interaction is on.
    """
    _refuse_unless(state, now_ns, TYPING, "no interaction is on")
    return [RoundEnded(*_last(state), reason)]


def close_scoring(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Closes the scoring of the round before its time: no verdict is taken from now on.

    Raises:
        WrongMoment: if no round is being scored.
    """
    attempt = state.attempt
    # The end of the interaction has to be on record first.
    if (
        attempt is None
        or attempt.ended_ns is None
        or phase_of(state, now_ns)[0] is not Phase.SCORING
    ):
        raise WrongMoment(f"no round is being scored: {_now(state, now_ns)}")
    return [ScoringClosed(*_last(state), reason)]


def close_ranking(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Closes the ranking before its time: no ballot is taken from now on.

    Raises:
        WrongMoment: if no ranking is on.
    """
    _refuse_unless(state, now_ns, (Phase.RANKING,), "no ranking is on")
    return [RankingClosed(reason)]


def again(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Has the round that is on, or the last one, played again as a new attempt.

    Raises:
        WrongMoment: if there is none, or the ranking has begun.
    """
    phase = phase_of(state, now_ns)[0]
    on = phase in (*TYPING, Phase.SCORING)
    if not on and not (state.attempts and is_between(state)):
        raise WrongMoment(f"no round can be played again now: {_now(state, now_ns)}")
    number, attempt = _last(state)
    if state.again:
        raise WrongMoment(f"round {number} is to be played again already")
    ended: list[AnyBody] = [RoundEnded(number, attempt, reason)] if phase in TYPING else []
    return [RoundAgain(number, attempt, reason), *ended]


def stop(state: State, now_ns: int, reason: str) -> list[AnyBody]:
    """Has no more rounds played: after this one, the ranking comes next.

    Raises:
        WrongMoment: if no round was played yet, or none is to come.
    """
    if not state.attempts:
        raise WrongMoment("no round has been played yet: there is nothing to rank")
    if phase_of(state, now_ns)[0] in (Phase.RANKING, Phase.OVER) or state.stopped is not None:
        raise WrongMoment(f"no more rounds are to come: {_now(state, now_ns)}")
    return [RoundsStopped(reason)]


def void(state: State, now_ns: int, what: str, reason: str) -> list[AnyBody]:
    """Takes an attempt, one talk, or a judge's ballot, out of the count.

    Arguments:
        state, now_ns: as they are.
        what: an attempt such as `2.1`, a talk such as `2.1.J3.left`, or a judge such as `J3`.
        reason: why.

    Raises:
        WrongMoment: if there was no such thing, it was voided before, or the sides are revealed.
    """
    if phase_of(state, now_ns)[0] is Phase.OVER:
        raise WrongMoment("the result is being made or is there: nothing can be voided now")
    if what in _ids(state, "judge"):
        if what not in state.rankings:
            raise WrongMoment(f"{what} has given no ballot")
        if what in state.excluded:
            raise WrongMoment(f"the ballot of {what} was voided before")
        return [BallotExcluded(what, reason)]
    found: Talk | Attempt | None = state.talks.get(what) or state.attempts.get(what)
    if found is None or (isinstance(found, Attempt) and not found.talks):
        raise WrongMoment(f"no talk and no attempt that was begun is called {what!r}")
    number = found.round if isinstance(found, Talk) else found.number
    attempt = state.attempts[f"{number}.{found.attempt}"]
    if found.voided is not None or attempt.voided is not None:
        raise WrongMoment(f"{what} was voided before")
    return [Voided(number, found.attempt, reason, what if isinstance(found, Talk) else "")]


# Persons and the schedule


def replace(state: State, now_ns: int, seat: str, name: str, reason: str) -> list[AnyBody]:
    """Another person takes a seat. What the one before has agreed to holds for what that one
    typed; the new one has agreed to nothing yet.

    Arguments:
        state, now_ns: as they are.
        seat: its id.
        name: of the new person.
        reason: why.

    Raises:
        WrongMoment: if the seat is in a talk, or the ranking has begun, or the name is another
            seat's.
    """
    if phase_of(state, now_ns)[0] in (Phase.RANKING, Phase.OVER):
        raise WrongMoment(f"nobody can be replaced now: {_now(state, now_ns)}")
    attempt = state.attempt
    talks = [] if attempt is None else [state.talks[talk] for talk in attempt.talks]
    if any(talk.open and seat in (talk.judge, talk.entity) for talk in talks):
        raise WrongMoment(
            f"{seat} is in a talk, and a talk has one person at each side: end the round, or "
            "have it played again, and then replace"
        )
    alike = " ".join(name.split()).casefold()
    for other, sitters in state.persons.items():
        if other != seat and " ".join((sitters[-1].name or other).split()).casefold() == alike:
            raise WrongMoment(f"{other} has this name; name each seat apart")
    return [PersonReplaced(seat, name, reason)]


def swap(
    state: State, now_ns: int, rounds: range, one: str, other: str, reason: str
) -> list[AnyBody]:
    """Two judges, or two confederates, change their desks. One of them may have none in a round.
    As each gets the other's, nobody is in two places at once.

    Arguments:
        state, now_ns: as they are.
        rounds: in which rounds.
        one, other: who.
        reason: why.

    Raises:
        WrongMoment: if such a round was begun or is not there, or it would change nothing.
    """
    _refuse_without_rounds(state, now_ns)
    schedule = read_schedule(state.schedule)
    last, first = len(schedule.rounds), rounds.start
    if not rounds or rounds.stop - 1 > last:
        raise WrongMoment(f"there are {last} rounds, and no round {max(first, last + 1)}")
    if state.attempt is not None and first <= state.attempt.number:
        raise WrongMoment(f"round {first} was begun: only rounds to come can be changed")
    changed = swapped(schedule, one, other, rounds)
    if changed == schedule:
        raise WrongMoment(f"neither {one} nor {other} has a desk there")
    return [change(changed, first, reason)]


def replan(
    state: State, now_ns: int, rounds: Mapping[int, Sequence[Triple]], reason: str
) -> list[AnyBody]:
    """The rest of the rounds gets another plan.

    Arguments:
        state, now_ns: as they are.
        rounds: all rounds to come; see `contest.state.schedules.replanned`.
        reason: why.

    Raises:
        WrongMoment: if no rounds are to come, or the plan changes others, or nothing.
        BadOrder: if the plan can't be played.
    """
    _refuse_without_rounds(state, now_ns)
    begun = 0 if state.attempt is None else state.attempt.number
    known = {kind: _ids(state, kind) for kind in ("judge", "entry", "confederate")}
    changed = replanned(read_schedule(state.schedule), rounds, begun, known)
    return [change(changed, begun + 1, reason)]


# The end: the result is on record and provisional, is shown to the public step by step, and is
# declared final.


def result_state(state: State) -> str | None:
    """`provisional`, `final`, or None before there is a result."""
    if state.result is None:
        return None
    return "provisional" if state.final is None else "final"


def steps(state: State) -> list[str]:
    """All steps in which the result is shown."""
    return [] if state.result is None else revealing.steps_of(state.result)


def steps_left(state: State) -> list[str]:
    """The steps of the result that are still to be shown."""
    return revealing.left(steps(state), state.shown)


def reveal(state: State, now_ns: int, *, everything: bool) -> list[AnyBody]:
    """Shows the public the next step of the result.

    Arguments:
        state, now_ns: as they are.
        everything: all steps that are left.

    Raises:
        WrongMoment: if there is no result yet, or all is shown.
    """
    _refuse_without_result(state, "nothing can be shown")
    left = steps_left(state)
    if not left:
        raise WrongMoment("all of the result is shown; `final` closes the contest")
    return [Revealed(step) for step in (left if everything else left[:1])]


def declare_final(
    state: State, now_ns: int, reason: str, still_open: list[str], *, anyway: bool
) -> list[AnyBody]:
    """Shows what is left of the result and declares it final: the contest is closed.

    Arguments:
        state, now_ns: as they are.
        reason: why.
        still_open: what is open; see `contest.results.finality.still_open`.
        anyway: whether that is not waited for.

    Raises:
        WrongMoment: if there is no result yet, it is final already, or something is open.
    """
    _refuse_without_result(state, "nothing can be declared final")
    if state.final is not None:
        raise WrongMoment("the result is final already")
    if still_open and not anyway:
        items = "".join(f"\n- {item}" for item in still_open)
        raise WrongMoment(
            f"the result can't be final yet, for this is open:{items}\n"
            "`final --anyway` does not wait for it, and puts that on record"
        )
    shown = [Revealed(step) for step in steps_left(state)]
    return [*shown, DeclaredFinal(reason, still_open)]


# Two persons


def is_due(proposal: Proposal, now: Status) -> bool:
    """Whether the moment of an order that was proposed is not gone. To end an interaction, say,
    can't be confirmed when another round is on."""
    phase, then = now.phase, proposal.body
    here = (now.round, now.attempt) == (then.round, then.attempt)
    match then.order.get("action"):
        case "end":
            return here and phase in TYPING
        case "close":
            return here and phase.value == then.phase
        case "again" | "stop":
            return here and phase not in (Phase.RANKING, Phase.OVER)
        case "replace" | "swap" | "replan":
            return phase not in (Phase.RANKING, Phase.OVER)
        case "void":
            return phase is not Phase.OVER
        case _:
            return True


def to_confirm(state: State, now: Status, number: int, by: str) -> Proposal:
    """The order that somebody confirms.

    Raises:
        WrongMoment: if it does not wait, was proposed by the same person, or its moment is gone.
    """
    found = to_drop(state, number)
    words = f"order {number} ({order_in_words(found.body.order)})"
    if found.by == by:
        raise WrongMoment(f"{words} is your own; the other of you two confirms it")
    if not is_due(found, now):
        raise WrongMoment(f"{words} can't be confirmed any more: its moment is gone")
    return found


def to_drop(state: State, number: int) -> Proposal:
    """The order that somebody drops.

    Raises:
        WrongMoment: if it does not wait.
    """
    if number not in state.proposals:
        why = state.settled.get(number, "was never proposed")
        raise WrongMoment(f"order {number} does not wait to be confirmed: it {why}")
    return state.proposals[number]


def proposals(state: State, now: Status) -> list[dict[str, Any]]:
    """The orders that wait to be confirmed, for programs; what can't be any more is left out."""
    return [
        {
            "number": number,
            "by": each.by,
            "order": dict(each.body.order),
            "reason": each.body.reason,
            "words": order_in_words(each.body.order),
        }
        for number, each in state.proposals.items()
        if is_due(each, now)
    ]


def _last(state: State) -> tuple[int, int]:
    attempt = state.attempt
    assert attempt is not None, "the phase says that one is on"
    return attempt.number, attempt.attempt


def _refuse_unless(state: State, now_ns: int, phases: Sequence[Phase], why: str) -> None:
    if phase_of(state, now_ns)[0] not in phases:
        raise WrongMoment(f"{why}: {_now(state, now_ns)}")


def _refuse_without_rounds(state: State, now_ns: int) -> None:
    if phase_of(state, now_ns)[0] in (Phase.RANKING, Phase.OVER) or state.stopped is not None:
        raise WrongMoment(f"no rounds are to come: {_now(state, now_ns)}")


def _refuse_without_result(state: State, what: str) -> None:
    if state.result is None:
        raise WrongMoment(
            f"there is no result yet, and {what}: it is there when the ranking is closed"
        )


def _now(state: State, now_ns: int) -> str:
    """Where the contest is, as the end of a sentence."""
    return in_words(status(state, now_ns), waits=is_between(state))


def _ids(state: State, role: str) -> set[str]:
    return set() if state.opened is None else set(people_in(state.opened.settings, role))
