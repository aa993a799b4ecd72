"""A talk as lines of text (who typed what, when, and how), and the names of files about talks.

A line has the text that remained in the end, by the pane rule (rules of the contest, section 2:
BackSpace removes the last character, even a newline), and beside it the keys as they were typed.
Keys out of phase were never shown and are not part of a transcript.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from contest.record.bodies import Author
from contest.results.contest import Contest, Key
from contest.results.rhythm import AUTHORS
from contest.state.incidents import WITHHELD
from contest.state.model import Talk
from lpp.lines import Pane
from lpp.names import BACKSPACE_CHAR, char_of, legible
from scheduler.texts import counted

#: Signs for BackSpace, Return and Tab in text as typed.
_SIGNS = {BACKSPACE_CHAR: "←", "\n": "⏎", "\t": "⇥"}
_LEGEND = "← BackSpace, ⏎ Return, ⇥ Tab, <…> a key that types nothing"

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
#: The maximum number of characters of an id in a file name: on Windows a path must have fewer than
#: 260.
_ID_LENGTH = 32


_T = TypeVar("_T")

#: A line of a talk in `results.json`: `author`; `text`, the text that remained, without its
#: newline; `offset_ms`, when its first remaining character was typed, in milliseconds of the
#: interaction; `end_ms`, when its last key was pressed; `finished`, whether Return ended it; and,
#: if anything was deleted, `typed`: all keys that were pressed for it, as text.
Line: TypeAlias = dict[str, Any]


def transcribe(contest: Contest, talk: Talk) -> tuple[list[Line], dict[Author, dict[str, Any]]]:
    """The lines of a talk in the order in which they were begun, and for each author the `typing`
    of `results.json` (docs/reference/results.md)."""
    lines: list[Line] = []
    typing: dict[Author, dict[str, Any]] = {}
    for author in AUTHORS:
        keys = contest.shown(talk, author)
        standing = Pane(key.key for key in keys).standing
        lines += _lines(contest, talk, author, keys, standing)
        chars = [char_of(key.key) for key in keys]
        gaps = [later.mono_ns - earlier.mono_ns for earlier, later in pairwise(keys)]
        typing[author] = {
            "keys": len(keys),
            "backspaces": chars.count(BACKSPACE_CHAR),
            "returns": chars.count("\n"),
            "characters": len(standing),
            "first_ms": contest.offset_ms(talk, keys[0].mono_ns) if keys else None,
            "median_gap_ms": round(statistics.median(gaps) / 1_000_000) if gaps else None,
            "out_of_phase": sum(k.author == author for k in contest.keys(talk.id)) - len(keys),
        }
    lines.sort(key=lambda line: (line["offset_ms"], line["end_ms"]))
    return lines, typing


def typing_in_words(typing: dict[str, Any]) -> str:
    """How an author typed, as a phrase; `typing` is that author's from `transcribe`."""
    said = "no key pressed"
    if typing["keys"]:
        said = f"{counted(typing['keys'], 'key')}, {counted(typing['backspaces'], 'BackSpace')}"
        if typing["median_gap_ms"] is not None:
            said += f", median gap {typing['median_gap_ms']} ms"
    if typing["out_of_phase"]:
        said += f"; {counted(typing['out_of_phase'], 'key')} out of phase, never shown"
    return said


