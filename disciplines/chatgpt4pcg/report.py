"""The results of a run: trials and scores, computed from the state, and the result files' contents.
This module does no I/O.

The files are the official ones (`constants.json` and three tables), `results.json`,
`results.html`, `trials.csv` with the reason for each trial that scores 0, and `movements.csv`.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from importlib.metadata import version
from pathlib import PurePath
from string import ascii_uppercase
from typing import Any, NamedTuple

from PIL import Image

from contest.record.events import Json
from disciplines import page
from disciplines.chatgpt4pcg import files
from disciplines.chatgpt4pcg.editions import EDITIONS, Edition
from disciplines.chatgpt4pcg.level import decimal_text
from disciplines.chatgpt4pcg.physics import Stability
from disciplines.chatgpt4pcg.picture import as_png
from disciplines.chatgpt4pcg.scoring import Scores, Trial, places, resampler, score
from disciplines.chatgpt4pcg.similarity import UNOFFICIAL, diversity
from disciplines.run import State
from disciplines.standing import Entrant, Interval, Place, bootstrap
from scheduler.texts import counted

#: In the contest's folder: the folder of the results, and the page in it.
RESULT = "result"
PAGE = f"{RESULT}/results.html"
#: The record's name for the list of problems with the files of stored values.
PROBLEMS = "problems"
#: Width and height of a picture on the page, in pixels.
THUMBNAIL = 48


class Item(NamedTuple):
    """A planned trial; `number` counts from 1, and `model` is empty if there is only one model."""

    model: str
    team: str
    letter: str
    number: int

    @property
    def file(self) -> str:
        """The name of its files, without extension."""
        return f"{self.team}_{self.letter}_{self.number}"

    @property
    def id(self) -> str:
        """Its id in the record."""
        return f"{self.model}/{self.file}" if self.model else self.file


class Plan(NamedTuple):
    """The planned trials: teams, letters, the number of trials for each letter, and models."""

    teams: tuple[str, ...]
    letters: str
    trials: int
    models: tuple[str, ...]

    @property
    def items(self) -> list[Item]:
        """All trials: first the first trial of each team and letter, then the second ones, and so
        on, so that a stopped run has some trials of each."""
        return [
            Item(model, team, letter, number)
            for number in range(1, self.trials + 1)
            for model in self.models
            for team in self.teams
            for letter in self.letters
        ]


def planned(state: State, statuses: Iterable[Any], edition: Edition) -> Json:
    """Makes the plan for the record, including the status of each entry.

    Arguments:
        state: the run's state after the stage `qualify`.
        statuses: the entries to which the organizer gives a status.
        edition: the edition, with the contest's letters, trials and models.
    """
    given = {each.name: (each.status, each.reason) for each in statuses}
    entrants = []
    for team, value in sorted(state.values.get("qualify", {}).items()):
        status, reason = given.get(team, ("ranked", ""))
        if value["status"] == "disqualified":
            status, reason = "disqualified", value["reason"]
        entrants.append({"name": team, "status": status, "reason": reason})
    for team, reason in sorted(state.failures.get("qualify", {}).items()):
        entrants.append({"name": team, "status": "disqualified", "reason": reason})
    return {
        "entrants": entrants,
        "letters": edition.letters,
        "trials": edition.trials,
        "models": list(edition.models),
    }


def plan_of(state: State) -> Plan:
    """The plan on record."""
    held = state.values["plan"]["plan"]
    teams = tuple(each["name"] for each in held["entrants"] if each["status"] != "disqualified")
    return Plan(teams, held["letters"], held["trials"], tuple(held["models"]))


def key_of(trial: Trial | Item) -> tuple[str, str, str, int]:
    """The key by which stored values are looked up: model, team, letter, number."""
    letter = trial.letter if isinstance(trial, Item) else trial.character
    return trial.model, trial.team, letter, trial.number


def trials_of(state: State, edition: Edition) -> list[Trial]:
    """All measured trials, each with the diversity of its team and letter."""
    return [
        Trial(
            *(item.team, item.letter, item.number),
            *(Decimal(value["stability"]), Decimal(value["similarity"])),
            diversity=spread,
            model=item.model,
        )
        for cell in _cells(state).values()
        for spread in [_diversity([value for _, value in cell], edition.trials, edition)]
        for item, value in cell
    ]


def _cells(state: State) -> dict[tuple[str, str, str], list[tuple[Item, Json]]]:
    """The measured values by model, team and letter."""
    values = state.values.get("measure", {})
    cells: dict[tuple[str, str, str], list[tuple[Item, Json]]] = {}
    for item in plan_of(state).items:
        if item.id in values:
            cell = cells.setdefault((item.model, item.team, item.letter), [])
            cell.append((item, values[item.id]))
    return cells


def _diversity(values: Sequence[Json], trials: int, edition: Edition) -> Decimal:
    if not edition.diversity:
        return Decimal(0)
    stored = [Decimal(value["diversity"]) for value in values if "diversity" in value]
    if stored:
        return max(stored)
    texts = [value.get("embedding") or value.get("softmax", "") for value in values]
    return diversity([list(map(float, text.split())) for text in texts], trials)


def measurements(state: State, edition: Edition) -> Iterator[tuple[str, Json]]:
    """The official files with the values measured here, for each team and letter: path in the
    folder tree, and document. Stored values have such files already."""
    ways = state.settings["measure"]
    for (model, team, letter), cell in _cells(state).items():
        root = f"{model}/{team}" if model else team
        measured = {
            f"{item.file}.xml": Stability(
                float(value["stability"]),
                value["starting"],
                value["moving"],
                *((), (), ()),
                engine=value["engine"],
            )
            for item, value in cell
            if "engine" in value
        }
        if ways["physics"] != "stored":
            yield f"{root}/stability/{letter}.json", files.stability_document(measured)
        seen = {
            f"{item.file}.png": dict(
                zip(ascii_uppercase, map(float, value["softmax"].split()), strict=True)
            )
            for item, value in cell
            if "softmax" in value
        }
        if ways["similarity"] == "stored":
            continue
        yield f"{root}/similarity/{letter}.json", files.similarity_document(letter, seen)
        if edition.diversity:
            rate = _diversity([value for _, value in cell], edition.trials, edition)
            yield f"{root}/diversity/{letter}.json", {"diversityRate": float(rate)}


# Why a trial scores 0


class Zero(NamedTuple):
    """The step at which a trial failed, and why."""

    step: str
    reason: str


def zero_of(state: State, item: Item) -> Zero | None:
    """Why a trial scores 0; None if it doesn't."""
    value = state.values.get("measure", {}).get(item.id)
    for stage, step in (("collect", "answer"), ("extract", "program"), ("measure", "level")):
        if value is None and item.id in state.failures.get(stage, {}):
            return Zero(step, state.failures[stage][item.id])
    if value is None:
        return Zero("answer", "no answer yet")
    if not Decimal(value["stability"]):
        number = value.get("starting")
        stored = "the stored stability is 0 or missing"
        return Zero("stability", stored if number is None else f"all {number} blocks moved")
    if not Decimal(value["similarity"]):
        seen = "the classifier sees nothing of the letter"
        stored = "the stored similarity is 0 or missing"
        return Zero("similarity", seen if "softmax" in value else stored)
    return None


