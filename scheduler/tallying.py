"""The official result: verdicts and rankings to table, scores, places, silver medal, warnings.

Rules of the Loebner Prize 2010, section 3: a cell of the judges' table holds 1 where the judge
took the entry for the human; an entry's score is the sum of its column; the highest score wins; a
tie is settled by the mean of the rankings, lower is better. What is tied even then stays tied and
shares its place: never a coin, never the order of entry. The rules speak of the first place only;
the other places are settled by the same two steps.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from scheduler.errors import BadInput
from scheduler.numbers import number
from scheduler.prizes import Silver, silver_medals
from scheduler.schedule import Pairing, Roster, Schedule
from scheduler.standings import Standing, ballot_warnings, tie_warnings, verdict_warnings
from scheduler.texts import listed, natural, near, shown
from scheduler.verdicts import Ballot, Choice, Verdict

Table = Mapping[str, Mapping[str, int | None]]
"""For judge and entry how often the judge took the entry for the human; None without verdict."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The result.

    Arguments:
        roster: who is there.
        table: for judge and entry the number of favourable verdicts.
        entries: the entries in the order of their places.
        silver: who won the silver medal, with the evidence.
        warnings: what an organizer should look at; each names where.
        open: the pairings that have no verdict; while there are any, nothing is final.
    """

    roster: Roster
    table: Table
    entries: tuple[Standing, ...]
    silver: tuple[Silver, ...]
    warnings: tuple[str, ...]
    open: tuple[Pairing, ...] = ()

    @property
    def winners(self) -> tuple[str, ...]:
        """The entries in the first place."""
        return tuple(standing.entry for standing in self.entries if standing.place == 1)

    def as_json(self) -> dict[str, object]:
        """The document of ``tally --json``."""
        return {
            "table": {judge: dict(row) for judge, row in self.table.items()},
            "entries": [
                {
                    "entry": s.entry,
                    "score": s.score,
                    "mean_rank": None if s.mean_rank is None else float(s.mean_rank),
                    "place": s.place,
                    "tied": s.tied,
                }
                for s in self.entries
            ],
            "winners": list(self.winners),
            "silver": [medal.as_json() for medal in self.silver],
            "warnings": list(self.warnings),
        }


def tally(
    verdicts: Iterable[Verdict],
    ballots: Iterable[Ballot] = (),
    schedule: Schedule | None = None,
) -> Tally:
    """Computes the result.

    Arguments:
        verdicts: at most one a pairing; a pairing without one counts 0 and is warned about.
        ballots: at most one a judge; ranks count as given.
        schedule: all pairings there are; without it, those of the verdicts.

    Returns:
        The result; the same for the same verdicts and ballots in any order.

    Raises:
        BadInput: two verdicts for one pairing or one that is not in the schedule, a ballot of or
            with somebody in no pairing, a participant twice on a ballot, two ballots of a judge,
            or a rank under 1 or over the number of participants.
    """
    held = _by_pairing(verdicts)
    if schedule is None:
        if not held:
            raise BadInput("there are no verdicts, so there is nothing to tally")
        schedule = Schedule.of(held)
    planned = set(schedule.pairings)
    for verdict in held.values():
        if verdict.pairing not in planned:
            raise _beyond(schedule, verdict)
    for pairing in schedule.pairings:
        held.setdefault(pairing, Verdict(pairing, None))
    roster = schedule.roster
    ranks = _ranks(ballots, roster)
    table = _table(held.values(), roster)
    means = {
        entry: Fraction(sum(given), len(given))
        for entry in roster.entries
        if (given := [ballot[entry] for ballot in ranks.values() if entry in ballot])
    }
    standings = _standings(table, means, roster.entries)
    warnings = (
        *verdict_warnings(schedule, held),
        *ballot_warnings(ranks, roster),
        *tie_warnings(standings),
    )
    missing = tuple(p for p in schedule.pairings if held[p].choice is None)
    return Tally(roster, table, standings, silver_medals(held.values()), warnings, missing)


def _by_pairing(verdicts: Iterable[Verdict]) -> dict[Pairing, Verdict]:
    held: dict[Pairing, Verdict] = {}
    for verdict in verdicts:
        pairing = verdict.pairing
        if pairing in held:
            first = f" (the first: {held[pairing].where})" if held[pairing].where else ""
            raise BadInput(
                f"a second verdict for round {pairing.round}, {pairing.label}{first}; keep one",
                source=verdict.where,
            )
        held[pairing] = verdict
    return held


def _beyond(schedule: Schedule, verdict: Verdict) -> BadInput:
    """The error for a verdict on no pairing of the schedule, with what there is in its place."""
    pairing, roster = verdict.pairing, schedule.roster
    problem = f"round {pairing.round}, {pairing.label} is not in the schedule"
    for kind, known in (
        ("judge", roster.judges),
        ("entry", roster.entries),
        ("confederate", roster.confederates),
    ):
        if (name := getattr(pairing, kind)) not in known:
            problem += f", which has no {kind} {shown(name)}{near(name, known)}"
            break
    else:
        rounds = [str(p.round) for p in schedule.pairings if p.label == pairing.label]
        instead = [
            p.label
            for p in schedule.pairings
            if (p.round, p.judge) == (pairing.round, pairing.judge)
        ]
        if rounds:
            problem += f", which has it in round {listed(rounds)}"
        elif instead:
            problem += f", which has {listed(instead)} there"
    return BadInput(problem, source=verdict.where)


def _ranks(ballots: Iterable[Ballot], roster: Roster) -> dict[str, dict[str, Fraction]]:
    """For each judge the ranks given, once they are found to be usable."""
    result: dict[str, dict[str, Fraction]] = {}
    everybody = roster.participants
    for ballot in ballots:
        where = ballot.ranks[0].where if ballot.ranks else ""
        if ballot.judge not in roster.judges:
            raise BadInput(
                f"judge {shown(ballot.judge)} is in no pairing{near(ballot.judge, roster.judges)}",
                source=where,
            )
        if ballot.judge in result:
            raise BadInput(f"a second ballot of {ballot.judge}; keep one", source=where)
        given: dict[str, Fraction] = {}
        for rank in ballot.ranks:
            name = rank.participant
            if name not in everybody:
                raise BadInput(
                    f"participant {shown(name)} is in no pairing{near(name, everybody)}",
                    source=rank.where,
                )
            if name in given:
                raise BadInput(
                    f"{name} stands twice on the ballot of {ballot.judge}; keep one rank",
                    source=rank.where,
                )
            if not 1 <= rank.value <= len(everybody):
                raise BadInput(
                    f"the rank {number(rank.value)} of {name} is out of range; ranks go from 1 to "
                    f"{len(everybody)}, the number of participants",
                    source=rank.where,
                )
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


def _standings(
    table: Table, means: Mapping[str, Fraction], entries: Sequence[str]
) -> tuple[Standing, ...]:
    scores = {entry: sum(row[entry] or 0 for row in table.values()) for entry in entries}
    groups: list[list[str]] = []
    by_score = sorted(entries, key=lambda entry: -scores[entry])
    for _, same_score in groupby(by_score, key=lambda entry: scores[entry]):
        level = list(same_score)
        if all(entry in means for entry in level):
            level.sort(key=lambda entry: means[entry])
            groups += [list(g) for _, g in groupby(level, key=lambda entry: means[entry])]
        else:
            # An entry that no ballot ranks is neither better nor worse than one that has a mean.
            groups.append(level)
    standings: list[Standing] = []
    for group in groups:
        place = len(standings) + 1
        standings += [
            Standing(entry, scores[entry], means.get(entry), place, len(group) > 1)
            for entry in sorted(group, key=natural)
        ]
    return tuple(standings)
