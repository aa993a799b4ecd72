"""The wire log: everything that was made and removed in the directory, numbered and timed.

Judgements read nothing else, so a log written by hand in a test is as good as a program.
"""

from __future__ import annotations

import bisect
import enum
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lpp.conformance import texts
from lpp.keypress import printable
from lpp.lines import Pane
from lpp.names import NAMES

#: A log stops growing here: a program that floods the directory has shown what it does.
LIMIT = 50_000

DIRECTORY, FULL, FILE, LINK = "directory", "directory with something in it", "plain file", "link"


class Kind(enum.Enum):
    """What happened."""

    PRESSED = "pressed"  # we made a .judge directory
    MADE = "made"  # the entry made something
    GONE = "removed"  # something went that we did not remove: the entry did
    TAKEN = "taken"  # we removed what the entry had made
    PLANTED = "put there"  # we made something that is no key press of this talk
    STOOD = "stood there"  # it was there before we came
    STARTED = "program started"
    STOPPED = "program stopped by us"
    EXITED = "program ended by itself"
    ACT = "act"  # a script begins
    ASKED = "asked"  # a line is whole, and an answer is expected
    ALONE = "alone"  # an unknown name was pressed where nothing else was typed
    WATCHED = "watched"  # a time of watching has ended
    HEARD = "heard"  # listening to the answer has ended


_ARROWS = {
    Kind.PRESSED: "judge -->",
    Kind.PLANTED: "judge -->",
    Kind.TAKEN: "judge  x ",
    Kind.MADE: "<-- entry",
    Kind.GONE: " x  entry",
}


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log.

    Attributes:
        number: its place, from 1.
        at: seconds since the check began.
        life: which start of the program, from 1; 1 for a program that was running.
        act: the script that was being played.
        kind: what happened.
        name: the directory entry's name, or "".
        what: which kind of directory entry it is, where that is known.
        detail: more, in words; the line for `ASKED`.
    """

    number: int
    at: float
    life: int
    act: str
    kind: Kind
    name: str = ""
    what: str = DIRECTORY
    detail: str = ""

    @property
    def arrow(self) -> str:
        """Who did it to the directory: an arrow makes, a cross removes."""
        return _ARROWS.get(self.kind, "    .    ")

    @property
    def text(self) -> str:
        """What happened, in a line."""
        if not self.name:
            return f"{self.kind.value}: {self.detail!r}" if self.detail else self.kind.value
        strange = f" ({self.what})" if self.what != DIRECTORY else ""
        more = f", {self.detail}" if self.detail else ""
        return f"{printable(self.name)} {self.kind.value}{strange}{more}"

    @property
    def line(self) -> str:
        """The entry as a line of a printed log."""
        return f"{self.number:5}  {self.at:9.3f} s  {self.arrow}  {self.text}"


@dataclass(frozen=True, slots=True)
class Seen:
    """A name of the form `sequence.keyname.extension`, read without any pardon.

    Attributes:
        event: when it was made.
        sequence, key, extension: its three parts, as they stand.
    """

    event: Event
    sequence: str
    key: str
    extension: str

    @property
    def number(self) -> int | None:
        """The sequence number, or None if it is none."""
        digits = self.sequence.isascii() and self.sequence.isdecimal()
        return int(self.sequence) if digits and len(self.sequence) <= 40 else None


_FORM = re.compile(r"([^.]*)\.(.*)\.([^.]*)", re.DOTALL)


def read_name(name: str) -> tuple[str, str, str] | None:
    """The three parts of a name, or None if it has not three."""
    match = _FORM.fullmatch(name)
    return match.groups() if match else None  # type: ignore[return-value]


def is_key_like(name: str) -> bool:
    """Whether a name looks meant as a key press: three parts, and a number in front."""
    parts = read_name(name)
    return parts is not None and any(char.isdigit() for char in parts[0])


def is_in_rules(name: str) -> bool:
    """Whether a name's key is one that the rules have: the appendix, an ASCII letter, a digit."""
    parts = read_name(name)
    key = parts[1] if parts else ""
    return key in NAMES or (len(key) == 1 and key.isascii() and key.isalnum())


class Full(Exception):
    """The log has reached its limit."""


