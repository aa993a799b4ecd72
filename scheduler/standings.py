"""Standings, and warnings about what they rest on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from scheduler.numbers import number
from scheduler.schedule import Pairing, Roster, Schedule
from scheduler.texts import listed, natural
from scheduler.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry's result.

    Arguments:
        entry: the entry.
        score: how many verdicts took it for the human.
        mean_rank: the mean of its ranks on all ballots that rank it; None if none does.
        place: from 1; equal entries share one, and the next place counts all before it.
        tied: whether the place is shared.
    """

    entry: str
    score: int
    mean_rank: Fraction | None
    place: int
    tied: bool


def verdict_warnings(schedule: Schedule, held: Mapping[Pairing, Verdict]) -> Iterable[str]:
    """What is odd about the verdicts.

    Arguments:
        schedule: all pairings there are.
        held: the verdict on each of them.

    Returns:
        Warnings: pairings without a verdict, judges who miss an entry or are in two places.
    """
    for pairing in schedule.pairings:
        if held[pairing].choice is None:
            yield f"Round {pairing.round}, {pairing.label}: no verdict; it counts 0"
    met = {(pairing.judge, pairing.entry) for pairing in schedule.pairings}
    for judge in schedule.roster.judges:
        if never := [e for e in schedule.roster.entries if (judge, e) not in met]:
            yield f"{judge} has no pairing with {listed(never)}"
    seen: dict[tuple[int, str], Pairing] = {}
    for pairing in sorted(schedule.pairings):
        other = seen.setdefault((pairing.round, pairing.judge), pairing)
        if other is not pairing:
            yield (
                f"{pairing.judge} has two pairings in round {pairing.round}, {other.label} and "
                f"{pairing.label}; both count"
            )


def ballot_warnings(ranks: Mapping[str, Mapping[str, Fraction]], roster: Roster) -> Iterable[str]:
    """What is odd about the ballots.

    Arguments:
        ranks: for each judge with a ballot the ranks given.
        roster: who is there.

    Returns:
        Warnings: judges without a ballot, participants not on a ballot, ballots whose ranks do not
        add up to n(n + 1)/2 for n participants, and mean ranks that do not as a consequence.
    """
    if not ranks:
        return
    if without := [judge for judge in roster.judges if judge not in ranks]:
        yield f"There is no ballot of {listed(without)}"
    lacking: dict[tuple[str, ...], list[str]] = {}
    for judge in sorted(ranks, key=natural):
        missing = tuple(name for name in roster.participants if name not in ranks[judge])
        lacking.setdefault(missing, []).append(judge)
    for missing, judges in lacking.items():
        if missing:
            one = len(judges) == 1
            yield (
                f"The ballot{'s' * (not one)} of {listed(judges)} lack{'s' * one} {listed(missing)}"
            )
    for judge in sorted(ranks, key=natural):
        ballot = ranks[judge]
        should = Fraction(len(ballot) * (len(ballot) + 1), 2)
        if (total := sum(ballot.values())) != should:
            yield (
                f"The ballot of {judge} adds up to {number(Fraction(total))} instead of "
                f"{number(should)} for its {len(ballot)} participants"
            )
    # Where all ballots rank the same participants, so do the mean ranks add up, or not.
    first, *others = ranks.values()
    names = [name for name in roster.participants if name in first]
    if names and all(ballot.keys() == first.keys() for ballot in others):
        mean_sum = Fraction(sum(sum(ballot.values()) for ballot in ranks.values()), len(ranks))
        if mean_sum != (should := Fraction(len(names) * (len(names) + 1), 2)):
            yield (
                f"The mean ranks of {listed(names)} add up to {number(mean_sum)} instead of "
                f"{number(should)}"
            )


def tie_warnings(standings: Sequence[Standing]) -> Iterable[str]:
    """Ties that stay because ballots are lacking, not because they are equal.

    Arguments:
        standings: the entries with their places.

    Returns:
        Warnings, one a tie.
    """
    for _, group in groupby(standings, key=lambda standing: standing.place):
        tied = list(group)
        unranked = [s.entry for s in tied if s.mean_rank is None]
        if len(tied) > 1 and unranked:
            yield (
                f"The tie of {listed(s.entry for s in tied)} can't be settled by the rankings: no "
                f"ballot ranks {listed(unranked)}"
            )
