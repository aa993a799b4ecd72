"""Standings, and warnings about what they rest on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scheduler.numbers import number
from scheduler.schedule import Pairing, Roster, Schedule
from scheduler.texts import listed
from scheduler.verdicts import BallotStatus, Status, Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry's result.

    Arguments:
        entry: the entry.
        score: how many verdicts took it for the human.
        mean_rank: the mean of its ranks on all ballots that rank it; None if none does.
        place: from 1; equal entries share one, and the next place counts all before it.
        tied: whether the place is shared.
        values: what the steps of the rules had for it, by their names.
    """

    entry: str
    score: int
    mean_rank: Fraction | None
    place: int
    tied: bool
    values: tuple[tuple[str, Fraction | None], ...] = ()


def verdict_warnings(
    schedule: Schedule, held: Mapping[Pairing, Verdict], not_played: Collection[int] = ()
) -> Iterable[str]:
    """What is odd about the verdicts.

    Arguments:
        schedule: all pairings there are.
        held: the verdict on each of them.
        not_played: rounds that will not be played.

    Returns:
        Warnings: pairings without a verdict, judges who miss an entry or are in two places.
    """
    for pairing in schedule.pairings:
        if held[pairing].choice is None and pairing.round not in not_played:
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


def ballot_warnings(
    ranks: Mapping[str, Mapping[str, Fraction]], statuses: Sequence[BallotStatus], roster: Roster
) -> Iterable[str]:
    """What is odd about the ballots.

    Arguments:
        ranks: for each judge with a ballot that counts the ranks given.
        statuses: what became of each ballot that was given.
        roster: who is there.

    Returns:
        Warnings: ballots that do not count, judges without a ballot, participants not on a ballot,
        ballots whose ranks do not add up to n(n + 1)/2 for n participants, and mean ranks that do
        not as a consequence.
    """
    for status in statuses:
        if status.status is Status.EXCLUDED:
            yield f"The ballot of {status.judge} does not count: {status.reason}"
    given = {status.judge for status in statuses}
    if given and (without := [judge for judge in roster.judges if judge not in given]):
        yield f"There is no ballot of {listed(without)}"
    lacking: dict[tuple[str, ...], list[str]] = {}
    for status in statuses:
        if status.status is Status.COUNTED and status.lacking:
            lacking.setdefault(status.lacking, []).append(status.judge)
    for missing, judges in lacking.items():
        one = len(judges) == 1
        yield f"The ballot{'s' * (not one)} of {listed(judges)} lack{'s' * one} {listed(missing)}"
    yield from _sums(ranks, roster)


def _sums(ranks: Mapping[str, Mapping[str, Fraction]], roster: Roster) -> Iterable[str]:
    for judge, ballot in ranks.items():
        should = Fraction(len(ballot) * (len(ballot) + 1), 2)
        if (total := sum(ballot.values())) != should:
            yield (
                f"The ballot of {judge} adds up to {number(Fraction(total))} instead of "
                f"{number(should)} for its {len(ballot)} participants"
            )
    if not ranks:
        return
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
