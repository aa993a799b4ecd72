"""The tables of a contest's result, as pages show them: the entries by their places, the scores,
the schedule with what judges chose, and the ballots."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from fractions import Fraction
from typing import Any

from contest.history.views import ContestView
from scheduler.rules import STEPS
from scheduler.texts import number, ordinal, plain


def standing_rows(view: ContestView, results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries in the order of their places, as pages show them.

    Arguments:
        view: the contest.
        results: its `results_json`.
    """
    prizes = dict(
        zip((p["entry"] for p in results["prizes"]), results["words"]["prizes"], strict=True)
    )
    said = []
    for standing in results["tally"]["entries"]:
        entry = standing["entry"]
        person = view.people.get(entry)
        shared = " (shared)" if standing["tied"] else ""
        said.append(
            {
                "id": entry,
                "name": plain(view.name(entry)),
                "entrant": "" if person is None else plain(person.entrant),
                "place": standing["place"],
                "place_words": f"{ordinal(standing['place']).capitalize()} place{shared}",
                "prize": prizes.get(entry, "").removeprefix(f"{entry}: "),
            }
        )
    return said


def score_table(
    view: ContestView, tally: Mapping[str, Any], places: Container[int] | None = None
) -> dict[str, Any]:
    """The table of judges and entries, as pages show it.

    Arguments:
        view: the contest.
        tally: that of its `results_json`.
        places: those that may be shown, each with its mean rank; all if left out.
    """
    table = tally["table"]
    order = list(next(iter(table.values()), {}))
    of = {standing["entry"]: standing for standing in tally["entries"]}
    return {
        "entries": [
            {
                "id": entry,
                "name": plain(view.name(entry)),
                "score": of[entry]["score"],
                "mean": _mean(of[entry]["mean_rank"]),
                "place": of[entry]["place"],
                "hidden": places is not None and of[entry]["place"] not in places,
                "tied": of[entry]["tied"],
            }
            for entry in order
        ],
        "rows": [
            {"judge": judge, "cells": [row[entry] for entry in order]}
            for judge, row in table.items()
        ],
        "steps": [
            {
                "heading": STEPS[name].heading,
                "cells": [_mean(of[entry]["values"][name]) for entry in order],
            }
            for name in tally.get("rules", {}).get("tally", ())
            if name not in ("column-sum", "mean-rank")
        ],
    }


def _mean(mean: float | Fraction | None) -> str:
    return "–" if mean is None else f"{float(mean):.4g}"


def plan_table(results: Mapping[str, Any]) -> dict[str, Any]:
    """The schedule with whom each judge took for the human, as pages show it.

    Arguments:
        results: a contest's `results_json`.
    """
    rounds = results["schedule"]["rounds"]
    judges = list(results["tally"]["table"])
    taken = {
        (talk["round"], talk["judge"]): talk["entity"]
        for talk in results["talks"]
        if talk["counts"] and talk["verdict"] is not None and talk["verdict"]["taken_for_human"]
    }
    not_played = (results["stopped"] or {}).get("not_played", ())
    rows = []
    for at, pairings in enumerate(rounds, 1):
        cells: dict[str, dict[str, Any]] = {}
        for pairing in pairings:
            human = taken.get((at, pairing["judge"]), "")
            cells[pairing["judge"]] = {
                "entry": pairing["entry"],
                "confederate": pairing["confederate"],
                "taken": human,
                "played": at not in not_played,
                "hit": human == pairing["entry"],
            }
        rows.append({"round": at, "cells": [cells.get(judge) for judge in judges]})
    return {"judges": judges, "rows": rows, "words": results["schedule"]["words"]}


def ranking_table(view: ContestView, rankings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The judges' ballots, as pages show them.

    Arguments:
        view: the contest.
        rankings: those of its `results_json`.
    """
    counted = [each for each in rankings if each["status"] == "counted"]
    ranked = {name for each in rankings for name in each["ranks"]}
    people = [person for person in view.people if person in ranked]
    rows, means = [], []
    for each in rankings:
        ranks = [each["ranks"].get(person) for person in people]
        told = ["–" if rank is None else number(Fraction(rank)) for rank in ranks]
        excluded = plain(each["reason"]) if each["status"] == "excluded" else ""
        rows.append({"judge": each["judge"], "ranks": told, "excluded": excluded})
    for person in people:
        given = [Fraction(each["ranks"][person]) for each in counted if person in each["ranks"]]
        means.append(_mean(sum(given, Fraction(0)) / len(given) if given else None))
    return {"people": people, "rows": rows, "means": means}
