"""Pictures of rows: shares and strengths with their intervals, rankings with their means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from contest.pictures.shapes import (
    SMALL,
    TEXT,
    Colour,
    Dot,
    Label,
    Picture,
    Rect,
    Shape,
    Stroke,
    cut,
    length_of,
)
from contest.statistics.phrases import between, percent
from contest.statistics.shares import Interval, Share
from contest.statistics.strengths import Strengths
from scheduler.texts import number

_WIDTH, _ROW, _TOP, _AXIS = 640, 34, 14, 58
#: Characters of an id at the left, and room for the note at the right.
_ID, _NOTE = 14, 92


@dataclass(frozen=True, slots=True)
class Row:
    """A row: who, where its value is from 0 to 1, and what is compatible with it.

    Attributes:
        who: the id.
        note: at the right, such as `3 of 4`.
        value: None where there is none.
        inner, outer: intervals, the second one drawn thinner.
    """

    who: str
    note: str
    value: float | None
    inner: Interval | None
    outer: Interval | None = None


def shares(each: Mapping[str, Share], places: Sequence[str]) -> Picture:
    """How often each entry was taken for the human, in the order of their places.

    Arguments:
        each: of each entry.
        places: the entries in the order in which they are to stand.
    """
    rows = [
        Row(who, f"{s.taken} of {s.out_of}", s.value, s.wilson, s.exact)
        for who, s in ((who, each[who]) for who in places)
    ]
    said = (f"{r.who}: {r.note}, {between(r.inner)}" for r in rows if r.inner is not None)
    return _chart(
        "shares",
        "The entries by their places, how often taken for the human",
        f"A row an entry, with intervals at 95 %. {'; '.join(said) or 'No verdict yet'}.",
        rows,
        "50 %: the toss of a coin; thick: Wilson, thin: Clopper-Pearson, both 95 %",
    )


def strengths(found: Strengths, entries: Sequence[str]) -> Picture:
    """How human each seemed beside an average participant.

    Arguments:
        found: the strengths.
        entries: which of them are programs.
    """
    rows = [
        Row(
            each.who,
            "program" if each.who in entries else "human",
            each.chance,
            each.chances,
        )
        for each in found.each
    ]
    said = (f"{r.who} ({r.note}): {percent(r.value)}, {between(r.inner)}" for r in rows if r.inner)
    return _chart(
        "strengths",
        "How often each would be taken for the human beside an average participant",
        f"A row a participant, by Bradley and Terry, with intervals at 95 %. {'; '.join(said)}.",
        rows,
        "50 %: an average participant; by Bradley and Terry, penalized; intervals 95 %",
        {each.who for each in found.each} & set(entries),
    )


def rankings(ballots: Sequence[Mapping[str, Fraction]], entries: Sequence[str]) -> Picture:
    """The ranks that the judges gave, and their means.

    Arguments:
        ballots: those that count, participant to rank.
        entries: which participants are programs.
    """
    given: dict[str, list[Fraction]] = {}
    for ballot in ballots:
        for who, rank in ballot.items():
            given.setdefault(who, []).append(rank)
    means = {who: sum(ranks, Fraction(0)) / len(ranks) for who, ranks in given.items()}
    order = sorted(means, key=lambda who: means[who])
    last = max((float(max(ranks)) for ranks in given.values()), default=1.0)
    left, right = _sides(order)
    shapes: list[Shape] = []

    def x_of(rank: float) -> float:
        return left + (right - left) * (rank - 1) / max(1.0, last - 1)

    bottom = _TOP + _ROW * len(order)
    step = max(1, round(last / 10))
    for mark in range(1, round(last) + 1, step):
        shapes.append(Stroke(x_of(mark), _TOP, x_of(mark), bottom, "line"))
        shapes.append(Label(x_of(mark), bottom + 18, str(mark), "soft", SMALL, "middle"))
    for at, who in enumerate(order):
        y = _TOP + _ROW * (at + 0.5)
        colour: Colour = "entity" if who in entries else "judge"
        shapes.append(Label(left - 14, y + 5, cut(who, _ID), "ink", TEXT, "end"))
        mean = x_of(float(means[who]))
        shapes.append(Rect(mean - 1.5, y - 14, 3, 28, "ink"))
        for rank, judges in sorted(Counter(given[who]).items()):
            x = x_of(float(rank))
            shapes.append(Dot(x, y, min(11, 5 + 2 * (judges - 1)), colour))
            if judges > 1:
                shapes.append(Label(x, y + 4, str(judges), "sheet", SMALL, "middle", True))
        shapes.append(Label(_WIDTH - 4, y + 5, _mean(means[who]), "soft", SMALL, "end"))
    shapes.append(
        Label(
            *(4, bottom + 42, "1 is the most human; dot: judges who gave that rank; bar: the mean"),
            "soft",
            SMALL,
        )
    )
    said = "; ".join(f"{who}: mean rank {number(means[who])}" for who in order)
    return Picture(
        "rankings",
        "The ranks that the judges gave",
        f"A row a participant, the most human first. {said or 'No ballot yet'}.",
        _WIDTH,
        bottom + _AXIS,
        tuple(shapes),
    )


def _mean(mean: Fraction) -> str:
    return f"mean {float(mean):.4g}"


def _sides(names: Sequence[str]) -> tuple[float, float]:
    """Where the scale begins and ends."""
    longest = max((length_of(cut(name, _ID)) for name in names), default=0)
    return 24 + longest, _WIDTH - _NOTE


def _chart(
    name: str,
    title: str,
    words: str,
    rows: Sequence[Row],
    remark: str,
    programs: set[str] | None = None,
) -> Picture:
    left, right = _sides([row.who for row in rows])
    bottom = _TOP + _ROW * len(rows)
    shapes: list[Shape] = []
    for part in range(0, 101, 25):
        x = left + (right - left) * part / 100
        colour: Colour = "soft" if part == 50 else "line"
        shapes.append(Stroke(x, _TOP, x, bottom, colour))
        shapes.append(Label(x, bottom + 18, f"{part} %", "soft", SMALL, "middle"))
    for at, row in enumerate(rows):
        is_program = programs is None or row.who in programs
        y = _TOP + _ROW * (at + 0.5)
        shapes += _row(row, y, (left, right), is_program)
    shapes.append(Label(4, bottom + 42, remark, "soft", SMALL))
    return Picture(name, title, words, _WIDTH, bottom + _AXIS, tuple(shapes))


def _row(row: Row, y: float, scale: tuple[float, float], is_program: bool) -> Iterator[Shape]:
    left, right = scale

    def x_of(value: float) -> float:
        return left + (right - left) * value

    yield Label(left - 14, y + 5, cut(row.who, _ID), "ink", TEXT, "end")
    yield Label(_WIDTH - 4, y + 5, row.note, "soft", SMALL, "end")
    colour: Colour = "entity" if is_program else "judge"
    for interval, thick in ((row.outer, 2), (row.inner, 7)):
        if interval is not None:
            low, high = x_of(interval.low), x_of(interval.high)
            yield Rect(low, y - thick / 2, max(1, high - low), thick, colour)
    if row.value is not None:
        yield Dot(x_of(row.value), y, 8, "sheet")
        yield Dot(x_of(row.value), y, 6, colour)
