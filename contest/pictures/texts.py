"""Pictures and statistics as text for a terminal, in plain characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from contest.statistics.rhythm import BINS
from contest.statistics.shares import Interval
from contest.statistics.talks import distributions
from contest.statistics.told import BESIDE, Part, measured, told
from contest.statistics.whole import Statistics
from scheduler import Schedule
from scheduler.texts import plain

#: Columns of a terminal, unless said otherwise.
WIDTH = 80
#: From nothing to as much as there is, for shares and for keys.
_SHADES = " .:-=+*#@"
#: Columns of a scale and of a time line.
_SCALE, _LINE = 41, 60


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of a scale from 0 to 1: who, a note, the value, and up to two intervals."""

    who: str
    note: str
    value: float | None
    inner: Interval | None
    outer: Interval | None = None


def as_text(found: Statistics, width: int = WIDTH) -> str:
    """The statistics as text.

    Arguments:
        found: the statistics.
        width: columns of a line at most.

    Returns:
        Lines ended by a line feed.
    """
    lines = ["Beside the result", "", *_wrapped(BESIDE, width)]
    if found.missing:
        lines += _wrapped(f"What judges decided is not looked at here: {found.missing}.", width)
    for part in told(found):
        lines += ["", part.title, "-" * len(part.title)]
        for said in part.said:
            lines += _wrapped(said, width)
        lines += _drawn(part, found)
        lines += _wrapped(f"How: {part.method}", width)
        lines += _wrapped(f"Supposes: {part.supposes}", width)
    return "".join(f"{plain(line)}\n" for line in lines)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _drawn(part: Part, found: Statistics) -> Iterator[str]:
    drawing: Iterable[str] = ()
    if found.judged is not None and part.name == "shares":
        drawing = bars(
            Bar(who, f"{s.taken} of {s.out_of}", s.value, s.wilson, s.exact)
            for who, s in found.judged.entries.items()
        )
    elif found.judged is not None and part.name == "strengths":
        entries = found.roster.entries
        drawing = bars(
            Bar(e.who, "program" if e.who in entries else "human", e.chance, e.chances)
            for e in found.judged.strengths.each
        )
    elif part.name == "talks":
        drawing = (*_separated(found), "", *gaps(distributions(found.talks)))
    if held := list(drawing):
        yield from ("", *held, "")


def _separated(found: Statistics) -> list[str]:
    """The medians that fit a terminal; the other columns are in the page and the tables."""
    if not found.separations:
        return []
    return columns(
        [
            ("medians of the talks", "programs", "humans", "program had more"),
            *(
                (
                    each.measure.words,
                    measured(each, each.programs),
                    measured(each, each.humans),
                    f"{each.higher.taken} of {each.higher.out_of}",
                )
                for each in found.separations
            ),
        ]
    )


def bars(rows: Iterable[Bar]) -> list[str]:
    """Shares with their intervals: `o` the share, `=` the inner interval, `-` the outer one."""
    given = list(rows)
    if not given:
        return []
    who, note = (max(len(getattr(row, name)) for row in given) for name in ("who", "note"))
    lines = [f"{row.who:<{who}}  {row.note:>{note}}  |{_bar(row)}|" for row in given]
    scale = f"{'0 %':<{_SCALE // 2 - 1}}{'50 %':<{_SCALE // 2 - 2}}{'100 %':>6}"
    return [*lines, f"{'':<{who + note + 4}}{scale}"]


def _bar(row: Bar) -> str:
    cells = [" "] * _SCALE
    cells[_SCALE // 2] = ":"

    def place(value: float) -> int:
        return round(value * (_SCALE - 1))

    for interval, sign in ((row.outer, "-"), (row.inner, "=")):
        if interval is not None:
            low, high = place(interval.low), place(interval.high)
            cells[low : high + 1] = [sign] * (high + 1 - low)
    if row.value is not None:
        cells[place(row.value)] = "o"
    return "".join(cells)


def gaps(found: Mapping[str, Sequence[float]]) -> list[str]:
    """Distributions of the gaps between keys: the darker, the more."""
    highest = max((max(bins) for bins in found.values() if bins), default=1.0)
    width = max(map(len, found), default=0)
    lines = [
        f"{who:<{width}}  |{''.join(2 * _shade(part / highest) for part in bins)}|"
        for who, bins in found.items()
        if bins
    ]
    if not lines:
        return []
    # Every fourth limit, in milliseconds: each is four times the one before.
    marks = "".join(f"{round(BINS[at]):<8}" for at in range(0, len(BINS), 4))
    return [*lines, f"{'':<{width}}   {marks.rstrip()} ms between keys"]


def _shade(part: float) -> str:
    """A sign for a part of the most; nothing for none only."""
    return _SHADES[0] if part <= 0 else _SHADES[max(1, round(part * (len(_SHADES) - 1)))]


def time_line(times: Sequence[float], length: float) -> str:
    """When keys came: the darker, the more in that part of the time.

    Arguments:
        times: from 0.
        length: of the whole, in the same unit.
    """
    counts = [0] * _LINE
    for time in times:
        counts[min(_LINE - 1, max(0, int(time / max(length, 1e-9) * _LINE)))] += 1
    most = max(counts)
    return "".join(_shade(count / most) if most else " " for count in counts)


def design(schedule: Schedule, taken: Mapping[tuple[int, str], str]) -> list[str]:
    """The design as a table of rounds and judges; `*` marks whom the judge took for the human."""
    roster = schedule.roster
    rows = [["", *roster.judges]]
    for number, pairings in enumerate(schedule.rounds, 1):
        met = {p.judge: (p.entry, p.confederate) for p in pairings}
        rows.append(
            [
                str(number),
                *(
                    " ".join(
                        who + "*" * (who == taken.get((number, judge)))
                        for who in met.get(judge, ("-",))
                    )
                    for judge in roster.judges
                ),
            ]
        )
    return columns(rows)


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts as columns; the first one at the left, the others at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:<{width}}" if at == 0 else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def mean_ranks(ballots: Sequence[Mapping[str, Fraction]]) -> list[str]:
    """Each participant's ranks and their mean, the most human first."""
    given: dict[str, list[Fraction]] = {}
    for ballot in ballots:
        for who, rank in ballot.items():
            given.setdefault(who, []).append(rank)
    means = {who: sum(ranks, Fraction(0)) / len(ranks) for who, ranks in given.items()}
    return columns(
        [
            (who, *(" ".join(f"{float(r):g}" for r in given[who]), f"mean {float(means[who]):.4g}"))
            for who in sorted(means, key=lambda who: means[who])
        ]
    )
