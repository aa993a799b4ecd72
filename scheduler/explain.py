"""Schedules and results in words: the findings of a check, the proof of a schedule, the reasons
for the places, the silver medal, the prizes. All functions return lines or sentences."""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import groupby

from scheduler.checking import KINDS, Report, label_names
from scheduler.planning.plan import Plan, named_pairs
from scheduler.prizes import PRIZES_2010, Award, Prizes, awards
from scheduler.rules import Rules, Step
from scheduler.schedule import ROLES
from scheduler.tallying import Standing, Tally
from scheduler.texts import Phrase, counted, joined, listed, ordinal


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
        Phrase("{rule} (lower is better)", rule=Phrase(step.rule))
        if step.lower_is_better
        else Phrase("{rule} (higher is better)", rule=Phrase(step.rule))
        for step in rules.steps
    )
    said: list[str] = [Phrase("The places are decided by {rule}.", rule=first)]
    if not others:
        return [*said, Phrase("Entries that are tied share the place.")]
    rules_ = reduce(lambda one, next_: Phrase("{one}; then by {next}", one=one, next=next_), others)
    return [
        *said,
        Phrase("A tie is broken by {rules}.", rules=rules_),
        Phrase("Entries that are still tied share the place."),
    ]


def explain_places(result: Tally) -> list[str]:
    """For each value of the first step, a sentence that names its entries and explains their
    places, such as ``E2 and E3 have 2 each; mean ranks 2.25 and 2.75; E2 is second, E3 is
    third.``"""
    first, *others = result.rules.steps
    if without := [s.entry for s in result.entries if s.value(first) is None]:
        undecided = "The {source} can't decide it: {why}"
        begin = Phrase(undecided, source=Phrase(first.source), why=first.lacks(without))
        return [_sentence([begin, *_settled(result.entries, others)], result.entries)]
    groups = groupby(result.entries, key=lambda standing: standing.value(first))
    return [_level(list(same), first, others) for _, same in groups]


def _level(level: Sequence[Standing], first: Step, others: Sequence[Step]) -> str:
    """The sentence about all entries with the same value in the first step."""
    value = level[0].value(first)
    assert value is not None
    names, amount = listed(s.entry for s in level), first.amount(value)
    if len(level) == 1:
        return _sentence([Phrase("{entry} has {amount}", entry=names, amount=amount)], level)
    each = Phrase("{entries} have {amount} each", entries=names, amount=amount)
    return _sentence([each, *_settled(level, others)], level)


def _sentence(parts: Sequence[str], level: Sequence[Standing]) -> str:
    return Phrase("{parts}.", parts=joined([*parts, _places(level)]))


def _settled(
    level: Sequence[Standing], steps: Sequence[Step], named: bool = False
) -> Iterator[str]:
    """How further steps order entries that are equal so far, in the order of the places. With
    `named`, the words name the entries."""
    if len(level) < 2 or not steps:
        return

    def of_them(words: str) -> str:
        entries = listed(s.entry for s in level)
        return Phrase("of {entries}: {words}", entries=entries, words=words) if named else words

    step, *others = steps
    values = [value for s in level if (value := s.value(step)) is not None]
    if not values:
        yield of_them(step.lacks())
    elif len(values) < len(level):
        why = step.lacks(s.entry for s in level if s.value(step) is None)
        undecided = "{why}, so the {source} can't decide it"
        yield of_them(Phrase(undecided, why=why, source=Phrase(step.source)))
    elif len(set(values)) == 1:
        yield of_them(step.equal(values[0]))
    else:
        yield of_them(step.compared(values))
        for _, same in groupby(level, key=lambda s: s.value(step)):
            yield from _settled(list(same), others, named=True)
        return
    yield from _settled(level, others, named)


def _places(level: Sequence[Standing]) -> str:
    places = []
    for place, group in groupby(level, key=lambda s: s.place):
        sharing = [s.entry for s in group]
        where = {"nth": ordinal(place), "place": place}
        if len(sharing) == 1:
            places.append(Phrase("{entry} is {nth}", entry=sharing[0], **where))
        else:
            tied = "{entries} stay tied and share the {nth} place"
            places.append(Phrase(tied, entries=listed(sharing), **where))
    return joined(places, ", ")


def explain_silver(result: Tally, prizes: Prizes = PRIZES_2010) -> list[str]:
    """The winners of the silver medal with the evidence, and what follows; or that nobody won it.
    The first sentence begins with the medal's name."""
    heading = _medal(prizes.silver_medal, capital=True)
    if not result.silver:
        not_won = "{medal}: not won; no entry was taken for the human by {whom}."
        so_far = "{medal}: not won so far; no entry was taken for the human by {whom}."
        whom = result.rules.silver.in_words(result.roster)
        return [Phrase(so_far if result.open else not_won, medal=heading, whom=whom)]
    said: list[str] = [
        Phrase(
            "{medal}: {entry} was taken for the human by {judges}, who compared it with {humans}.",
            medal=heading,
            entry=medal.entry,
            judges=listed(medal.judges),
            humans=listed(medal.confederates),
        )
        for medal in result.silver
    ]
    if len(said) > 1:
        unsaid = "The rules do not say how several entries share one {medal}."
        said.append(Phrase(unsaid, medal=_medal(prizes.silver_medal)))
    if prizes.gold:
        next_ = "The contest continues with the {medal} ({money})."
        medal, money = _medal(prizes.gold_medal), prizes.amount(prizes.gold)
        said.append(Phrase(next_, medal=medal, money=money))
    return said


def _medal(name: str, *, capital: bool = False) -> str:
    """A medal's name. Those of 2010 can be translated; others are the organizer's."""
    written = f"{name[:1].upper()}{name[1:]}" if capital else name
    known = (PRIZES_2010.first_medal, PRIZES_2010.silver_medal, PRIZES_2010.gold_medal)
    return Phrase(written) if name in known else written


def explain_prizes(result: Tally, prizes: Prizes = PRIZES_2010) -> list[str]:
    """What each entry wins: one line per entry, in the order of the places."""
    given = awards(result.entries, result.silver, prizes)
    shared = {s.entry for s in result.entries if s.tied}
    return [_award(award, award.entry in shared, prizes) for award in given]


def _award(award: Award, shared: bool, prizes: Prizes) -> str:
    parts: list[str] = []
    if award.money:
        money = prizes.amount(award.money)
        its_share = "{money} (its share of the prizes of the tied places)"
        parts.append(Phrase(its_share if shared else "{money}", money=money))
    if award.bronze:
        medal = "the {medal} (shared)" if shared else "the {medal}"
        parts.append(Phrase(medal, medal=_medal(prizes.first_medal)))
    if award.silver:
        with_money = "the {medal} and {money}" if prizes.silver else "the {medal}"
        money = prizes.amount(prizes.silver)
        parts.append(Phrase(with_money, medal=_medal(prizes.silver_medal), money=money))
    won = listed(parts) if parts else Phrase("no prize")
    return Phrase("{entry}: {won}", entry=award.entry, won=won)
