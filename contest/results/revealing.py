"""How the result is revealed to the public, step by step.

The steps are `names` (who sat where), `table` (of the judges), then the places from the last to the
first, shared ones together, as `place 4`, `place 2`, `place 1`, and `prizes`. In a contest that an
organizer has in hand each step is shown when the organizer says so, the rest of them when the
contest is declared final; in one that plays by itself all of them are shown when it is closed.
Nothing of a step may be shown anywhere before `shown` has it.

One template shows the revealed steps: on the live page, on the page for readers without scripts,
and in the archive. It is made of the record as it may be published, and of these steps alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import scheduler
from contest.history.views import ContestView
from contest.pages import render
from contest.record.bodies import Result
from contest.results.document import Results
from contest.results.page import score_table, standing_rows
from scheduler.texts import plain

NAMES, TABLE, PRIZES = "names", "table", "prizes"


def place(number: int) -> str:
    """The step that shows whoever has a place."""
    return f"place {number}"


def steps_of(result: Result) -> list[str]:
    """The steps in which a result is shown, in their order."""
    places = {each["place"] for each in result.entries}
    return [NAMES, TABLE, *map(place, sorted(places, reverse=True)), PRIZES]


def steps(view: ContestView) -> list[str]:
    """The steps in which the result of a contest is shown, in their order; none before its result
    is on record."""
    return [] if view.result is None else steps_of(view.result)


def shown(view: ContestView) -> set[str]:
    """The steps that the public may see by now."""
    return set(steps(view)) if view.is_closed else set(view.shown) & set(steps(view))


def left(steps: Iterable[str], shown: Iterable[str]) -> list[str]:
    """The steps that are not shown yet, in their order."""
    before = set(shown)
    return [step for step in steps if step not in before]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the audience is shown of the result.

    Attributes:
        html: of what is revealed; empty before the first step.
        complete: whether all is revealed, and all talks can be played again.
    """

    html: str = ""
    complete: bool = False


def outcome_of(results: Results, steps: Collection[str], shown: Collection[str]) -> Outcome:
    """The outcome as far as it is revealed.

    Arguments:
        results: of the contest, as it may be published.
        steps: all steps there are, in their order.
        shown: those that are revealed.

    Raises:
        RecordTrouble: see `Results`.
    """
    revealed = [step for step in steps if step in shown]
    if not revealed:
        return Outcome()
    html = render("results/outcome.html", {"outcome": outcome_parts(results, revealed)})
    return Outcome(html, len(revealed) == len(steps))


def outcome_parts(results: Results, shown: Collection[str]) -> dict[str, Any]:
    """What the template `outcome.html` shows, for the steps that are revealed."""
    tally = results.tally
    places = {int(step.removeprefix("place ")) for step in shown if step.startswith("place ")}
    prizes = _prizes(results) if PRIZES in shown else {}
    return {
        "final": results.is_final,
        "names": _names(results.view) if NAMES in shown else [],
        "score": score_table(results, places) if TABLE in shown else None,
        "standings": [
            {**each, "first": each["place"] == 1, "prize": prizes.get(each["id"], "")}
            for each in standing_rows(results)
            if each["place"] in places
        ],
        "hidden": max((s.place for s in tally.entries if s.place not in places), default=0),
        "rules": scheduler.explain_rules(tally.rules),
        "words": scheduler.explain_places(tally) if 1 in places else [],
        "silver": [plain(line) for line in scheduler.explain_silver(tally, results.prizes)]
        if PRIZES in shown
        else [],
    }


def _prizes(results: Results) -> dict[str, str]:
    tally = results.tally
    awards = scheduler.awards(tally.entries, tally.silver, results.prizes)
    words = scheduler.explain_prizes(tally, results.prizes)
    return {
        award.entry: plain(said.removeprefix(f"{award.entry}: "))
        for award, said in zip(awards, words, strict=True)
    }


def _names(view: ContestView) -> list[dict[str, Any]]:
    """Who sat where: of each round's attempt that counts, a row a desk."""
    counting = [talk for talk in view.talks if talk.timing is not None and talk.timing.counts]
    taken = {(v.round, v.attempt, v.judge): v.human for v in view.verdicts if v.counts}
    rounds = []
    for number, of_round in groupby(counting, key=lambda talk: talk.round):
        desks = []
        for judge, talks in groupby(of_round, key=lambda talk: talk.judge):
            sides = {talk.side: talk for talk in talks}
            first = next(iter(sides.values()))
            desks.append(
                {
                    "judge": _called(view, judge),
                    "sides": {
                        side: {
                            **_called(view, talk.entity),
                            "program": view.is_entry(talk.entity),
                            "taken": taken.get((number, first.attempt, judge)) == side,
                        }
                        for side, talk in sorted(sides.items())
                    },
                }
            )
        rounds.append({"number": number, "desks": desks})
    return rounds


def _called(view: ContestView, who: str) -> Mapping[str, str]:
    name = plain(view.name(who))
    return {"id": who, "name": "" if name == who else name}
