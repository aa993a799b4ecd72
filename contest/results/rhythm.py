"""Typing rhythm of people and programs: pace, pauses, corrections, lines, overlap, answers.

Computed only from key presses and their times, so that logs from 2012 and a contest's record are
measured alike. Needs only the standard library.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from lpp.lines import Pane
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.recording import Recording
from lpp.wire import Author

AUTHORS: tuple[Author, Author] = ("judge", "entity")
#: The shortest gap that counts as a pause, in milliseconds: two seconds, as in studies of typing.
PAUSE_MS = 2_000
#: Turns overlap if characters of the two authors are closer than this, in milliseconds.
OVERLAP_MS = 1_000
#: Edges of a distribution's bins, in milliseconds, each √2 times the previous one.
BINS = tuple(4 * 2 ** (step / 2) for step in range(25))


class Press(NamedTuple):
    """A key press of a talk: its time in milliseconds from any origin, its author and its name."""

    ms: float
    author: Author
    key: str


def rhythm_of(presses: Sequence[Press], author: Author) -> dict[str, Any]:
    """How an author typed in a talk: the measured columns of `rhythm.csv`
    (docs/reference/data-package.md), times in milliseconds, None where there is no value.

    Arguments:
        presses: the key presses of one talk by both authors, in order.
        author: the author to measure.
    """
    own = [press for press in presses if press.author == author]
    gaps = list(gaps_of(presses, author))
    brisk = [gap for gap in gaps if gap < PAUSE_MS]
    pane = Pane(press.key for press in own)
    lengths = [len(line) for line in pane.lines if line]
    answers = list(_answers(presses, author))
    backspaces = sum(char_of(press.key) == BACKSPACE_CHAR for press in own)
    return {
        "keys": len(own),
        "characters": len(pane.text),
        "lines": len(lengths),
        "backspaces": backspaces,
        "first_ms": own[0].ms if own else None,
        **{f"gap_{name}_ms": value for name, value in quartiles(brisk).items()},
        "keys_a_minute": 60_000 * len(brisk) / sum(brisk) if sum(brisk) else None,
        "pauses": len(gaps) - len(brisk),
        "longest_ms": max(gaps, default=None),
        "backspace_share": backspaces / len(own) if own else None,
        "line_length": statistics.median(lengths) if lengths else None,
        "overlap": _overlap(presses, author),
        "answer_ms": statistics.median(answers) if answers else None,
    }


def rows_of(recording: Recording) -> list[dict[str, Any]]:
    """How each author typed on each side of a recording: `side`, `author`, `who` and the values of
    `rhythm_of`. Times count from the side's first key.

    Arguments:
        recording: a log from 2012, or a talk from a contest's record.
    """
    rows = []
    for side, entity in recording.entities.items():
        keys = recording.only(side).presses
        presses = [
            Press((key.time_us - keys[0].time_us) / 1000, key.author, key.key) for key in keys
        ]
        for author, who in zip(AUTHORS, ("judge", entity), strict=True):
            rows.append({"side": side, "author": author, "who": who, **rhythm_of(presses, author)})
    return rows


def gaps_of(presses: Iterable[Press], author: Author) -> Iterator[float]:
    """The times between an author's successive keys, in milliseconds; negative ones are skipped."""
    times = (press.ms for press in presses if press.author == author)
    for earlier, later in pairwise(times):
        if later >= earlier:
            # Rounded to a nanosecond; finer digits are rounding errors.
            yield round(later - earlier, 6)


def quartiles(values: Iterable[float]) -> dict[str, float | None]:
    """The quartiles `low`, `median` and `high` of some values; None if there are no values."""
    ordered = sorted(values)
    found: Sequence[float | None] = ordered * 3 or [None] * 3
    if len(ordered) > 1:
        found = statistics.quantiles(ordered, n=4, method="inclusive")
    return dict(zip(("low", "median", "high"), found, strict=False))


def distribution(gaps: Iterable[float]) -> tuple[float, ...]:
    """The share of the gaps in each bin between `BINS`; shorter gaps are in the first bin, longer
    ones in the last. Empty without gaps."""
    counts = [0] * (len(BINS) - 1)
    for gap in gaps:
        counts[min(max(bisect_right(BINS, gap) - 1, 0), len(counts) - 1)] += 1
    total = sum(counts)
    return tuple(count / total for count in counts) if total else ()


def _types(press: Press) -> bool:
    return char_of(press.key) not in (None, BACKSPACE_CHAR)


def _overlap(presses: Sequence[Press], author: Author) -> float | None:
    """The share of the characters typed less than a second from one of the other author's."""
    own = [press.ms for press in presses if press.author == author and _types(press)]
    others = sorted(press.ms for press in presses if press.author != author and _types(press))
    if not own:
        return None

    def nearest(ms: float) -> float:
        at = bisect_left(others, ms)
        return min((abs(ms - time) for time in others[max(0, at - 1) : at + 1]), default=math.inf)

    return sum(nearest(ms) < OVERLAP_MS for ms in own) / len(own)


def _answers(presses: Sequence[Press], author: Author) -> Iterator[float]:
    """The times from each Return of the other author to the author's next key, if that key comes
    before the other's next Return."""
    asked: float | None = None
    for press in presses:
        if press.author != author:
            if char_of(press.key) == "\n":
                asked = press.ms
        elif asked is not None:
            if press.ms >= asked:
                yield press.ms - asked
            asked = None
