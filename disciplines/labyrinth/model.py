"""A language model as a rater (docs/reference/labyrinth.md).

For each target and metric, the model explains in a new dialogue what is good and bad, and then
gives a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from contest.errors import BadSettings
from disciplines.agreement import Criterion
from disciplines.labyrinth.gameplay import Gameplay
from disciplines.labyrinth.metrics import METRICS, NOT_TO_PUNISH, RULES, SCORES
from disciplines.labyrinth.rating import Contest
from disciplines.labyrinth.survey import view_of
from disciplines.providers import provider
from disciplines.run import Answer, Dialogue, ItemFailed, State

#: The default temperature of a model.
TEMPERATURE = 0.5
LOW, HIGH = SCORES[0], SCORES[-1]
_SCORE = f"Give a score from {LOW} to {HIGH}, and nothing else. Be strict."


def question(game: Gameplay, number: int, metric: Criterion) -> str:
    """The first question about a target, with everything that people see."""
    view = view_of(game, number)
    parts = [
        "You judge a response of a language model, which is the manager of a role-playing game.",
        "\n".join(("Rules of the game:", *RULES)),
        "\n".join(("Don't hold against a response:", *NOT_TO_PUNISH)),
        view.note,
        *(
            "\n".join((f"{title}:", *(f"{label}: {'; '.join(lines)}" for label, lines in state)))
            for title, state in view.panels
        ),
        *("\n".join((f"{title}:", *lines)) for title, lines in view.before),
        "{}:\n{}".format(*view.target),
        "\n".join((metric.question, *metric.checks)),
        "; ".join(f"{score}: {meaning}" for score, meaning in metric.anchors.items()),
        f"Explain what is good and what is bad about the response, for {metric.name} alone.",
    ]
    return "\n\n".join(parts)


def score_in(answer: str) -> str:
    """The score in an answer: its first number with a decimal point, otherwise its first whole
    number. Raises ItemFailed if there is none, or it isn't on the scale."""
    found = re.search(r"\d+\.\d+", answer) or re.search(r"\d+", answer)
    if found is None or not LOW <= float(found[0]) <= HIGH:
        raise ItemFailed(f"the answer has no score from {LOW} to {HIGH}")
    return found[0]


def items_of(state: State) -> Iterator[tuple[str, str, str, Criterion]]:
    """The planned questions to models: the item's id, the model, the target and the metric."""
    for model, targets in state.values["plan"]["plan"]["models"].items():
        for target in targets:
            for metric in METRICS:
                yield f"{model}/{target}_{metric.name}", model, target, metric


def rated(state: State, item: str) -> str:
    """The score of an item, from the answer on record; raises ItemFailed."""
    return score_in(json.loads(state.answers[item].answer)["score"])


def rate(contest: Contest) -> int:
    """Has the models rate all items that they have not rated yet, and returns the number of scores.

    Raises:
        BadSettings: if there are no models, or the settings of one can't be used.
        EnvironmentProblem: if a model can't be reached; call it again to continue.
    """
    run = contest.run
    if not contest.settings.model:
        raise BadSettings("there are no models; add a table [[model]] for each to contest.toml")
    for table in contest.settings.model:
        items = {item: each for item, *each in items_of(run.state) if each[0] == table.name}
        if table.endpoint:
            options = {"temperature": TEMPERATURE, **table.options}
            table = msgspec.structs.replace(table, options=options)

        def ask(item: str, dialogue: Dialogue, items: dict[str, list[Any]] = items) -> Answer:
            _, id_, metric = items[item]
            target, name = contest.targets[id_], item.partition("/")[2]
            first = question(contest.games[target.game], target.number, metric)
            explained = dialogue.ask(first, f"{name}_explain")
            score = dialogue.ask(_SCORE, f"{name}_score")
            tokens = [each.tokens for each in (explained, score) if each.tokens is not None]
            said = {"explanation": explained.text, "score": score.text}
            return Answer(json.dumps(said, ensure_ascii=False), sum(tokens) if tokens else None)

        if run.pending("collect", items):
            run.collect(items, provider(table, run.folder), ask)
    held = [item for item, *_ in items_of(run.state) if item in run.state.answers]
    run.each("score", held, partial(rated, run.state))
    return len(run.state.values.get("score", {}))
