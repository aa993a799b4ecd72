"""Schedules and results in words: the findings of a check, the proof of a schedule, the reasons
for the places, the silver medal, the prizes. All functions return lines or sentences."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from scheduler.checking import KINDS, Report, label_names
from scheduler.planning.plan import Plan, named_pairs
from scheduler.prizes import PRIZES_2010, Award, Prizes, awards
from scheduler.rules import Rules, Step
from scheduler.schedule import ROLES
from scheduler.tallying import Standing, Tally
from scheduler.texts import counted, listed, ordinal


def explain_report(report: Report) -> list[str]:
    """The findings of a check, with the name of each repeated or missing pair."""
    kinds = zip(ROLES, report.roster.people, strict=True)
    said = [", ".join(counted(len(names), kind) for kind, names in kinds)]
    for kind, words in KINDS.items():
        pairs = report.pairs[kind]
        line = f"{words}: {pairs.covered} of {pairs.of}"
        line += (
            f"; repeated: {named_pairs(pairs.repeated)}" if pairs.repeated else "; none repeated"
        )
        line += f"; missing: {named_pairs(pairs.missing)}" if pairs.missing else "; none missing"
        said.append(line)
    if report.parallel is None:
        said += [f"in two places at once: {clash}" for clash in report.clashes]
        if not report.clashes:
            said.append("nobody is in two places at once")
    else:
        can = f"the matrix can be played in {report.parallel.rounds} parallel rounds"
        said.append(report.parallel.reason or can)
    return said


def explain_plan(made: Plan) -> list[str]:
    """The proof of a schedule that this package made."""
    said = explain_report(made.report)
    idle = [
        label_names(f"idle in round {number}", names, ", ")
        for number, names in enumerate(made.idle, 1)
        if names
    ]
    said += idle or ["everybody plays in each round"]
    return said if made.is_square else said + made.in_words()


def explain_rules(rules: Rules) -> list[str]:
    """How places are determined, how ties are broken, and what happens to remaining ties."""
    first, *others = (
        f"{step.rule}, {'lower' if step.lower_is_better else 'higher'} is better"
        for step in rules.steps
    )
    said = [f"The places are decided by {first}."]
    if others:
        said.append(f"A tie is broken by {'; then by '.join(others)}.")
    still = "still " * bool(others)
    return [*said, f"Entries that are {still}tied share the place."]


def explain_places(result: Tally) -> list[str]:
    """For each value of the first step, a sentence that names its entries and explains their
    places, such as ``E2 and E3 have 2 each; mean ranks 2.25 and 2.75; E2 is second, E3 is
    third.``"""
    first, *others = result.rules.steps
    if any(standing.value(first) is None for standing in result.entries):
        return [_unsettled(result.entries, first, others)]
    groups = groupby(result.entries, key=lambda standing: standing.value(first))
    return [_level(list(same), first, others) for _, same in groups]


def _unsettled(level: Sequence[Standing], first: Step, others: Sequence[Step]) -> str:
    """The sentence if the first step can't decide because it lacks a value."""
    without = [s.entry for s in level if s.value(first) is None]
    said = f"{first.lacking.format(listed(without))}, so the {first.source} can't decide it"
    parts = [said[0].upper() + said[1:], *_settled(level, others), *_places(level)]
    return f"{'; '.join(parts)}."


def _level(level: Sequence[Standing], first: Step, others: Sequence[Step]) -> str:
    """The sentence about all entries with the same value in the first step."""
    names = listed(s.entry for s in level)
    value = level[0].value(first)
    assert value is not None
    if len(level) == 1:
        return f"{names} has {first.amount(value)}; {names} is {ordinal(level[0].place)}."
    parts = [f"{names} have {first.amount(value)} each", *_settled(level, others), *_places(level)]
    return f"{'; '.join(parts)}."


def _settled(
    level: Sequence[Standing], steps: Sequence[Step], named: bool = False
) -> Iterator[str]:
    """How further steps order entries that are equal so far, in the order of the places. With
    `named`, the words name the entries."""
    if len(level) < 2 or not steps:
        return
    step, *others = steps
    whom = f"of {listed(s.entry for s in level)}: " * named
    values = [value for s in level if (value := s.value(step)) is not None]
    if not values:
        yield whom + step.lacking.format("them")
    elif len(values) < len(level):
        without = listed(s.entry for s in level if s.value(step) is None)
        yield f"{whom}{step.lacking.format(without)}, so the {step.source} can't decide it"
    elif len(set(values)) == 1:
        yield whom + step.equal(values[0])
    else:
        yield whom + step.compared(values)
        for _, same in groupby(level, key=lambda s: s.value(step)):
            yield from _settled(list(same), others, named=True)
        return
    yield from _settled(level, others, named)


def _places(level: Sequence[Standing]) -> Iterator[str]:
    places = []
    for place, group in groupby(level, key=lambda s: s.place):
        sharing = [s.entry for s in group]
        places.append(
            f"{sharing[0]} is {ordinal(place)}"
            if len(sharing) == 1
            else f"{listed(sharing)} stay tied and share the {ordinal(place)} place"
        )
    yield ", ".join(places)


def explain_silver(result: Tally, prizes: Prizes = PRIZES_2010) -> list[str]:
    """The winners of the silver medal with the evidence, and what follows; or that nobody won it.
    The first sentence begins with the medal's name."""
    heading = prizes.silver_medal[:1].upper() + prizes.silver_medal[1:]
    if not result.silver:
        so_far = " so far" * bool(result.open)
        return [
            f"{heading}: not won{so_far}; no entry was taken for the human by "
            f"{result.rules.silver.in_words(result.roster)}."
        ]
    said = [
        f"{heading}: {medal.entry} was taken for the human by {listed(medal.judges)}, who "
        f"compared it with {listed(medal.confederates)}."
        for medal in result.silver
    ]
    if len(said) > 1:
        said.append(f"The rules do not say how several entries share one {prizes.silver_medal}.")
    if prizes.gold:
        money = prizes.amount(prizes.gold)
        said.append(f"The contest continues with the {prizes.gold_medal} ({money}).")
    return said


def explain_prizes(result: Tally, prizes: Prizes = PRIZES_2010) -> list[str]:
    """What each entry wins: one line per entry, in the order of the places."""
    given = awards(result.entries, result.silver, prizes)
    shared = {s.entry for s in result.entries if s.tied}
    return [_award(award, award.entry in shared, prizes) for award in given]


def _award(award: Award, shared: bool, prizes: Prizes) -> str:
    parts = [prizes.amount(award.money) + " (its share of the prizes of the tied places)" * shared]
    if award.bronze:
        parts.append(f"the {prizes.first_medal}" + " (shared)" * shared)
    if award.silver:
        money = f" and {prizes.amount(prizes.silver)}" * bool(prizes.silver)
        parts.append(f"the {prizes.silver_medal}{money}")
    if not award.money:
        parts = parts[1:] or ["no prize"]
    return f"{award.entry}: {listed(parts)}"
