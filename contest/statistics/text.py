"""The statistics as text: in words that can't be misread, each part with its method and what it
supposes; and as lines for a terminal, with drawings in plain characters.

Chances are told as "in about 23 of 100 such contests", intervals as "anything between 9 % and 53 %
would be compatible with that": neither is the chance that somebody is human, or is the best.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from contest.history.transcript import clock
from contest.statistics.rhythm import BINS, Report, SideReport
from contest.statistics.strengths import Interval, Strength, Strengths
from contest.statistics.summary import MEASURES, Separation, Statistics
from contest.statistics.verdicts import Judged, Share, by_mean_rank
from contest.verify.findings import several
from scheduler import Schedule
from scheduler.texts import listed, plain

#: What stands above all of it.
BESIDE = (
    "None of this changes the official result, which stands by the rules alone. It says how much "
    "so few verdicts can tell, and what else was measured."
)
#: Columns of a terminal, unless said otherwise.
WIDTH = 80
#: From nothing to as much as there is, for shares and for keys.
_SHADES = " .:-=+*#@"
#: Columns of a scale and of a time line.
_SCALE, _LINE = 41, 60


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers of a part: what the table is about, its columns, and rows of texts."""

    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what there is to say.

    Attributes:
        name: for addresses and files, such as `shares`.
        title: a question or a heading.
        said: sentences.
        table: the numbers, or None.
        method: how it was computed.
        supposes: what that takes for granted, and what does not follow.
    """

    name: str
    title: str
    said: tuple[str, ...]
    table: Table | None
    method: str
    supposes: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a chart: who, and a value from 0 to 1 with what is compatible with it.

    Attributes:
        who: the id.
        note: beside it, such as `3 of 4`.
        value: None where there is none.
        inner, outer: intervals, the second one drawn thinner.
    """

    who: str
    note: str
    value: float | None
    inner: Interval | None
    outer: Interval | None = None


def share_rows(shares: Mapping[str, Share], order: Iterable[str]) -> list[Row]:
    """Rows of shares in an order of their ids: thick is Wilson's interval."""
    return [
        Row(who, f"{s.taken} of {s.out_of}", s.share, s.wilson, s.clopper_pearson)
        for who, s in ((who, shares[who]) for who in order)
    ]


def strength_rows(found: Strengths, entries: Iterable[str]) -> list[Row]:
    """Rows of strengths; `entries` are the programs."""
    programs = set(entries)
    return [
        Row(each.who, "program" if each.who in programs else "human", each.chance, each.chances)
        for each in found.strengths
    ]


def parts_of(found: Statistics) -> list[Part]:
    """All parts that there is something to say of."""
    parts = []
    if found.judged is not None and found.judged.programs_taken_for_human.out_of:
        parts = [part(found.judged) for part in (_shares, _guessing, _strengths, _agreement)]
    if found.talks or found.withheld:
        parts.append(_talks(found))
    return parts


# The parts


def _shares(found: Judged) -> Part:
    all_of_it = found.programs_taken_for_human
    said = [_said_of("a program", all_of_it)]
    alike: dict[tuple[int, int], list[str]] = {}
    for entry, one in found.entries_taken_for_human.items():
        if one.out_of:
            alike.setdefault((one.taken, one.out_of), []).append(entry)
    said += [
        _said_of(listed(same), found.entries_taken_for_human[same[0]], len(same))
        for same in alike.values()
    ]
    said += _said_of_differences(found)
    rows = [
        *(
            _share_row(f"{who}, taken for the human", one)
            for who, one in found.entries_taken_for_human.items()
        ),
        _share_row("all entries", all_of_it),
        *(
            _share_row(f"{who}, recognized the human", one)
            for who, one in found.judges_recognized_human.items()
        ),
        *(
            _share_row(f"{who}, recognized as the human", one)
            for who, one in found.confederates_recognized.items()
        ),
    ]
    return Part(
        "shares",
        "How much do the scores say?",
        tuple(said),
        Table(
            "Shares of verdicts, with what chances are compatible with them",
            ("Of whom", "Verdicts", "Share", "Wilson, 95 %", "Clopper-Pearson, 95 %"),
            tuple(rows),
        ),
        "Intervals at 95 % for a share: Wilson's score interval (1927), in the sentences, and the "
        "exact one of Clopper and Pearson (1934), which is wider. Two entries are compared by "
        "Fisher's exact test.",
        "That the verdicts are independent of one another and the chance was the same in each. "
        "Each judge gave several, and judges and humans differ: the true uncertainty can be larger "
        "or smaller. With four verdicts, Wilson's interval holds the true chance less often than "
        "it says: for some chances in 83 of 100 contests. Whether two intervals overlap does not "
        "tell whether two entries differ; the test does. It says nothing of judges, humans and "
        "days that were not there.",
    )


