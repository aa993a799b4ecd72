"""The results of a contest: Tables 3 and 4, their page, and files with tables and dialogues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from contest.record.events import Json
from contest.results.statistics import ScienceMissing
from disciplines import page
from disciplines.ige.base import METHODS
from disciplines.ige.games import Game, scripts_of, turns_of
from disciplines.ige.interaction import Developed
from disciplines.ige.judge import JudgedGame, JudgedTurn, Metrics, Shares, Verdict, in_words
from disciplines.ige.ratings import CODE, KEYS, agreement, quality, read_rating, table_3
from disciplines.raters import COMMENT
from disciplines.run import State, plain
from scheduler.texts import counted


class Item(NamedTuple):
    """The key of a dialogue: the developer, and the number of the game."""

    developer: str
    game: int

    @property
    def id(self) -> str:
        """Its id in the record."""
        return f"{self.developer}_{self.game}"


def items_of(state: State) -> list[Item]:
    """All dialogues, by developer and game."""
    names = (each["name"] for each in state.settings["developer"])
    return [Item(name, number) for name in names for number in range(len(games_of(state)))]


def games_of(state: State) -> list[Game]:
    """The games on record, in their order."""
    held = state.values.get("plan", {})
    return [Game(**held[str(number)]) for number in range(len(held))]


def developed(state: State, item: Item) -> Game:
    """A game with the dialogue in which it was developed."""
    made = msgspec.json.decode(state.answers[item.id].answer, type=Developed)
    return msgspec.structs.replace(games_of(state)[item.game], history=made.history)


def judged_of(state: State, item: Item) -> JudgedGame:
    """The recorded verdicts on a dialogue."""
    held = state.values["measure"][item.id]
    verdicts = zip(turns_of(developed(state, item)), held["turns"], strict=True)
    turns = [JudgedTurn(turn.code, Verdict(**verdict)) for turn, verdict in verdicts]
    return JudgedGame(turns, Verdict(**held["whole"]))


def ratings_of(state: State) -> dict[str, dict[str, dict[str, int]]]:
    """The complete ratings: rater to dialogue to the score of each key. People's ratings that lack
    a score are left out. A model's are in its answers, which are the values of the stage `rate`."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for item, rater in sorted({each[:2] for each in state.ratings}):
        scores = {key: state.ratings.get((item, rater, key)) for key in KEYS}
        given = found.setdefault(rater, {})
        if all(scores.values()):
            given[item] = {key: int(score) for key, score in scores.items() if score}
    for name, answer in sorted(state.values.get("rate", {}).items()):
        item, _, model = name.rpartition("_")
        found.setdefault(model, {})[item] = read_rating(answer)
    return found


def comments_of(state: State) -> list[tuple[str, str, str]]:
    """The comments on record: dialogue, rater and text."""
    held = sorted(state.ratings.items())
    return [(item, who, text) for (item, who, key), text in held if key.endswith(COMMENT) and text]


