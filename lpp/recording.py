"""Recorded talks to play back, from any source:

* `of_log` -- a log in the 2012 format: both talks of a pairing;
* `of_events` -- one talk of a contest's record, from its `events.jsonl`;
* `load` -- either of them from a file.

`loebner.replay` plays them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import msgspec

from lpp import log2012
from lpp.errors import BadLog, UserError
from lpp.log2012 import Author, Loss, Place


class NoSuchTalk(UserError):
    """A talk or a side that the recording doesn't have.

    Attributes:
        talks: the talks to choose from; empty if there is no choice.
    """

    def __init__(self, message: str, talks: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.talks = tuple(talks)


@dataclass(frozen=True, slots=True)
class RecordedKey:
    """A key press in a recording.

    Attributes:
        time_us: microseconds since some fixed moment; times may decrease.
        side: the talk.
        author: who typed it.
        key: the key name as it was recorded.
        line: the number of its line in the file.
    """

    time_us: int
    side: Place
    author: Author
    key: str
    line: int


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording that can be played.

    Attributes:
        name: its name in messages.
        about: lines for a person: what this is, and who takes part.
        entities: maps each of its sides to the name of the entity there.
        presses: the key presses in the file's order.
        losses: what could not be read.
        program_side: the side of the program; None if the recording doesn't say.
    """

    name: str
    about: tuple[str, ...]
    entities: Mapping[Place, str]
    presses: tuple[RecordedKey, ...]
    losses: tuple[Loss, ...] = ()
    program_side: Place | None = None

    def side(self, wanted: str | None) -> Place:
        """Finds the side that a person asks for.

        Arguments:
            wanted: `left`, `right`, `program` or `human`; None for the program's or the only side.

        Raises:
            NoSuchTalk: if the recording doesn't have it, or doesn't say which it is.
        """
        for place in self.entities:
            if wanted == place:
                return place
        if self.program_side is not None:
            if wanted in ("program", None):
                return self.program_side
            if wanted == "human":
                return "right" if self.program_side == "left" else "left"
        if wanted is None and len(self.entities) == 1:
            return next(iter(self.entities))
        raise NoSuchTalk(
            f"{self.name}: there is no side {wanted!r} in this talk; "
            f"leave out --side, or give {' or '.join(self.entities)}"
        )

    def only(self, side: Place) -> Recording:
        """This recording with only the talk of one side."""
        presses = tuple(press for press in self.presses if press.side == side)
        return replace(self, entities={side: self.entities[side]}, presses=presses)

    def offsets_us(self) -> tuple[int, ...]:
        """When each key press is due, in microseconds since the first, in the file's order.

        A time that decreases counts as no gap, and later times are counted from there. So the
        result never decreases.
        """
        offsets: list[int] = []
        due, before = 0, None
        for press in self.presses:
            if before is not None:
                due += max(0, press.time_us - before)
            before = press.time_us
            offsets.append(due)
        return tuple(offsets)


# Reading recordings


def load(path: str | os.PathLike[str], talk: str | None = None) -> Recording:
    """Reads a recording from a file: a log in the 2012 format, or a record's `events.jsonl`.

    Arguments:
        path: the file.
        talk: the talk in a record, such as `1.1.J1.left`; may be None if there is only one.

    Raises:
        BadLog, NoSuchTalk: as `of_events`; BadLog also if the file can't be read.
    """
    name = os.fspath(path)
    with log2012.opened(path) as file:
        begin: list[bytes] = []
        for line in file:  # read only once: it may be a pipe
            begin.append(line)
            if line.strip():
                break
        if begin and begin[-1].lstrip()[:1] == b"{":
            return of_events(enumerate(chain(begin, file), 1), name, talk)
        data = b"".join([*begin, file.read()])
    if talk is not None:
        raise NoSuchTalk(f"{name}: this is a log of one pairing; leave out --talk {talk}")
    return of_log(log2012.read(data, name), name)


