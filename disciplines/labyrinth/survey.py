"""Surveys about a gameplay record for Qualtrics, and their answers (docs/reference/labyrinth.md).

Qualtrics shows texts as HTML, and treats two square brackets at the beginning of a line as a
command. Texts by people and models are escaped, so that they are neither.
"""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from disciplines.labyrinth.gameplay import MANAGER, Gameplay, Message, Player, Scene
from disciplines.labyrinth.metrics import METRICS, NOT_TO_PUNISH, SCORES
from disciplines.raters import ItemView, Part
from scheduler.errors import BadInput

#: The column with the respondent's id in a file of answers.
RESPONDENT = "ResponseId"
#: Rows of a file of answers before the first answer: names, texts, and identifiers of questions.
HEAD = 3


def message_line(message: Message) -> str:
    """A message as raters read it: `[Player] Name: text`."""
    if message.role == "assistant":
        return f"[Game Manager] {spaced(message.name or MANAGER)}: {message.content or ''}"
    return f"[Player] {spaced(message.name or '')}: {message.content or ''}"


def spaced(name: str) -> str:
    """A name from a record, with spaces instead of underscores."""
    return name.replace("_", " ")


def scene_parts(scene: Scene) -> list[Part]:
    """The parts of a scene's state: label and lines."""
    npcs = [
        line
        for name, npc in scene.npcs.items()
        for line in (
            f"[{name}]",
            f"Kin: {npc.kin}",
            f"Persona: {', '.join(npc.persona)}",
            f"Goal: {npc.goal}",
            f"Trait: {npc.trait}",
            f"Flaw: {npc.flaw}",
        )
    ]
    tables = [line for name, rows in scene.random_tables.items() for line in (f"[{name}]", *rows)]
    return [
        ("Chapter", [scene.chapter]),
        ("Scene", [scene.scene]),
        ("Scene Summary", scene.scene_summary),
        ("NPCs", npcs),
        ("Success Condition", [scene.success_condition]),
        ("Failure Condition", [scene.failure_condition]),
        ("Game Flow", [f"({n}) {text}" for n, text in enumerate(scene.game_flow, 1)]),
        ("Environment", _named(scene.environment)),
        ("Random Tables", tables),
        ("Consequences", [scene.consequences]),
        ("Action Scene", [str(scene.is_action_scene)]),
    ]


def player_parts(player: Player) -> list[Part]:
    """The parts of a player's state: label and lines."""
    return [
        ("Kin", [player.kin]),
        ("Persona", player.persona),
        ("Goal", [player.goal]),
        ("Traits", _named(player.traits)),
        ("Flaws", _named(player.flaws)),
        ("Inventory", _named(player.inventory)),
        ("Additional Notes", player.additional_notes),
    ]


def view_of(game: Gameplay, number: int) -> ItemView:
    """A target with its context, for people and models who rate it; `number` counts from 1."""
    start, target = game.start, game.targets[number - 1]
    panels = [("Starting game state", scene_parts(start.scene))]
    panels += [
        (f"Starting player state of {spaced(each.name)}", player_parts(each))
        for each in start.players
    ]
    return ItemView(
        "States are those at the beginning; the game may have changed them since.",
        panels,
        [("Chat history so far", [message_line(each) for each in target.history])],
        ("Target response", message_line(target.generated)),
    )


def _named(things: dict[str, str]) -> list[str]:
    return [f"[{name}] {text}" for name, text in things.items()]


# The survey


def survey(gameplay: Gameplay) -> str:
    """The survey of a game, in Qualtrics' advanced format."""
    return "\n\n".join(_pieces(gameplay)) + "\n"