def _said_of_differences(found: Judged) -> Iterator[str]:
    """The best entry beside each other one; entries with the same share in one sentence."""
    shares = {who: one for who, one in found.entries_taken_for_human.items() if one.out_of}
    if len(shares) < 2:
        return
    best = max(shares, key=lambda who: shares[who].share or 0.0)
    others: dict[float, list[str]] = {}
    for each in found.entries_differ:
        if best in (each.entry, each.other):
            name = each.other if each.entry == best else each.entry
            others.setdefault(each.fisher_p, []).append(name)
    for chance, names in others.items():
        each_of = "each of " * (len(names) > 1)
        yield (
            f"Had {best} and {each_of}{listed(names)} the same chance, luck alone would set them "
            f"as far apart as here, or further, {in_contests(chance)}."
        )


def _said_of(whom: str, one: Share, entries: int = 1) -> str:
    """The sentence about a share, of one entry or of several that have the same."""
    assert one.wilson is not None
    verdicts = several(one.out_of, "verdict")
    each, of_each = ("", "") if entries == 1 else (" each", ", for each of them")
    return (
        f"With {verdicts}{each}, {one.taken} of {one.out_of} took {whom} for the human "
        f"({percent(one.share)}): a chance anywhere {between(one.wilson)} would be compatible with "
        f"that{of_each}."
    )


def _share_row(whom: str, one: Share) -> tuple[str, ...]:
    intervals = span(one.wilson), span(one.clopper_pearson)
    return whom, f"{one.taken} of {one.out_of}", percent(one.share), *intervals


def _guessing(found: Judged) -> Part:
    said = []
    if (chances := found.guessing) is not None:
        total = f"{chances.taken} of {several(chances.out_of, 'verdict')}"
        said = [
            f"If every judge had tossed a coin in every pairing, {total} or fewer would have taken "
            f"a program for the human {in_contests(chances.total_as_low)}; as many or more, "
            f"{in_contests(chances.total_as_high)}.",
            f"With such coins, at least one entry would have come to a score of {chances.best} or "
            f"more {in_contests(chances.best_as_high)}.",
            "If all entries had been equally convincing, and it had been luck which of them these "
            f"{several(chances.taken, 'verdict')} fell to, the best would have come to "
            f"{chances.best} or more {in_contests(chances.best_as_high_alike)}.",
        ]
    return Part(
        "guessing",
        "Could it be luck?",
        tuple(said),
        None,
        "Exact sums over all tables that there could be: binomial distributions, those of the "
        "entries convolved; for equally convincing entries given the number of verdicts that fell "
        "to them all together.",
        "That verdicts are independent. A small number does not say why judges decided as they "
        "did. A large one does not say that they guessed: only that a contest of this size can't "
        "tell the difference.",
    )


