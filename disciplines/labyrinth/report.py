"""The results of a contest from its state: means, agreement, bias, disagreements. Without I/O."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import msgspec

from contest.errors import ContestError
from contest.record.events import Json
from contest.verify.findings import Check, quoted
from disciplines import page
from disciplines.labyrinth.agreement import (
    LEVEL,
    Rating,
    alpha_of,
    bias_of,
    disagreements,
    mean_of,
)
from disciplines.labyrinth.calls import calls_of
from disciplines.labyrinth.gameplay import read_gameplay
from disciplines.labyrinth.metrics import METRICS
from disciplines.labyrinth.model import items_of, rated
from disciplines.labyrinth.rating import COMMENT, PEOPLE, Contest, Settings, planned, targets_of
from disciplines.run import ItemFailed, State, plain
from scheduler.texts import counted

RESULT = "result"
PAGE = f"{RESULT}/results.html"
#: Disagreements on the page.
WIDEST = 20


def people_of(state: State) -> list[Rating]:
    """The scores that people gave, on our pages or in a survey."""
    targets, metrics = targets_of(state), {metric.name for metric in METRICS}
    return [
        Rating(targets[item].system, item, actor, metric, float(value))
        for (item, actor, metric), value in state.ratings.items()
        if actor.startswith(PEOPLE) and metric in metrics and value and item in targets
    ]


def models_of(state: State) -> list[Rating]:
    """The scores that models gave."""
    values, targets = state.values.get("score", {}), targets_of(state)
    return [
        Rating(targets[target].system, target, f"model:{model}", metric.name, float(values[item]))
        for item, model, target, metric in items_of(state)
        if item in values
    ]


def results(state: State) -> tuple[Json, dict[str, bytes]]:
    """The result as a document of whole numbers and text, and the files: path to content.

    Raises:
        ScienceMissing: without the extra `science`.
    """
    people, models, targets = people_of(state), models_of(state), targets_of(state)
    by: dict[tuple[str, str, str], list[Rating]] = defaultdict(list)
    for each in people:
        by[each.system, each.metric, "people"].append(each)
    for each in models:
        by[each.system, each.metric, each.rater].append(each)
    metrics = [metric.name for metric in METRICS]
    of_metric = {name: [x for x in people if x.metric == name] for name in metrics}
    held: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in people:
        held[each.target, each.metric][each.rater] = f"{each.score:g}"
    means = [
        {"system": system, "metric": metric, "by": who}
        | {name: _rounded(value) for name, value in mean_of(found)._asdict().items()}
        | {"ratings": len(found)}
        for (system, metric, who), found in sorted(
            by.items(),
            key=lambda x: (x[0][0], metrics.index(x[0][1]), x[0][2] != "people", x[0][2]),
        )
    ]
    document: Json = {
        "format": 1,
        "program": f"loebner {version('loebner')}",
        "contest": state.settings["contest"]["name"],
        "targets": len(targets),
        "raters": sorted({each.rater for each in people}),
        "models": sorted({each.rater for each in models}),
        "means": means,
        "alpha": {name: _rounded(alpha_of(found)) for name, found in of_metric.items()},
        "bias": [
            {"rater": rater, "metric": name, "above_others": _rounded(value)}
            for name, found in of_metric.items()
            for rater, value in bias_of(found).items()
        ],
        "disagreements": [
            {"target": target, "metric": metric, "apart": f"{apart:g}"}
            | {"system": targets[target].system, "scores": held[target, metric]}
            for target, metric, apart in disagreements(people)
        ],
        "calls": [
            {"game": game, "calls": calls} for game, calls in state.values.get("calls", {}).items()
        ],
        "failed": len(state.failures.get("collect", {})) + len(state.failures.get("score", {})),
    }
    return document, _files(state, document, people, models)


def _rounded(value: float | None) -> str | int | None:
    return f"{value:.4f}" if isinstance(value, float) else value


def _files(
    state: State, document: Json, people: list[Rating], models: list[Rating]
) -> dict[str, bytes]:
    targets = targets_of(state)
    left = sum(
        (item, f"rater:{rater}", metric.name) not in state.ratings
        for rater, held in state.values["plan"]["plan"]["raters"].items()
        for item in held
        for metric in METRICS
    )
    context = {
        "title": document["contest"],
        "program": document["program"],
        "notices": [f"Not final: {counted(left, 'score')} of the plan are missing."]
        if left
        else [],
        "doc": document,
        "texts": {id_: target.text for id_, target in targets.items()},
        "widest": document["disagreements"][:WIDEST],
        "metrics": [metric.name for metric in METRICS],
        "level": round(100 * LEVEL),
        "comments": {
            (item, actor, metric): text for (item, actor, metric), text in state.ratings.items()
        },
        "ending": COMMENT,
    }
    rows = [
        (
            *(*targets[each.target][:3], each.rater, each.metric, f"{each.score:g}"),
            state.ratings.get((each.target, each.rater, each.metric + COMMENT), ""),
        )
        for each in sorted((*people, *models), key=lambda x: (x.target, x.rater, x.metric))
    ]
    means = document["means"]
    columns = ("system", "metric", "by", "mean", "low", "high", "targets", "ratings")
    head = ("game", "number", "system", "rater", "metric", "score", "comment")
    made = {
        PAGE: page.render("labyrinth/results.html", context),
        f"{RESULT}/results.json": page.json_text(document),
        f"{RESULT}/ratings.csv": page.csv_text(head, rows),
        f"{RESULT}/means.csv": page.csv_text(columns, ([x[c] for c in columns] for x in means)),
    }
    return {name: text.encode() for name, text in made.items()}


def write(contest: Contest) -> tuple[Json, str]:
    """Computes the results and writes them; the document, and the record's head.

    Raises:
        Surroundings: if a file can't be written.
    """
    run, games = contest.run, contest.games
    run.each("calls", games, lambda game: [list(each) for each in calls_of(games[game])])
    document, made = results(run.state)
    run.finish(plain({**document, "disagreements": len(document["disagreements"])}), made)
    return document, run.head


# Verification


def checks(state: State, folder: Path) -> list[Check]:
    """Computes plan, models' scores, points of calls and result again.

    Arguments:
        state: of the run.
        folder: the contest's, with the gameplay records.
    """
    found = {name: Check(name, "run") for name in ("plan", "score", "calls", "result")}
    plan = state.values.get("plan", {}).get("plan")
    if plan is None:
        return list(found.values())
    settings = msgspec.convert(state.settings, Settings, strict=False)
    targets = list(targets_of(state).values())
    again = planned(targets, settings)
    if again != {name: plan[name] for name in again}:
        found["plan"].tell("the assignment is another when made again")
    found["plan"].summary = f"{counted(len(targets), 'target')} assigned as computed again"
    for item, value in state.values.get("score", {}).items():
        try:
            same = item in state.answers and rated(state, item) == value
        except (ItemFailed, ValueError, KeyError):
            same = False
        if not same:
            found["score"].tell(f"{quoted(item)}: the answer gives another score")
    count = len(state.values.get("score", {}))
    found["score"].summary = f"{counted(count, 'score')} of models as computed again"
    for table in settings.game if state.values.get("calls") else ():
        try:
            made = [list(each) for each in calls_of(read_gameplay(folder / table.file))]
        except ContestError as exc:
            found["calls"].tell(str(exc))
            continue
        if made != state.values["calls"].get(table.name):
            found["calls"].tell(f"{quoted(table.name)}: calls give other points")
    found["calls"].summary = "points of calls as computed again"
    if state.result is not None:
        document, files = results(state)
        for name, data in files.items():
            if hashlib.sha256(data).hexdigest() != state.result.files.get(name):
                found["result"].tell(f"{name} is another when made again")
        value = plain({**document, "disagreements": len(document["disagreements"])})
        if value != state.result.value:
            found["result"].tell("means or agreement are others when computed again")
        found["result"].summary = f"{counted(len(document['means']), 'mean')} as computed again"
    return list(found.values())