def _pieces(gameplay: Gameplay) -> Iterator[str]:
    yield "[[AdvancedFormat]]"
    yield _text(
        "Rate responses of a game manager",
        [
            "Each page shows how a game began, what was said so far, and the response to rate. The "
            "states are those at the beginning of the scene; the game may have changed them since.",
            *NOT_TO_PUNISH,
        ],
    )
    for number in range(1, len(gameplay.targets) + 1):
        if number > 1:
            yield "[[PageBreak]]"
        yield f"[[Block:Block{number}]]"
        yield from _block(view_of(gameplay, number))


def _block(view: ItemView) -> Iterator[str]:
    for title, parts in view.panels:
        yield _states(title, parts)
    for title, lines in view.before:
        yield _text(title, lines)
    title, text = view.target
    yield _text(title, [text])
    for metric in METRICS:
        anchors = "; ".join(f"{score}: {meaning}" for score, meaning in metric.anchors.items())
        explained = [metric.question, *metric.checks, anchors]
        choices = "\n".join(map(str, SCORES))
        question = "<br>".join(map(_escaped, explained))
        yield f"[[Question:MC:SingleAnswer:Horizontal]]\n{question}\n\n[[Choices]]\n{choices}"
        yield f"[[Question:TE]]\n{_escaped(metric.comment)}"


def _text(title: str, lines: Sequence[str]) -> str:
    return f"[[Question:DB]]\n<b>{_escaped(title)}</b><br>" + "<br>".join(map(_escaped, lines))


def _states(title: str, parts: Sequence[Part]) -> str:
    shown = (
        f"<b><u>{label}</u></b><br>" + "<br>".join(map(_escaped, lines)) for label, lines in parts
    )
    return f"[[Question:DB]]\n<b>{_escaped(title)}</b><br>" + "<br><br>".join(shown)


def _escaped(text: str) -> str:
    """Text as HTML in one line."""
    lines = html.escape(text).replace("[[", "&#91;&#91;").splitlines()
    return "<br>".join(lines)


# The answers


class SurveyAnswer(NamedTuple):
    """A rater's score, with its comment."""

    rater: str
    target: int
    metric: str
    score: int
    comment: str


def read_answers(text: str, targets: int, source: str) -> list[SurveyAnswer]:
    """Reads the answers to a survey, as Qualtrics exports them to CSV. Unanswered questions are
    skipped.

    Arguments:
        text: the text of the file.
        targets: the number of targets in the survey.
        source: the file's name, for messages.

    Raises:
        BadInput: if the questions are not those of the survey, or a score is not on the scale.
    """
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    if len(rows) < HEAD or RESPONDENT not in rows[0]:
        raise BadInput(f"is not an export of Qualtrics: no column {RESPONDENT}", source=source)
    names, texts = rows[0], rows[1]
    who = names.index(RESPONDENT)
    scores = {each.name: _columns(texts, each.question) for each in METRICS}
    comments = {each.name: _columns(texts, each.comment) for each in METRICS}
    for metric, columns in (*scores.items(), *comments.items()):
        if len(columns) != targets:
            raise BadInput(
                f"asks {len(columns)} times for {metric}, but the record has {targets} targets",
                source=source,
            )
    found = []
    for line, row in enumerate(rows[HEAD:], HEAD + 1):
        cells = [*row, *[""] * (len(names) - len(row))]
        for target in range(targets):
            for metric, columns in scores.items():
                cell = cells[columns[target]].strip()
                if cell and (not cell.isdecimal() or int(cell) not in SCORES):
                    raise BadInput(
                        f"{cell!r} is not a score from {SCORES[0]} to {SCORES[-1]}",
                        source=source,
                        line=line,
                        field=names[columns[target]],
                    )
                if cell:
                    comment = cells[comments[metric][target]].strip()
                    found.append(SurveyAnswer(cells[who], target + 1, metric, int(cell), comment))
    return found


def _columns(texts: Sequence[str], question: str) -> list[int]:
    """The columns of a question, in the order of the targets. Its text may be shortened."""
    return [at for at, text in enumerate(texts) if text.strip().startswith(question[:80])]