def results(state: State) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The result, and the files that show it.

    Arguments:
        state: the run's state after the stage `measure`.

    Returns:
        The document of results; and the files' contents by their paths in the contest's folder.
    """
    measured = state.values.get("measure", {})
    judged = {item: judged_of(state, item) for item in items_of(state) if item.id in measured}
    of_name: dict[str, list[Item]] = {}
    for item in judged:
        of_name.setdefault(item.developer, []).append(item)
    metrics = {name: Metrics.of([judged[x] for x in items]) for name, items in of_name.items()}
    ratings = ratings_of(state)
    scores = {name: quality(ratings, [x.id for x in items]) for name, items in of_name.items()}
    failed = {**state.failures.get("collect", {}), **state.failures.get("rate", {})}
    notices = [f"{item} is left out: {reason}" for item, reason in sorted(failed.items())]
    lacking = sum(item.id not in given for given in ratings.values() for item in judged)
    notices += [f"{counted(lacking, 'rating')} missing"] if lacking else []
    agree: dict[str, float | None] = {}
    try:
        agree = agreement(ratings, [item.id for item in judged])
    except ScienceMissing as exc:
        notices.append(f"agreement between raters: {exc}")
    document = {
        "format": 1,
        "program": state.program,
        "contest": state.settings["contest"]["name"],
        "games": len(games_of(state)),
        "seeds": state.settings["contest"]["seeds"],
        "user": state.settings["user"]["who"],
        "raters": list(ratings),
        "notices": notices,
        "table_3": table_3(metrics, scores),
        "table_4": {
            name: {method: shares._asdict() for method, shares in each.methods.items()}
            for name, each in metrics.items()
        },
        "metrics": {name: each.as_json() for name, each in metrics.items()},
        "agreement": agree,
        "dialogues": [_document(state, item, one) for item, one in judged.items()],
    }
    more = {"title": document["contest"], "columns": [*KEYS, *CODE], "methods": METHODS}
    shown = [_shown(state, item, one) for item, one in judged.items()]
    context = {**document, **more, "doc": document, "dialogues": shown}
    made = {
        page.PAGE: page.render("ige/results.html", context),
        page.DOCUMENT: page.json_text(document),
        **_tables(document, ratings, comments_of(state)),
    }
    for name, items in of_name.items():
        lines = (msgspec.json.encode(developed(state, item)).decode() for item in items)
        made[f"{page.RESULT}/dialogues-{name}.jsonl"] = "".join(f"{line}\n" for line in lines)
    return document, {name: text.encode("utf-8", "replace") for name, text in made.items()}


def recorded(document: Mapping[str, Any]) -> Json:
    """The part of the document that goes on record: the tables."""
    made: Json = plain({name: document[name] for name in ("table_3", "table_4", "agreement")})
    return made


def _document(state: State, item: Item, judged: JudgedGame) -> dict[str, Any]:
    made = msgspec.json.decode(state.answers[item.id].answer, type=Developed)
    return {
        "dialogue": item.id,
        "developer": item.developer,
        "game": item.game,
        "ended": made.ended,
        "tokens": state.answers[item.id].tokens,
        "whole": judged.whole._asdict(),
        "turns": [
            {"turn": at, "counts": turn.counts, "methods": " ".join(turn.methods)}
            | turn.verdict._asdict()
            for at, turn in enumerate(judged.turns, 1)
        ],
    }


def _shown(state: State, item: Item, judged: JudgedGame) -> dict[str, Any]:
    """A dialogue for the page, with the script and the verdict beside each turn."""
    game = developed(state, item)
    turns = turns_of(game)
    said = [each.content for each in game.history if each.role == "user"]
    rows = zip(said, turns, scripts_of(turns), judged.turns, strict=False)
    return {
        **_document(state, item, judged),
        "words": in_words(judged.whole),
        "script": game.script,
        "comments": [each[1:] for each in comments_of(state) if each[0] == item.id],
        "rows": [
            {
                "user": user,
                "turn": turn,
                "script": script.text,
                "faults": script.faults,
                "judged": one,
                "words": in_words(one.verdict) if one.code.strip() else "no code",
            }
            for user, turn, script, one in rows
        ],
    }


def _tables(
    document: Mapping[str, Any], ratings: Mapping[str, Any], comments: Sequence[Sequence[str]]
) -> dict[str, str]:
    """The result as CSV. The last turn of each dialogue, `all`, is the finished game."""
    turns = (
        (each["dialogue"], *turn.values())
        for each in document["dialogues"]
        for turn in (*each["turns"], {"turn": "all", "counts": "", "methods": "", **each["whole"]})
    )
    methods = (
        (name, method, *shares.values())
        for name, of in document["table_4"].items()
        for method, shares in of.items()
    )
    rated = (
        (rater, item, *(scores.get(key) for key in KEYS))
        for rater, given in ratings.items()
        for item, scores in given.items()
    )
    whole = ((name, *row.values()) for name, row in document["table_3"].items())
    tables: dict[str, tuple[Sequence[str], Iterable[Sequence[Any]]]] = {
        "table-3": (("developer", *KEYS, *CODE), whole),
        "table-4": (("developer", "method", *Shares._fields), methods),
        "turns": (("dialogue", "turn", "counts", "methods", *Verdict._fields), turns),
        "ratings": (("rater", "dialogue", *KEYS), rated),
    }
    if comments:
        tables["comments"] = (("dialogue", "rater", "comment"), comments)
    return {f"{page.RESULT}/{name}.csv": page.csv_text(*table) for name, table in tables.items()}