def _strengths(found: Judged) -> Part:
    strong = found.strengths
    rows = tuple(
        (
            each.who,
            f"{each.taken} of {each.out_of}",
            percent(each.chance),
            span(each.chances),
            f"{each.log_odds:+.2f} ({each.interval.low:+.2f} to {each.interval.high:+.2f})",
        )
        for each in strong.strengths
    )
    method = {"profile": "penalized profile likelihood", "normal": "the normal approximation"}
    return Part(
        "strengths",
        "How human did each seem beside the others?",
        tuple(_said_of_strengths(strong)),
        Table(
            "Strengths by Bradley and Terry",
            *(
                ("Who", "Taken for the human", "Beside an average one", "95 %", "Log odds (95 %)"),
                rows,
            ),
        )
        if rows
        else None,
        "Bradley and Terry's model (1952): in a pairing, the odds to be taken for the human are "
        "those of the two strengths. Everybody is given half a verdict won and half a verdict lost "
        "against an imaginary average participant (the penalty log-F(1,1), Greenland and "
        "Mansournia 2015)" + (f"; intervals by {method[strong.method]}." if strong.method else "."),
        "That a strength is the same before every judge, that one number a participant is enough, "
        "and that verdicts are independent. The penalty draws everybody somewhat towards the "
        "average. Strengths compare those who were there with one another, and with nobody else.",
    )


def _alike(one: Strength, other: Strength) -> bool:
    """Whether two come to the same: equal strengths are computed to another last digit."""
    same = math.isclose(one.chance, other.chance, abs_tol=1e-9)
    return same and between(one.chances) == between(other.chances)


def _said_of_strengths(strong: Strengths) -> Iterator[str]:
    if strong.why_not:
        yield f"There are no strengths to compare: {strong.why_not}."
        return
    first, last = strong.strengths[0], strong.strengths[-1]
    most, least = (
        listed([each.who for each in strong.strengths if _alike(each, end)])
        for end in (first, last)
    )
    lowest = (
        "" if most == least else f", {least} in {percent(last.chance)} ({between(last.chances)})"
    )
    yield (
        "If everybody had been compared with an average participant of this contest, "
        f"{most} would have been taken for the human in {percent(first.chance)} of the "
        f"pairings ({between(first.chances)}){lowest}."
    )
    for who, how in ((strong.always, "in every pairing"), (strong.never, "in no pairing")):
        if who:
            was = "was" if len(who) == 1 else "were"
            yield (
                f"{listed(who)} {was} taken for the human {how}. Without the penalty such a "
                "strength would be infinite, which no number of pairings can show: look at the end "
                "of the interval that is nearer to the others."
            )


def _agreement(found: Judged) -> Part:
    verdicts, rankings = found.agreement.verdicts, found.agreement.rankings
    said = []
    if verdicts.alpha is None:
        said.append(f"Of the verdicts, no agreement can be told: {verdicts.why_not}.")
    else:
        said.append(
            f"Judges' verdicts on the same entry agree to {round(verdicts.alpha, 2) + 0.0:.2f}, "
            "where 1 is full agreement, 0 what chance gives, and less than 0 less than that."
        )
    if rankings.w is None or rankings.chance is None:
        said.append(f"Of the rankings, no agreement can be told: {rankings.why_not}.")
    else:
        said.append(
            f"The rankings of {several(rankings.judges, 'judge')} agree to {rankings.w:.2f}, where "
            "1 is the same ranking by all and 0 none in common; rankings in the order of chance "
            f"would agree as well {in_contests(rankings.chance)}."
        )
    return Part(
        "agreement",
        "Did the judges agree?",
        tuple(said),
        None,
        "Verdicts: Krippendorff's alpha for nominal data, the entries being the units. Rankings: "
        "Kendall's W, corrected for ties, of whom all ballots rank"
        + (
            f"; {rankings.shuffles:,} shufflings of the ranks by chance, the same whenever this is "
            "computed."
            if rankings.shuffles
            else "."
        ),
        "That judges could agree: but each compared an entry with another human, in another talk, "
        "so that they may differ without either being wrong.",
    )


