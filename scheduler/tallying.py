"""The official result: computes table, scores, places, silver medal and warnings from verdicts and
rankings.

Rules of the Loebner Prize 2010, section 3: a cell of the judges' table contains 1 if the judge took
the entry for the human; an entry's score is the sum of its column; the highest score wins; a tie is
broken by the mean of the rankings, where lower is better. Entries that are still tied share the
place; ties are never broken by chance or by the order of the entries. The rules only mention the
first place; the other places are decided by the same two steps. The rules of other years have other
steps (:mod:`scheduler.rules`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from scheduler.errors import BadInput
from scheduler.rules import RULES_2010, STEPS, Rules, SilverRule, Step, TallyInput, order_by_place
from scheduler.schedule import Pairing, Roster, Schedule
from scheduler.texts import Phrase, did_you_mean, in_order, listed, number, shown
from scheduler.verdicts import Ballot, BallotStatus, Choice, Verdict

Table = Mapping[str, Mapping[str, int | None]]
"""How often each judge took each entry for the human; None without a verdict."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry's result.

    Arguments:
        entry: the entry.
        score: how many verdicts took it for the human.
        mean_rank: the mean of its ranks on all ballots that rank it; None if none does.
        place: from 1; equal entries share a place, and the next place counts all entries before it.
        tied: whether the place is shared.
        values: its values in the steps of the rules, by their names.
    """

    entry: str
    score: int
    mean_rank: Fraction | None
    place: int
    tied: bool
    values: tuple[tuple[str, Fraction | None], ...] = ()

    def value(self, step: Step) -> Fraction | None:
        """The entry's value in a step of the rules."""
        always = {"column-sum": Fraction(self.score), "mean-rank": self.mean_rank}
        return (always | dict(self.values))[step.name]


@dataclass(frozen=True, slots=True)
class SilverMedal:
    """An entry that won the silver medal, with the evidence.

    Arguments:
        entry: the entry.
        judges: the judges who took it for the human.
        confederates: the humans with whom they compared it.
    """

    entry: str
    judges: tuple[str, ...]
    confederates: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The evidence in the form of the JSON contract."""
        return {
            "entry": self.entry,
            "judges": list(self.judges),
            "confederates": list(self.confederates),
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """The result.

    Arguments:
        roster: who takes part.
        table: the number of favourable verdicts for each judge and entry.
        entries: the entries in the order of their places.
        silver: the winners of the silver medal, with the evidence.
        warnings: things that the organizer should check, and where.
        open: the pairings that have no verdict but may still get one; while there are any, the
            result is not final.
        rules: the rules that decided the places.
        ballots: the status of each ballot, in the order of the roster.
    """

    roster: Roster
    table: Table
    entries: tuple[Standing, ...]
    silver: tuple[SilverMedal, ...]
    warnings: tuple[str, ...]
    open: tuple[Pairing, ...] = ()
    rules: Rules = RULES_2010
    ballots: tuple[BallotStatus, ...] = ()

    @property
    def excluded(self) -> tuple[BallotStatus, ...]:
        """The ballots that don't count."""
        return tuple(each for each in self.ballots if each.reason)

    @property
    def winners(self) -> tuple[str, ...]:
        """The entries in the first place."""
        return tuple(standing.entry for standing in self.entries if standing.place == 1)

    def as_json(self, fraction: Callable[[Fraction], object] = float) -> dict[str, Any]:
        """The document of ``tally --json``; ``fraction`` converts exact numbers. With rules other
        than those of 2010, it contains the rules under ``rules``, and the entries' values in their
        steps. If a ballot doesn't count, it contains the status of all ballots under
        ``ballots``."""
        document: dict[str, Any] = {
            "table": {judge: dict(row) for judge, row in self.table.items()},
            "entries": [self._entry(standing, fraction) for standing in self.entries],
            "winners": list(self.winners),
            "silver": [medal.as_json() for medal in self.silver],
            "warnings": list(self.warnings),
        }
        if self.rules != RULES_2010:
            document["rules"] = self.rules.as_json()
        if self.excluded:
            document["ballots"] = [ballot.as_json() for ballot in self.ballots]
        return document

    def _entry(
        self, standing: Standing, fraction: Callable[[Fraction], object]
    ) -> dict[str, object]:
        told: dict[str, object] = {
            "entry": standing.entry,
            "score": standing.score,
            "mean_rank": None if standing.mean_rank is None else fraction(standing.mean_rank),
            "place": standing.place,
            "tied": standing.tied,
        }
        if self.rules != RULES_2010:
            told["values"] = {
                name: None if value is None else fraction(value) for name, value in standing.values
            }
        return told


