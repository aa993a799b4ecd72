"""The rounds to come as the board shows them: two plans side by side, desk by desk, with a word and
a shape for what is other in the one than in the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from contest.setup.settings import Settings
from contest.state.schedules import Triple
from scheduler import Pairing, Schedule
from scheduler.checking import KINDS, Pairs
from scheduler.planning import Wishes
from scheduler.repair import Repair, Rest, introduced, proved, reasons
from scheduler.texts import listed, together

#: The names under which the two plans are chosen.
STANDS, REPAIRED = "stands", "repaired"

#: What is other about a cell: its shape (templates/replan_plan.html) and its word.
FALLS_OUT, OTHER, NEW, FREE = "out", "other", "new", "free"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a desk has in a round.

    Attributes:
        words: entry and confederate; empty where the desk is free.
        mark: what is other about it; empty if nothing is.
        note: the mark in words.
    """

    words: str
    mark: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rounds and desks.

    Attributes:
        rounds: the numbers of the rounds, each with a word that is to be said of it.
        rows: for each judge the cells, round by round.
    """

    rounds: Sequence[tuple[int, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]


@dataclass(frozen=True, slots=True)
class Shown:
    """A plan.

    Attributes:
        name: under which it is chosen.
        title: what it is called.
        table: its rounds.
        lost: how many pairs are lost.
        reasons: why, in sentences.
        pairs: for each kind of pair its name, how many meet, and what is repeated.
        why_not: why it can't be chosen, in words; empty if it can.
        rounds: its rounds to come, as an order has them.
    """

    name: str
    title: str
    table: Table
    lost: int
    reasons: Sequence[str]
    pairs: Sequence[tuple[str, str, str]]
    why_not: str
    rounds: Mapping[str, Sequence[Triple]]


@dataclass(frozen=True, slots=True)
class Both:
    """What is shown when the rest was planned anew.

    Attributes:
        words: from where it was planned.
        proof: what is known of it.
        plans: the plan as it stands, and the one that is proposed where that is another.
    """

    words: Sequence[str]
    proof: str
    plans: Sequence[Shown]


def side_by_side(found: Repair, schedule: Schedule, judges: Sequence[str]) -> Both:
    """Both plans.

    Arguments:
        found: what the planning has found.
        schedule: all rounds as they are planned now.
        judges: whose desks there are, in the order of the settings.
    """
    last = len(schedule.rounds)
    to_come = range(found.played + 1, last + 1)
    stands, repaired = found.as_it_stands, found.repaired
    before = _cells(schedule.pairings)
    kept = _cells(stands.schedule.pairings)
    gone = set(found.gone)

    def falling(judge: str, number: int) -> Cell:
        now, old = kept.get((number, judge)), before.get((number, judge))
        if now is None and old is not None:
            absent = [name for name in (judge, *old) if name in gone]
            verb = "is" if len(absent) == 1 else "are"
            return Cell(_pair(old), FALLS_OUT, f"falls out: {listed(absent)} {verb} gone")
        return Cell(_pair(now))

    after = _cells(repaired.schedule.pairings)

    def changing(judge: str, number: int) -> Cell:
        old, now = kept.get((number, judge)), after.get((number, judge))
        if now == old:
            return Cell(_pair(now))
        if now is None:
            return Cell("", FREE, "free now")
        return Cell(_pair(now), *((NEW, "new") if old is None else (OTHER, "changed")))

    same = repaired == stands
    title = "As it stands" + (", without those who are gone" if gone else "")
    rounds = [(number, "") for number in to_come]
    plans = [
        Shown(
            STANDS,
            title,
            Table(rounds, [(j, [falling(j, n) for n in to_come]) for j in judges]),
            *_counted(stands),
            _why_not(stands, schedule, to_come),
            _rounds(stands, found.played),
        )
    ]
    if not same:
        plans.append(
            Shown(
                REPAIRED,
                "Planned anew",
                Table(rounds, [(j, [changing(j, n) for n in to_come]) for j in judges]),
                *_counted(repaired),
                _why_not(repaired, schedule, to_come),
                _rounds(repaired, found.played),
            )
        )
    return Both([f"{words}." for words in introduced(found)], proved(found), plans)


def whole(schedule: Schedule, judges: Sequence[str], begun: int) -> Table:
    """The schedule as it is.

    Arguments:
        schedule: all rounds.
        judges: whose desks there are.
        begun: how many rounds were.
    """
    held = _cells(schedule.pairings)
    numbers = range(1, len(schedule.rounds) + 1)
    rounds = [(number, "begun" if number <= begun else "") for number in numbers]
    return Table(rounds, [(j, [Cell(_pair(held.get((n, j)))) for n in numbers]) for j in judges])


def people(settings: Settings) -> list[tuple[str, list[tuple[str, str]]]]:
    """Who may be gone, by kind: (id, id and name) each."""
    kinds = (
        ("Judges", settings.judge),
        ("Confederates", settings.confederate),
        ("Entries", settings.entry),
    )
    return [
        (kind, [(each.id, f"{each.id} {each.name}".strip()) for each in tables])
        for kind, tables in kinds
    ]


def in_words(wishes: Wishes) -> list[str]:
    """What holds for each plan by the settings, in words without a full stop."""
    away: dict[str, list[int]] = {}
    for name, number in wishes.away:
        away.setdefault(name, []).append(number)
    said = []
    if wishes.conflicts:
        said.append(f"must not meet: {', '.join(map(together, wishes.conflicts))}")
    for name, numbers in away.items():
        where = f"round{'s' * (len(numbers) > 1)} {listed(map(str, sorted(numbers)))}"
        said.append(f"{name} is away in {where}")
    for session in wishes.sessions:
        if session.away:
            said.append(f"{listed(session.away)} away in the session {session.name}")
    if wishes.desks:
        rounds = " by round" * (len(wishes.desks) > 1)
        said.append(f"desks{rounds}: {', '.join(map(str, wishes.desks))}")
    if wishes.weights:
        counts = ", ".join(f"({letter}) counts {weight}" for letter, weight in wishes.weights)
        said.append(f"a lost pair of wish {counts}")
    return said


def void_in_words(void: Iterable[Pairing], schedule: Schedule) -> list[str]:
    """What does not count, round by round: whole rounds, or their talks by name."""
    rounds: dict[int, list[Pairing]] = {}
    for pairing in void:
        rounds.setdefault(pairing.round, []).append(pairing)
    said = []
    for number, held in sorted(rounds.items()):
        named = (together((p.judge, p.entry, p.confederate)) for p in held)
        every = len(held) == len(schedule.rounds[number - 1])
        said.append(f"round {number}" if every else f"in round {number} {', '.join(named)}")
    return said


def _cells(pairings: Iterable[Pairing]) -> dict[tuple[int, str], tuple[str, str]]:
    """Round and judge to entry and confederate."""
    return {(p.round, p.judge): (p.entry, p.confederate) for p in pairings}


def _pair(two: tuple[str, str] | None) -> str:
    return "" if two is None else " ".join(two)


def _counted(plan: Rest) -> tuple[int, list[str], list[tuple[str, str, str]]]:
    pairs = [(words, *_met(plan.pairs[kind])) for kind, words in KINDS.items()]
    return plan.lost, reasons(plan), pairs


def _met(pairs: Pairs) -> tuple[str, str]:
    again = f"again: {', '.join(map(together, pairs.repeated))}" if pairs.repeated else ""
    return f"{pairs.covered} of {pairs.of}", again


def _rounds(plan: Rest, played: int) -> dict[str, list[Triple]]:
    return {
        str(number): [(p.judge, p.entry, p.confederate) for p in pairings]
        for number, pairings in enumerate(plan.schedule.rounds, 1)
        if number > played
    }


def _why_not(plan: Rest, schedule: Schedule, to_come: range) -> str:
    held = {p.round for p in plan.schedule.pairings}
    if empty := [number for number in to_come if number not in held]:
        return (
            f"nobody plays in round {empty[0]}, and a round without talks can't be played; the "
            "order No more rounds ends the rounds earlier"
        )
    if set(plan.schedule.pairings) == set(schedule.pairings):
        return "this is the plan that holds already"
    return ""
