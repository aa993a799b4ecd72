"""The statistics in words that can't be misread: each part with its method and what it supposes.

Chances are told as "in about 23 of 100 such contests", intervals as "anything between 9 % and 53 %
would be compatible with that": neither is the chance that somebody is human, or is the best.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from contest.statistics.judged import Judged
from contest.statistics.phrases import between, in_contests, percent, span
from contest.statistics.shares import Share
from contest.statistics.strengths import Strength, Strengths
from contest.statistics.talks import MEASURES, Separation
from contest.statistics.whole import Statistics
from contest.verification.findings import several
from scheduler.texts import listed

#: What stands above all of it.
BESIDE = (
    "None of this changes the official result, which stands by the rules alone. It says how much "
    "so few verdicts can tell, and what else was measured."
)


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


def told(found: Statistics) -> list[Part]:
    """All parts that there is something to say of."""
    parts = []
    if found.judged is not None and found.judged.programs.out_of:
        parts = [part(found.judged) for part in (_shares, _guessing, _strengths, _agreement)]
    if found.talks or found.withheld:
        parts.append(_talks(found))
    return parts


# The parts


def _shares(found: Judged) -> Part:
    all_of_it = found.programs
    said = [_said_of("a program", all_of_it)]
    alike: dict[tuple[int, int], list[str]] = {}
    for entry, one in found.entries.items():
        if one.out_of:
            alike.setdefault((one.taken, one.out_of), []).append(entry)
    said += [_said_of(listed(same), found.entries[same[0]], len(same)) for same in alike.values()]
    said += _said_of_differences(found)
    rows = [
        *(_share_row(f"{who}, taken for the human", one) for who, one in found.entries.items()),
        _share_row("all entries", all_of_it),
        *(_share_row(f"{who}, recognized the human", one) for who, one in found.judges.items()),
        *(
            _share_row(f"{who}, recognized as the human", one)
            for who, one in found.confederates.items()
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
    shares = {who: one for who, one in found.entries.items() if one.out_of}
    if len(shares) < 2:
        return
    best = max(shares, key=lambda who: shares[who].value or 0.0)
    others: dict[float, list[str]] = {}
    for (one, other), chance in found.differences.items():
        if best in (one, other):
            others.setdefault(chance, []).append(other if one == best else one)
    for chance, names in others.items():
        alike = f"Had {best} and {listed(names)}" if len(names) == 1 else f"Had {best} and each of "
        alike += "" if len(names) == 1 else listed(names)
        yield (
            f"{alike} the same chance, luck alone would set them as far apart as here, or "
            f"further, {in_contests(chance)}."
        )


def _said_of(whom: str, one: Share, entries: int = 1) -> str:
    """The sentence about a share, of one entry or of several that have the same."""
    assert one.wilson is not None
    verdicts = several(one.out_of, "verdict")
    if entries == 1:
        said = f"With {verdicts}, {one.taken} of {one.out_of} took {whom} for the human"
    else:
        said = f"With {verdicts} each, {one.taken} of {one.out_of} took {whom} for the human"
    return (
        f"{said} ({percent(one.value)}): a chance anywhere {between(one.wilson)} would be "
        f"compatible with that{'' if entries == 1 else ', for each of them'}."
    )


def _share_row(whom: str, one: Share) -> tuple[str, ...]:
    intervals = ("–" if i is None else span(i) for i in (one.wilson, one.exact))
    return whom, f"{one.taken} of {one.out_of}", percent(one.value), *intervals


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
        for each in strong.each
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
    first, last = strong.each[0], strong.each[-1]
    most, least = (
        listed([each.who for each in strong.each if _alike(each, end)]) for end in (first, last)
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
    verdicts, rankings = found.verdicts, found.rankings
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
    exact = each.higher.exact
    if exact is None or exact.low <= 0.5 <= exact.high:
        return ""
    more = exact.low > 0.5
    count = each.higher.taken if more else each.higher.out_of - each.higher.taken
    return (
        f"{each.measure.words[0].upper()}{each.measure.words[1:]}: the program had "
        f"{'more' if more else 'less'} than the human in {count} of {each.higher.out_of} pairings "
        f"(medians {measured(each, each.programs)} and {measured(each, each.humans)})."
    )


def measured(each: Separation, value: float | None) -> str:
    """A value of a measure with its unit."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 or value == round(value) else 1
    return f"{value:.{digits}f} {each.measure.unit}".rstrip()


def _separation_table(separations: Sequence[Separation]) -> Table | None:
    if not separations:
        return None
    value: Callable[[Separation, float | None], str] = measured
    return Table(
        "Medians of the talks, and in how many pairings the program had more",
        ("Measure", "Programs", "Humans", "Programs taken for the human", "Program had more",
         "95 %"),
        tuple(
            (
                each.measure.words,
                value(each, each.programs),
                value(each, each.humans),
                value(each, each.taken),
                f"{each.higher.taken} of {each.higher.out_of}"
                + (f", {each.equal} equal" if each.equal else ""),
                "–" if each.higher.exact is None else span(each.higher.exact),
            )
            for each in separations
        ),
    )  # fmt: skip
