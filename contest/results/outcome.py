"""What is revealed of the result, step by step, as HTML: who sat where, the table, the places from
the last to the first, the prizes.

One template serves the live page, the page of whoever reads without scripts, and the archive. It is
made of the record as it may be published, and of the steps that are revealed, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import scheduler
from contest.history.tallying import tally_of
from contest.history.views import ContestView
from contest.pages import render
from contest.results.document import results_json
from contest.results.finality import is_settled
from contest.results.tables import score_table, standing_rows
from contest.setup.winning import prizes_in
from scheduler.texts import ordinal, plain


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the audience is shown of the result.

    Attributes:
        html: of what is revealed; empty before the first step.
        complete: whether all is revealed, and all talks can be played again.
    """

    html: str = ""
    complete: bool = False


def outcome_of(view: ContestView, steps: Collection[str], shown: Collection[str]) -> Outcome:
    """The outcome as far as it is revealed.

    Arguments:
        view: the contest, as it may be published.
        steps: all steps there are, in their order.
        shown: those that are revealed.

    Raises:
        RecordTrouble: as `contest.results.document.results_json`.
    """
    revealed = [step for step in steps if step in shown]
    if not revealed:
        return Outcome()
    html = render("results/outcome.html", {"outcome": parts(view, revealed)})
    return Outcome(html, len(revealed) == len(steps))


def parts(view: ContestView, shown: Collection[str]) -> dict[str, Any]:
    """What the template `outcome.html` shows, for the steps that are revealed."""
    results = results_json(view)
    tally, prizes_won = tally_of(view), prizes_in(view.settings)
    places = {int(step.removeprefix("place ")) for step in shown if step.startswith("place ")}
    standings = [each for each in standing_rows(view, results) if each["place"] in places]
    with_prizes = "prizes" in shown
    prizes = _prizes(tally, prizes_won) if with_prizes else {}
    return {
        "final": is_settled(view, tally),
        "names": _names(view) if "names" in shown else [],
        "score": score_table(view, results["tally"], places) if "table" in shown else None,
        "standings": [
            {**each, "first": each["place"] == 1, "prize": prizes.get(each["id"], "")}
            for each in standings
        ],
        "hidden": max((s.place for s in tally.entries if s.place not in places), default=0),
        "rules": scheduler.explain_rules(tally.rules),
        "words": scheduler.explain_places(tally) if places and 1 in places else [],
        "silver": [plain(line) for line in scheduler.explain_silver(tally, prizes_won)]
        if with_prizes
        else [],
    }


def _prizes(tally: scheduler.Tally, prizes: scheduler.Prizes) -> dict[str, str]:
    awards = scheduler.awards(tally.entries, tally.silver, prizes)
    words = scheduler.explain_prizes(tally, prizes)
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


def place_words(place: int, shared: bool) -> str:
    """A place as a heading, such as `First place (shared)`."""
    return f"{ordinal(place).capitalize()} place{' (shared)' * shared}"
