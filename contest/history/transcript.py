"""A talk as lines of text: who typed what, when, and how.

What a line holds is what stood in the end, by the pane rule (rules of the contest, section 2:
BackSpace takes the last character, a newline too); what was typed on the way there stays beside
it. Keys out of phase were never shown and are no part of a transcript.
"""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from contest.history.views import ContestView, KeyView, TalkView
from contest.record.bodies import Author
from contest.state.incidents import WITHHELD
from lpp.names import BACKSPACE_CHAR, char_of, legible

_MS = 1_000_000
_AUTHORS: tuple[Author, Author] = ("judge", "entity")

#: How keys that leave no character of their own are written in what was typed.
_SIGNS = {BACKSPACE_CHAR: "←", "\n": "⏎", "\t": "⇥"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a transcript.

    Attributes:
        author: `judge` or `entity`.
        text: what stood in the end, without its newline.
        typed: all keys that were pressed for it, corrections among them, as text.
        runs: the characters that were typed, in their order, as (text, whether it stands).
        offset_ms: when its first standing character was typed: milliseconds of the interaction.
        end_ms: when its last key was pressed.
        finished: whether it was ended by Return; a line may be cut off by the talk's end.
    """

    author: Author
    text: str
    typed: str
    runs: tuple[tuple[str, bool], ...]
    offset_ms: int
    end_ms: int
    finished: bool

    @property
    def corrected(self) -> bool:
        """Whether anything was typed that does not stand."""
        return self.typed.removesuffix(_SIGNS["\n"]) != self.text


@dataclass(frozen=True, slots=True)
class Typing:
    """How an author typed in a talk; times in milliseconds of the interaction.

    Attributes:
        keys: key presses shown.
        backspaces: how many of them were BackSpace.
        returns: how many ended a line.
        characters: how many characters stood in the end.
        first_ms: when the first key came; None without keys.
        median_gap_ms: the median time between successive keys; None with less than two.
        out_of_phase: keys that were recorded and never shown.
    """

    keys: int
    backspaces: int
    returns: int
    characters: int
    first_ms: int | None
    median_gap_ms: int | None
    out_of_phase: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """A talk's transcript: its lines in the order in which they were begun, and its typing."""

    talk: TalkView
    lines: tuple[Line, ...]
    judge: Typing
    entity: Typing


def transcribe(talk: TalkView) -> Transcript:
    """Writes a talk down."""
    lines = [line for author in _AUTHORS for line in _lines(talk, author)]
    lines.sort(key=lambda line: (line.offset_ms, line.end_ms))
    return Transcript(talk, tuple(lines), _typing(talk, "judge"), _typing(talk, "entity"))


def offset_ms(talk: TalkView, mono_ns: int) -> int:
    """Milliseconds of the interaction at a moment of the contest's clock, pauses taken out;
    counted from the talk's opening where no interaction is on record."""
    offset = None if talk.timing is None else talk.timing.offset_ns(mono_ns)
    return (mono_ns - talk.opened_ns if offset is None else offset) // _MS


def clock(milliseconds: int) -> str:
    """An offset as minutes and seconds, such as `04:09`; `-00:02` before the beginning."""
    minutes, seconds = divmod(abs(milliseconds) // 1000, 60)
    return f"{'-' * (milliseconds <= -1000)}{minutes:02d}:{seconds:02d}"


def as_text(view: ContestView, talk: TalkView) -> str:
    """A talk's transcript as plain text.

    Arguments:
        view: the contest.
        talk: one of its talks.

    Returns:
        Lines ended by a line feed: what was said, then what was typed where that differs. Of a
        talk that is left out, its heading and a line that says so.
    """
    if talk.withheld:
        return f"{_heading(view, talk)}\n\n({WITHHELD})\n"
    written = transcribe(talk)
    said = [_heading(view, talk), ""]
    said += [_said(talk, line) for line in written.lines] or ["(nobody typed anything)"]
    corrected = [line for line in written.lines if line.corrected]
    if corrected:
        said += ["", f"As typed, where that differs ({_legend()}):"]
        said += [
            f"[{clock(line.offset_ms)}] {who(talk, line.author)}: {line.typed}"
            for line in corrected
        ]
    said += ["", f"{talk.judge}: {in_words(written.judge)}"]
    said += [f"{talk.entity}: {in_words(written.entity)}"]
    return "".join(f"{line}\n" for line in said)


def who(talk: TalkView, author: Author) -> str:
    """The id of an author of a talk."""
    return talk.judge if author == "judge" else talk.entity


def in_words(typing: Typing) -> str:
    """How an author typed, as a phrase."""
    if not typing.keys:
        said = "no key pressed"
    else:
        said = f"{_count(typing.keys, 'key')}, {_count(typing.backspaces, 'BackSpace')}"
        if typing.median_gap_ms is not None:
            said += f", median gap {typing.median_gap_ms} ms"
    if typing.out_of_phase:
        said += f"; {_count(typing.out_of_phase, 'key')} out of phase, never shown"
    return said


def as_typed(keys: Iterable[str]) -> str:
    """Key names as text that leaves nothing out: signs for BackSpace, Return and Tab, and names
    in angle brackets for keys that type nothing."""
    return "".join(_typed(key) for key in keys)


def _typed(key: str) -> str:
    char = char_of(key)
    if char is None:
        return f"<{legible(key)}>"
    return _SIGNS.get(char, char)


def _legend() -> str:
    return f"{_SIGNS[BACKSPACE_CHAR]} BackSpace, {_SIGNS[chr(10)]} Return, <…> a key without a sign"


def _heading(view: ContestView, talk: TalkView) -> str:
    again = f", attempt {talk.attempt}" if talk.attempt > 1 or not talk.counts else ""
    void = "" if talk.counts else " (does not count)"
    if talk.voided is not None:
        void = f" (does not count: {' '.join(talk.voided.split())})"
    place = f"Round {talk.round}{again}{void}: {_named(view, talk, talk.judge)}"
    return f"{place} with {_named(view, talk, talk.entity)}, {talk.side}"


def _named(view: ContestView, talk: TalkView, someone: str) -> str:
    name = view.name_in(talk, someone)
    return someone if name == someone else f"{someone} ({' '.join(name.split())})"


def _said(talk: TalkView, line: Line) -> str:
    unfinished = "" if line.finished else "  (unfinished)"
    return f"[{clock(line.offset_ms)}] {who(talk, line.author)}: {line.text}{unfinished}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _lines(talk: TalkView, author: Author) -> list[Line]:
    keys = talk.shown(author)
    standing = _standing(keys)
    ends = [at for at in standing if char_of(keys[at].key) == "\n"]
    lines, begin = [], 0
    for end in ends:
        lines.append(_line(talk, author, keys, range(begin, end + 1), standing, finished=True))
        begin = end + 1
    if any(char_of(key.key) is not None for key in keys[begin:]):
        rest = range(begin, len(keys))
        lines.append(_line(talk, author, keys, rest, standing, finished=False))
    return lines


def _standing(keys: Sequence[KeyView]) -> list[int]:
    """The places of the keys whose characters stand in the end, by the pane rule."""
    standing: list[int] = []
    for at, key in enumerate(keys):
        char = char_of(key.key)
        if char == BACKSPACE_CHAR:
            if standing:
                standing.pop()
        elif char is not None:
            standing.append(at)
    return standing


def _line(
    talk: TalkView,
    author: Author,
    keys: Sequence[KeyView],
    part: range,
    standing: Sequence[int],
    *,
    finished: bool,
) -> Line:
    stands = standing[bisect_left(standing, part.start) : bisect_left(standing, part.stop)]
    chars = [char_of(keys[at].key) or "" for at in stands]
    return Line(
        author=author,
        text="".join(chars[:-1] if finished else chars),
        typed=as_typed(keys[at].key for at in part),
        runs=_runs(keys, part, set(stands)),
        offset_ms=offset_ms(talk, keys[stands[0] if stands else part[0]].mono_ns),
        end_ms=offset_ms(talk, keys[part[-1]].mono_ns),
        finished=finished,
    )


def _runs(
    keys: Sequence[KeyView], part: range, stands: Container[int]
) -> tuple[tuple[str, bool], ...]:
    # The Return that ends a line is plain from the line's end: only one taken back is shown.
    chars = (
        (_typed(keys[at].key), at in stands)
        for at in part
        if char_of(keys[at].key) != BACKSPACE_CHAR
        and not (char_of(keys[at].key) == "\n" and at in stands)
    )
    return tuple(
        ("".join(text for text, _ in run), stand)
        for stand, run in groupby(chars, key=lambda char: char[1])
    )


def _typing(talk: TalkView, author: Author) -> Typing:
    keys = talk.shown(author)
    chars = [char_of(key.key) for key in keys]
    times = [key.mono_ns for key in keys]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    return Typing(
        keys=len(keys),
        backspaces=chars.count(BACKSPACE_CHAR),
        returns=chars.count("\n"),
        characters=len(_standing(keys)),
        first_ms=offset_ms(talk, times[0]) if times else None,
        median_gap_ms=round(statistics.median(gaps) / _MS) if gaps else None,
        out_of_phase=sum(k.author == author and k.out_of_phase is not None for k in talk.keys),
    )
