"""Reads and writes logs in the format of the 2012 contest.

A log holds the key presses of one pairing, both talks and both authors in one sequence;
docs/reference/log-2012.md describes the format. If `write` is given a log from `read`, it returns
the original file byte for byte, even if that was cut off in the middle of a line.

An unreadable line loses one key, never the whole log, and is listed in the log's `losses`. A file
without the four header lines is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal, TypeAlias

from lpp.errors import BadLog
from lpp.keypress import printable
from lpp.names import legible

Place: TypeAlias = Literal["left", "right"]
Author: TypeAlias = Literal["judge", "entity"]
#: What the entity on a side is.
EntityKind: TypeAlias = Literal["program", "human"]

#: The author in a judge's lines; any other name is an entity's.
JUDGE = "judge"

#: Digits of a time: eleven for the seconds since 1970, seven for the microseconds.
SECONDS_DIGITS, MICROSECONDS_DIGITS = 11, 7
_HEADER_LINES = 4
_WHAT_TO_DO = "give a log in the 2012 format (docs/reference/log-2012.md)"

# In two of the contest's logs, judge and round are blank.
_PAIRING = re.compile(r"Transcripts of judge (\S*) program (.+) round (\S*) *")
_LEFT = re.compile(r"Left ?= ?(program|human) *")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a log: one key press.

    Attributes:
        judge: the judge's name as in the lines, such as `J2`.
        time_us: microseconds since 1970 (UTC) by the judge's machine; times may decrease.
        who: `judge`, or the program's name, which is also used for the human.
        side: the talk.
        key: the key name, verbatim, even if it is not a valid one.
        line: the number of its line in the file; 0 if it comes from no file.
    """

    judge: str
    time_us: int
    who: str
    side: Place
    key: str
    line: int = field(default=0, compare=False)

    @property
    def author(self) -> Author:
        """Whether the judge or the entity on that side typed it."""
        return "judge" if self.who == JUDGE else "entity"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something missing from a recording: the line in its file, and what, in words."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Log2012:
    """A log. Two logs are equal if their headers and entries are; losses don't matter.

    Attributes:
        title: the first line, free text.
        notice: the second line, free text: who may use the log.
        judge: the judge's name in the header, such as `2`; may be empty.
        program: the program's name; not `judge`.
        round: the round in the header, which was typed by hand, or left empty.
        left: who is on the left.
        entries: the key presses in the file's order.
        losses: what could not be read.
        tail: the incomplete last line, if the file was cut off within it; else empty.

    Raises:
        ValueError: if a header value doesn't fit the format, or would be read back differently.
            Entries are not checked; those from `read` and `compose` fit.
    """

    title: str
    notice: str
    judge: str
    program: str
    round: str
    left: EntityKind
    entries: tuple[Entry, ...] = ()
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    tail: str = ""

    def __post_init__(self) -> None:
        for text in (self.title, self.notice, self.program):
            if "\n" in text or "\r" in text:
                raise ValueError(f"{text!r} has a line end; it must be one line")
        for word in (self.judge, self.round):
            if not re.fullmatch(r"\S*", word):
                raise ValueError(f"{word!r} must be one word or empty in the header of a log")
        if not self.program or re.match(r"judge( (left|right)( |$)|$)", self.program):
            raise ValueError(f"a program can't be called {self.program!r} in a log")

    @property
    def program_side(self) -> Place:
        """The side of the program."""
        return "left" if self.left == "program" else "right"

    def entity_kind(self, side: Place) -> EntityKind:
        """Whether a side is the program's or the human's."""
        return "program" if side == self.program_side else "human"


def compose(
    *,
    title: str,
    notice: str,
    judge: str,
    program: str,
    round_: int | str,
    left: EntityKind,
    keys: Iterable[tuple[int, Author, Place, str]],
) -> Log2012:
    """Makes a log from a pairing's record.

    Arguments:
        title, notice, program, round_, left: as in `Log2012`.
        judge: the judge's id, such as `J2`.
        keys: time in microseconds since 1970, author, side and key name of each key press of both
            talks, in the order in which to write them. Key names that don't fit into a line are
            escaped (see `loggable`).

    Raises:
        ValueError: as Log2012 does.
    """
    number = re.fullmatch(r"J([0-9]+)", judge)
    return Log2012(
        title,
        notice,
        number[1] if number else judge,
        program,
        str(round_),
        left,
        tuple(
            Entry(judge, time_us, JUDGE if author == "judge" else program, side, loggable(key))
            for time_us, author, side, key in keys
        ),
    )


def loggable(key: str) -> str:
    """A key name in a form that can end a line: bytes that are not text become `\\xNN`; for the
    rest see `lpp.names.legible`."""
    return legible(printable(key))


