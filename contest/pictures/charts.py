"""The pictures of a contest, each a list of shapes made by a pure function: the design as a
square, shares and strengths with their intervals, rankings with their means, the gaps between keys,
and each desk's two talks as a time line. Each has a title and says in words what it shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import log2

from contest.history.filenames import file_name, own_names
from contest.history.transcript import clock, in_words, offset_ms, transcribe
from contest.history.views import ContestView, TalkView
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
    Ticks,
    cut,
    length_of,
    tints,
)
from contest.record.bodies import Author
from contest.state.incidents import WITHHELD
from contest.statistics.rhythm import BINS, PAUSE_MS
from contest.statistics.summary import Statistics
from contest.statistics.text import Row, between, percent, share_rows, strength_rows
from contest.statistics.verdicts import by_mean_rank, ranks_of
from lpp.names import BACKSPACE_CHAR, char_of
from scheduler import Ballot, Choice, Pairing, Schedule, Verdict
from scheduler.texts import number

#: Width of a picture, but for the square.
_WIDTH = 640
#: The square: width of a cell at most and at least, and of the whole where there are many.
_WIDEST, _NARROWEST, _WHOLE = 92, 12, 640
#: From which width on a cell has its ids, and how many characters they may have.
_WITH_IDS, _ID = 64, 5
_SQUARE_HEAD, _SIDE, _FOOT = 30, 44, 54
#: Charts of rows: height of a row, room above and below; characters of an id, room for the note.
_ROW, _TOP, _AXIS = 34, 14, 58
_ROW_ID, _NOTE = 14, 92
#: Typing: panels of distributions, lanes of time lines.
_PANEL, _GAP, _LEFT, _RIGHT = 84, 26, 84, 16
_COLOURS: Mapping[str, Colour] = {"judges": "judge", "humans": "judge", "programs": "entity"}
#: Marks under the distributions, in milliseconds.
_MARKS = ((4, "4 ms"), (16, "16"), (64, "64"), (250, "250 ms"), (1000, "1 s"), (4000, "4 s"),
          (16000, "16 s"))  # fmt: skip

_LANE, _HEAD, _LABEL = 30, 26, 110
#: Labels under a time line, evenly spaced.
_TIMES = 6


def pictures_of(
    schedule: Schedule,
    verdicts: Sequence[Verdict],
    ballots: Sequence[Ballot],
    places: Sequence[str],
    found: Statistics,
) -> dict[str, Picture]:
    """The pictures of a contest by their names: `square`, `shares`, `strengths`, `rankings`,
    `gaps`; those that there is something to draw for.

    Arguments:
        schedule: the rounds that are played.
        verdicts, ballots: what was counted.
        places: the entries in the order of their places.
        found: the statistics.
    """
    entries = found.roster.entries
    made = [square(schedule, taken_in(verdicts))]
    if found.judged is not None:
        if found.judged.programs_taken_for_human.out_of:
            made.append(shares(share_rows(found.judged.entries_taken_for_human, places)))
        if found.judged.strengths.strengths:
            made.append(strengths(strength_rows(found.judged.strengths, entries)))
    if ranks := ranks_of(ballots):
        made.append(rankings(ranks, entries))
    if found.talks:
        made.append(gaps(found.gaps))
    return {picture.name: picture for picture in made}


def taken_in(verdicts: Iterable[Verdict]) -> dict[tuple[int, str], str]:
    """Whom each judge took for the human, by round and judge."""
    return {
        (v.pairing.round, v.pairing.judge): v.pairing.entry
        if v.choice is Choice.ENTRY
        else v.pairing.confederate
        for v in verdicts
        if v.choice is not None
    }


def time_lines_of(view: ContestView) -> Iterator[Picture]:
    """A time line of each desk in each attempt at a round."""
    desks = [
        list(talks) for _, talks in groupby(view.talks, key=lambda t: (t.round, t.attempt, t.judge))
    ]
    names = own_names(file_name(talks[0], "keys") for talks in desks)
    for talks, name in zip(desks, names, strict=True):
        yield desk(view, talks, name)


# The design


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
    height = _SQUARE_HEAD + tall * len(schedule.rounds) + _FOOT
    shapes: list[Shape] = []
    entries = dict(zip(roster.entries, tints(len(roster.entries)), strict=True))
    humans = dict(zip(roster.confederates, tints(len(roster.confederates), 0.9), strict=True))
    for column, judge in enumerate(roster.judges):
        if with_ids:
            x = _SIDE + cell * (column + 0.5)
            shapes.append(Label(x, _SQUARE_HEAD - 10, cut(judge, 9), "soft", SMALL, "middle", True))
    for row, pairings in enumerate(schedule.rounds):
        top = _SQUARE_HEAD + tall * row
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


# Rows with intervals and ranks


def shares(rows: Sequence[Row]) -> Picture:
    """How often each entry was taken for the human; `rows` in the order of the places."""
    said = (f"{r.who}: {r.note}, {between(r.inner)}" for r in rows if r.inner is not None)
    return _chart(
        "shares",
        "The entries by their places, how often taken for the human",
        f"A row an entry, with intervals at 95 %. {'; '.join(said) or 'No verdict yet'}.",
        rows,
        "50 %: the toss of a coin; thick: Wilson, thin: Clopper-Pearson, both 95 %",
    )


def strengths(rows: Sequence[Row]) -> Picture:
    """How human each seemed beside an average participant."""
    said = (f"{r.who} ({r.note}): {percent(r.value)}, {between(r.inner)}" for r in rows if r.inner)
    return _chart(
        "strengths",
        "How often each would be taken for the human beside an average participant",
        f"A row a participant, by Bradley and Terry, with intervals at 95 %. {'; '.join(said)}.",
        rows,
        "50 %: an average participant; by Bradley and Terry, penalized; intervals 95 %",
    )


def rankings(ballots: Sequence[Mapping[str, Fraction]], entries: Sequence[str]) -> Picture:
    """The ranks that the judges gave, and their means.

    Arguments:
        ballots: those that count, participant to rank.
        entries: which participants are programs.
    """
    ranked = by_mean_rank(ballots)
    last = max((float(max(ranks)) for _, ranks, _ in ranked), default=1.0)
    left, right = _sides([who for who, _, _ in ranked])
    shapes: list[Shape] = []

    def x_of(rank: float) -> float:
        return left + (right - left) * (rank - 1) / max(1.0, last - 1)

    bottom = _TOP + _ROW * len(ranked)
    step = max(1, round(last / 10))
    for mark in range(1, round(last) + 1, step):
        shapes.append(Stroke(x_of(mark), _TOP, x_of(mark), bottom, "line"))
        shapes.append(Label(x_of(mark), bottom + 18, str(mark), "soft", SMALL, "middle"))
    for at, (who, ranks, mean) in enumerate(ranked):
        y = _TOP + _ROW * (at + 0.5)
        colour: Colour = "entity" if who in entries else "judge"
        shapes.append(Label(left - 14, y + 5, cut(who, _ROW_ID), "ink", TEXT, "end"))
        shapes.append(Rect(x_of(float(mean)) - 1.5, y - 14, 3, 28, "ink"))
        for rank, judges in sorted(Counter(ranks).items()):
            x = x_of(float(rank))
            shapes.append(Dot(x, y, min(11, 5 + 2 * (judges - 1)), colour))
            if judges > 1:
                shapes.append(Label(x, y + 4, str(judges), "sheet", SMALL, "middle", True))
        mean_words = f"mean {float(mean):.4g}"
        shapes.append(Label(_WIDTH - 4, y + 5, mean_words, "soft", SMALL, "end"))
    shapes.append(
        Label(
            *(4, bottom + 42, "1 is the most human; dot: judges who gave that rank; bar: the mean"),
            "soft",
            SMALL,
        )
    )
    said = "; ".join(f"{who}: mean rank {number(mean)}" for who, _, mean in ranked)
    return Picture(
        "rankings",
        "The ranks that the judges gave",
        f"A row a participant, the most human first. {said or 'No ballot yet'}.",
        _WIDTH,
        bottom + _AXIS,
        tuple(shapes),
    )


def _sides(names: Sequence[str]) -> tuple[float, float]:
    """Where the scale begins and ends."""
    longest = max((length_of(cut(name, _ROW_ID)) for name in names), default=0)
    return 24 + longest, _WIDTH - _NOTE


def _chart(
    name: str,
    title: str,
    words: str,
    rows: Sequence[Row],
    remark: str,
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
        shapes += _row(row, _TOP + _ROW * (at + 0.5), (left, right))
    shapes.append(Label(4, bottom + 42, remark, "soft", SMALL))
    return Picture(name, title, words, _WIDTH, bottom + _AXIS, tuple(shapes))


def _row(row: Row, y: float, scale: tuple[float, float]) -> Iterator[Shape]:
    left, right = scale

    def x_of(value: float) -> float:
        return left + (right - left) * value

    yield Label(left - 14, y + 5, cut(row.who, _ROW_ID), "ink", TEXT, "end")
    yield Label(_WIDTH - 4, y + 5, row.note, "soft", SMALL, "end")
    colour: Colour = "judge" if row.note == "human" else "entity"
    for interval, thick in ((row.outer, 2), (row.inner, 7)):
        if interval is not None:
            low, high = x_of(interval.low), x_of(interval.high)
            yield Rect(low, y - thick / 2, max(1, high - low), thick, colour)
    if row.value is not None:
        yield Dot(x_of(row.value), y, 8, "sheet")
        yield Dot(x_of(row.value), y, 6, colour)


# Typing


def gaps(found: Mapping[str, Sequence[float]]) -> Picture:
    """The distributions of the gaps between keys.

    Arguments:
        found: of judges, humans and programs, as `Statistics.gaps` has them.
    """
    shapes: list[Shape] = []
    wide = (_WIDTH - _LEFT - _RIGHT) / (len(BINS) - 1)
    highest = max((max(bins) for bins in found.values() if bins), default=1.0)
    top = 10.0
    for who, bins in found.items():
        foot = top + _PANEL
        shapes.append(Label(_LEFT - 12, foot - 4, who, "ink", anchor="end"))
        for at, part in enumerate(bins):
            if part:
                high = max(1.0, _PANEL * part / highest)
                left = _LEFT + wide * at
                shapes.append(Rect(left + 0.5, foot - high, wide - 1, high, _COLOURS[who]))
        if not bins:
            shapes.append(Label(_LEFT + 8, foot - 8, "nothing to show", "soft", SMALL))
        shapes.append(Stroke(_LEFT, foot, _WIDTH - _RIGHT, foot, "soft"))
        top = foot + _GAP
    foot = top - _GAP
    for ms, text in _MARKS:
        x = _LEFT + wide * 2 * log2(ms / BINS[0])
        shapes.append(Stroke(x, foot, x, foot + 5, "soft"))
        shapes.append(Label(x, foot + 18, text, "soft", SMALL, "middle"))
    pause = _LEFT + wide * 2 * log2(PAUSE_MS / BINS[0])
    shapes.append(Stroke(pause, 4, pause, foot, "soft"))
    shapes.append(Label(pause + 5, 14, "pauses", "soft", SMALL))
    said = "Time between one's successive keys; heights: share of the gaps; ends: and beyond"
    shapes.append(Label(4, foot + 42, said, "soft", SMALL))
    words = "; ".join(_said(who, bins) for who, bins in found.items() if bins)
    return Picture(
        "gaps",
        "The time between keys: judges, humans, programs",
        f"Distributions, each talk of the same weight. {words or 'Nobody typed anything'}.",
        _WIDTH,
        foot + 56,
        tuple(shapes),
    )


def _said(who: str, bins: Sequence[float]) -> str:
    at = max(range(len(bins)), key=lambda each: bins[each])
    pauses = sum(part for part, low in zip(bins, BINS, strict=False) if low >= PAUSE_MS * 0.99)
    # What is beyond the scale stands in its first and last bin.
    if at == 0:
        span = f"under {BINS[1]:,.0f} milliseconds"
    elif at == len(bins) - 1:
        span = f"{BINS[at]:,.0f} milliseconds and more"
    else:
        span = f"{BINS[at]:,.0f} to {BINS[at + 1]:,.0f} milliseconds"
    return f"{who}: most often {span}; about {round(100 * pauses)} % are pauses"


def desk(view: ContestView, talks: Sequence[TalkView], name: str) -> Picture:
    """A desk's talks as a time line: each talk a lane of the judge's and one of the entity's.

    Arguments:
        view: the contest.
        talks: of one judge in one attempt at a round.
        name: the picture's.
    """
    first = talks[0]
    length = max(1, *(_length_ms(talk) for talk in talks))
    shapes: list[Shape] = []
    said = []
    top = 0.0
    for talk in talks:
        kind = "program" if view.is_entry(talk.entity) else "human"
        title = f"{talk.side.capitalize()}: {cut(talk.entity, 20)}, {kind}"
        shapes.append(Label(4, top + 18, title, "ink", bold=True))
        top += _HEAD
        if talk.withheld:
            shapes.append(Label(_LABEL, top + 20, WITHHELD.capitalize(), "soft", SMALL))
            said.append(f"{title}: {WITHHELD}")
        else:
            written = transcribe(talk)
            shapes += _lanes(talk, top, length)
            said.append(
                f"{title}. {talk.judge}: {in_words(written.judge)}; "
                f"{talk.entity}: {in_words(written.entity)}"
            )
        top += 2 * _LANE + 8
    for mark in range(_TIMES):
        x = _LABEL + (_WIDTH - _LABEL - 24) * mark / (_TIMES - 1)
        text = clock(length * mark // (_TIMES - 1))
        shapes.append(Label(x, top + 14, text, "soft", SMALL, "middle"))
    again = f", attempt {first.attempt}" if first.attempt > 1 else ""
    return Picture(
        name,
        f"Round {first.round}{again}, {first.judge}: a time line of keys",
        f"{'. '.join(said)}. A mark is a key, a tall one ends a line, one below is a BackSpace.",
        _WIDTH,
        top + 26,
        tuple(shapes),
    )


def _length_ms(talk: TalkView) -> int:
    last = talk.keys[-1].mono_ns if talk.keys else talk.started_ns
    ended = talk.ended_ns if talk.ended_ns is not None else last
    return 0 if ended is None else offset_ms(talk, ended)


def _lanes(talk: TalkView, top: float, length_ms: int) -> Iterator[Shape]:
    wide = _WIDTH - _LABEL - 24
    lanes: tuple[tuple[Author, Colour, str], ...] = (
        ("judge", "judge", talk.judge),
        ("entity", "entity", talk.entity),
    )
    for author, colour, who in lanes:
        base = top + _LANE - 7
        yield Label(_LABEL - 10, base - 2, cut(who, 12), colour, SMALL, "end")
        yield Stroke(_LABEL, base, _LABEL + wide, base, "line")
        marks: dict[str, set[float]] = {"key": set(), "return": set(), "back": set()}
        for key in talk.shown():
            if key.author == author:
                char = char_of(key.key) or ""
                kind = {"\n": "return", BACKSPACE_CHAR: "back"}.get(char, "key")
                part = min(1.0, max(0.0, offset_ms(talk, key.mono_ns) / length_ms))
                # As fine as a screen shows: the same place is marked once.
                marks[kind].add(round(2 * (_LABEL + wide * part)) / 2)
        drawn: tuple[tuple[str, float, float, Colour, float], ...] = (
            ("key", base - 11, base, colour, 0.8),
            ("return", base - 18, base, colour, 1.6),
            ("back", base, base + 5, "soft", 1.2),
        )
        for kind, begin, end, ink, width in drawn:
            if marks[kind]:
                yield Ticks(tuple(sorted(marks[kind])), begin, end, ink, width)
        top += _LANE