def clock(milliseconds: int) -> str:
    """Formats an offset as minutes and seconds, such as `04:09`; `-00:02` before the beginning."""
    minutes, seconds = divmod(abs(milliseconds) // 1000, 60)
    return f"{'-' * (milliseconds <= -1000)}{minutes:02d}:{seconds:02d}"


def as_text(contest: Contest, talk: Talk) -> str:
    """A talk's transcript as plain text.

    Returns:
        Lines ending with a line feed: the text that remained, then the text as typed where that
        differs. For a withheld talk, its heading and a line that says so.
    """
    if contest.withheld(talk):
        return f"{_heading(contest, talk)}\n\n({WITHHELD})\n"
    lines, typing = transcribe(contest, talk)
    said = [_heading(contest, talk), ""]
    said += [
        f"{_began(talk, line)}: {line['text']}{'' if line['finished'] else '  (unfinished)'}"
        for line in lines
    ] or ["(nobody typed anything)"]
    typed = [f"{_began(talk, line)}: {line['typed']}" for line in lines if "typed" in line]
    if typed:
        said += ["", f"As typed, where that differs ({_LEGEND}):", *typed]
    said += ["", f"{talk.judge}: {typing_in_words(typing['judge'])}"]
    said += [f"{talk.entity}: {typing_in_words(typing['entity'])}"]
    return "".join(f"{line}\n" for line in said)


def as_typed(keys: Iterable[str]) -> str:
    """Key names as text that shows every key: signs for BackSpace, Return and Tab, and names in
    angle brackets for keys that type nothing."""
    return "".join(map(_typed, keys))


def file_name(talk: Talk, end: str) -> str:
    """The name of a file about a talk, without its extension. It is made from rounds, attempts and
    ids only, never from typed text or names of people or programs.

    Arguments:
        talk: the talk; its round, attempt and judge are in the name.
        end: distinguishes it from others of the same desk; for example its side.
    """
    ids = "-".join(_UNSAFE.sub("_", part)[:_ID_LENGTH] for part in (talk.judge, end))
    return f"round{talk.round}-attempt{talk.attempt}-{ids}"


def unique_names(named: Iterable[tuple[str, _T]]) -> Iterator[tuple[str, _T]]:
    """Makes the names of values unique, also on file systems that ignore case; the values stay the
    same, and so does their order."""
    taken: set[str] = set()
    for name, of in named:
        own, count = name, 1
        while own.casefold() in taken:
            count += 1
            stem, dot, ending = name.rpartition(".")
            own = f"{stem}-{count}{dot}{ending}"
        taken.add(own.casefold())
        yield own, of


def _typed(key: str) -> str:
    char = char_of(key)
    return f"<{legible(key)}>" if char is None else _SIGNS.get(char, char)


def _began(talk: Talk, line: Line) -> str:
    who = talk.judge if line["author"] == "judge" else talk.entity
    return f"[{clock(line['offset_ms'])}] {who}"


def _heading(contest: Contest, talk: Talk) -> str:
    counts, voided = contest.counts(talk), contest.voided(talk)
    again = f", attempt {talk.attempt}" if talk.attempt > 1 or not counts else ""
    why = "" if voided is None else f": {' '.join(voided.split())}"
    void = "" if counts else f" (does not count{why})"
    names = [
        who if (name := contest.name_in(talk, who)) == who else f"{who} ({' '.join(name.split())})"
        for who in (talk.judge, talk.entity)
    ]
    return f"Round {talk.round}{again}{void}: {' with '.join(names)}, {talk.side}"


def _lines(
    contest: Contest, talk: Talk, author: Author, keys: Sequence[Key], standing: Sequence[int]
) -> Iterator[Line]:
    """The lines of one author; `standing` are the indexes of the keys whose characters remain."""
    chars = [char_of(key.key) or "" for key in keys]
    stands = set(standing)
    ends = [at + 1 for at in standing if chars[at] == "\n"]
    for begin, end in pairwise((0, *ends, len(keys))):
        finished = begin < end and chars[end - 1] == "\n" and end - 1 in stands
        held = [at for at in range(begin, end) if at in stands]
        if not finished and not any(chars[begin:end]):
            continue
        text = "".join(chars[at] for at in (held[:-1] if finished else held))
        typed = as_typed(key.key for key in keys[begin:end])
        yield {
            "author": author,
            "offset_ms": contest.offset_ms(talk, keys[held[0] if held else begin].mono_ns),
            "end_ms": contest.offset_ms(talk, keys[end - 1].mono_ns),
            "text": text,
            "finished": finished,
            **({} if typed.removesuffix(_SIGNS["\n"]) == text else {"typed": typed}),
        }
