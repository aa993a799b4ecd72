"""The log of a check: what was created and removed in the directory, with numbers and times.

The stage writes it, and the judging functions read it. Tests can also write a log by hand.
"""

from __future__ import annotations

import bisect
import enum
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from lpp.conformance import texts
from lpp.keypress import printable
from lpp.lines import Pane
from lpp.names import is_strict

#: The most entries of a log: a program that floods the directory has shown its behaviour by then.
LIMIT = 50_000

DIRECTORY, NON_EMPTY, FILE, LINK = (
    "directory",
    "directory with something in it",
    "plain file",
    "link",
)


class Kind(enum.Enum):
    """What happened."""

    PRESSED = "pressed"  # we created a .judge directory
    MADE = "made"  # the entry created something
    GONE = "removed"  # something disappeared that we didn't remove, so the entry did
    TAKEN = "taken"  # we removed something that the entry had created
    PLANTED = "put there"  # we created something that is not a key press of this talk
    EXISTED = "already there"  # it existed before the check began
    STARTED = "program started"
    STOPPED = "program stopped by us"
    EXITED = "program ended by itself"
    ACT = "act"  # a script begins
    ASKED = "asked"  # a line is complete, and an answer is expected
    ALONE = "alone"  # an unknown name was pressed while nothing else was typed
    WATCHED = "watched"  # a period of watching has ended
    HEARD = "heard"  # listening to the answer has ended


_ARROWS = {
    Kind.PRESSED: "judge -->",
    Kind.PLANTED: "judge -->",
    Kind.TAKEN: "judge  x ",
    Kind.MADE: "<-- entry",
    Kind.GONE: " x  entry",
}


_FORM = re.compile(r"([^.]*)\.(.*)\.([^.]*)", re.DOTALL)


def split_name(name: str) -> tuple[str, str, str]:
    """Sequence, key and extension of a name, unchanged; all empty if there are not three parts."""
    match = _FORM.fullmatch(name)
    return (match[1], match[2], match[3]) if match else ("", "", "")


def is_key_like(name: str) -> bool:
    """Whether a name looks like a key press: three parts, and a digit in the first."""
    return any(char.isdigit() for char in split_name(name)[0])


def is_in_rules(name: str) -> bool:
    """Whether a name's key is defined by the rules: in the appendix, an ASCII letter or a digit."""
    return is_strict(split_name(name)[1])


class Event(NamedTuple):
    """One entry of the log.

    Attributes:
        number: its position, from 1.
        at: seconds since the check began.
        life: the number of the program's start, from 1; 1 for a program that was already running.
        act: the script being played.
        kind: what happened.
        name: the directory entry's name, or "".
        what: the kind of directory entry, if known.
        detail: more, in words; the line for `ASKED`.
        sequence, key, extension: the three parts of the name, unchanged.
    """

    number: int
    at: float
    life: int
    act: str
    kind: Kind
    name: str = ""
    what: str = DIRECTORY
    detail: str = ""
    sequence: str = ""
    key: str = ""
    extension: str = ""

    @property
    def value(self) -> int | None:
        """The sequence number, or None if it is not one."""
        digits = self.sequence.isascii() and self.sequence.isdecimal()
        return int(self.sequence) if digits and len(self.sequence) <= 40 else None

    @property
    def line(self) -> str:
        """The entry as a line of a printed log: an arrow for creating, a cross for removing."""
        if self.name:
            strange = f" ({self.what})" if self.what != DIRECTORY else ""
            more = f", {self.detail}" if self.detail else ""
            text = f"{printable(self.name)} {self.kind.value}{strange}{more}"
        else:
            text = f"{self.kind.value}: {self.detail!r}" if self.detail else self.kind.value
        return f"{self.number:5}  {self.at:9.3f} s  {_ARROWS.get(self.kind, '    .    ')}  {text}"


def text_of(keys: Iterable[Event]) -> str:
    """The text that a judge sees from these key presses; an unknown name types nothing."""
    return Pane(printable(key.key) for key in keys).text


@dataclass(frozen=True, slots=True)
class Ask:
    """A line that was asked, with its answer.

    Attributes:
        event: the log entry of the line's completion.
        keys: what the entry typed from then until the next line was complete, in the same life.
        ended: why listening ended: "answered", "still typing" (we continued before the end of the
            answer), "unanswered", "ended by itself"; "" if the whole check ended first.
    """

    event: Event
    keys: tuple[Event, ...]
    ended: str

    @property
    def line(self) -> str:
        """The line as the entry should have read it."""
        return self.event.detail

    @property
    def cut(self) -> bool:
        """Whether we didn't wait for the end of an answer."""
        return bool(self.keys) and self.ended in ("", "still typing")

    @property
    def text(self) -> str:
        """The answer as a judge would see it."""
        return text_of(self.keys)


_number = operator.attrgetter("number")


def _between(events: list[Event], after: int, before: int | None) -> list[Event]:
    """The entries between these numbers, both excluded."""
    first = bisect.bisect_right(events, after, key=_number)
    last = None if before is None else bisect.bisect_left(events, before, key=_number)
    return events[first:last]


class LogFull(Exception):
    """The log has reached its limit."""


