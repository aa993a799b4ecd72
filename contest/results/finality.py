"""Whether a result is provisional or final, and why, in words.

A result is provisional until everything is in and somebody has said that it is final; where the
settings require two persons, one of them proposes that and the other confirms it. A contest that
plays by itself is final when it is closed with nothing open.
"""

from __future__ import annotations

import scheduler
from contest.history.views import ContestView
from contest.verify.findings import several
from scheduler.texts import listed


def is_settled(view: ContestView, tally: scheduler.Tally) -> bool:
    """Whether the result is final.

    Arguments:
        view: the contest.
        tally: its tally.
    """
    return view.is_closed and (not tally.open or view.final is not None)


def state_in_words(view: ContestView, tally: scheduler.Tally) -> str:
    """Whether a result is provisional or final, and why.

    Arguments:
        view: the contest.
        tally: its tally.

    Returns:
        A sentence that begins with `Provisional` or `Final`.
    """
    if view.final is not None:
        return f"Final: {_declared(view)}"
    open_ = _open(view, tally)
    if not is_settled(view, tally):
        return f"Provisional: {open_ or 'everything is in, and nobody has declared it final yet'}."
    lacking = f"; {open_}" * bool(open_)
    return f"Final: all verdicts are in, and the contest is closed{lacking}."


def still_open(view: ContestView, tally: scheduler.Tally) -> list[str]:
    """What is missing in a result, in words, an item a line: verdicts, round by round, and ballots
    of judges who have met anybody. Rounds that will not be played are not missing.

    Arguments:
        view: the contest.
        tally: its tally.
    """
    played = {each.number for each in view.rounds if each.counts}
    waiting: dict[int, list[str]] = {}
    for pairing in sorted(tally.open):
        waiting.setdefault(pairing.round, []).append(pairing.judge)
    said = [
        f"round {number}: no verdict of {listed(judges)}"
        for number, judges in waiting.items()
        if number in played
    ]
    if rounds := [str(number) for number in waiting if number not in played]:
        said.append(f"round{'s' * (len(rounds) > 1)} {listed(rounds)}: not played to the end")
    judges = {talk.judge for talk in view.talks if talk.counts}
    ranked = {each.judge for each in view.rankings if each.ranks}
    if without := [each for each in tally.roster.judges if each in judges - ranked]:
        said.append(f"no ballot of {listed(without)}")
    return said


def _declared(view: ContestView) -> str:
    by, *confirmed = view.final_by
    said = f"declared by the {by}" + "".join(f", confirmed by the {who}" for who in confirmed)
    lacking = f"; not waited for: {'; '.join(view.open_at_end)}" * bool(view.open_at_end)
    return f"{said} ({view.final}){lacking}."


def _open(view: ContestView, tally: scheduler.Tally) -> str:
    """What is missing, as a clause; empty if nothing is."""
    missing = []
    if tally.open:
        verb = "is" if len(tally.open) == 1 else "are"
        missing.append(f"{several(len(tally.open), 'verdict')} {verb} missing")
    ranked = {each.judge for each in view.rankings if each.ranks}
    # Before the last verdict is in, nobody is asked for a ballot.
    asked = not tally.open or ranked or view.revealed
    if asked and (without := [judge for judge in tally.roster.judges if judge not in ranked]):
        missing.append(f"there is no ballot of {listed(without)}")
    return ", and ".join(missing)
