"""What an audience may see of a contest: the phase, and each desk's talks, left and right.

Two kinds of events come in. What holds at once (who withholds, the schedule, a reveal) is taken as
soon as it is durable, by `note`; what happens in a round is taken by `take` when it has come out of
the delay. Of an event no more is kept than what a judge at that desk sees: not who sits at which
side, not who pressed a key, not its number nor its name, but the character that it types.

A desk is closed if a person there withholds, judge or confederate: both its panes, for to close the
human's alone would tell which it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from contest.audience import frames
from contest.record import bodies
from contest.record.bodies import AnyBody, Author, Place
from contest.record.events import Event
from contest.state.consents import public_name, withholds_talk
from contest.state.model import State, Talk, people_in
from contest.state.phases import Phase, phase_of
from contest.state.reducer import apply
from lpp.names import char_of

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
        *(bodies.RoundExtended, bodies.RoundAgain, bodies.RoundEnded, bodies.ScoringClosed),
        *(bodies.RoundClosed, bodies.RankingOpened, bodies.RankingClosed),
        *(bodies.TalkOpened, bodies.Key),
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
    talks: list[Talk] = field(default_factory=list)
    typed: dict[Place, _Runs] = field(default_factory=lambda: {"left": _Runs(), "right": _Runs()})


class Show:
    """What may be seen; `redrawn` says that more has changed than the phase and what was typed.

    Arguments:
        speed: seconds of contest time in a second of the audience's.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        #: What holds at once, and what has come out of the delay.
        self._now, self._seen = State(), State()
        self._plan: list[set[str]] = []
        #: The numbers of the judges, in the order of the settings.
        self._numbers: dict[str, int] = {}
        #: The last round that is played, if the organizer stopped the contest before its end.
        self._last: int | None = None
        #: All desks of all attempts, known at once; shown are those of the attempt that is on.
        self._desks: dict[tuple[int, int, str], _Desk] = {}
        self._panes: dict[str, tuple[_Desk, Place]] = {}
        self._fresh: dict[tuple[int, Place], _Runs] = {}
        self.redrawn = False
        #: How much of what holds at once was taken: a result has to be computed anew after each.
        self.noted = 0

    # What holds at once

    @property
    def sides_revealed(self) -> bool:
        """Whether the sides are revealed."""
        return self._now.revealed

    def note(self, event: Event, body: AnyBody) -> None:
        """Takes what holds at once of an event that is durable."""
        apply(self._now, event, body)
        match body:
            case bodies.ContestOpened():
                apply(self._seen, event, body)
                judges = people_in(body.settings, "judge")
                self._numbers = {judge: number for number, judge in enumerate(judges, 1)}
                self._plan = _judges_of(self._now)
            case bodies.ScheduleChanged():
                self._plan = _judges_of(self._now)
            case bodies.TalkOpened():
                if body.judge in self._numbers:
                    place = (body.round, body.attempt, body.judge)
                    desk = self._desks.setdefault(place, _Desk(*place))
                    name = bodies.talk_id(*place, body.side)
                    desk.talks.append(self._now.talks[name])
                    self._panes[name] = (desk, body.side)
                return  # nothing is seen of it before its time
            case bodies.RoundsStopped():
                # Talks are known at once: what was opened by now is shown later.
                self._last = max(self._on_now()[0], *(number for number, _, _ in self._desks), 0)
            case _:
                pass
        self.noted += 1
        self.redrawn = True

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
        if isinstance(body, bodies.Key):
            self._key(event, body)
            return
        apply(self._seen, event, body)
        if isinstance(body, bodies.RoundOpened):
            self._fresh.clear()
            self._drop_earlier()
        if isinstance(body, bodies.RoundOpened | bodies.TalkOpened):
            self.redrawn = True

    def _key(self, event: Event, body: bodies.Key) -> None:
        char = char_of(body.key)
        if body.out_of_phase is not None or char is None or event.talk not in self._panes:
            return  # no judge has seen anything of it
        desk, side = self._panes[event.talk]
        if (desk.round, desk.attempt) != self._on_now():
            return
        desk.typed[side].add(body.author, char)
        pane = (self._numbers[desk.judge], side)
        self._fresh.setdefault(pane, _Runs()).add(body.author, char)

    def _drop_earlier(self) -> None:
        now = self._on_now()
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
        current, left = phase_of(self._seen, now_ns)
        if current is Phase.RANKING:
            left = None  # how many ballots are in is nobody's business yet
        if self.sides_revealed:
            current, left = Phase.OVER, None
        number, attempt = self._on_now()
        round_ = f"Round {number} of {max(number, len(self._plan))}"
        if attempt > 1:
            round_ += f", attempt {attempt},"
        words = _WORDS[current].format(round=round_).replace(",:", ":")
        if self._now.closed:
            words = "The contest is over"
        elif self.sides_revealed:
            words = "All is decided: the result"
        return frames.Phase(
            phase=current.value,
            round=number,
            attempt=attempt,
            words=words,
            remaining_ms=None if left is None else round(left / 1_000_000),
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
                [self._judge(each) for each in self._numbers if each in judges]
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
        place = (*self._on_now(), judge)
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
        judges = list(self._numbers)
        found: dict[str, dict[str, frames.Typed]] = {}
        for number, side in sorted(self._fresh):
            place = (*self._on_now(), judges[number - 1])
            if not self._is_closed(self._desks[place]):
                talk = bodies.talk_id(*place, side)
                found.setdefault(place[2], {})[talk] = self._fresh[number, side].typed()
        self._fresh.clear()
        return found

    def _on(self) -> list[_Desk]:
        """The desks of the attempt that is on, in the order of the judges."""
        if self.sides_revealed:
            return []
        places = [(*self._on_now(), judge) for judge in self._numbers]
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

    def _on_now(self) -> tuple[int, int]:
        """The attempt that is seen, and its round; 0 before the first."""
        seen = self._seen.attempt
        return (0, 0) if seen is None else (seen.number, seen.attempt)

    def _judge(self, judge: str, talk: Talk | None = None) -> frames.Judge:
        """A judge's name: of who sat there at a talk, or sits there now."""
        sitters = self._now.persons[judge]
        turn = len(sitters) - 1 if talk is None else talk.turns[0]
        name = public_name(self._now, judge, sitters[turn].name, turn)
        return frames.Judge(judge, name or judge)

    def _is_closed(self, desk: _Desk) -> bool:
        return any(withholds_talk(self._now, talk) for talk in desk.talks)


def _judges_of(state: State) -> list[set[str]]:
    rounds = state.schedule.get("rounds", ())
    return [{str(pairing["judge"]) for pairing in pairings} for pairings in rounds]
