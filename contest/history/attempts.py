"""The attempts at the rounds of a contest, as the events of its record tell them one after another:
how long each lasted, why, and which of them counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from contest.history.views import RoundView
from contest.record import bodies
from contest.record.bodies import AnyBody, Place
from contest.record.events import Event


@dataclass
class _Round:
    opened_ns: int
    started_ns: int | None = None
    ended_ns: int | None = None
    closed_ns: int | None = None
    seconds: int | None = None
    end_reason: str = ""
    pauses: list[tuple[int, int | None, str]] = field(default_factory=list)
    extensions: list[tuple[int, int, str]] = field(default_factory=list)
    voided: str | None = None


class Attempts:
    """All attempts.

    Attributes:
        voided: talk to why the organizer took it out of the count.
        last_close: the number of the event that closed the last one.
        stopped: the last round, and why no round is played after it; None if all are to be played.
    """

    def __init__(self) -> None:
        self._rounds: dict[tuple[int, int], _Round] = {}
        self.voided: dict[str, str] = {}
        self.last_close = 0
        self.stopped: tuple[int, str] | None = None

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes the next event; of other kinds than its own nothing comes.

        Raises:
            ValueError: if it tells of an attempt that was never opened.
        """
        now = event.mono_ns
        match body:
            case bodies.RoundOpened():
                self._rounds.setdefault((body.round, body.attempt), _Round(now))
            case bodies.RoundStarted():
                round_ = self._round(body.round, body.attempt)
                round_.started_ns, round_.seconds = now, body.seconds
            case bodies.RoundPaused():
                self._round(body.round, body.attempt).pauses.append((now, None, body.reason))
            case bodies.RoundResumed():
                pauses = self._round(body.round, body.attempt).pauses
                if pauses and pauses[-1][1] is None:
                    since, _, reason = pauses[-1]
                    pauses[-1] = (since, now, reason)
            case bodies.RoundExtended():
                round_ = self._round(body.round, body.attempt)
                round_.extensions.append((now, body.seconds, body.reason))
                if round_.seconds is not None:
                    round_.seconds += body.seconds
            case bodies.Voided(talk=""):
                round_ = self._round(body.round, body.attempt)
                round_.voided = round_.voided or body.reason
            case bodies.Voided():
                self.voided.setdefault(body.talk, body.reason)
            case bodies.RoundsStopped() if self._rounds:
                self.stopped = (max(number for number, _ in self._rounds), body.reason)
            case bodies.RoundEnded():
                round_ = self._round(body.round, body.attempt)
                round_.ended_ns, round_.end_reason = now, body.reason
            case bodies.RoundClosed():
                self._round(body.round, body.attempt).closed_ns = now
                self.last_close = event.seq

    def _round(self, number: int, attempt: int) -> _Round:
        if (number, attempt) not in self._rounds:
            raise ValueError(f"round {number}, attempt {attempt}, was never opened")
        return self._rounds[number, attempt]

    def why_void(
        self, number: int, attempt: int, judge: str, side: Place | None = None
    ) -> str | None:
        """Why an attempt, or a judge's talk in it at this side or any, does not count."""
        round_ = self._rounds.get((number, attempt))
        if round_ is not None and round_.voided is not None:
            return round_.voided
        for each in ("left", "right") if side is None else (side,):
            reason = self.voided.get(bodies.talk_id(number, attempt, judge, each))
            if reason is not None:
                return reason
        return None

    def views(self) -> dict[tuple[int, int], RoundView]:
        """Round and attempt to what is known of it."""
        last_closed: dict[int, int] = {}
        for (number, attempt), round_ in sorted(self._rounds.items()):
            if round_.closed_ns is not None and round_.voided is None:
                last_closed[number] = attempt
        return {
            (number, attempt): RoundView(
                number=number,
                attempt=attempt,
                counts=last_closed.get(number) == attempt,
                opened_ns=r.opened_ns,
                started_ns=r.started_ns,
                ended_ns=r.ended_ns,
                closed_ns=r.closed_ns,
                seconds=r.seconds,
                end_reason=r.end_reason,
                pauses=tuple(r.pauses),
                extensions=tuple(r.extensions),
                voided=r.voided,
            )
            for (number, attempt), r in sorted(self._rounds.items())
        }
