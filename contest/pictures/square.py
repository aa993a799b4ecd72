"""The design as a square of colours: rounds down, judges across, in each cell the entry at the left
and the confederate at the right. In a complete design no row and no column has a colour twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from contest.pictures.shapes import (
    SMALL,
    TEXT,
    Dot,
    Label,
    Picture,
    Rect,
    Shape,
    cut,
    tints,
)
from scheduler import Pairing, Schedule

#: Width of a cell at most and at least, and of the whole where there are many.
_WIDEST, _NARROWEST, _WHOLE = 92, 12, 640
#: From which width on a cell has its ids, and how many characters they may have.
_WITH_IDS, _ID = 64, 5
_HEAD, _SIDE, _FOOT = 30, 44, 54


def square(schedule: Schedule, taken: Mapping[tuple[int, str], str]) -> Picture:
    """The picture.

    Arguments:
        schedule: all pairings.
        taken: round and judge to whom the judge took for the human.
    """
    roster = schedule.roster
    cell = min(_WIDEST, max(_NARROWEST, (_WHOLE - _SIDE) / max(1, len(roster.judges))))
    tall = cell * 0.55
    with_ids = cell >= _WITH_IDS
    width = max(320.0, _SIDE + cell * len(roster.judges) + 1)
    height = _HEAD + tall * len(schedule.rounds) + _FOOT
    shapes: list[Shape] = []
    entries = dict(zip(roster.entries, tints(len(roster.entries)), strict=True))
    humans = dict(zip(roster.confederates, tints(len(roster.confederates), 0.9), strict=True))
    for column, judge in enumerate(roster.judges):
        if with_ids:
            x = _SIDE + cell * (column + 0.5)
            shapes.append(Label(x, _HEAD - 10, cut(judge, 9), "soft", SMALL, "middle", True))
    for row, pairings in enumerate(schedule.rounds):
        top = _HEAD + tall * row
        if with_ids or row % 5 == 0:
            y = top + tall / 2 + 4
            shapes.append(Label(_SIDE - 10, y, str(row + 1), "soft", SMALL, "end", True))
        for pairing in pairings:
            left = _SIDE + cell * roster.judges.index(pairing.judge)
            human = taken.get((row + 1, pairing.judge))
            shapes += _cell(pairing, (left, top, cell, tall), entries, humans, with_ids, human)
    shapes += _legend(height)
    return Picture(
        "square",
        "The design as a square of colours",
        f"{len(schedule.rounds)} rounds down, {len(roster.judges)} judges across. In each cell the "
        "entry and the confederate whom the judge met; the table of the schedule has the same in "
        "words.",
        width,
        height,
        tuple(shapes),
    )


def _cell(
    pairing: Pairing,
    where: tuple[float, float, float, float],
    entries: Mapping[str, str],
    humans: Mapping[str, str],
    with_ids: bool,
    human: str | None,
) -> Iterator[Shape]:
    left, top, width, height = where
    half = (width - 2) / 2
    for at, (who, fill) in enumerate(
        (
            (pairing.entry, entries[pairing.entry]),
            (pairing.confederate, humans[pairing.confederate]),
        )
    ):
        x = left + 1 + half * at
        yield Rect(x, top + 1, half, height - 2, fill)
        if with_ids:
            text = cut(who, _ID)
            yield Label(x + half / 2, top + height / 2 + 2, text, "on-tint", TEXT, "middle")
        if who == human:
            yield Dot(x + half / 2, top + height - (10 if with_ids else 4), 3.5 if with_ids else 2,
                      "on-tint")  # fmt: skip


def _legend(height: float) -> Iterator[Shape]:
    said = "Rounds down, judges across; left the entry, right the human."
    yield Label(1, height - 28, said, "soft", SMALL)
    yield Dot(7, height - 12, 3.5, "ink")
    yield Label(16, height - 8, "taken for the human by the judge", "soft", SMALL)
