"""The other end of a seat where there is no server: a desk that decides as a server would.

`Desk` takes the seat's frames (`receive`) and the key presses that come in communications
directories (`hear`), and gives notes for the record, frames for the seat, and key presses to be
made in directories. It has no disk, directory, clock or thread: a shell around it
(judge_console/deskseat.py, and the tests) carries all of these, and says what is durable.

The rules that it keeps, a server's own (contest/talks/hub.py, contest/talks/seats.py):

1. Write, then show, then say so: a key is a note first; when `recorded` says that the note is
   durable, the other side is shown the key, and its own side is told.
2. What an entity types before the judge's first key of the talk, and anybody after the end, is
   recorded with the rule that it breaks, and not shown (rules.md, section 2).
3. The judge begins: the time stands still until the first key.
4. Nothing that a judge is told depends on where the human sits, before all is over: a key is shown
   under one name (`lpp.names.shown_as`), and one that types nothing is recorded only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from judge_console.model.deskcourse import Course, Phase
from judge_console.model.desknotes import (
    Breach,
    Closed,
    Ended,
    KeyNote,
    LeftOvers,
    Noted,
    Opening,
    Started,
    Trouble,
    VerdictNote,
    rfc3339,
)
from judge_console.model.desktalk import ATTEMPT, ROUND, DeskTalk, talk_at
from judge_console.model.deskwork import DeskWork, ToMake
from judge_console.model.errands import REASON_LIMIT
from lpp.names import is_sendable, shown_as
from lpp.violations import Rule
from lpp.wire import (
    Author,
    Consent,
    Hello,
    Key,
    Place,
    Press,
    Ranks,
    Read,
    Role,
    Saved,
    Shown,
    State,
    Taken,
    Talk,
    ToServer,
    Verdict,
    Welcome,
)

#: The ids of those who may be there, as in a contest of one pairing.
IDS: dict[Role | Literal["entry"], str] = {"judge": "J1", "confederate": "C1", "entry": "E1"}
#: Seconds between two notes of when keys were durable and shown.
TIMES_EVERY = 1.0
#: Names of left-overs in one note: a flood must not make one that nobody can carry.
NAMES = 1000

#: A text that the person reads, by its key and fields.
Say: TypeAlias = Callable[..., str]


class Desk(DeskWork):
    """A desk. All times are seconds of one clock that never runs back.

    Arguments:
        opening: who sits where, and for how long.
        contest_id: another one for each session.
        scoring: how long a verdict is taken; None is without a limit.
        say: gives the texts that the person reads, as `judge_console.texts.Texts`.

    Attributes:
        verdicts: whether a judge's verdict is wanted: where there are two to choose from.
        own, other: who sits here, and at the other end.
        welcome: the seat's greeting.
    """

    def __init__(
        self,
        opening: Opening,
        *,
        contest_id: str,
        scoring: float | None = None,
        say: Say,
    ) -> None:
        super().__init__()
        role = opening.role
        self.verdicts = role == "judge" and len(opening.sitters) > 1
        self.own: Author = "judge" if role == "judge" else "entity"
        self.other: Author = "entity" if role == "judge" else "judge"
        self.welcome = Welcome(IDS[role], role, opening.contest, 1, contest_id=contest_id)
        self._opening = opening
        self._say = say
        self._course = Course(opening.seconds, scoring, self.verdicts)
        self._talks: dict[Place, DeskTalk] = {}
        for side in opening.sitters:
            place: Place = side if role == "judge" else "only"
            self._talks[place] = DeskTalk(place)
        self._reason = ""
        self._keys = self._versions = 0
        self._saved: Saved | None = None
        self._closed = False
        self._flush_at: float | None = None

    @property
    def phase(self) -> Phase:
        """Where the session is."""
        return self._course.phase

    def due(self) -> float | None:
        """When `tick` is wanted next; None if nothing waits for a time."""
        ends = [self._course.end(), self._flush_at]
        return min((end for end in ends if end is not None), default=None)

    # What happens

    def open(self, now: float) -> None:
        """The session begins: the first note of all."""
        self._note(self._opening, now)

    def ready(self, left_overs: Mapping[Place, Sequence[str]], now: float) -> None:
        """All directories are open; the talks begin.

        Arguments:
            left_overs: what stood in the directories when they were emptied.
            now: the time.
        """
        for place, names in left_overs.items():
            for first in range(0, len(names), NAMES):
                piece = tuple(names[first : first + NAMES])
                self._note(LeftOvers(self._talks[place].side, piece), now)
        # The sum alone: by how much stands in which directory a judge might tell a program.
        count = sum(map(len, left_overs.values()))
        self._reason = self._say("desk.left_overs", n=count) if count else ""
        self._course.begin()
        self._frames += [self._state(now), *self._snapshots()]

    def receive(self, frame: ToServer, now: float) -> None:
        """Takes a frame of the seat."""
        self.tick(now)
        match frame:
            case Hello():
                snapshots = self._snapshots() if self.phase != "waiting" else []
                self._frames += [self.welcome, self._state(now), *snapshots]
                if self._saved is not None:
                    self._frames.append(msgspec.structs.replace(self._saved, again=True))
            case Press():
                self._press(frame, now)
            case Shown():
                talk = self._talks.get(frame.place)
                if talk is not None and frame.author == self.other:
                    talk.seen(frame.author, frame.n, now)
                    self._flush_later(now)
            case Verdict():
                self._verdict(frame, now)
            case Ranks() | Consent() | Read():
                answers = {Ranks: "ranks", Consent: "consent", Read: "read"}[type(frame)]
                self._refuse("not-now", self._say("desk.not_asked"), answers)

    def hear(
        self, place: Place, key: str, n: int, raw: str, rules: Sequence[str], now: float
    ) -> int:
        """A key press of the other side stands in the directory at a place.

        Arguments:
            place: where.
            key: its name.
            n: its number there.
            raw: the directory's whole name, as printable text.
            rules: the rules of the protocol that it breaks.
            now: the time.

        Returns:
            The id of its note: when that is recorded, the directory can be removed.
        """
        self.tick(now)
        return self._key(self._talks[place], self.other, key, n, now, raw, tuple(rules))

    def breach(self, place: Place, rule: str, name: str, detail: str, now: float) -> None:
        """The other side broke a rule by something that is no key press."""
        if not self._closed:
            self._note(Breach(self._talks[place].side, rule, name, detail), now)

    def trouble(self, place: Place, what: str, now: float) -> None:
        """Something is wrong with the directory at a place."""
        if not self._closed:
            self._note(Trouble(self._talks[place].side, what), now)

    def made(self, press: ToMake, now: float) -> None:
        """A key press stands in its directory."""
        self._talks[press.place].seen(self.own, press.n, now)
        self._flush_later(now)

    def recorded(self, notes: Sequence[Noted], now: float) -> None:
        """These notes are durable."""
        for noted in notes:
            match noted.note:
                case KeyNote() as note:
                    self._durable(note, now)
                case Started() | Ended() | Closed():
                    self._frames.append(self._state(now))
                case VerdictNote() as note:
                    self._save(note, noted.wall_us)
                case _:
                    pass

    def tick(self, now: float) -> None:
        """Does what the time says."""
        if self._course.is_due(now):
            self._go_on("time", now)
        if self._flush_at is not None and now >= self._flush_at:
            self._flush_at = None
            self._note_times(now, everything=False)

    def end(self, now: float) -> None:
        """Who sits here ends the talk, or the scoring, before its time."""
        self.tick(now)
        if self.phase != "over":
            self._go_on(self._opening.role, now)

    def leave(self, now: float) -> None:
        """Who sits here goes, whatever is on."""
        self.tick(now)
        while self.phase != "over":
            self._go_on(self._opening.role, now)

    def close(self, now: float) -> None:
        """Ends the record of a session that is over, when all that came is durable."""
        if not self._closed:
            self._closed = True
            self._flush_at = None
            self._note_times(now, everything=True)
            self._note(Closed(), now)

    # Phases

    def _go_on(self, reason: str, now: float) -> None:
        if self._course.go_on(now):
            self._note(Ended(reason), now)

    def _state(self, now: float) -> State:
        left, running = self._course.left(now)
        reason = ""
        if self.phase == "interaction":
            reason = self._reason
        elif self.phase == "over" and self.verdicts:
            at_left = self._opening.human == "left"
            reason = self._say("desk.human_left" if at_left else "desk.human_right")
        return State(
            self.phase,
            ROUND,
            ATTEMPT,
            tuple(self._talks),
            None if left is None else round(left * 1000),
            reason,
            self._opening.speed if running else 0.0,
        )

    def _snapshots(self) -> list[Talk]:
        return [talk.snapshot() for talk in self._talks.values()]

    # Keys

    def _press(self, frame: Press, now: float) -> None:
        talk = self._talks.get(frame.place)
        if talk is None or (frame.round, frame.attempt) != (ROUND, ATTEMPT):
            self._refuse("no-talk", "no such talk is on at this seat", "press")
        elif not is_sendable(frame.key):
            self._refuse("bad-key", f"{frame.key[:40]!r} is no key press", "press")
        elif frame.n == talk.accepted + 1:
            talk.accepted = frame.n
            self._key(talk, self.own, frame.key, frame.n, now)
        elif frame.n > talk.accepted:
            self._refuse("gap", f"key {talk.accepted + 1} is missing", "press")
        elif frame.n <= talk.durable:
            self._frames.append(Taken(ROUND, ATTEMPT, talk.place, talk.durable))

    def _key(
        self,
        talk: DeskTalk,
        author: Author,
        key: str,
        n: int,
        now: float,
        raw: str | None = None,
        rules: tuple[str, ...] = (),
    ) -> int:
        broken = self._out_of_phase(talk, author)
        if broken is None and author == "judge":
            talk.begun = talk.begun or shown_as(key) is not None
            if self._course.start(now):
                self._note(Started(), now)
        self._keys += 1
        self._note(KeyNote(self._keys, talk.side, author, key, n, raw, rules, broken), now)
        return self._keys

    def _out_of_phase(self, talk: DeskTalk, author: Author) -> str | None:
        if self.phase in ("scoring", "over"):
            return Rule.AFTER_END.value
        if author == "entity" and not talk.begun:
            return Rule.WAITS.value
        return Rule.NOT_ON.value if self.phase == "waiting" else None

    def _durable(self, note: KeyNote, now: float) -> None:
        talk = talk_at(self._talks.values(), note.side)
        if note.out_of_phase is None:
            name = shown_as(note.key)
            n = talk.show(note, name, now)
            self._flush_later(now)
            if name is None:
                pass  # it types nothing, so nobody is told of it
            elif note.author == self.own:
                self._to_make.append(ToMake(talk.place, name, n))
            else:
                self._frames.append(Key(ROUND, ATTEMPT, talk.place, note.author, n, name))
        if note.author == self.own:
            talk.durable = note.n
            self._frames.append(Taken(ROUND, ATTEMPT, talk.place, note.n))

    def _flush_later(self, now: float) -> None:
        if self._flush_at is None and not self._closed:
            self._flush_at = now + TIMES_EVERY

    def _note_times(self, now: float, *, everything: bool) -> None:
        for talk in self._talks.values():
            times = talk.take_times(everything=everything)
            if times is not None:
                self._note(times, now)

    # The verdict

    def _verdict(self, frame: Verdict, now: float) -> None:
        if not self.verdicts or self.phase != "scoring":
            self._refuse("not-now", self._say("desk.no_verdict"), "verdict")
            return
        self._versions += 1
        reason = frame.reason[:REASON_LIMIT]
        self._note(VerdictNote(frame.human, self._versions, frame.confidence, reason), now)

    def _save(self, note: VerdictNote, wall_us: int) -> None:
        self._saved = Saved(
            "verdict",
            note.version,
            rfc3339(wall_us),
            ROUND,
            ATTEMPT,
            note.human,
            note.confidence,
            note.reason,
        )
        self._frames.append(self._saved)
