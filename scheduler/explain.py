"""Results in words: for each place why it is what it is, and what a check found."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby

from scheduler.checking import KINDS, Pair, Report
from scheduler.making import Made
from scheduler.numbers import number, ordinal
from scheduler.prizes import PRIZES_2010, Award, Prizes, awards
from scheduler.standings import Standing
from scheduler.tallying import Tally
from scheduler.texts import listed


def explain_places(result: Tally) -> list[str]:
    """For each score a sentence: who has it, and how the places come about.

    Arguments:
        result: the tally.

    Returns:
        Such as ``E2 and E3 have 2 each; mean ranks 2.25 and 2.75; E2 is second, E3 is third.``
    """
    return [
        _level(list(same)) for _, same in groupby(result.entries, key=lambda entry: entry.score)
    ]


def _level(level: list[Standing]) -> str:
    names = listed(s.entry for s in level)
    if len(level) == 1:
        return f"{names} has {level[0].score}; {names} is {ordinal(level[0].place)}."
    said = f"{names} have {level[0].score} each; "
    means = [s.mean_rank for s in level]
    if all(mean is None for mean in means):
        said += "no ballot ranks them; "
    elif None in means:
        unranked = listed(s.entry for s in level if s.mean_rank is None)
        said += f"no ballot ranks {unranked}, so the rankings can't settle it; "
    elif len(set(means)) == 1:
        said += f"the mean rank of each is {_mean(means[0])}; "
    else:
        said += f"mean ranks {listed(map(_mean, means))}; "
    places = []
    for place, group in groupby(level, key=lambda s: s.place):
        sharing = [s.entry for s in group]
        places.append(
            f"{sharing[0]} is {ordinal(place)}"
            if len(sharing) == 1
            else f"{listed(sharing)} stay tied and share the {ordinal(place)} place"
        )
    return f"{said}{', '.join(places)}."


def _mean(mean: Fraction | None) -> str:
    return "-" if mean is None else number(mean)


def explain_silver(result: Tally) -> list[str]:
    """Whether the silver medal is won, by whom, on what evidence, and what follows.

    Arguments:
        result: the tally.

    Returns:
        Sentences.
    """
    if not result.silver:
        so_far = " so far" * bool(result.open)
        return [
            f"Silver medal: not won{so_far}; no entry was taken for the human by two or more "
            "judges comparing it with two or more different humans."
        ]
    said = [
        f"Silver medal: {medal.entry} was taken for the human by {listed(medal.judges)}, who "
        f"compared it with {listed(medal.confederates)}."
        for medal in result.silver
    ]
    if len(said) > 1:
        said.append("The rules do not say how several entries share one silver medal.")
    said.append("The contest goes on to the audio-visual gold medal (US$ 100,000).")
    return said


def explain_prizes(result: Tally, prizes: Prizes = PRIZES_2010) -> list[str]:
    """What each entry wins.

    Arguments:
        result: the tally.
        prizes: what there is to win.

    Returns:
        A line an entry, in the order of the places.
    """
    given = awards(result.entries, result.silver, prizes)
    shared = {s.entry for s in result.entries if s.tied}
    return [_award(award, award.entry in shared, prizes) for award in given]


def _award(award: Award, shared: bool, prizes: Prizes) -> str:
    parts = [
        f"US$ {_money(award.money)}" + " (its share of the prizes of the places tied)" * shared
    ]
    if award.bronze:
        parts.append("the bronze medal" + " (shared)" * shared)
    if award.silver:
        parts.append(f"the silver medal and US$ {_money(Fraction(prizes.silver))}")
    if not award.money and len(parts) == 1:
        parts = ["no prize"]
    return f"{award.entry}: {listed(parts)}"


def _money(amount: Fraction) -> str:
    whole = f"{amount.numerator // amount.denominator:,}"
    rest = amount - amount.numerator // amount.denominator
    return whole if not rest else f"{whole}.{round(rest * 100):02d}"


def explain_report(report: Report) -> list[str]:
    """What a check found, each repeated or missing pair by name.

    Arguments:
        report: what was found.

    Returns:
        Lines.
    """
    roster = report.roster
    said = [
        f"{_count(roster.judges, 'judge', 'judges')}, "
        f"{_count(roster.entries, 'entry', 'entries')}, "
        f"{_count(roster.confederates, 'confederate', 'confederates')}"
    ]
    for kind, words in KINDS.items():
        pairs = report.pairs[kind]
        line = f"{words}: {pairs.covered} of {pairs.of}"
        line += f"; repeated: {_named(pairs.repeated)}" if pairs.repeated else "; none repeated"
        line += f"; missing: {_named(pairs.missing)}" if pairs.missing else "; none missing"
        said.append(line)
    if report.rounds_needed is None:
        said += [f"in two places at once: {clash}" for clash in report.clashes]
        if not report.clashes:
            said.append("nobody is in two places at once")
    elif report.unplayable:
        said.append(report.unplayable)
    else:
        said.append(f"the matrix can be played in {report.rounds_needed} parallel rounds")
    return said


def explain_made(made: Made) -> list[str]:
    """The proof of a schedule that we made.

    Arguments:
        made: the schedule and its proof.

    Returns:
        Lines.
    """
    said = explain_report(made.report)
    said.append("everybody plays in each round")
    if not made.report.complete:
        count = len(made.schedule.rounds)
        said.append(
            f"optimal: what is missing has no room in {count} round{'s' * (count > 1)}, and "
            "nothing is repeated"
        )
    return said


def _count(names: tuple[str, ...], one: str, many: str) -> str:
    return f"{len(names)} {one if len(names) == 1 else many}"


def _named(pairs: Iterable[Pair]) -> str:
    # Ids such as J1 and E1 read well without a space; names that organizers chose may not.
    return ", ".join(
        "".join(pair) if all(name[-1:].isdigit() for name in pair) else " with ".join(pair)
        for pair in pairs
    )
