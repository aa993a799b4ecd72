"""The phase of a round, as a pure function of the time and of what has happened.

A round goes waiting -> interaction -> scoring -> closed (rules 2010, section 3: 25 minutes of
interaction, 5 of scoring). Pauses are intervals taken out of the interaction's time. What a person
did and when is given in; nothing here looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contest.state.phases import Phase as Phase


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long the parts of a round last, in seconds."""

    interaction: float
    scoring: float


@dataclass(frozen=True, slots=True)
class RoundTimes:
    """What has happened in a round, in seconds of the contest's clock.

    Attributes:
        opened: when it was prepared.
        started: when the interaction began.
        pauses: (from, to) each; `to` is None while the pause lasts. They do not overlap.
        extended: seconds that the organizer has added to the interaction.
        ended: when the organizer ended the interaction before its time.
        closed: when scoring was closed.
    """

    opened: float | None = None
    started: float | None = None
    pauses: tuple[tuple[float, float | None], ...] = ()
    extended: float = 0.0
    ended: float | None = None
    closed: float | None = None

    def paused(self, at: float) -> RoundTimes:
        """The same with a pause that begins."""
        return replace(self, pauses=(*self.pauses, (at, None)))

    def resumed(self, at: float) -> RoundTimes:
        """The same with the pause ended."""
        *before, (since, _) = self.pauses
        return replace(self, pauses=(*before, (since, at)))


def played(now: float, times: RoundTimes) -> float:
    """Seconds of interaction that have been played: since the start, less the pauses."""
    if times.started is None:
        return 0.0
    until = now if times.ended is None else min(now, times.ended)
    out = sum(
        max(0.0, min(until, until if to is None else to) - max(since, times.started))
        for since, to in times.pauses
        if since < until
    )
    return max(0.0, until - times.started - out)


def end_of_interaction(times: RoundTimes, lengths: Lengths) -> float | None:
    """When the interaction ends, or None while that is open: not begun, or paused."""
    if times.ended is not None:
        return times.ended
    if times.started is None:
        return None
    end = times.started + lengths.interaction + times.extended
    for since, to in times.pauses:
        if since >= end:
            break
        if to is None:
            return None
        end += to - since
    return end


def phase(now: float, lengths: Lengths, times: RoundTimes) -> tuple[Phase, float | None]:
    """The phase of a round.

    Arguments:
        now: seconds of the contest's clock.
        lengths: how long its parts last.
        times: what has happened.

    Returns:
        The phase, and the seconds it has left: of the interaction's own time while it is played
        or paused, of scoring's; None where there is no limit.
    """
    if times.closed is not None and now >= times.closed:
        return Phase.CLOSED, None
    if times.opened is None or now < times.opened:
        return Phase.BEFORE, None
    if times.started is None or now < times.started:
        return Phase.WAITING, None
    end = end_of_interaction(times, lengths)
    if end is not None and now >= end:
        return Phase.SCORING, max(0.0, end + lengths.scoring - now)
    remaining = max(0.0, lengths.interaction + times.extended - played(now, times))
    if any(since <= now and (to is None or now < to) for since, to in times.pauses):
        return Phase.PAUSED, remaining
    return Phase.INTERACTION, remaining