def _talks(found: Statistics) -> Part:
    talks = found.talks
    said = []
    if talks:
        programs = sum(talk.is_program for talk in talks)
        said.append(
            f"Measured in {several(programs, 'talk')} with programs and "
            f"{several(len(talks) - programs, 'talk')} with humans; the numbers are of those whom "
            "the judges talked with."
        )
    if talks and found.speed != 1:
        said.append(
            f"This contest was played at {found.speed:g} times real time: what follows says more "
            "of programs in a hurry than of anybody's typing."
        )
    if found.withheld:
        left_out = several(found.withheld, "talk")
        said.append(f"{left_out} left out at the wish of a participant.")
    said += [line for each in found.separations if (line := _said_of_separation(each))]
    return Part(
        "talks",
        "What separated the talks?",
        tuple(said),
        _separation_table(found.separations),
        "Of each talk one value, and medians of these. Compared within each pairing, program and "
        "human with the same judge at the same time; the share of pairings in which the program "
        "had more, with the exact interval of Clopper and Pearson at 95 %. A gap between keys of 2 "
        "seconds and more is a pause, and is told apart; turns overlap where a character is typed "
        "less than a second from one of the judge's.",
        f"That pairings are independent: each entry was in several. {len(MEASURES)} things were "
        "measured, and all are shown; among so many, one may stand out by chance. What separated "
        "the talks need not be what the judges went by.",
    )


def _said_of_separation(each: Separation) -> str:
    """The sentence about a measure that stands out, and none about another."""
    exact = each.program_has_more.clopper_pearson
    if exact is None or exact.low <= 0.5 <= exact.high:
        return ""
    more = exact.low > 0.5
    count = (
        each.program_has_more.taken
        if more
        else each.program_has_more.out_of - each.program_has_more.taken
    )
    medians = [measured(each, one.median) for one in (each.programs, each.humans)]
    return (
        f"{each.words[0].upper()}{each.words[1:]}: the program had {'more' if more else 'less'} "
        f"than the human in {count} of {each.program_has_more.out_of} pairings "
        f"(medians {medians[0]} and {medians[1]})."
    )


