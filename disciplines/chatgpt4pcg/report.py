"""The results of a run: trials and scores, computed from the state, and the result files' contents.
This module does no I/O.

The files are the official ones (`constants.json` and three tables), `results.json`,
`results.html`, `trials.csv` with the reason for each trial that scores 0, and `movements.csv`.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product
from pathlib import PurePath
from typing import Any, NamedTuple

from PIL import Image

from contest.record.events import Json
from disciplines import page
from disciplines.chatgpt4pcg import files
from disciplines.chatgpt4pcg.editions import Edition
from disciplines.chatgpt4pcg.level import decimal_text
from disciplines.chatgpt4pcg.picture import as_png
from disciplines.chatgpt4pcg.scoring import Item, Scores, Trial, places, resampler, score
from disciplines.chatgpt4pcg.settings import AnswersTable, MeasureTable, Settings
from disciplines.chatgpt4pcg.similarity import UNOFFICIAL, diversity
from disciplines.run import State
from disciplines.standing import Entrant, Place, bootstrap
from scheduler.texts import counted

#: The record's name for the list of problems with the files of stored values.
PROBLEMS = "problems"
#: Width and height of a picture on the page, in pixels.
THUMBNAIL = 48


def planned(state: State, settings: Settings) -> Json:
    """Makes the plan for the record, including the status of each entry.

    Arguments:
        state: the run's state after the stage `qualify`.
        settings: the contest's settings.
    """
    edition = settings.edition
    given = {each.name: (each.status, each.reason) for each in settings.entry}
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


def entrants_of(state: State) -> list[Entrant]:
    """The entrants of the plan on record."""
    return [Entrant(**each) for each in state.values["plan"]["plan"]["entrants"]]


def items_of(state: State, edition: Edition) -> list[Item]:
    """All trials of the plan on record: first the first trial of each team and letter, then the
    second ones, and so on, so that a stopped run has some trials of each."""
    teams = [each.name for each in entrants_of(state) if each.status != "disqualified"]
    numbers = range(1, edition.trials + 1)
    return [
        Item(team, letter, number, model)
        for number, model, team, letter in product(numbers, edition.models, teams, edition.letters)
    ]


def trials_of(state: State, edition: Edition) -> list[Trial]:
    """All measured trials, each with the diversity of its team and letter."""
    return [
        Trial(
            *item[:3],
            *(Decimal(value["stability"]), Decimal(value["similarity"]), spread),
            item.model,
        )
        for cell in _cells(state, edition).values()
        for spread in [_diversity(cell.values(), edition)]
        for item, value in cell.items()
    ]


def _cells(state: State, edition: Edition) -> dict[tuple[str, str, str], dict[Item, Json]]:
    """The measured values by model, team and letter."""
    values = state.values.get("measure", {})
    cells: dict[tuple[str, str, str], dict[Item, Json]] = {}
    for item in items_of(state, edition):
        if item.id in values:
            cell = cells.setdefault((item.model, item.team, item.letter), {})
            cell[item] = values[item.id]
    return cells


def _diversity(values: Collection[Json], edition: Edition) -> Decimal:
    if not edition.diversity:
        return Decimal(0)
    stored = [Decimal(value["diversity"]) for value in values if "diversity" in value]
    if stored:
        return max(stored)
    texts = [value.get("embedding") or value.get("softmax", "") for value in values]
    return diversity([list(map(float, text.split())) for text in texts], edition.trials)


def measurements(state: State, settings: Settings) -> Iterator[tuple[str, Json]]:
    """The official files with the values measured here, for each team and letter: path in the
    folder tree, and document. Stored values have such files already."""
    ways, edition = settings.measure, settings.edition
    for (model, team, letter), cell in _cells(state, edition).items():
        root = f"{model}/{team}" if model else team
        if ways.physics != "stored":
            measured = {
                f"{item.file}.xml": (float(each["stability"]), each["starting"], each["moving"])
                for item, each in cell.items()
            }
            yield f"{root}/stability/{letter}.json", files.stability_document(measured)
        if ways.similarity != "stored":
            seen = {
                f"{item.file}.png": list(map(float, each["softmax"].split()))
                for item, each in cell.items()
            }
            yield f"{root}/similarity/{letter}.json", files.similarity_document(letter, seen)
            if edition.diversity:
                rate = float(_diversity(cell.values(), edition))
                yield f"{root}/diversity/{letter}.json", {"diversityRate": rate}


# Why a trial scores 0


class ZeroScore(NamedTuple):
    """The step at which a trial failed, and why."""

    step: str
    reason: str


def zero_score_of(state: State, item: Item) -> ZeroScore | None:
    """Why a trial scores 0; None if it doesn't."""
    value = state.values.get("measure", {}).get(item.id)
    for stage, step in (("collect", "answer"), ("extract", "program"), ("measure", "level")):
        if value is None and item.id in state.failures.get(stage, {}):
            return ZeroScore(step, state.failures[stage][item.id])
    if value is None:
        return ZeroScore("answer", "no answer yet")
    if not Decimal(value["stability"]):
        number = value.get("starting")
        stored = "the stored stability is 0 or missing"
        return ZeroScore("stability", stored if number is None else f"all {number} blocks moved")
    if not Decimal(value["similarity"]):
        seen = "the classifier gives the letter a probability of 0"
        stored = "the stored similarity is 0 or missing"
        return ZeroScore("similarity", seen if "softmax" in value else stored)
    return None


# The result