def of_log(log: log2012.Log2012, name: str) -> Recording:
    """Makes a recording from a log in the 2012 format."""
    return Recording(
        name,
        (
            log.title,
            log.notice,
            f"judge {log.judge or '?'}, program {log.program}, round {log.round or '?'}; "
            f"left: {log.entity_kind('left')}, right: {log.entity_kind('right')}",
        ),
        {"left": log.entity_kind("left"), "right": log.entity_kind("right")},
        tuple(RecordedKey(e.time_us, e.side, e.author, e.key, e.line) for e in log.entries),
        log.losses,
        log.program_side,
    )


class _Event(msgspec.Struct):
    talk: str | None
    mono_ns: int
    kind: str
    body: msgspec.Raw
    redacted: bool = False


class _Key(msgspec.Struct):
    author: Author
    side: Place
    key: str
    out_of_phase: str | None = None


class _Opened(msgspec.Struct):
    side: Place
    judge: str = "?"
    entity: str = "entity"


_event_decoder = msgspec.json.Decoder(_Event)
_key_decoder = msgspec.json.Decoder(_Key)
_opened_decoder = msgspec.json.Decoder(_Opened)


def of_events(lines: Iterable[tuple[int, bytes]], name: str, talk: str | None = None) -> Recording:
    """Makes a recording from one talk of a contest's record. Key presses outside the interaction
    are left out, because they were recorded but not shown.

    Arguments:
        lines: the lines of an `events.jsonl`, numbered; other talks' keys may be missing.
        name: the recording's name in messages.
        talk: the talk; None if there is only one.

    Raises:
        BadLog: if there are no events, or no talk.
        NoSuchTalk: if the talk doesn't exist, or there are several and none was chosen.
    """
    losses: list[Loss] = []
    presses: list[RecordedKey] = []
    withheld: list[int] = []
    opened: _Opened | None = None
    talks: dict[str, None] = {}
    is_record = False
    for number, line in lines:
        if not line.strip():
            continue
        try:
            event = _event_decoder.decode(line)
            is_record = True
            if event.talk is None:
                continue
            talks.setdefault(event.talk)
            # Without a choice, read the first talk; if there are more, that is an error below.
            if event.talk != (talk or next(iter(talks))):
                continue
            if event.redacted:
                withheld.append(number)
            elif event.kind == "talk-opened":
                opened = _opened_decoder.decode(event.body)
            elif event.kind == "key":
                key = _key_decoder.decode(event.body)
                if key.out_of_phase is None:
                    time_us = event.mono_ns // 1000
                    presses.append(RecordedKey(time_us, key.side, key.author, key.key, number))
        except (msgspec.DecodeError, UnicodeError, RecursionError) as exc:
            if not is_record:
                raise BadLog(
                    f"{name}, line {number}: this is not an event of a record ({exc}); "
                    "give a log in the 2012 format, or the events.jsonl of an export"
                ) from exc
            losses.append(Loss(number, f"not readable as an event: {exc}"))
    if not talks:
        raise BadLog(f"{name}: the record has no talks; give one of a contest that was played")
    # Use repr, so that no control character from the file reaches the terminal.
    known = ", ".join(repr(each)[1:-1] for each in talks)
    if talk is None and len(talks) > 1:
        raise NoSuchTalk(f"{name}: choose a talk with --talk: {known}", list(talks))
    chosen = next(iter(talks)) if talk is None else talk
    if chosen not in talks:
        raise NoSuchTalk(f"{name}: there is no talk {chosen!r}; there are {known}", list(talks))
    if withheld:
        what = f"{len(withheld)} events of this talk are not published: a participant withheld them"
        losses.append(Loss(withheld[0], what))
    if opened is None:  # the record was cut off, or events were removed from it
        opened = _Opened(presses[0].side if presses else "left")
    about = f"talk {chosen}: judge {opened.judge}, {opened.entity} on the {opened.side}"
    entities = {opened.side: opened.entity}
    return Recording(name, (about,), entities, tuple(presses), tuple(losses))