def tally(
    verdicts: Iterable[Verdict],
    ballots: Iterable[Ballot] = (),
    schedule: Schedule | None = None,
    rules: Rules = RULES_2010,
    not_played: Collection[int] = (),
) -> Tally:
    """Computes the result.

    Arguments:
        verdicts: at most one per pairing; a pairing without one counts as 0, with a warning.
        ballots: at most one per judge; ranks count as given. The ranks of an
            excluded ballot are not checked; it causes only a warning.
        schedule: all pairings; by default those of the verdicts.
        rules: the rules for the places and the silver medal.
        not_played: rounds of the schedule that won't be played. Their pairings are not open, and
            cause no warnings.

    Returns:
        The result; the order of verdicts and ballots doesn't matter.

    Raises:
        BadInput: there are two verdicts for one pairing, a verdict for a pairing that is not in the
            schedule, or two ballots by one judge; or a ballot that counts contains a name that is
            in no pairing, a name twice, or a rank below 1 or above the number of participants.
    """
    held = _by_pairing(verdicts)
    if schedule is None:
        if not held:
            raise BadInput("there are no verdicts to tally")
        schedule = Schedule.of(held)
    planned = set(schedule.pairings)
    for verdict in held.values():
        if verdict.pairing not in planned:
            raise _not_in_schedule(schedule, verdict)
    for pairing in schedule.pairings:
        held.setdefault(pairing, Verdict(pairing, None))
    roster = schedule.roster
    given = _given(ballots)
    ranks = _ranks([ballot for ballot in given if not ballot.excluded], roster)
    counted = TallyInput(roster, tuple(held.values()), ranks)
    standings = _standings(counted, rules)
    statuses = _statuses(given, roster, _not_met(schedule, not_played))
    open_ = tuple(
        p for p in schedule.pairings if held[p].choice is None and p.round not in not_played
    )
    warnings = (
        *(
            Phrase(
                "Round {round}, {pairing}: no verdict; it counts as 0",
                round=p.round,
                pairing=p.label,
            )
            for p in open_
        ),
        *_schedule_warnings(schedule),
        *_ballot_warnings(ranks, statuses, roster),
        *_tie_warnings(standings, rules.steps),
    )
    return Tally(
        roster,
        _table(held.values(), roster),
        standings,
        silver_medals(held.values(), roster, rules.silver),
        warnings,
        open_,
        rules,
        statuses,
    )


def _by_pairing(verdicts: Iterable[Verdict]) -> dict[Pairing, Verdict]:
    held: dict[Pairing, Verdict] = {}
    for verdict in verdicts:
        pairing = verdict.pairing
        if pairing in held:
            first = f" (the first: {held[pairing].where})" if held[pairing].where else ""
            raise BadInput(
                f"a second verdict for round {pairing.round}, {pairing.label}{first}; "
                "keep only one",
                source=verdict.where,
            )
        held[pairing] = verdict
    return held


def _not_in_schedule(schedule: Schedule, verdict: Verdict) -> BadInput:
    """The error for a verdict whose pairing is not in the schedule; it names the scheduled one."""
    pairing = verdict.pairing
    problem = f"round {pairing.round}, {pairing.label} is not in the schedule"
    same = (pairing.round, pairing.judge)
    if instead := [p.label for p in schedule.pairings if (p.round, p.judge) == same]:
        problem += f", which has {listed(instead)} there"
    return BadInput(problem, source=verdict.where)