class Log:
    """What happened during a check, in order, and facts about the check.

    Attributes:
        events: the entries.
        act, life: the act and life of new entries.
        full: whether `LIMIT` was reached.
        restartable: whether the check may start and stop the program.
        attested: what a person has attested: "browse".
        trouble: why the check ended early, in words; "" if it didn't.
    """

    def __init__(self, restartable: bool = True, attested: frozenset[str] = frozenset()) -> None:
        self.events: list[Event] = []
        self.act = ""
        self.life = 0
        self.full = False
        self.restartable = restartable
        self.attested = attested
        self.trouble = ""
        self._typed: list[Event] = []
        # The entries of each kind: acts look for a few among thousands, again and again.
        self._by_kind: dict[Kind, list[Event]] = {kind: [] for kind in Kind}

    def add(
        self, at: float, kind: Kind, name: str = "", what: str = DIRECTORY, detail: str = ""
    ) -> None:
        """Writes an entry with the current act and life. Once `LIMIT` is reached, it omits created
        and removed names, and sets `full`."""
        if len(self.events) >= LIMIT and kind in (Kind.MADE, Kind.GONE, Kind.TAKEN):
            self.full = True
            return
        number, parts = len(self.events) + 1, split_name(name)
        event = Event(number, at, self.life, self.act, kind, name, what, detail, *parts)
        self.events.append(event)
        self._by_kind[kind].append(event)
        if kind is Kind.MADE and is_key_like(name):
            self._typed.append(event)

    def of(
        self,
        *kinds: Kind,
        act: str | tuple[str, ...] = (),
        life: int | None = None,
        after: int = 0,
        before: int | None = None,
    ) -> list[Event]:
        """Entries of these kinds, in order.

        Arguments:
            kinds: the kinds.
            act: only entries of this act or these acts; by default of all.
            life: only entries of this life; by default of all.
            after, before: only entries between these numbers, both excluded.
        """
        acts = (act,) if isinstance(act, str) else act
        found = [
            event
            for kind in kinds
            for event in _between(self._by_kind[kind], after, before)
            if (not acts or event.act in acts) and life in (None, event.life)
        ]
        return sorted(found, key=_number) if len(kinds) > 1 else found

    def begun(self, act: str) -> Event | None:
        """The latest beginning of an act; None if it was not played."""
        return next(iter(self.of(Kind.ACT, act=act)[-1:]), None)

    def typed(
        self, after: int = 0, before: int | None = None, life: int | None = None
    ) -> list[Event]:
        """The entry's key presses in the order in which they appeared; arguments as for `of`."""
        keys = _between(self._typed, after, before)
        return keys if life is None else [key for key in keys if key.life == life]

    def asks(self, *acts: str) -> list[Ask]:
        """The lines that were asked, in all acts or in some, in order."""
        asked = self.of(Kind.ASKED)
        found = []
        for event, following in zip(asked, (*asked[1:], None), strict=False):
            if not acts or event.act in acts:
                before = following.number if following else None
                heard = self.of(Kind.HEARD, after=event.number, before=before)
                keys = tuple(self.typed(event.number, before, event.life))
                found.append(Ask(event, keys, heard[0].detail if heard else ""))
        return found

    def trial(self, act: str) -> tuple[Ask | None, Ask | None]:
        """The line of an act, and the same line typed once more in the plain way; None for a line
        not asked. If an act was played twice, the last time counts."""
        begun = self.begun(act)
        asked = [a for a in self.asks(act) if begun and a.event.number > begun.number]
        again = (a for a in asked[1:] if a.line == asked[0].line)
        return (asked[0] if asked else None), next(again, None)

    def echoes(self, *acts: str) -> bool:
        """Whether the entry repeats the judge's lines, judging by its answers in these acts; by
        default in both acts that test this."""
        return all(
            any(texts.similarity(a.line, a.text) >= texts.ECHO for a in self.asks(act))
            for act in acts or ("greet", "probe")
        )

    def changes_case(self) -> bool:
        """Whether an entry that echoes changes the case of all letters."""
        probes = self.asks("probe")
        return not any(texts.contains_line(a.text, a.line, False) for a in probes) and any(
            texts.contains_line(a.text, a.line, True) for a in probes
        )

    def earlier_lines(self, asked: Event) -> list[str]:
        """The lines typed earlier in the same life, including leftovers that the program read: a
        late answer may belong to any of them."""
        found = [e.detail for e in self.of(Kind.ASKED, life=asked.life, before=asked.number)]
        read = {event.name for event in self.of(Kind.GONE, life=asked.life)}
        if any(e.name in read for e in self.of(Kind.PRESSED, act="leftovers")):
            found.append(texts.LEFT_OVER)
        return found

    def came_back(self, ask: Ask, again: Ask | None = None) -> bool:
        """Whether a line came back as typed, even if only after the next line.

        Arguments:
            ask: the line.
            again: the same line, if it was typed once more: then one echo is not enough.
        """
        number, life = ask.event.number, ask.event.life
        said = text_of(self.typed(number, again.event.number if again else None, life))
        if texts.contains_line(said, ask.line, self.changes_case()):
            return True
        both = text_of(self.typed(number, life=life)).casefold()
        return again is not None and both.count(ask.line.strip().casefold()) > 1
