"""The log form of the contest of 2012: text in, values out, and back.

A log holds the key presses of one pairing, both talks and both authors in one sequence;
docs/reference/log-2012.md describes the form. `write` gives for a log that was `read` the file
again, byte for byte, also where it was cut off in the middle of a line.

A line that can't be read loses a key, never the log: the log's `losses` name it. A file that lacks
the four header lines is refused.
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
from lpp.lines import Pane
from lpp.names import legible

Place: TypeAlias = Literal["left", "right"]
Author: TypeAlias = Literal["judge", "entity"]
#: Who sits at a side.
Sitter: TypeAlias = Literal["program", "human"]

#: Who a judge's line says that it is by; whatever else is there is an entity.
JUDGE = "judge"
#: The second line of the contest's own logs.
PUBLIC_DOMAIN = "These transcripts are in the public domain"

#: Digits of a time: eleven of seconds since 1970, seven of microseconds.
SECONDS_DIGITS, MICROSECONDS_DIGITS = 11, 7
_HEADER_LINES = 4
_WHAT_TO_DO = "give a log in the form of 2012 (docs/reference/log-2012.md)"

# Two of the contest's logs have a blank judge and round.
_PAIRING = re.compile(r"Transcripts of judge (\S*) program (.+) round (\S*) *")
_LEFT = re.compile(r"Left ?= ?(program|human) *")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a log: one key press.

    Attributes:
        judge: the judge's name as lines have it, such as `J2`.
        time_us: when, in microseconds since 1970 (UTC) by the judge's machine; times may run back.
        who: `judge`, or the program's name, which stands for the human too.
        side: the talk.
        key: the key name, verbatim: programs have sent what is none.
        line: the number of its line in the file, 0 if it comes from no file.
    """

    judge: str
    time_us: int
    who: str
    side: Place
    key: str
    line: int = field(default=0, compare=False)

    @property
    def author(self) -> Author:
        """Whether the judge or the one at that side typed it."""
        return "judge" if self.who == JUDGE else "entity"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a recording does not give: at which line of its file, and what, in words."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Log2012:
    """A log. Two are equal if their headers and entries are, whatever was lost.

    Attributes:
        title: the first line, free text.
        notice: the second line, free text: who may use this.
        judge: the judge as the header names him, such as `2`; may be empty.
        program: the program's name; not `judge`.
        round: the round as the header has it: it was typed by hand, or left empty.
        left: who sits at the left.
        entries: the key presses in the file's order.
        losses: what could not be read.
        tail: the last line so far, if the file was cut off within it; else empty.

    Raises:
        ValueError: if a value of the header can't be in the form, or would be read back as another.
            The entries come from `read` or `compose`, and are in it.
    """

    title: str
    notice: str
    judge: str
    program: str
    round: str
    left: Sitter
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
        """Where the program sits."""
        return "left" if self.left == "program" else "right"

    def sitter(self, side: Place) -> Sitter:
        """Who sits at a side."""
        return "program" if side == self.program_side else "human"

    def keys(self, side: Place, author: Author) -> list[str]:
        """The key names of one author of one talk, in the file's order."""
        return [e.key for e in self.entries if e.side == side and e.author == author]

    def text(self, side: Place, author: Author) -> str:
        """What one author's key presses of one talk leave in the end, read as a pane."""
        return Pane(self.keys(side, author)).text


def compose(
    *,
    title: str,
    notice: str,
    judge: str,
    program: str,
    round_: int | str,
    left: Sitter,
    keys: Iterable[tuple[int, Author, Place, str]],
) -> Log2012:
    """A log out of a pairing's record.

    Arguments:
        title, notice, program, round_, left: as in `Log2012`; `PUBLIC_DOMAIN` is the contest's
            own notice.
        judge: the judge's id, such as `J2`.
        keys: time in microseconds since 1970, author, side and key name of each key press of both
            talks, in the order to be written. A key name that can't be in a line is made legible
            (see `loggable`).

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
    """A key name as it can be at the end of a line: bytes that are no text become `\\xNN`; for the
    rest see `lpp.names.legible`."""
    return legible(printable(key))


def write(log: Log2012) -> str:
    """The text of a log, with CR LF at the end of each line, and its tail.

    To bytes by `.encode("utf-8", "surrogateescape")`; write no other line ends in between.
    """
    return "".join(text_lines(log))


def text_lines(log: Log2012) -> Iterator[str]:
    """The same text line by line, for a log that may be large."""
    yield f"{log.title}\r\n"
    yield f"{log.notice}\r\n"
    yield f"Transcripts of judge {log.judge} program {log.program} round {log.round}\r\n"
    yield f"Left ={log.left} \r\n"
    yield from map(_line, log.entries)
    if log.tail:
        yield log.tail


def _line(entry: Entry) -> str:
    seconds, micro = divmod(entry.time_us, 1_000_000)
    time = f"{seconds:0{SECONDS_DIGITS}d}{micro:0{MICROSECONDS_DIGITS}d}"
    return f"{entry.judge} {time} {entry.who} {entry.side} {entry.key}\r\n"


def read(source: str | bytes, name: str = "log") -> Log2012:
    """Reads the text of a log.

    Arguments:
        source: the text, or the bytes of the file: UTF-8, of which ASCII is a part; bytes that
            are no UTF-8 are kept as surrogate escapes.
        name: what messages call it.

    Returns:
        The log. A last line without its end is cut off, so that its key can't be trusted: it is
        a loss, and kept as the log's tail. A line of another form is a loss, too. Lines may end in
        LF alone; empty ones count for nothing.

    Raises:
        BadLog: if it is not a log: empty, binary, or without the four header lines.
    """
    text = source.decode("utf-8", "surrogateescape") if isinstance(source, bytes) else source
    if not text.strip():
        raise BadLog(f"{name}: the file is empty; {_WHAT_TO_DO}")
    # Not splitlines: it would also cut at characters that a key press may carry.
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
                losses.append(Loss(number, f"not in the form of a key press: {_short(line)}"))
        else:
            by, seconds, micro, who, side, key = match.groups()
            time_us = int(seconds) * 1_000_000 + int(micro)
            at: Place = "left" if side == "left" else "right"
            entries.append(Entry(by, time_us, who, at, key, number))
    sitter: Sitter = "program" if left[1] == "program" else "human"
    title, notice = _bare(lines[0]), _bare(lines[1])
    tail = lines[-1] if len(lines) > _HEADER_LINES else ""
    keys, lost = tuple(entries), tuple(losses)
    try:
        return Log2012(title, notice, judge, program, round_, sitter, keys, lost, tail)
    except ValueError as exc:
        raise BadLog(f"{name}, lines 1 to 3: {exc}; {_WHAT_TO_DO}") from exc


def load(path: str | os.PathLike[str]) -> Log2012:
    """Reads a log from a file.

    Raises:
        BadLog: if the file can't be read, or is not a log.
    """
    with opened(path) as file:
        data = file.read()
    return read(data, os.fspath(path))


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
        raise BadLog(f"{name}: there is no such file; name a recording") from exc
    except (IsADirectoryError, PermissionError) as exc:
        # Windows calls the reading of a directory a lack of permission.
        if os.path.isdir(path):
            raise BadLog(f"{name}: this is a directory; name a file in it") from exc
        raise BadLog(f"{name}: the file can't be read; give read permission") from exc
    except (OSError, ValueError) as exc:
        raise BadLog(f"{name}: the file can't be read ({exc}); name a recording") from exc


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
    # The program's name may hold blanks, so it is looked for as a whole. A second has a million
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
