"""What an audience may see of a contest: the phase, and each desk's talks, left and right.

Two kinds of events come in. What holds at once (who withholds, the schedule, a reveal) is taken as
soon as it is durable, by `note`; what happens in a round is taken by `take` when it has come out of
the delay. Of an event no more is kept than what a judge at that desk sees: not who sits at which
side, not who pressed a key, not its number nor its name, but the character that it types.

A desk is closed if a person there withholds, judge or confederate: both its panes, for to close the
human's alone would tell which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from contest.history.consents import Consents
from contest.history.phases import Lengths, Phase, RoundTimes, phase
from contest.history.views import people_of
from contest.record import bodies
from contest.record.bodies import AnyBody, Author, Place
from contest.record.events import Event
from contest.spectators import frames
from lpp.names import char_of

_SECOND = 1_000_000_000
_SIDES: tuple[Place, Place] = ("left", "right")

#: What is taken at once.
AT_ONCE = frozenset(
    body.kind
    for body in (
        *(bodies.ContestOpened, bodies.ConsentGiven, bodies.PersonReplaced),
        *(bodies.ScheduleChanged, bodies.SidesRevealed, bodies.Result, bodies.Revealed),
        *(bodies.RoundsStopped, bodies.ContestClosed),
    )
)
#: What waits for its time. A talk's opening is in both: whose wish counts has to be known at once.
DELAYED = frozenset(
    body.kind
    for body in (
        *(bodies.RoundOpened, bodies.RoundStarted, bodies.RoundPaused, bodies.RoundResumed),
        *(bodies.RoundExtended, bodies.RoundEnded, bodies.ScoringClosed, bodies.RoundClosed),
        *(bodies.RankingOpened, bodies.RankingClosed, bodies.TalkOpened, bodies.Key),
    )
)

_WORDS = {
    Phase.BEFORE: "The contest has not begun yet",
    Phase.WAITING: "{round} is about to begin",
    Phase.INTERACTION: "{round}: the talks are on",
    Phase.PAUSED: "{round} is paused",
    Phase.SCORING: "{round}: the judges decide",
    Phase.CLOSED: "{round} is over",
    Phase.RANKING: "The judges rank all whom they met",
    Phase.OVER: "All is decided",
}


class _Runs:
    """What was typed, with what one author typed in a row kept together.

    Lists of texts and numbers alone: an object for each run would be one more for the collector of
    garbage to look at, while keys wait.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        #: Of each run, where it starts in the texts, and who typed it.
        self._starts: list[int] = []
        self._authors: list[Author] = []

    def add(self, author: Author, text: str) -> None:
        if not self._authors or self._authors[-1] != author:
            self._starts.append(len(self._texts))
            self._authors.append(author)
        self._texts.append(text)

    @property
    def any(self) -> bool:
        return bool(self._texts)

    def typed(self) -> frames.Typed:
        ends = [*self._starts[1:], len(self._texts)]
        return [
            (author, "".join(self._texts[start:end]))
            for author, start, end in zip(self._authors, self._starts, ends, strict=True)
        ]


@dataclass
class _Desk:
    """A judge's desk in an attempt: whose wishes count, and what was typed at each side."""

    round: int
    attempt: int
    judge: str
    talks: list[bodies.TalkOpened] = field(default_factory=list)
    typed: dict[Place, _Runs] = field(default_factory=lambda: {"left": _Runs(), "right": _Runs()})


