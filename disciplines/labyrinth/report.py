"""The results of a contest from its state: means, agreement, bias, disagreements. Without I/O."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from pathlib import Path

import msgspec

from contest.record.events import Json
from contest.verify.findings import Check, quoted
from disciplines import agreement, page
from disciplines.agreement import Rating
from disciplines.labyrinth.calls import calls_of
from disciplines.labyrinth.game import LiveGame, faults_of
from disciplines.labyrinth.gameplay import read_gameplay
from disciplines.labyrinth.metrics import METRICS
from disciplines.labyrinth.model import items_of, rated
from disciplines.labyrinth.rating import (
    PEOPLE,
    RATER,
    Contest,
    Settings,
    planned,
    targets_of,
)
from disciplines.raters import COMMENT
from disciplines.run import State
from disciplines.standing import LEVEL
from disciplines.verify import Step, compare
from scheduler.texts import counted

#: The most disagreements on the page.
WIDEST = 20


def people_of(state: State) -> list[Rating]:
    """The scores by people, on the raters' pages or in a survey."""
    targets, metrics = targets_of(state), {metric.name for metric in METRICS}
    return [
        Rating(targets[item].system, item, actor, metric, float(value))
        for (item, actor, metric), value in state.ratings.items()
        if actor.startswith(PEOPLE) and metric in metrics and value and item in targets
    ]


def models_of(state: State) -> list[Rating]:
    """The scores by models."""
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
    for who, each in (*(("people", x) for x in people), *((x.rater, x) for x in models)):
        by[each.system, each.metric, who].append(each)
    metrics = [metric.name for metric in METRICS]
    of_metric = {name: [x for x in people if x.metric == name] for name in metrics}
    held: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for each in people:
        held[each.target, each.metric][each.rater] = f"{each.score:g}"
    means = [
        {"system": system, "metric": metric, "by": who}
        | {name: _rounded(value) for name, value in agreement.mean_of(found)._asdict().items()}
        | {"ratings": len(found)}
        for (system, metric, who), found in sorted(
            by.items(),
            key=lambda x: (x[0][0], metrics.index(x[0][1]), x[0][2] != "people", x[0][2]),
        )
    ]
    document: Json = {
        "format": 1,
        "program": state.program,
        "contest": state.settings["contest"]["name"],
        "targets": len(targets),
        "raters": sorted({each.rater for each in people}),
        "models": sorted({each.rater for each in models}),
        "means": means,
        "alpha": {name: _rounded(agreement.alpha_of(found)) for name, found in of_metric.items()},
        "bias": [
            {"rater": rater, "metric": name, "above_others": _rounded(value)}
            for name, found in of_metric.items()
            for rater, value in agreement.bias_of(found).items()
        ],
        "disagreements": [
            {"target": target, "metric": metric, "apart": f"{apart:g}"}
            | {"system": targets[target].system, "scores": held[target, metric]}
            for target, metric, apart in agreement.disagreements(people)
        ],
        "calls": [
            {"game": game, "calls": calls} for game, calls in state.values.get("calls", {}).items()
        ],
    }
    return document, _files(state, document, people, models)


def _rounded(value: float | None) -> str | int | None:
    return f"{value:.4f}" if isinstance(value, float) else value


def _files(
    state: State, document: Json, people: list[Rating], models: list[Rating]
) -> dict[str, bytes]:
    targets = targets_of(state)
    left = sum(
        not state.ratings.get((item, RATER + rater, metric.name))
        for rater, held in state.values["plan"]["plan"]["raters"].items()
        for item in held
        for metric in METRICS
    )
    context = {
        "title": document["contest"],
        "program": document["program"],
        "notices": [f"Not final: missing {counted(left, 'planned score')}."] * bool(left),
        "doc": document,
        "failures": {**state.failures.get("collect", {}), **state.failures.get("score", {})},
        "texts": {id_: target.text for id_, target in targets.items()},
        "widest": document["disagreements"][:WIDEST],
        "metrics": [metric.name for metric in METRICS],
        "level": round(100 * LEVEL),
        "comments": state.ratings,
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
    averages = ([mean[column] for column in columns] for mean in means)
    made = {
        page.PAGE: page.render("labyrinth/results.html", context),
        page.DOCUMENT: page.json_text(document),
        f"{page.RESULT}/ratings.csv": page.csv_text(head, rows),
        f"{page.RESULT}/means.csv": page.csv_text(columns, averages),
    }
    return {name: text.encode() for name, text in made.items()}


def write(contest: Contest) -> tuple[Json, str]:
    """Computes and writes the results. Returns the document, and the record's head.

    Raises:
        EnvironmentProblem: if a file can't be written.
    """
    run, games = contest.run, contest.games
    run.each("calls", games, lambda game: [list(each) for each in calls_of(games[game])])
    document, made = results(run.state)
    run.finish(_recorded(document), made)
    return document, run.head


def _recorded(document: Json) -> Json:
    """The part of the document that goes on record."""
    return {**document, "disagreements": len(document["disagreements"])}


# Verification


def _plan_again(check: Check, state: State, _folder: Path) -> str:
    if not state.values.get("plan"):
        return "no plan yet"
    settings = msgspec.convert(state.settings, Settings, strict=False)
    targets = list(targets_of(state).values())
    if planned(targets, settings) != state.values["plan"]["plan"]:
        check.tell("the recomputed assignment is different")
    return f"{counted(len(targets), 'target')} assigned, recomputed without differences"


def _scores_again(check: Check, state: State, _folder: Path) -> str:
    held = state.values.get("score", {})
    for item, value in held.items():
        if rated(state, item) != value:
            check.tell(f"{quoted(item)}: the recomputed score is different")
    return f"{counted(len(held), 'score')} by models, recomputed without differences"


def _games_again(check: Check, state: State, folder: Path) -> str:
    settings = msgspec.convert(state.settings, Settings, strict=False)
    files, over = {each.name: each.file for each in settings.game}, 0
    for name, events in state.games.items():
        for fault in faults_of(events):
            check.tell(f"{quoted(name)}: {fault}")
        game = LiveGame(events)
        if game.ended is None or name not in files:
            continue
        over += 1
        made, file = game.gameplay(), folder / files[name]
        if made.targets and (not file.exists() or file.read_bytes() != made.as_json().encode()):
            check.tell(f"{quoted(files[name])} differs from the recorded game {quoted(name)}")
    return f"{over} of {counted(len(state.games), 'game')} over, the same when replayed"


def _calls_again(check: Check, state: State, folder: Path) -> str:
    if "game" not in state.values:
        return "no ratings yet"
    for table in msgspec.convert(state.settings, Settings, strict=False).game:
        file, held = folder / table.file, state.values.get("calls", {}).get(table.name)
        game = read_gameplay(file)
        if hashlib.sha256(file.read_bytes()).hexdigest() != state.values["game"][table.name]:
            check.tell(f"{quoted(table.file)} has changed since it was rated")
        if held is not None and [list(each) for each in calls_of(game)] != held:
            check.tell(f"{quoted(table.name)}: the recomputed points are different")
    return "the rated games are unchanged, the points of their calls recomputed without differences"


def _result_again(check: Check, state: State, _folder: Path) -> str:
    if state.result is None:
        return "none yet"
    document, made = results(state)
    compare(check, state, _recorded(document), made)
    return f"{counted(len(document['means']), 'mean')}, recomputed without differences"


#: The checks of `loebner verify`, in order.
CHECKS: dict[str, Step] = {
    "plan": _plan_again,
    "score": _scores_again,
    "game": _games_again,
    "calls": _calls_again,
    "result": _result_again,
}
