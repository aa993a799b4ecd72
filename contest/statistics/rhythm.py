"""How somebody typed in a talk: pace, pauses, corrections, lines, overlap, answers; and a report on
the typing of one recording.

Of key presses with their times and nothing else, so that a log of 2012 and a contest's record are
measured alike. Needs no more than Python.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from lpp.lines import Pane
from lpp.log2012 import Author, Place
from lpp.names import BACKSPACE_CHAR, char_of
from lpp.recording import Recording

#: A gap from which on it is a pause, in milliseconds: two seconds, as studies of typing have it.
PAUSE_MS = 2_000
#: Nearer than this to a character of the other's, turns overlap.
OVERLAP_MS = 1_000
#: Limits of a distribution's bins, in milliseconds, each √2 times the one before.
BINS = tuple(4 * 2 ** (step / 2) for step in range(25))

_AUTHORS: tuple[Author, Author] = ("judge", "entity")


class Press(NamedTuple):
    """A key press of a talk: when, in milliseconds from whatever moment, by whom, and its name."""

    ms: float
    author: Author
    key: str


@dataclass(frozen=True, slots=True)
class Quartiles:
    """A quarter of the values lie under the first, half under the second, three under the third."""

    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How one author typed in one talk; times in milliseconds, None where there is no such thing.

    Attributes:
        keys: key presses.
        characters: that stood in the end.
        lines: that stood in the end and were not empty.
        backspaces: how many of the keys were BackSpace.
        first_ms: when the first key came, since the moment that times count from.
        gap_ms: between successive keys, pauses left out. A time that runs back is no gap.
        keys_a_minute: while typing: 60 seconds by the mean of the same.
        pauses: gaps of two seconds and more.
        longest_ms: the longest gap.
        backspace_share: BackSpace, of all keys.
        line_length: characters of a line, the median.
        overlap: which part of the characters was typed less than a second from one of the other's.
        answer_ms: from the other's Return to the next key, the median; of Returns that are followed
            by a key before the other's next Return.
    """

    keys: int
    characters: int
    lines: int
    backspaces: int
    first_ms: float | None
    gap_ms: Quartiles | None
    keys_a_minute: float | None
    pauses: int
    longest_ms: float | None
    backspace_share: float | None
    line_length: float | None
    overlap: float | None
    answer_ms: float | None


def rhythm_of(presses: Sequence[Press], author: Author) -> Rhythm:
    """How an author typed.

    Arguments:
        presses: the key presses of one talk by both authors, in their order.
        author: of whom.
    """
    own = [press for press in presses if press.author == author]
    gaps = list(gaps_of(presses, author))
    brisk = [gap for gap in gaps if gap < PAUSE_MS]
    chars = [char_of(press.key) for press in own]
    pane = Pane(press.key for press in own)
    lengths = [len(line) for line in pane.lines if line]
    answers = list(_answers(presses, author))
    backspaces = chars.count(BACKSPACE_CHAR)
    return Rhythm(
        keys=len(own),
        characters=len(pane.text),
        lines=len(lengths),
        backspaces=backspaces,
        first_ms=own[0].ms if own else None,
        gap_ms=quartiles(brisk),
        keys_a_minute=60_000 * len(brisk) / sum(brisk) if sum(brisk) else None,
        pauses=len(gaps) - len(brisk),
        longest_ms=max(gaps, default=None),
        backspace_share=backspaces / len(own) if own else None,
        line_length=statistics.median(lengths) if lengths else None,
        overlap=_overlap(presses, author),
        answer_ms=statistics.median(answers) if answers else None,
    )


def gaps_of(presses: Iterable[Press], author: Author) -> Iterator[float]:
    """The times between an author's successive keys, in milliseconds."""
    times = (press.ms for press in presses if press.author == author)
    for earlier, later in pairwise(times):
        if later >= earlier:
            # To a nanosecond: what is finer is the arithmetic's.
            yield round(later - earlier, 6)


def quartiles(values: Iterable[float]) -> Quartiles | None:
    """The quartiles of some values, None of none."""
    ordered = sorted(values)
    if not ordered:
        return None
    if len(ordered) == 1:
        return Quartiles(*ordered * 3)
    return Quartiles(*statistics.quantiles(ordered, n=4, method="inclusive"))


def distribution(gaps: Iterable[float]) -> tuple[float, ...]:
    """Which part of the gaps lies in each of the bins between `BINS`; shorter ones are in the
    first, longer ones in the last. Empty without gaps."""
    counts = [0] * (len(BINS) - 1)
    for gap in gaps:
        counts[min(max(bisect_right(BINS, gap) - 1, 0), len(counts) - 1)] += 1
    total = sum(counts)
    return tuple(count / total for count in counts) if total else ()