class Show:
    """What may be seen; `redrawn` says that more has changed than the phase and what was typed.

    Arguments:
        speed: seconds of contest time in a second of the audience's.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        self._consents = Consents()
        self._plan: list[set[str]] = []
        #: Judge to the names of who sat there, in turn.
        self._judges: dict[str, list[str]] = {}
        self._numbers: dict[str, int] = {}
        self._lengths = Lengths(0.0, 0.0)
        self._special: Phase | None = Phase.BEFORE
        self._round = self._attempt = 0
        #: The last round that is played, if the organizer stopped the contest before its end.
        self._last: int | None = None
        self._times = RoundTimes()
        #: All desks of all attempts, known at once; shown are those of the attempt that is on.
        self._desks: dict[tuple[int, int, str], _Desk] = {}
        self._panes: dict[str, tuple[_Desk, Place]] = {}
        self._fresh: dict[tuple[int, Place], _Runs] = {}
        self.redrawn = False
        self.sides_revealed = False
        self.closed = False
        #: How much of what holds at once was taken: a result has to be computed anew after each.
        self.noted = 0

    # What holds at once

    def note(self, body: AnyBody) -> None:
        """Takes what holds at once of an event that is durable."""
        self._consents.take(body)
        match body:
            case bodies.ContestOpened():
                self._open(body)
            case bodies.PersonReplaced():
                self._judges.get(body.seat, []).append(body.name)
            case bodies.ScheduleChanged():
                self._plan[body.round - 1 :] = _judges_of(body.rounds)
            case bodies.TalkOpened() if body.judge in self._judges:
                place = (body.round, body.attempt, body.judge)
                desk = self._desks.setdefault(place, _Desk(*place))
                desk.talks.append(body)
                self._panes[bodies.talk_id(*place, body.side)] = (desk, body.side)
                return  # nothing is seen of it before its time
            case bodies.RoundsStopped():
                # Talks are known at once: what was opened by now is shown later.
                self._last = max(self._round, *(number for number, _, _ in self._desks), 0)
            case bodies.SidesRevealed():
                self.sides_revealed = True
            case bodies.ContestClosed():
                self.closed = True
            case _:
                pass
        self.noted += 1
        self.redrawn = True

    def _open(self, body: bodies.ContestOpened) -> None:
        self._plan = _judges_of(body.schedule.get("rounds", []))
        people = people_of(body.settings).values()
        self._judges = {each.id: [each.name] for each in people if each.role == "judge"}
        self._numbers = {judge: number for number, judge in enumerate(self._judges, 1)}
        rules = body.settings.get("rules", {})
        self._lengths = Lengths(
            float(rules.get("interaction_minutes", 25)) * 60,
            float(rules.get("scoring_minutes", 5)) * 60,
        )

    # What has come out of the delay

    def last_talks(self) -> list[str]:
        """The talks of the last attempt of which any is known."""
        last = max(((desk.round, desk.attempt) for desk in self._desks.values()), default=None)
        return [
            talk for talk, (desk, _) in self._panes.items() if (desk.round, desk.attempt) == last
        ]

    def typed_before(self, talk: str, keys: Iterable[tuple[Author, str]]) -> None:
        """Takes keys of a talk that came out of the delay before anybody looked on.

        Arguments:
            talk: the talk's id.
            keys: who pressed them, and their names.
        """
        desk, side = self._panes[talk]
        for author, key in keys:
            char = char_of(key)
            if char is not None:
                desk.typed[side].add(author, char)

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes an event whose time has come."""
        at = event.mono_ns / _SECOND
        match body:
            case bodies.Key():
                self._key(event, body)
            case bodies.RoundOpened():
                self._round, self._attempt = body.round, body.attempt
                self._times, self._special = RoundTimes(opened=at), None
                self._fresh.clear()
                self._drop_earlier()
                self.redrawn = True
            case bodies.TalkOpened():
                self.redrawn = True
            case bodies.RoundStarted():
                self._times = replace(self._times, started=at)
                self._lengths = replace(self._lengths, interaction=float(body.seconds))
            case bodies.RoundPaused():
                self._times = self._times.paused(at)
            case bodies.RoundResumed():
                if self._times.pauses:
                    self._times = self._times.resumed(at)
            case bodies.RoundExtended():
                extended = self._times.extended + body.seconds
                self._times = replace(self._times, extended=extended)
            case bodies.RoundEnded():
                self._times = replace(self._times, ended=at)
            case bodies.ScoringClosed() | bodies.RoundClosed():
                if self._times.closed is None:
                    self._times = replace(self._times, closed=at)
            case bodies.RankingOpened():
                self._special = Phase.RANKING
            case bodies.RankingClosed():
                self._special = Phase.OVER
            case _:
                pass

    def _key(self, event: Event, body: bodies.Key) -> None:
        char = char_of(body.key)
        if body.out_of_phase is not None or char is None or event.talk not in self._panes:
            return  # no judge has seen anything of it
        desk, side = self._panes[event.talk]
        if (desk.round, desk.attempt) != (self._round, self._attempt):
            return
        desk.typed[side].add(body.author, char)
        pane = (self._numbers[desk.judge], side)
        self._fresh.setdefault(pane, _Runs()).add(body.author, char)

    def _drop_earlier(self) -> None:
        now = (self._round, self._attempt)
        self._desks = {place: desk for place, desk in self._desks.items() if place[:2] >= now}
        self._panes = {
            talk: (desk, side)
            for talk, (desk, side) in self._panes.items()
            if (desk.round, desk.attempt) >= now
        }

    # What is to be seen

    def at(self, now_ns: int) -> frames.Phase:
        """The phase at a moment of the contest's clock, in nanoseconds: one that has come out of
        the delay, as all that was taken has."""
        if self.sides_revealed:
            current, left = Phase.OVER, None
        elif self._special is not None:
            current, left = self._special, None
        else:
            current, left = phase(now_ns / _SECOND, self._lengths, self._times)
        round_ = f"Round {self._round} of {max(self._round, len(self._plan))}"
        if self._attempt > 1:
            round_ += f", attempt {self._attempt},"
        words = _WORDS[current].format(round=round_).replace(",:", ":")
        if self.closed:
            words = "The contest is over"
        elif self.sides_revealed:
            words = "All is decided: the result"
        return frames.Phase(
            phase=current.value,
            round=self._round,
            attempt=self._attempt,
            words=words,
            remaining_ms=None if left is None else round(left * 1000),
            runs=left is not None and current is not Phase.PAUSED,
            speed=self._speed,
        )

    def whole(self, now_ns: int, outcome: str = "", archive: bool = False) -> frames.Whole:
        """All that there is to see, except what was typed.

        Arguments:
            now_ns: see `at`.
            outcome: HTML of what is revealed.
            archive: whether all talks can be played again.
        """
        return frames.Whole(
            phase=self.at(now_ns),
            desks=[self._desk(desk) for desk in self._on()],
            # In the judges' order: a schedule's own is that of programs or of confederates.
            plan=[
                [self._judge(each) for each in self._judges if each in judges]
                for judges in self._plan
            ],
            last=len(self._plan) if self._last is None else self._last,
            outcome=outcome,
            archive=archive,
        )

    def open_desks(self) -> tuple[str, ...]:
        """The judges whose desks are shown, in their order; `redrawn` says when they change."""
        return tuple(desk.judge for desk in self._on() if not self._is_closed(desk))

    def typed(self, judge: str) -> dict[str, frames.Typed]:
        """All that was typed at a desk of the attempt that is on: talk to its text, left before
        right; nothing for a desk that is not shown."""
        place = (self._round, self._attempt, judge)
        desk = self._desks.get(place)
        if desk is None or self._is_closed(desk):
            return {}
        return {
            bodies.talk_id(*place, side): runs.typed()
            for side, runs in desk.typed.items()
            if runs.any
        }

    def fresh(self) -> dict[str, dict[str, frames.Typed]]:
        """What was typed since this was asked last: judge to talk to text, in the order of desks
        and sides."""
        judges = list(self._judges)
        found: dict[str, dict[str, frames.Typed]] = {}
        for number, side in sorted(self._fresh):
            place = (self._round, self._attempt, judges[number - 1])
            if not self._is_closed(self._desks[place]):
                talk = bodies.talk_id(*place, side)
                found.setdefault(place[2], {})[talk] = self._fresh[number, side].typed()
        self._fresh.clear()
        return found

    def _on(self) -> list[_Desk]:
        """The desks of the attempt that is on, in the order of the judges."""
        if self.sides_revealed:
            return []
        places = [(self._round, self._attempt, judge) for judge in self._judges]
        return [self._desks[place] for place in places if place in self._desks]

    def _desk(self, desk: _Desk) -> frames.Desk:
        closed = self._is_closed(desk)
        judge = self._judge(desk.judge, desk.talks[0])
        talks = [
            frames.Talk(bodies.talk_id(desk.round, desk.attempt, desk.judge, side), side)
            for side in _SIDES
        ]
        number = self._numbers[desk.judge]
        return frames.Desk(number, judge.id, judge.name, closed, [] if closed else talks)

    def _judge(self, judge: str, talk: bodies.TalkOpened | None = None) -> frames.Judge:
        """A judge's name: of who sat there at a talk, or sits there now."""
        names = self._judges.get(judge, [""])
        turn = self._consents.turn(judge) if talk is None else self._consents.turns(talk)[0]
        name = names[min(turn, len(names) - 1)]
        return frames.Judge(judge, self._consents.name(judge, name, turn) or judge)

    def _is_closed(self, desk: _Desk) -> bool:
        return any(self._consents.withholds_opened(talk) for talk in desk.talks)


def _judges_of(rounds: Sequence[Any]) -> list[set[str]]:
    return [{str(pairing["judge"]) for pairing in pairings} for pairings in rounds]