def results(
    state: State, settings: Settings, picture: Callable[[Item], bytes | None]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Scores and ranks, and the files that show them.

    Arguments:
        state: the run's state, which has a plan.
        settings: the contest's settings.
        picture: returns the picture of a trial that the classifier gets, as PNG, or None.

    Returns:
        The document of results; and the files' contents by their paths in the contest's folder.
    """
    edition, measure, entrants = settings.edition, settings.measure, entrants_of(state)
    items, trials = items_of(state, edition), trials_of(state, edition)
    teams = [each.name for each in entrants if each.status != "disqualified"]
    scores = score(trials, edition, teams)
    words = {team: each["words"] for team, each in state.values.get("qualify", {}).items()}
    ranking = places(scores, edition, entrants, words)
    sure = bootstrap(resampler(trials, edition, teams), ranking) if teams else {}
    notice = UNOFFICIAL if measure.similarity == "built-in" else ""
    zeros = {item: zero for item in items if (zero := zero_score_of(state, item)) is not None}
    rows = [
        {
            "place": place,
            "interval": sure.get(place.name),
            "shown": _shown(place, scores, words),
            "why": why(place, words),
        }
        for place in ranking
    ]
    document = {
        "format": 1,
        "program": state.program,
        "unofficial": notice,
        "contest": settings.contest.name,
        "edition": edition.name,
        "competition": edition.title,
        "classifier": _classifier(measure),
        "official_classifier": edition.classifier,
        "physics": _physics(state, measure),
        "letters": edition.letters,
        "trials": edition.trials,
        "models": list(edition.models),
        "answers": [_source(each) for each in settings.answers],
        "competition_score": decimal_text(scores.competition),
        "ranking": [
            {
                **files.place_document(place, scores),
                "words": words.get(place.name),
                "why": row["why"],
                "interval": sure[place.name]._asdict() if place.name in sure else None,
            }
            for place, row in zip(ranking, rows, strict=True)
        ],
        "problems": state.values.get("measure", {}).get(PROBLEMS, []),
        "zeros": [item._asdict() | zero._asdict() for item, zero in zeros.items()],
    }
    context = {
        "title": settings.contest.name,
        "program": document["program"],
        "notices": [notice] if notice else [],
        "doc": document,
        "rows": rows,
        "weights": scores.weights,
        "teams": [
            _sheet(state, edition, scores, zeros, picture, *each)
            for each in product(teams, edition.models)
        ],
        "counted": counted,
    }
    made = {
        "results.html": page.render("chatgpt4pcg/results.html", context),
        "results.json": page.json_text(document),
        **files.result_texts(scores, ranking, edition, notice),
        **_tables(state, items, scores, zeros, notice),
    }
    return document, {f"{page.RESULT}/{name}": text.encode() for name, text in made.items()}


def recorded(document: Mapping[str, Any]) -> Json:
    """The part of the document that goes on record: places and scores."""
    names = ("name", "status", "reason", "rank", "score", "prompt_score", "wins")
    return {
        "unofficial": document["unofficial"],
        "competition_score": document["competition_score"],
        "ranking": [{name: each[name] for name in names} for each in document["ranking"]],
    }


def _source(answers: AnswersTable) -> str:
    """Where the answers came from, in words, without anything that may be private."""
    if answers.endpoint or answers.folder:
        return answers.model if answers.endpoint else "stored answers"
    return "an LPP entry" if answers.is_entry else "a program"


def _classifier(measure: MeasureTable) -> str:
    ways = {"built-in": "built-in templates, unofficial", "stored": "stored values"}
    return ways.get(measure.similarity, f"model {PurePath(measure.model).name}")


def _physics(state: State, measure: MeasureTable) -> str:
    if measure.physics == "stored":
        return "stored values"
    engines = {v["engine"] for v in state.values.get("measure", {}).values() if "engine" in v}
    return ", ".join(sorted(engines)) or "none"


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


def _sheet(
    state: State,
    edition: Edition,
    scores: Scores,
    zeros: Mapping[Item, ZeroScore],
    picture: Callable[[Item], bytes | None],
    team: str,
    model: str,
) -> dict[str, Any]:
    """The sheet of a team and a model, with a row for each letter and a cell for each trial."""
    values, rows = state.values.get("measure", {}), []
    letters = {(each.model, each.team, each.character): each for each in scores.characters}
    for letter in edition.letters:
        cells = []
        for number in range(1, edition.trials + 1):
            item = Item(team, letter, number, model)
            value = values.get(item.id)
            png = picture(item) if value is not None and "engine" in value else None
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
    mine = [zero for item, zero in zeros.items() if (item.team, item.model) == (team, model)]
    steps = Counter(zero.step for zero in mine)
    return {"team": team, "model": model, "rows": rows, "steps": steps}


def thumbnail(png: bytes) -> bytes:
    """A small copy of a picture, black and white."""
    with Image.open(io.BytesIO(png)) as image:
        return as_png(image.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX).convert("1"))


def _tables(
    state: State,
    items: Sequence[Item],
    scores: Scores,
    zeros: Mapping[Item, ZeroScore],
    notice: str,
) -> dict[str, str]:
    values, more = state.values.get("measure", {}), (["unofficial"] if notice else [])
    beside = [notice] if notice else []
    of_trial = {trial.item: value for trial, value in scores.trials}
    trials, moves = [], []
    for item in items:
        value, zero = values.get(item.id, {}), zeros.get(item, ZeroScore("", ""))
        answer = state.answers.get(item.id)
        trials.append(
            [
                *(*item, value.get("stability", ""), value.get("similarity", "")),
                *(decimal_text(of_trial[item]), *zero, answer.tokens if answer else "", *beside),
            ]
        )
        moves += [
            [*item, block, distance, *beside]
            for block, distance in enumerate(value.get("distances", ()), 1)
        ]
    head = [*Item._fields, "stability", "similarity", "score", "step", "reason", "tokens", *more]
    return {
        "trials.csv": page.csv_text(head, trials),
        "movements.csv": page.csv_text([*Item._fields, "block", "distance", *more], moves),
    }