# The result


def results(
    state: State, picture: Callable[[Item], bytes | None]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Scores and ranks, and the files that show them.

    Arguments:
        state: the run's state, which has a plan.
        picture: returns the picture of a trial that the classifier gets, as PNG, or None.

    Returns:
        The document of results; and the files' contents by their paths in the contest's folder.
    """
    held = state.settings
    plan, measure = plan_of(state), held["measure"]
    rules = EDITIONS[held["contest"]["edition"]]
    edition = _like(rules, plan)
    trials = trials_of(state, edition)
    scores = score(trials, edition, plan.teams, letters=plan.letters, count=plan.trials)
    words = {team: each["words"] for team, each in state.values.get("qualify", {}).items()}
    entrants = [Entrant(**each) for each in state.values["plan"]["plan"]["entrants"]]
    ranking = places(scores, edition, entrants, words)
    draw = resampler(trials, edition, plan.teams, letters=plan.letters, count=plan.trials)
    sure = bootstrap(draw, ranking) if plan.teams else {}
    notice = UNOFFICIAL if measure["similarity"] == "built-in" else ""
    zeros = {item: zero for item in plan.items if (zero := zero_of(state, item)) is not None}
    document = {
        "format": 1,
        "program": f"loebner {version('loebner')}",
        "unofficial": notice,
        "contest": held["contest"]["name"],
        "edition": edition.name,
        "competition": edition.title,
        "classifier": _classifier(measure),
        "official_classifier": edition.classifier,
        "physics": _physics(state, measure),
        "letters": plan.letters,
        "trials": plan.trials,
        "models": list(plan.models),
        "answers": [_source(each) for each in held["answers"]],
        "competition_score": decimal_text(scores.competition),
        "ranking": [_placed(place, scores, words, sure.get(place.name)) for place in ranking],
        "problems": state.values.get("measure", {}).get(PROBLEMS, []),
        "zeros": [
            {**_named(item), "step": zero.step, "reason": zero.reason}
            for item, zero in zeros.items()
        ],
    }
    context = {
        "title": held["contest"]["name"],
        "program": document["program"],
        "notices": [notice] if notice else [],
        "doc": document,
        "rows": [
            {
                "place": place,
                "interval": sure.get(place.name),
                "shown": _shown(place, scores, words),
                "why": each["why"],
            }
            for place, each in zip(ranking, document["ranking"], strict=True)
        ],
        "weights": scores.weights,
        "teams": list(_sheets(state, plan, scores, zeros, picture)),
        "counted": counted,
    }
    made = {PAGE: page.render("chatgpt4pcg/results.html", context)}
    made[f"{RESULT}/results.json"] = page.json_text(document)
    made |= _official(scores, ranking, edition, notice)
    made |= _tables(state, plan, scores, zeros, notice)
    return document, {name: text.encode() for name, text in made.items()}


def recorded(document: Mapping[str, Any]) -> Json:
    """The part of the document that goes on record: places and scores."""
    names = ("name", "status", "reason", "rank", "score", "prompt_score", "wins")
    return {
        "unofficial": document["unofficial"],
        "competition_score": document["competition_score"],
        "ranking": [{name: each[name] for name in names} for each in document["ranking"]],
    }


def _like(rules: Edition, plan: Plan) -> Edition:
    return dataclasses.replace(rules, letters=plan.letters, trials=plan.trials, models=plan.models)


def _named(item: Item) -> dict[str, Any]:
    return {"team": item.team, "model": item.model, "letter": item.letter, "trial": item.number}


def _source(answers: Json) -> str:
    """Where the answers came from, in words, without anything that may be private."""
    for way, words in (
        ("model", answers["model"]),
        ("folder", "stored answers"),
        ("directory", "an LPP entry"),
    ):
        if answers.get(way):
            return words
    return "an LPP entry" if "{dir}" in answers["command"] else "a program"


def _classifier(measure: Json) -> str:
    ways = {"built-in": "built-in templates, unofficial", "stored": "stored values"}
    return ways.get(measure["similarity"], f"model {PurePath(measure['model']).name}")


def _physics(state: State, measure: Json) -> str:
    engines = {v["engine"] for v in state.values.get("measure", {}).values() if "engine" in v}
    return (
        "stored values" if measure["physics"] == "stored" else ", ".join(sorted(engines)) or "none"
    )


def _placed(
    place: Place, scores: Scores, words: Mapping[str, int], sure: Interval | None
) -> dict[str, Any]:
    prompt = scores.prompts.get(place.name)
    return {
        "name": place.name,
        "status": place.status,
        "reason": place.reason,
        "rank": place.rank,
        "tied": place.tied,
        "wins": place.wins,
        "score": None if place.score is None else decimal_text(scores.norms[place.name]),
        "prompt_score": None if prompt is None else decimal_text(prompt),
        "words": words.get(place.name),
        "why": why(place, words),
        "interval": None if sure is None else sure._asdict(),
    }


def why(place: Place, words: Mapping[str, int]) -> str:
    """Remarks that explain a place; empty if there are none."""
    said = [f"{place.status}: {place.reason}" if place.reason else place.status]
    if place.status == "ranked":
        said = [place.reason] if place.reason else []
    elif place.status == "ineligible":
        said.append("has a rank but can't win")
    if place.wins and not (place.tied or place.by_tie_break):
        said.append("has the highest score of those that can win")
    if place.by_tie_break:
        said.append(f"same score as another; {words.get(place.name, 'an unknown number of')} words")
    if place.tied:
        said.append("shares the rank: same score, same number of words")
    return "; ".join(said)


def _shown(place: Place, scores: Scores, words: Mapping[str, int]) -> list[str]:
    if place.score is None:
        return ["–", "–", str(words.get(place.name, "–"))]
    prompt = scores.prompts[place.name]
    return [f"{place.score:.4f}", f"{prompt:.6f}", str(words.get(place.name, "–"))]


def _sheets(
    state: State,
    plan: Plan,
    scores: Scores,
    zeros: Mapping[Item, Zero],
    picture: Callable[[Item], bytes | None],
) -> Iterator[dict[str, Any]]:
    """A sheet for each team and model, with a row for each letter and a cell for each trial."""
    values = state.values.get("measure", {})
    letters = {(each.model, each.team, each.character): each for each in scores.characters}
    for team in plan.teams:
        for model in plan.models:
            rows = []
            for letter in plan.letters:
                cells = []
                for number in range(1, plan.trials + 1):
                    item = Item(model, team, letter, number)
                    value, png = values.get(item.id), picture(item)
                    cells.append(
                        {
                            "zero": zeros.get(item),
                            "picture": None if png is None else page.picture(thumbnail(png)),
                            "stability": None if value is None else float(value["stability"]),
                            "similarity": None if value is None else float(value["similarity"]),
                            "number": number,
                        }
                    )
                rows.append((letter, letters.get((model, team, letter)), cells))
            steps: dict[str, int] = {}
            for item, zero in zeros.items():
                if (item.team, item.model) == (team, model):
                    steps[zero.step] = steps.get(zero.step, 0) + 1
            yield {"team": team, "model": model, "rows": rows, "steps": steps}


def thumbnail(png: bytes) -> bytes:
    """A small copy of a picture, black and white."""
    with Image.open(io.BytesIO(png)) as image:
        return as_png(image.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX).convert("1"))


def _official(
    scores: Scores, ranking: Sequence[Place], edition: Edition, notice: str
) -> dict[str, str]:
    """The official result files. If the result is unofficial, each has an additional column or key
    that says so, which the official programs ignore."""
    made = {}
    for name, text in files.result_texts(scores, ranking, edition).items():
        if notice and name.endswith(".json"):
            text = json.dumps({**json.loads(text), "unofficial": notice}, ensure_ascii=False)
        elif notice:
            head, *rows = csv.reader(io.StringIO(text))
            text = page.csv_text([*head, "unofficial"], [[*row, notice] for row in rows])
        made[f"{RESULT}/{name}"] = text
    return made


def _tables(
    state: State, plan: Plan, scores: Scores, zeros: Mapping[Item, Zero], notice: str
) -> dict[str, str]:
    values, more = state.values.get("measure", {}), (["unofficial"] if notice else [])
    beside = [notice] if notice else []
    of_trial = {key_of(trial): value for trial, value in scores.trials}
    trials, moves = [], []
    for item in plan.items:
        value, zero = values.get(item.id, {}), zeros.get(item, Zero("", ""))
        answer = state.answers.get(item.id)
        trials.append(
            [
                *(item.team, item.model, item.letter, item.number),
                *(value.get("stability", ""), value.get("similarity", "")),
                decimal_text(of_trial[key_of(item)]),
                *(zero.step, zero.reason, "" if answer is None else answer.tokens),
                *beside,
            ]
        )
        moves += [
            [item.team, item.model, item.letter, item.number, block, distance, *beside]
            for block, distance in enumerate(value.get("distances", ()), 1)
        ]
    names = ("team", "model", "letter", "trial")
    head = [*names, "stability", "similarity", "score", "step", "reason", "tokens", *more]
    return {
        f"{RESULT}/trials.csv": page.csv_text(head, trials),
        f"{RESULT}/movements.csv": page.csv_text([*names, "block", "distance", *more], moves),
    }