def write(log: Log2012) -> str:
    """The text of a log, with CR LF at the end of each line, and its tail.

    Encode it by `.encode("utf-8", "surrogateescape")`, and don't let the line ends be translated.
    """
    header = (
        log.title,
        log.notice,
        f"Transcripts of judge {log.judge} program {log.program} round {log.round}",
        f"Left ={log.left} ",
    )
    return "".join([*(f"{line}\r\n" for line in header), *map(_line, log.entries), log.tail])


def _line(entry: Entry) -> str:
    seconds, micro = divmod(entry.time_us, 1_000_000)
    time = f"{seconds:0{SECONDS_DIGITS}d}{micro:0{MICROSECONDS_DIGITS}d}"
    return f"{entry.judge} {time} {entry.who} {entry.side} {entry.key}\r\n"


def read(source: str | bytes, name: str = "log") -> Log2012:
    """Reads the text of a log.

    Arguments:
        source: the text, or the bytes of the file, in UTF-8 (or ASCII); bytes that are not UTF-8
            are kept as surrogate escapes.
        name: the log's name in messages.

    Returns:
        The log. A last line without a line end was cut off, and its key can't be trusted: it is a
        loss, and kept as the log's tail. Malformed lines are losses, too. Lines may end in LF
        alone; empty lines are ignored.

    Raises:
        BadLog: if it is not a log: empty, binary, or without the four header lines.
    """
    text = source.decode("utf-8", "surrogateescape") if isinstance(source, bytes) else source
    if not text.strip():
        raise BadLog(f"{name}: the file is empty; {_WHAT_TO_DO}")
    # Not splitlines, which would also split at characters that can be keys.
    lines = text.split("\n")
    pairing = _header(lines, 2, _PAIRING, "Transcripts of judge … program … round …", name)
    left = _header(lines, 3, _LEFT, "Left =program or Left =human", name)
    losses = []
    if len(lines) == _HEADER_LINES:
        losses.append(Loss(_HEADER_LINES, "the file ends with the header"))
    entries = []
    judge, program, round_ = pairing.groups()
    form = _line_form(program)
    for number, line in enumerate(lines[_HEADER_LINES:], _HEADER_LINES + 1):
        match = form.fullmatch(line.removesuffix("\r"))
        if number == len(lines):
            if line:
                losses.append(Loss(number, f"cut off in the middle of the line: {_short(line)}"))
        elif match is None:
            if line.strip():
                losses.append(Loss(number, f"not a key press: {_short(line)}"))
        else:
            by, seconds, micro, who, side, key = match.groups()
            time_us = int(seconds) * 1_000_000 + int(micro)
            at: Place = "left" if side == "left" else "right"
            entries.append(Entry(by, time_us, who, at, key, number))
    kind: EntityKind = "program" if left[1] == "program" else "human"
    title, notice = _bare(lines[0]), _bare(lines[1])
    tail = lines[-1] if len(lines) > _HEADER_LINES else ""
    keys, lost = tuple(entries), tuple(losses)
    try:
        return Log2012(title, notice, judge, program, round_, kind, keys, lost, tail)
    except ValueError as exc:
        raise BadLog(f"{name}, lines 1 to 3: {exc}; {_WHAT_TO_DO}") from exc


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Opens a recording's file for reading.

    Raises:
        BadLog: if it is missing, a directory, or can't be read.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            yield file
    except FileNotFoundError as exc:
        raise BadLog(f"{name}: no such file; give a recording") from exc
    except (IsADirectoryError, PermissionError) as exc:
        # Windows reports the reading of a directory as missing permission.
        if os.path.isdir(path):
            raise BadLog(f"{name}: this is a directory; give a file in it") from exc
        raise BadLog(f"{name}: the file can't be read; grant read permission") from exc
    except (OSError, ValueError) as exc:
        raise BadLog(f"{name}: the file can't be read ({exc}); give a recording") from exc


def _header(
    lines: list[str], index: int, form: re.Pattern[str], expected: str, name: str
) -> re.Match[str]:
    found = _bare(lines[index]) if index < len(lines) else None
    match = None if found is None else form.fullmatch(found)
    if match is None:
        saw = "the file ends before it" if found is None else f"found {_short(found)}"
        if any("\0" in line for line in lines[:_HEADER_LINES]):
            saw = "this is a binary file"
        raise BadLog(f"{name}, line {index + 1}: expected {expected!r}, {saw}; {_WHAT_TO_DO}")
    return match


def _line_form(program: str) -> re.Pattern[str]:
    # The program's name may contain blanks, so it is matched as a whole. A second has a million
    # microseconds, so the first of their seven digits is always 0.
    return re.compile(
        rf"(\S+) ([0-9]{{{SECONDS_DIGITS}}})(0[0-9]{{{MICROSECONDS_DIGITS - 1}}})"
        rf" ({re.escape(program)}|{JUDGE}|\S+) (left|right) ([^\r\0]*)"
    )


def _bare(line: str) -> str:
    return line.removesuffix("\r")


def _short(line: str) -> str:
    plain = printable(_bare(line))
    return repr(plain if len(plain) <= 60 else plain[:59] + "…")