def _given(ballots: Iterable[Ballot]) -> list[Ballot]:
    """Checks that each judge has only one ballot; returns the ballots in natural order of
    judges."""
    held: dict[str, Ballot] = {}
    for ballot in ballots:
        if ballot.judge in held:
            problem = f"a second ballot of {ballot.judge}; keep only one"
            raise BadInput(problem, source=_where(ballot))
        held[ballot.judge] = ballot
    return [held[judge] for judge in in_order(held)]


def _where(ballot: Ballot) -> str:
    return ballot.ranks[0].where if ballot.ranks else ""


def _not_met(schedule: Schedule, not_played: Collection[int]) -> dict[str, set[str]]:
    """For each judge, the people whom the judge would meet only in rounds that won't be played."""
    met: dict[str, set[str]] = {}
    unmet: dict[str, set[str]] = {}
    for pairing in schedule.pairings:
        of = unmet if pairing.round in not_played else met
        of.setdefault(pairing.judge, set()).update((pairing.entry, pairing.confederate))
    return {judge: names - met.get(judge, set()) for judge, names in unmet.items()}


def _statuses(
    ballots: Iterable[Ballot], roster: Roster, not_met: Mapping[str, Collection[str]]
) -> tuple[BallotStatus, ...]:
    statuses = []
    for ballot in ballots:
        ranked = {*(rank.participant for rank in ballot.ranks), *not_met.get(ballot.judge, ())}
        lacking = tuple(name for name in roster.participants if name not in ranked)
        statuses.append(BallotStatus(ballot.judge, ballot.excluded, lacking))
    return tuple(statuses)


def _ranks(ballots: Iterable[Ballot], roster: Roster) -> dict[str, dict[str, Fraction]]:
    """Checks the ranks; returns them for each judge."""
    result: dict[str, dict[str, Fraction]] = {}
    everybody = roster.participants
    for ballot in ballots:
        if ballot.judge not in roster.judges:
            hint = did_you_mean(ballot.judge, roster.judges)
            raise BadInput(
                f"judge {shown(ballot.judge)} is in no pairing{hint}", source=_where(ballot)
            )
        given: dict[str, Fraction] = {}
        for rank in ballot.ranks:
            name, problem = rank.participant, ""
            if name not in everybody:
                problem = (
                    f"participant {shown(name)} is in no pairing{did_you_mean(name, everybody)}"
                )
            elif name in given:
                problem = f"{name} is on the ballot of {ballot.judge} twice; keep only one rank"
            elif not 1 <= rank.value <= len(everybody):
                problem = (
                    f"the rank {number(rank.value)} of {name} is out of range; ranks go from 1 to "
                    f"{len(everybody)}, the number of participants"
                )
            if problem:
                raise BadInput(problem, source=rank.where)
            given[name] = rank.value
        result[ballot.judge] = given
    return result


def _table(verdicts: Iterable[Verdict], roster: Roster) -> Table:
    table: dict[str, dict[str, int | None]] = {
        judge: dict.fromkeys(roster.entries) for judge in roster.judges
    }
    for verdict in verdicts:
        if verdict.choice is not None:
            row, entry = table[verdict.pairing.judge], verdict.pairing.entry
            row[entry] = (row[entry] or 0) + (verdict.choice is Choice.ENTRY)
    return table


def _standings(counted: TallyInput, rules: Rules) -> tuple[Standing, ...]:
    scores, means = (STEPS[name].values(counted) for name in ("column-sum", "mean-rank"))
    values = [(step.name, step.values(counted)) for step in rules.steps]
    standings: list[Standing] = []
    for group in order_by_place(counted, rules.steps):
        place = len(standings) + 1
        standings += [
            Standing(
                entry,
                int(scores[entry] or 0),
                means[entry],
                place,
                len(group) > 1,
                tuple((name, value[entry]) for name, value in values),
            )
            for entry in group
        ]
    return tuple(standings)