def measured(each: Separation, value: float | None) -> str:
    """A value of a measure with its unit."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 or value == round(value) else 1
    return f"{value:.{digits}f} {each.unit}".rstrip()


def _separation_table(separations: Sequence[Separation]) -> Table | None:
    if not separations:
        return None
    return Table(
        "Medians of the talks, and in how many pairings the program had more",
        ("Measure", "Programs", "Humans", "Programs taken for the human", "Program had more",
         "95 %"),
        tuple(
            (
                each.words,
                measured(each, each.programs.median),
                measured(each, each.humans.median),
                measured(each, each.programs_taken_for_human.median),
                f"{each.program_has_more.taken} of {each.program_has_more.out_of}"
                + (f", {each.equal} equal" if each.equal else ""),
                span(each.program_has_more.clopper_pearson),
            )
            for each in separations
        ),
    )  # fmt: skip


# Phrases


def percent(value: float | None) -> str:
    """A share, such as `53 %`; never `0 %` or `100 %` of what is not none or all."""
    if value is None:
        return "–"
    whole = math.floor(100 * value + 0.5)
    if whole == 0 and value > 0:
        return "under 1 %"
    if whole == 100 and value < 1:
        return "over 99 %"
    return f"{whole} %"


def between(interval: Interval) -> str:
    """An interval, such as `between 9 % and 53 %`."""
    return f"between {percent(interval.low)} and {percent(interval.high)}"


def in_contests(chance: float) -> str:
    """A chance, as in how many contests something happens."""
    if chance >= 1:
        return "in every such contest"
    if chance > 0.995:
        return "in more than 99 of 100 such contests"
    if chance >= 0.01:
        return f"in about {round(100 * chance)} of 100 such contests"
    if chance >= 0.001:
        return f"in about {round(1000 * chance)} of 1,000 such contests"
    return "in fewer than 1 of 1,000 such contests"


def span(interval: Interval | None) -> str:
    """An interval for a table, such as `8.9 to 53.2 %`."""
    if interval is None:
        return "–"
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %"


# Lines for a terminal


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
    for part in parts_of(found):
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
    entries = found.roster.entries
    if found.judged is not None and part.name == "shares":
        drawing = bars(share_rows(found.judged.entries_taken_for_human, entries))
    elif found.judged is not None and part.name == "strengths":
        drawing = bars(strength_rows(found.judged.strengths, entries))
    elif part.name == "talks":
        drawing = (*_separated(found), "", *gaps(found.gaps))
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
                    each.words,
                    measured(each, each.programs.median),
                    measured(each, each.humans.median),
                    f"{each.program_has_more.taken} of {each.program_has_more.out_of}",
                )
                for each in found.separations
            ),
        ]
    )


def bars(rows: Iterable[Row]) -> list[str]:
    """Shares with their intervals: `o` the share, `=` the inner interval, `-` the outer one."""
    given = list(rows)
    if not given:
        return []
    who, note = (max(len(getattr(row, name)) for row in given) for name in ("who", "note"))
    lines = [f"{row.who:<{who}}  {row.note:>{note}}  |{_bar(row)}|" for row in given]
    scale = f"{'0 %':<{_SCALE // 2 - 1}}{'50 %':<{_SCALE // 2 - 2}}{'100 %':>6}"
    return [*lines, f"{'':<{who + note + 4}}{scale}"]


def _bar(row: Row) -> str:
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
    return columns(
        [
            (who, " ".join(f"{float(r):g}" for r in ranks), f"mean {float(mean):.4g}")
            for who, ranks, mean in by_mean_rank(ballots)
        ]
    )


# The report on a recording


def report_text(report: Report) -> str:
    """A report as text.

    Returns:
        Lines ended by a line feed.
    """
    lines = [report.name, *report.about, "", *_gap_table(report), ""]
    if drawn := gaps(report.distributions):
        lines += [*drawn, ""]
    lines += [*_rhythm_table(report), "", *_time_lines(report), ""]
    lines += [
        "Gaps of 2 s and more are pauses; a minute: keys while typing, without these. Overlap:",
        "characters typed less than a second from one of the other's. Answer: from the other's",
        "Return to the next key. Line (characters) and answer are medians.",
    ]
    if report.lost:
        lines.append(f"{report.lost} lines of the file gave no key.")
    if report.back:
        lines.append(f"{report.back} times run back; they give no gap.")
    return "".join(f"{plain(line)}\n" for line in lines)


def _gap_table(report: Report) -> list[str]:
    head = ("gaps under 2 s", "quarter under", "median", "three quarters under")
    rows: list[tuple[str, ...]] = [head]
    for who, found in report.gaps.items():
        values = (
            ("-",) * 3
            if found is None
            else tuple(f"{value:.0f} ms" for value in (found.low, found.median, found.high))
        )
        rows.append((who, *values))
    return columns(rows)


def _rhythm_table(report: Report) -> list[str]:
    head = ("", "keys", "a minute", "pauses", "BackSpace", "line", "overlap", "answer")
    return columns([head, *(_side_row(side) for side in report.sides)])


def _side_row(side: SideReport) -> tuple[str, ...]:
    rhythm = side.rhythm

    def told(value: float | None, form: str, unit: str = "") -> str:
        return "-" if value is None else f"{value:{form}}{unit}"

    return (
        f"{side.side}, {side.who}",
        str(rhythm.keys),
        told(rhythm.keys_a_minute, ".0f"),
        str(rhythm.pauses),
        told(rhythm.backspace_share, ".1%"),
        told(rhythm.line_length, "g"),
        told(rhythm.overlap, ".1%"),
        told(None if rhythm.answer_ms is None else rhythm.answer_ms / 1000, ".1f", " s"),
    )


def _time_lines(report: Report) -> list[str]:
    sides = sorted(report.sides, key=lambda side: (side.side, side.author != "judge"))
    names = [f"{side.side}, {side.who}" for side in sides]
    width = max(map(len, names), default=0)
    lines = [
        f"{name:<{width}}  |{time_line(side.times_ms, report.length_ms)}|"
        for name, side in zip(names, sides, strict=True)
    ]
    return [*lines, f"{'':<{width}}   00:00 to {clock(round(report.length_ms))}"]
