"""What a marker sees: an item, its key, and the answers under letters, each with a suggestion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from contest.screening.asking.ask import sittings_of
from contest.screening.asking.hearing import Answer, Heard
from contest.screening.asking.paperset import needed
from contest.screening.marking.book import QUALITY, Book
from contest.screening.marking.letters import letter
from contest.screening.marking.scale import Scale
from contest.screening.marking.steps import letters_of
from contest.screening.moments import SAID
from contest.screening.papers import Paper, Question, suggest
from contest.screening.season import Season, bodies

_SPEAKERS = {"judge": "Judge", "entity": "Answer"}


@dataclass(frozen=True, slots=True)
class Row:
    """An answer.

    Attributes:
        letter: whose, within this item.
        answer: what came on time, after the question.
        beside: what else there is to know: each line a remark on what came late or elsewhere.
        suggested: the mark that the key suggests; None where there is no key.
        why: what it rests on.
    """

    letter: str
    answer: str
    beside: tuple[str, ...]
    suggested: Fraction | None
    why: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """An item with all its answers.

    Attributes:
        item: its id.
        question: what was asked.
        told: the statement that it asks about, or empty.
        key: the answer in words.
        rows: the answers by their letters.
    """

    item: str
    question: str
    told: str
    key: str
    rows: tuple[Row, ...]


def sheets_of(season: Season, book: Book) -> list[Sheet]:
    """The sheets of this round, in the order of the paper.

    Raises:
        WrongMoment: if no letters are drawn yet.
    """
    kept = list(bodies(season.events()))
    asked = needed(kept)
    found = sittings_of(kept, asked)
    letters = letters_of(season, book)
    assert book.scale is not None
    if book.quality:
        return [_whole(found, letters[QUALITY])]
    return [
        _sheet(question, asked.paper, found, letters[question.id], book.scale)
        for question in asked.paper.questions
    ]


def row_of(letter_: str, question: Question, answer: Answer | None, scale: Scale) -> Row:
    """An answer as a marker sees it.

    Arguments:
        letter_: whose.
        question: what was asked.
        answer: what came; None if it was never asked.
        scale: of the marks.
    """
    if answer is None:
        return Row(letter_, "", ("was not asked",), Fraction(0), "nothing is answered")
    found = suggest(question, answer.belonging, answer.asked)
    return Row(letter_, answer.text, tuple(_beside(answer)), scale.suggested(found.mark), found.why)


def key_of(question: Question) -> str:
    """The answer to a question in words."""
    if question.key.rule is not None:
        return f"{SAID[question.key.rule.name]}, when it was asked"
    words = ", ".join(question.key.words).replace(" ... ", " … ")
    half = ", ".join(question.key.half).replace(" ... ", " … ")
    said = f"{words}{f'; half: {half}' if half else ''}"
    return f"{said} ({question.key.explanation})" if question.key.explanation else said


def _sheet(
    question: Question,
    paper: Paper,
    found: Mapping[str, Heard],
    order: Sequence[str],
    scale: Scale,
) -> Sheet:
    rows = tuple(
        row_of(letter(index), question, found[subject].answers.get(question.id), scale)
        for index, subject in enumerate(order)
    )
    return Sheet(question.id, question.text, question.about, key_of(question), rows)


def _beside(answer: Answer) -> list[str]:
    said = []
    if answer.how == "too-long":
        said.append("went on for too long, and was not waited for")
    if answer.how == "died":
        said.append("the program died here")
    for piece in answer.pieces:
        if piece.late:
            said.append(f"late: {piece.text}")
        elif piece.belongs and piece.belongs != answer.question:
            said.append(f"seems to answer an earlier question: {piece.text}")
    said += [f"came after a later question: {piece.text}" for piece in answer.elsewhere]
    return said


def _whole(found: Mapping[str, Heard], order: Sequence[str]) -> Sheet:
    rows = tuple(
        Row(
            letter(index),
            "\n".join(f"{_SPEAKERS[author]}: {text}" for author, text in found[subject].talk),
            (),
            None,
            "",
        )
        for index, subject in enumerate(order)
    )
    return Sheet(
        QUALITY,
        "The general quality of all responses",
        "",
        "no entry answered the questions intelligently, and the whole talk is marked",
        rows,
    )
