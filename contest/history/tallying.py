"""From the record to what `scheduler` counts: verdicts, ballots, and the official result.

Judges meet sides and labels; the tally counts entries and confederates. A verdict `left` means the
one at the left was taken for the human. A ballot's labels stand for participants, one for one.
Should a judge have ranked one participant under several labels, it gets the mean of these ranks,
and the whole ballot is ranked anew by such means, ties sharing the middle rank: as given, the
ranks would go beyond the number of participants.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import scheduler
from contest.errors import RecordTrouble
from contest.history import timeline
from contest.history.views import ContestView, RankingView, VerdictView
from contest.record.bodies import Result
from contest.setup.settings import rules_in
from scheduler.texts import listed, natural

#: Why a ballot does not count, in a result.
_THEIRS = "the organizer has excluded it"


def tally_of_folder(folder: str | os.PathLike[str]) -> scheduler.Tally:
    """The tally of the record of a contest's folder; see `tally_of`.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
        RecordTrouble: if the record can't be read, or tallied.
    """
    return tally_of(timeline.load(Path(folder)))


def of_view(
    view: ContestView,
) -> tuple[scheduler.Schedule, list[scheduler.Verdict], list[scheduler.Ballot]]:
    """What a record gives the tally.

    Returns:
        The schedule; the last verdict of each pairing in the attempt that counts; the last ballot
        of each judge.

    Raises:
        RecordTrouble: if the record's schedule is none.
    """
    schedule = schedule_of(view)
    verdicts = [_verdict(view, schedule, each) for each in view.verdicts if each.counts]
    ballots = [_ballot(view, each) for each in view.rankings]
    return schedule, [v for v in verdicts if v is not None], [b for b in ballots if b.ranks]


def schedule_of(view: ContestView) -> scheduler.Schedule:
    """The schedule that the record opens with.

    Raises:
        RecordTrouble: if it is none.
    """
    try:
        schedule = scheduler.read_schedule(json.dumps(dict(view.schedule)), "the record's schedule")
    except scheduler.SchedulerError as exc:
        raise RecordTrouble(str(exc)) from exc
    if not isinstance(schedule, scheduler.Schedule):
        raise RecordTrouble("the record's schedule has no rounds")
    return schedule


def tally_of(view: ContestView, rules: scheduler.Rules | None = None) -> scheduler.Tally:
    """The tally of a record, as far as it goes.

    Arguments:
        view: the contest.
        rules: others than the contest's own, for who wants to know what they would give.

    Raises:
        RecordTrouble: if the record's schedule or the rules in it can't be used, or its verdicts
            and ballots contradict the schedule.
    """
    tally = _counted(view, rules)
    void = (f"{what}: {why}" for what, why in _left_out(view))
    return replace(tally, warnings=(*tally.warnings, *void))


def _counted(
    view: ContestView, rules: scheduler.Rules | None = None, *, reasons: bool = True
) -> scheduler.Tally:
    schedule, verdicts, ballots = of_view(view)
    if not reasons:
        ballots = [replace(b, excluded=_THEIRS if b.excluded else "") for b in ballots]
    try:
        tally = scheduler.tally(
            verdicts, ballots, schedule, rules or rules_in(view.settings), view.not_played
        )
    except scheduler.SchedulerError as exc:
        raise RecordTrouble(f"the record can't be tallied: {exc}") from exc
    if not view.revealed:
        return tally
    # What was voided and not played again by then stays without a verdict: nobody waits for it.
    void = {(talk.round, talk.judge) for talk in view.talks if talk.voided is not None}
    still = tuple(p for p in tally.open if (p.round, p.judge) not in void)
    return replace(tally, open=still)


def result_body(view: ContestView) -> Result:
    """The official result, for the record: exact mean ranks as fractions in text ("13/4").

    Raises:
        RecordTrouble: see `tally_of`.
    """
    # Without the organizer's reasons: names in these may have to be withheld, a result can't.
    tally = _counted(view, reasons=False)
    return Result(
        table={judge: dict(row) for judge, row in tally.table.items()},
        entries=[
            {
                "entry": standing.entry,
                "score": standing.score,
                "mean_rank": None if standing.mean_rank is None else str(standing.mean_rank),
                "place": standing.place,
                "tied": standing.tied,
            }
            | _values(standing, tally.rules)
            for standing in tally.entries
        ],
        winners=list(tally.winners),
        silver=[dict(medal.as_json()) for medal in tally.silver],
        warnings=[*tally.warnings, *(what for what, _ in _left_out(view))],
    )


def _values(standing: scheduler.Standing, rules: scheduler.Rules) -> dict[str, object]:
    """What the steps had for an entry, by other rules than those of 2010: these need no more than
    score and mean rank."""
    if rules == scheduler.RULES_2010:
        return {}
    return {
        "values": {name: None if value is None else str(value) for name, value in standing.values}
    }


def played_schedule(view: ContestView) -> scheduler.Schedule:
    """The schedule without the rounds that will not be played.

    Raises:
        RecordTrouble: if the record's schedule is none.
    """
    pairings = schedule_of(view).pairings
    return scheduler.Schedule.of(p for p in pairings if p.round not in view.not_played)


def stopped_in_words(view: ContestView) -> str:
    """That rounds are not played, without the organizer's reason; empty if all are."""
    rounds = [str(number) for number in view.not_played]
    if view.stopped is None or not rounds:
        return ""
    which = f"round {rounds[0]} is" if len(rounds) == 1 else f"rounds {listed(rounds)} are"
    return f"The organizer stopped the contest after round {view.stopped[0]}; {which} not played"


