"""The statistics as tables, one number a row or one talk a row, for any program that reads CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from contest.statistics.judged import Judged
from contest.statistics.rhythm import Quartiles, Rhythm
from contest.statistics.shares import Interval, Share
from contest.statistics.whole import Statistics

Cell = str | int | float

#: Columns of the table of numbers.
NUMBER_COLUMNS = ("statistic", "of", "value", "low", "high", "taken", "out_of", "method")
#: Columns of the table of what separated the talks.
SEPARATION_COLUMNS = (
    *("measure", "unit", "programs", "humans", "programs_taken", "program_more", "out_of", "equal"),
    *("low", "high"),
)
_GAPS = ("gap_low_ms", "gap_median_ms", "gap_high_ms")
#: Columns of the table of rhythms.
RHYTHM_COLUMNS = (
    *("talk", "round", "attempt", "judge", "entity", "role", "side", "taken_for_human", "author"),
    *(
        column
        for field in fields(Rhythm)
        for column in (_GAPS if field.name == "gap_ms" else (field.name,))
    ),
)


def number_rows(found: Judged) -> Iterator[list[Cell]]:
    """What verdicts and rankings say, a number a row; empty cells where there is none."""
    yield from _share_rows("programs-taken-for-human", "", found.programs)
    for name, shares in (
        ("entry-taken-for-human", found.entries),
        ("judge-recognized-human", found.judges),
        ("confederate-recognized", found.confederates),
    ):
        for who, share in shares.items():
            yield from _share_rows(name, who, share)
    if (chances := found.guessing) is not None:
        for name, chance in (
            ("guessing-total-as-low", chances.total_as_low),
            ("guessing-total-as-high", chances.total_as_high),
        ):
            yield [
                *(name, "", chance, "", "", chances.taken, chances.out_of, "binomial, one half"),
            ]
        for entry, chance in chances.own.items():
            score = found.entries[entry]
            yield [
                *("guessing-score-as-high", entry, chance, "", ""),
                *(score.taken, score.out_of, "binomial, one half"),
            ]
        for name, chance, method in (
            ("guessing-best-as-high", chances.best_as_high, "product of binomials, one half"),
            ("alike-best-as-high", chances.best_as_high_alike, "hypergeometric, all scores"),
        ):
            yield [name, "", chance, "", "", chances.best, "", method]
    for each in found.strengths.each:
        method = f"Bradley-Terry, log-F(1,1), {found.strengths.method}"
        for name, value, interval in (
            ("strength-log-odds", each.log_odds, each.interval),
            ("strength-chance", each.chance, each.chances),
        ):
            yield [name, each.who, value, *_ends(interval), each.taken, each.out_of, method]
    if found.verdicts.alpha is not None:
        count = found.verdicts.verdicts
        yield ["agreement-verdicts", "", found.verdicts.alpha, "", "", "", count,
               "Krippendorff's alpha, nominal"]  # fmt: skip
    if (rankings := found.rankings).w is not None and rankings.chance is not None:
        yield ["agreement-rankings", "", rankings.w, "", "", "", rankings.judges, "Kendall's W"]
        yield ["agreement-rankings-by-chance", "", rankings.chance, "", "", "", rankings.shuffles,
               "shuffled ranks"]  # fmt: skip


def _share_rows(name: str, who: str, share: Share) -> Iterator[list[Cell]]:
    value = "" if share.value is None else share.value
    for method, interval in (("Wilson", share.wilson), ("Clopper-Pearson", share.exact)):
        yield [name, who, value, *_ends(interval), share.taken, share.out_of, method]


def _ends(interval: Interval | None) -> tuple[Cell, Cell]:
    return ("", "") if interval is None else (interval.low, interval.high)


def separation_rows(found: Statistics) -> Iterator[list[Cell]]:
    """What separated the talks, a measure a row."""
    for each in found.separations:
        yield [
            *(each.measure.name, each.measure.unit),
            *("" if v is None else v for v in (each.programs, each.humans, each.taken)),
            *(each.higher.taken, each.higher.out_of, each.equal, *_ends(each.higher.exact)),
        ]


def rhythm_rows(found: Statistics) -> Iterator[list[Cell]]:
    """How everybody typed, an author in a talk a row."""
    for talk in found.talks:
        for author, rhythm in (("judge", talk.of_judge), ("entity", talk.of_entity)):
            yield [
                *(talk.talk, talk.round, talk.attempt, talk.judge, talk.entity),
                "entry" if talk.is_program else "confederate",
                *(talk.side, "" if talk.taken is None else int(talk.taken), author),
                *_rhythm(rhythm),
            ]


def _rhythm(rhythm: Rhythm) -> Iterator[Cell]:
    for field in fields(Rhythm):
        value = getattr(rhythm, field.name)
        if field.name != "gap_ms":
            yield "" if value is None else value
        elif isinstance(value, Quartiles):
            yield from (value.low, value.median, value.high)
        else:
            yield from ("", "", "")