def mean_distribution(each: Iterable[Sequence[float]]) -> tuple[float, ...]:
    """The mean of distributions, each of the same weight; empty ones count for nothing."""
    held = [one for one in each if one]
    return tuple(statistics.fmean(bin_) for bin_ in zip(*held, strict=True))


def _types(press: Press) -> bool:
    return char_of(press.key) not in (None, BACKSPACE_CHAR)


def _overlap(presses: Sequence[Press], author: Author) -> float | None:
    own = [press.ms for press in presses if press.author == author and _types(press)]
    others = sorted(press.ms for press in presses if press.author != author and _types(press))
    if not own:
        return None
    return sum(_nearest(others, ms) < OVERLAP_MS for ms in own) / len(own)


def _nearest(times: Sequence[float], ms: float) -> float:
    """How far the nearest of some times is, which are in order."""
    at = bisect_left(times, ms)
    return min((abs(ms - time) for time in times[max(0, at - 1) : at + 1]), default=math.inf)


def _answers(presses: Sequence[Press], author: Author) -> Iterator[float]:
    asked: float | None = None
    for press in presses:
        if press.author != author:
            if char_of(press.key) == "\n":
                asked = press.ms
        elif asked is not None:
            if press.ms >= asked:
                yield press.ms - asked
            asked = None


@dataclass(frozen=True, slots=True)
class SideReport:
    """How one author typed at one side of a recording.

    Attributes:
        side: the talk.
        author: `judge` or `entity`.
        who: what this one is called: the judge, or as the recording calls who sits there.
        rhythm: times count from the first key of the recording.
        times_ms: of all keys, from the same.
    """

    side: Place
    author: Author
    who: str
    rhythm: Rhythm
    times_ms: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """How everybody typed in one recording: a log of 2012, or a talk of a contest's record.

    Attributes:
        name: of the recording.
        about: lines for a person.
        length_ms: from the first key to the last.
        sides: in the order of the sides, the judge first.
        gaps: who to the quartiles of the gaps under two seconds, over all sides.
        distributions: who to the distribution of all gaps; see `distribution`.
        lost: how many lines of the file gave no key.
        back: how many times run back.
    """

    name: str
    about: tuple[str, ...]
    length_ms: float
    sides: tuple[SideReport, ...]
    gaps: dict[str, Quartiles | None]
    distributions: dict[str, tuple[float, ...]]
    lost: int
    back: int

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "name": self.name,
            "about": list(self.about),
            "length_ms": self.length_ms,
            "lost_lines": self.lost,
            "times_running_back": self.back,
            "gap_ms": {
                who: None if found is None else asdict(found) for who, found in self.gaps.items()
            },
            "gap_bins_ms": BINS,
            "gap_distribution": self.distributions,
            "typing": [
                {"side": s.side, "author": s.author, "who": s.who} | asdict(s.rhythm)
                for s in self.sides
            ],
        }


def report_of(recording: Recording) -> Report:
    """The report.

    Arguments:
        recording: what was typed; times that run back give no gap.
    """
    first = min((press.time_us for press in recording.presses), default=0)
    talks: dict[Place, list[Press]] = {side: [] for side in sorted(recording.sitters)}
    for press in recording.presses:
        talks[press.side].append(Press((press.time_us - first) / 1000, press.author, press.key))
    sides = tuple(_sides(recording, talks))
    gaps: dict[str, list[float]] = {}
    for side in sides:
        gaps.setdefault(side.who, []).extend(gaps_of(talks[side.side], side.author))
    times = [press.ms for presses in talks.values() for press in presses]
    return Report(
        recording.name,
        recording.about,
        max(times, default=0.0),
        sides,
        {who: quartiles(g for g in each if g < PAUSE_MS) for who, each in gaps.items()},
        {who: distribution(each) for who, each in gaps.items()},
        len(recording.losses),
        sum(later.time_us < earlier.time_us for earlier, later in pairwise(recording.presses)),
    )


def _sides(recording: Recording, talks: dict[Place, list[Press]]) -> Iterator[SideReport]:
    for author in _AUTHORS:
        for side, presses in talks.items():
            own = [press.ms for press in presses if press.author == author]
            who = "judge" if author == "judge" else recording.sitters[side]
            yield SideReport(side, author, who, rhythm_of(presses, author), tuple(own))