def silver_medals(
    verdicts: Iterable[Verdict], roster: Roster, rule: SilverRule
) -> tuple[SilverMedal, ...]:
    """Finds the winners of the silver medal.

    "If any entry fools two or more judges comparing two or more humans into thinking that the
    entry is the human, the US$25,000 and Silver Medal will be awarded" (rules 2010, section 3).
    If the verdicts in an entry's favour come from two judges and compare it with two humans, there
    are always two that differ in both; otherwise all would share their judge or their human.

    Arguments:
        rule: how many judges and humans are needed.

    Returns:
        The winners in natural order, with all judges and humans that count.
    """
    favourable: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.choice is Choice.ENTRY:
            favourable.setdefault(verdict.pairing.entry, []).append(verdict)
    needed_judges, needed_humans = rule.needed(roster)
    medals = []
    for entry in in_order(favourable):
        judges = in_order(v.pairing.judge for v in favourable[entry])
        confederates = in_order(v.pairing.confederate for v in favourable[entry])
        if len(judges) >= needed_judges and len(confederates) >= needed_humans:
            medals.append(SilverMedal(entry, judges, confederates))
    return tuple(medals)


def _schedule_warnings(schedule: Schedule) -> Iterable[str]:
    """Warnings about judges who miss an entry, or are in two places at once."""
    met = {(pairing.judge, pairing.entry) for pairing in schedule.pairings}
    for judge in schedule.roster.judges:
        if never := [e for e in schedule.roster.entries if (judge, e) not in met]:
            yield Phrase(
                "{judge} has no pairing with {entries}", judge=judge, entries=listed(never)
            )
    seen: dict[tuple[int, str], Pairing] = {}
    for pairing in sorted(schedule.pairings):
        other = seen.setdefault((pairing.round, pairing.judge), pairing)
        if other is not pairing:
            yield Phrase(
                "{judge} has two pairings in round {round}, {one} and {other}; both count",
                judge=pairing.judge,
                round=pairing.round,
                one=other.label,
                other=pairing.label,
            )


def _ballot_warnings(
    ranks: Mapping[str, Mapping[str, Fraction]], statuses: Sequence[BallotStatus], roster: Roster
) -> Iterable[str]:
    """Warnings about ballots that don't count, judges without a ballot, participants missing on a
    ballot, and ballots that don't add up to n(n + 1)/2 for n participants."""
    lacking: dict[tuple[str, ...], list[str]] = {}
    for status in statuses:
        if status.reason:
            uncounted = "The ballot of {judge} does not count: {why}"
            yield Phrase(uncounted, judge=status.judge, why=status.reason)
        elif status.lacking:
            lacking.setdefault(status.lacking, []).append(status.judge)
    given = {status.judge for status in statuses}
    if given and (without := [judge for judge in roster.judges if judge not in given]):
        yield Phrase("There is no ballot from {judges}", judges=listed(without))
    one, several = "The ballot of {judges} lacks {who}", "The ballots of {judges} lack {who}"
    for missing, judges in lacking.items():
        which = one if len(judges) == 1 else several
        yield Phrase(which, judges=listed(judges), who=listed(missing))
    for judge, ballot in ranks.items():
        should = Fraction(len(ballot) * (len(ballot) + 1), 2)
        if (total := sum(ballot.values())) != should:
            yield Phrase(
                "The ballot of {judge} adds up to {sum} instead of {right} for its {count} "
                "participants",
                judge=judge,
                sum=number(Fraction(total)),
                right=number(should),
                count=len(ballot),
            )


def _tie_warnings(standings: Sequence[Standing], steps: Sequence[Step]) -> Iterable[str]:
    """Warnings about ties that remain because values are missing, not because entries are equal."""
    for _, group in groupby(standings, key=lambda standing: standing.place):
        tied = list(group)
        for step in steps if len(tied) > 1 else ():
            without = [s.entry for s in tied if s.value(step) is None]
            if without:
                yield Phrase(
                    "The tie of {entries} can't be broken by the {source}: {why}",
                    entries=listed(s.entry for s in tied),
                    source=Phrase(step.source),
                    why=step.lacks(without),
                )