class Log:
    """The entries in their order, and what is asked of them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._typed: list[Seen] = []
        self.full = False
        self.act = ""
        self.life = 0

    def add(
        self, at: float, kind: Kind, name: str = "", what: str = DIRECTORY, detail: str = ""
    ) -> Event:
        """Writes an entry under the present act and life; beyond `LIMIT` none of what the entry
        made, nor of removals, which `full` tells."""
        if len(self.events) >= LIMIT and kind in (Kind.MADE, Kind.GONE, Kind.TAKEN):
            self.full = True
            return self.events[-1]
        event = Event(len(self.events) + 1, at, self.life, self.act, kind, name, what, detail)
        self.events.append(event)
        if kind is Kind.MADE and is_key_like(name):
            parts = read_name(name)
            assert parts is not None
            self._typed.append(Seen(event, *parts))
        return event

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def of(self, *kinds: Kind, where: Callable[[Event], bool] | None = None) -> list[Event]:
        """Entries of these kinds."""
        return [e for e in self.events if e.kind in kinds and (where is None or where(e))]

    def made(self) -> list[Event]:
        """All that the entry made."""
        return self.of(Kind.MADE)

    def typed(
        self, after: int = 0, before: int | None = None, life: int | None = None
    ) -> list[Seen]:
        """The entry's key presses, in the order in which they appeared.

        Arguments:
            after: the number of the entry behind which to begin.
            before: the number of the entry before which to end; the log's end if left out.
            life: one life only.
        """
        first = bisect.bisect_right(self._typed, after, key=lambda seen: seen.event.number)
        found = self._typed[first:]
        if before is not None:
            found = [seen for seen in found if seen.event.number < before]
        return [seen for seen in found if life in (None, seen.event.life)]

    def acts(self, name: str) -> list[Event]:
        """The beginnings of an act of that name."""
        return self.of(Kind.ACT, where=lambda e: e.act == name)


@dataclass(frozen=True, slots=True)
class Ask:
    """A line that was asked, with its answer.

    Attributes:
        event: the moment at which the line was whole.
        told: the line, as it should have been read.
        keys: what the entry typed from then until the next line was whole, in the same life.
        ended: why listening ended: "answered", "still typing" if we went on before the answer's
            end, "unanswered", "ended by itself"; "" if the whole check ended meanwhile.
        until: when listening ended, in seconds; the last key's time if it was cut.
    """

    event: Event
    told: str
    keys: tuple[Seen, ...]
    ended: str
    until: float

    @property
    def answered(self) -> bool:
        """Whether anything came."""
        return bool(self.keys)

    @property
    def cut(self) -> bool:
        """Whether an answer came that we did not hear to its end."""
        return self.answered and self.ended in ("", "still typing")

    @property
    def latency(self) -> float:
        """Seconds from the line to the answer's first key."""
        return self.keys[0].event.at - self.event.at if self.keys else float("inf")

    @property
    def text(self) -> str:
        """The answer as a judge would see it."""
        return text_of(list(self.keys))


def asks(log: Log, *acts: str) -> list[Ask]:
    """All lines that were asked, or those of some acts, in order."""
    asked = log.of(Kind.ASKED)
    found = []
    for index, event in enumerate(asked):
        if acts and event.act not in acts:
            continue
        before = asked[index + 1].number if index + 1 < len(asked) else None
        keys = tuple(log.typed(event.number, before, event.life))
        rest = log.events[event.number : None if before is None else before - 1]
        heard = next((e for e in rest if e.kind is Kind.HEARD), None)
        until = heard.at if heard else keys[-1].event.at if keys else event.at
        found.append(Ask(event, event.detail, keys, heard.detail if heard else "", until))
    return found


def earlier_lines(log: Log, asked: Event) -> list[str]:
    """What else the program was told in this life before a line, left-overs that it read included:
    a late answer may belong to any of it."""
    found = [
        event.detail
        for event in log.of(Kind.ASKED)
        if event.life == asked.life and event.number < asked.number
    ]
    read = {event.name for event in log.of(Kind.GONE) if event.life == asked.life}
    if any(e.name in read for e in log.of(Kind.PRESSED) if e.act == "leftovers"):
        found.append(texts.LEFT_OVER)
    return found


def folds(log: Log) -> bool:
    """Whether an entry that echoes changes capitals everywhere."""
    probes = asks(log, "probe")
    return not any(texts.holds(a.text, a.told, False) for a in probes) and any(
        texts.holds(a.text, a.told, True) for a in probes
    )


def line_of_act(log: Log, act: str) -> tuple[Ask | None, Ask | None]:
    """The line of an act, and the same line typed once more, plainly; None for what was not asked.

    Arguments:
        act: the act; of one that was played twice, the last time counts.
    """
    begun = log.acts(act)
    if not begun:
        return None, None
    asked = [ask for ask in asks(log, act) if ask.event.number > begun[-1].number]
    if not asked:
        return None, None
    again = next((ask for ask in asked[1:] if ask.told == asked[0].told), None)
    return asked[0], again


def came_back(log: Log, ask: Ask, again: Ask | None = None) -> bool:
    """Whether a line came back as typed, be it so late that the next had been told.

    Arguments:
        ask: the line.
        again: the same line, if it was typed once more: one echo of it is then not enough.
    """
    before = again.event.number if again else None
    said = text_of(log.typed(ask.event.number, before, ask.event.life))
    if texts.holds(said, ask.told, folds(log)):
        return True
    both = text_of(log.typed(ask.event.number, life=ask.event.life)).casefold()
    return again is not None and both.count(ask.told.strip().casefold()) > 1


def text_of(keys: list[Seen]) -> str:
    """Key presses as the text that a judge sees; an unknown name types nothing."""
    return Pane(printable(seen.key) for seen in keys).text
