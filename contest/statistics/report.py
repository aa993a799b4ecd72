"""A report on the typing of one recording: a log of 2012, or a talk of a contest's record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from contest.statistics.rhythm import (
    BINS,
    PAUSE_MS,
    Press,
    Quartiles,
    Rhythm,
    distribution,
    gaps_of,
    quartiles,
    rhythm_of,
)
from lpp.log2012 import Author, Place
from lpp.recording import Recording

_AUTHORS: tuple[Author, Author] = ("judge", "entity")


@dataclass(frozen=True, slots=True)
class OfSide:
    """How one author typed at one side.

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
    """All of it.

    Attributes:
        name: of the recording.
        about: lines for a person.
        length_ms: from the first key to the last.
        sides: in the order of the sides, the judge first.
        gaps: who to the quartiles of the gaps under two seconds, over all sides.
        distributions: who to the distribution of all gaps; see `rhythm.distribution`.
        lost: how many lines of the file gave no key.
        back: how many times run back.
    """

    name: str
    about: tuple[str, ...]
    length_ms: float
    sides: tuple[OfSide, ...]
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
                who: None if q is None else {"low": q.low, "median": q.median, "high": q.high}
                for who, q in self.gaps.items()
            },
            "gap_bins_ms": list(BINS),
            "gap_distribution": {who: list(bins) for who, bins in self.distributions.items()},
            "typing": [
                {"side": s.side, "author": s.author, "who": s.who} | s.rhythm.as_json()
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
        _back(recording),
    )


def _sides(recording: Recording, talks: dict[Place, list[Press]]) -> Iterator[OfSide]:
    for author in _AUTHORS:
        for side, presses in talks.items():
            own = [press.ms for press in presses if press.author == author]
            who = "judge" if author == "judge" else recording.sitters[side]
            yield OfSide(side, author, who, rhythm_of(presses, author), tuple(own))


def _back(recording: Recording) -> int:
    times = [press.time_us for press in recording.presses]
    return sum(later < earlier for earlier, later in pairwise(times))