def _left_out(view: ContestView) -> list[tuple[str, str]]:
    """What does not count, in words, and why: rounds that are not played, and verdicts of talks
    that were voided."""
    found = []
    if view.stopped is not None and (said := stopped_in_words(view)):
        found.append((said, view.stopped[1]))
    # Of a round that was played again nobody misses the verdicts of the attempt before.
    played = {each.number: each.attempt for each in view.rounds if each.closed_ns is not None}
    return found + [
        (f"The verdict of {each.judge} in round {each.round} was voided", each.voided)
        for each in view.verdicts
        if each.voided is not None and played.get(each.round) == each.attempt
    ]


def _verdict(
    view: ContestView, schedule: scheduler.Schedule, given: VerdictView
) -> scheduler.Verdict | None:
    taken = next(
        (
            talk.entity
            for talk in view.talks
            if (talk.round, talk.attempt, talk.judge) == (given.round, given.attempt, given.judge)
            and talk.side == given.human
        ),
        None,
    )
    for pairing in schedule.pairings:
        if (pairing.round, pairing.judge) == (given.round, given.judge):
            if taken == pairing.entry:
                return scheduler.Verdict(pairing, scheduler.Choice.ENTRY)
            if taken == pairing.confederate:
                return scheduler.Verdict(pairing, scheduler.Choice.CONFEDERATE)
    # A verdict about nobody in the schedule counts for nothing here; `verify` names it.
    return None


def _ballot(view: ContestView, given: RankingView) -> scheduler.Ballot:
    entities = {talk.id: talk.entity for talk in view.talks}
    ranks: dict[str, list[Fraction]] = {}
    for label, doubled in given.ranks.items():
        met = {entities[talk] for talk in given.talks.get(label, ()) if talk in entities}
        for participant in sorted(met):
            ranks.setdefault(participant, []).append(Fraction(doubled, 2))
    means = {name: sum(each, Fraction(0)) / len(each) for name, each in ranks.items()}
    if any(len(each) > 1 for each in ranks.values()):
        means = _ranked(means)
    # In one order, whatever the order of the labels: canonical JSON sorts them.
    ordered = {name: means[name] for name in sorted(means, key=natural)}
    return scheduler.Ballot.of(given.judge, ordered, given.excluded or "")


def _ranked(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Ranks from 1 by values, low ones first; equal ones share the middle of their ranks."""
    ranks: dict[str, Fraction] = {}
    by_value = sorted(values, key=lambda name: values[name])
    for _, same in groupby(by_value, key=lambda name: values[name]):
        sharing = list(same)
        middle = len(ranks) + Fraction(len(sharing) + 1, 2)
        ranks.update(dict.fromkeys(sharing, middle))
    return ranks
