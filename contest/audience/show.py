"""The audience's view: the phase, and each desk's talks, left and right.

There are two states of the contest: one from all durable events, for changes that apply at once
(consents, the schedule, a reveal), and one from the released events, for the rounds. Neither has
key presses: `contest.audience.feed` reads them from the contest's talks.

A desk is closed if its judge or its confederate withholds. Both panes are closed, because closing
only the human's pane would reveal which one it is.
"""

from __future__ import annotations

from msgspec.structs import replace

from contest.audience import frames
from contest.record import bodies
from contest.record.bodies import AnyBody, Place
from contest.record.events import Event
from contest.state.consents import public_name, withholds_talk
from contest.state.model import State, Talk, people_in
from contest.state.phases import Phase, last_round, phase_of
from contest.state.reducer import apply
from texts import Texts, load

_SIDES: tuple[Place, Place] = ("left", "right")

#: Events that apply without the delay.
AT_ONCE = (
    *(bodies.ContestOpened, bodies.ConsentGiven, bodies.PersonReplaced, bodies.ScheduleChanged),
    *(bodies.SidesRevealed, bodies.Result, bodies.Revealed, bodies.RoundsStopped),
    bodies.ContestClosed,
)


def in_words(texts: Texts, phase: frames.Phase, planned: int) -> str:
    """The phase in words, for the head of the page.

    Arguments:
        texts: the texts of a language.
        phase: the phase.
        planned: the number of rounds in the schedule.
    """
    number, attempt = phase.round, phase.attempt
    key = "audience.attempt" if attempt > 1 else "audience.round"
    round_ = texts(key, round=number, rounds=max(number, planned), attempt=attempt)
    return texts(f"audience.now.{phase.now}", round=round_)


class Show:
    """The audience's view of the contest, with only what it may see.

    Arguments:
        speed: seconds of contest time per second of real time.

    Attributes:
        version: changes whenever the revealed result, or what may be published, may have changed.
        redrawn: whether more than the phase has changed; reset by the caller.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        #: The states after all durable events, and after the released events.
        self._now, self._seen = State(), State()
        #: The numbers of the judges, in the order of the settings.
        self._judges: dict[str, int] = {}
        self.version = 0
        self.redrawn = False

    @property
    def sides_revealed(self) -> bool:
        """Whether the sides are revealed."""
        return self._now.revealed

    def note(self, event: Event, body: AnyBody) -> None:
        """Takes a durable event other than a key press."""
        apply(self._now, event, body)
        if isinstance(body, bodies.ContestOpened):
            judges = people_in(body.settings, "judge")
            self._judges = {judge: number for number, judge in enumerate(judges, 1)}
        if isinstance(body, AT_ONCE):
            self.version += 1
            self.redrawn = True

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes a released event, which was noted before."""
        apply(self._seen, event, body)
        if isinstance(body, bodies.RoundOpened | bodies.TalkOpened):
            self.redrawn = True

    def at(self, now_ns: int) -> frames.Phase:
        """The phase at a released moment of the contest's clock, in nanoseconds."""
        current, left = phase_of(self._seen, now_ns)
        if current is Phase.RANKING:
            left = None  # it would reveal when all ballots are in
        if self.sides_revealed:
            current, left = Phase.OVER, None
        now = current.value
        if self._now.closed:
            now = "ended"
        elif self.sides_revealed:
            now = "result"
        number, attempt = self._attempt()
        phase = frames.Phase(
            phase=current.value,
            now=now,
            round=number,
            attempt=attempt,
            words="",
            remaining_ms=None if left is None else round(left / 1_000_000),
            runs=left is not None and current is not Phase.PAUSED,
            speed=self._speed,
        )
        planned = len(self._now.schedule.get("rounds", ()))
        return replace(phase, words=in_words(load("en"), phase, planned))

    def whole(self, now_ns: int, outcome: str = "", archive: bool = False) -> frames.Whole:
        """Everything that viewers may see, except the keys.

        Arguments:
            now_ns: see `at`.
            outcome: the revealed part of the result, as HTML.
            archive: whether all talks can be replayed.
        """
        plan = [
            {str(pairing["judge"]) for pairing in pairings}
            for pairings in self._now.schedule.get("rounds", ())
        ]
        return frames.Whole(
            phase=self.at(now_ns),
            desks=[self._desk(judge, talks) for judge, talks in self._current_talks().items()],
            # In the judges' order; the schedule's order may be that of programs or confederates.
            plan=[
                [self._judge(judge) for judge in self._judges if judge in judges] for judges in plan
            ],
            last=last_round(self._now),
            outcome=outcome,
            archive=archive,
        )

    def open_desks(self) -> dict[str, list[str]]:
        """The desks that are shown, in order: judge to the ids of the talks, left before right.
        They change only when `redrawn` is set."""
        return {
            judge: [talk.id for talk in talks]
            for judge, talks in self._current_talks().items()
            if not self._is_closed(talks)
        }

    def _attempt(self) -> tuple[int, int]:
        """The visible round and attempt; 0 before the first."""
        seen = self._seen.attempt
        return (0, 0) if seen is None else (seen.number, seen.attempt)

    def _current_talks(self) -> dict[str, list[Talk]]:
        """The talks of the visible attempt, by judge; none once the sides are revealed."""
        attempt, talks = self._attempt(), self._now.talks
        found: dict[str, list[Talk]] = {}
        for judge in {} if self.sides_revealed else self._judges:
            names = [bodies.talk_id(*attempt, judge, side) for side in _SIDES]
            if mine := [talks[name] for name in names if name in talks]:
                found[judge] = mine
        return found

    def _desk(self, judge: str, talks: list[Talk]) -> frames.Desk:
        closed, named = self._is_closed(talks), self._judge(judge, talks[0])
        shown = [] if closed else [frames.Pane(talk.id, talk.side) for talk in talks]
        return frames.Desk(self._judges[judge], judge, named.name, closed, shown)

    def _judge(self, judge: str, talk: Talk | None = None) -> frames.Judge:
        """A judge's name: the person who sat there in a talk, or by default the current one."""
        turn = None if talk is None else talk.turns[0]
        return frames.Judge(judge, public_name(self._now, judge, turn) or judge)

    def _is_closed(self, talks: list[Talk]) -> bool:
        return any(withholds_talk(self._now, talk) for talk in talks)
