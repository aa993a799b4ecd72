"""Marking: two or more people mark answers that are identified by letters only.

For each item the order of the letters is drawn from 128 random bits, the salt. It is sealed outside
the chains until marking is over; its SHA-256 is on record. So nobody can change the order
afterwards, and no marker can find it out. A *suggestion* is the mark according to the answer key;
a person decides.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import secrets
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from contest.errors import BadOrder, WrongMoment
from contest.record import season as kinds
from contest.results.statistics import import_science
from contest.screening.answers import suggest
from contest.screening.paper import Facts, Question
from contest.screening.questions import Draw, data
from contest.screening.sitting import Answer
from contest.screening.state import (
    QUALITY,
    State,
    Writer,
    fraction,
    one_line,
)
from contest.setup.folder import refuse_unless_empty, write
from scheduler.documents import read_table
from scheduler.texts import counted, listed, shown
from texts import Sentence

#: The minimum and maximum number of people who mark.
MARKERS, MOST_MARKERS = 2, 20
_NOT_BEGUN = Sentence("season.marking.not_begun")


# Scales and letters

#: By scale and round: the meaning of each mark, the lowest first.
SCALES: Mapping[str, Mapping[str, Sequence[str]]] = data("marking")
#: The default scale.
DEFAULT = "0/0.5/1"


def marks_on(scale: str) -> list[Fraction]:
    """The marks of a scale, the lowest first."""
    return list(map(Fraction, scale.split("/")))


def wording_of(state: State, language: str = "en") -> list[tuple[str, str]]:
    """Each mark of the scale as written, and its meaning in this round."""
    name = state.round if language == "en" else f"{state.round}_{language}"
    return list(zip(state.scale.split("/"), SCALES[state.scale][name], strict=True))


def written(mark: Fraction | None) -> str:
    """Formats a mark or a sum of marks: 0.5, or a fraction if no short decimal is exact; empty for
    None."""
    if mark is None:
        return ""
    text = f"{float(mark):.10g}"
    return text if Fraction(text) == mark else str(mark)


def letter(index: int) -> str:
    """The letter of an index from 0: A to Z, then AA, AB and so on."""
    return ("" if index < 26 else letter(index // 26 - 1)) + chr(ord("A") + index % 26)


def letters(state: State) -> list[str]:
    """The letters in use in this round."""
    return [letter(index) for index in range(len(state.subjects))]


def draw(items: Iterable[str], subjects: Iterable[str], salt: str) -> dict[str, list[str]]:
    """Draws an order of the subjects for each item from a salt in hex; the first subject is A."""
    return {item: Draw(salt, item).some(sorted(subjects)) for item in items}


def digest(salt: str) -> str:
    """The hash of the salt of sealed letters, as it is recorded."""
    return hashlib.sha256(salt.encode()).hexdigest()


# Steps


def items_of(state: State) -> list[str]:
    """The items of this round; raises WrongMoment while an entry is still to be asked."""
    questions = [question.id for question in state.require_asked().paper.questions]
    if left := [id_ for id_ in state.to_ask if id_ not in state.with_answers]:
        have = "has" if len(left) == 1 else "have"
        raise WrongMoment(
            f"{listed(left)} {have} not answered all questions yet: continue with `loebner screen "
            "ask`"
        )
    return [QUALITY] if state.quality else questions


def check_mark(state: State, item: str, of: str, mark: str) -> None:
    """Raises ContestError if an answer can't be given this mark, as written, now."""
    if state.drawn is None:
        raise WrongMoment(_NOT_BEGUN)
    if is_over(state):
        raise WrongMoment(Sentence("season.marking.over"))
    if item not in state.items:
        raise BadOrder(Sentence("season.marking.no_item", item=shown(item)))
    if of not in letters(state):
        raise BadOrder(Sentence("season.marking.no_answer", item=item, letter=shown(of)))
    if fraction(mark) not in marks_on(state.scale):
        fields = {"item": item, "letter": of, "mark": repr(mark[:20]), "scale": state.scale}
        raise BadOrder(Sentence("season.marking.no_mark", **fields))


def begin(season: Writer, scale: str = "") -> None:
    """Begins or continues marking: sets the scale (if left out, the one set before, or `DEFAULT`)
    and draws the letters of this round. Raises BadOrder if there is no such scale, WrongMoment if
    another one is set, or an entry is still to be asked."""
    state, bodies = season.state, list[Any]()
    if not state.scale or (scale and scale != state.scale):
        bodies.append(kinds.ScaleSet(scale or DEFAULT))
    if state.drawn is None:
        salt = secrets.token_hex(16)
        bodies.append(kinds.LettersDrawn(state.round, items_of(state), digest(salt)))
        # If the event is not recorded after all, the letters are drawn again.
        season.record.seal(f"letters-{digest(salt)}", salt)
    if bodies:
        season.write("server", *bodies)


def sealed_letters(season: Writer) -> kinds.LettersRevealed:
    """The letters of this round, as they will be revealed; don't show them to markers. Raises
    WrongMoment if none are drawn, or the sealed salt is not the recorded one."""
    state = season.state
    if state.drawn is None:
        raise WrongMoment(_NOT_BEGUN)
    name = f"letters-{state.drawn.sha256}"
    salt = str(season.record.unseal(name).get(name))
    if f"letters-{digest(salt)}" != name:
        raise WrongMoment("the sealed letters do not match the record")
    orders = draw(state.items, state.subjects, salt)
    return kinds.LettersRevealed(state.round, orders, salt)


def mark_all(season: Writer, marker: str, items: Mapping[str, Mapping[str, str]]) -> int:
    """Records a marker's marks (item to letter to mark as written), replacing earlier ones: all of
    them, or none. Returns how many are new or changed. Raises BadOrder if there is no such item,
    letter or mark, or the marker's name can't be used; WrongMoment if marking has not begun, or is
    over."""
    (who,), state, bodies = read_markers([marker]), season.state, []
    for item, marks in items.items():
        new = {}
        for of, text in marks.items():
            check_mark(state, item, of, text)
            if state.marks.get((item, of), {}).get(who) != fraction(text):
                new[of] = written(fraction(text))
        if new:
            bodies.append(kinds.Marked(who, item, new))
    if bodies:
        season.write(who, *bodies)
    return sum(len(body.marks) for body in bodies)


def read_markers(names: Sequence[str]) -> list[str]:
    """The names of markers as they are recorded; raises BadOrder if one can't be used or occurs
    twice, or there are none or too many."""
    try:
        read = [one_line(name, 60) for name in names]
    except ValueError as exc:
        raise BadOrder(f"a marker's name {exc}") from None
    if not all(read) or len(set(read)) < len(read) or not 1 <= len(read) <= MOST_MARKERS:
        raise BadOrder(f"name 1 to {MOST_MARKERS} markers, each once, separated by commas")
    return read


def reveal(season: Writer) -> None:
    """Ends marking: records which letter belongs to whom. Does nothing if that is already recorded;
    raises WrongMoment if marks are missing, fewer than two people have marked, or a mark is still
    to be settled."""
    if not is_over(season.state):
        season.write("server", sealed_letters(season))


# Sheets


class SheetRow(NamedTuple):
    """An answer as a marker sees it.

    Attributes:
        letter: its letter within the item.
        answer: the text that came in time.
        beside: remarks, such as text that came late or after the next question.
        suggested: the mark that the key suggests; None if there is no key.
        why: the reason for the suggestion.
    """

    letter: str
    answer: str
    beside: tuple[str, ...] = ()
    suggested: Fraction | None = None
    why: str = ""


class Sheet(NamedTuple):
    """An item with all its answers: the question, the statement that it is about, the key in words,
    and the answers."""

    item: str
    question: str
    statement: str
    key: str
    rows: Sequence[SheetRow]


def sheets_of(season: Writer) -> list[Sheet]:
    """The sheets of this round, in the order of the paper; raises WrongMoment if no letters are
    drawn yet."""
    state, orders = season.state, sealed_letters(season).letters
    asked, marks = state.require_asked(), marks_on(state.scale)
    if state.quality:
        names = {"judge": "Judge", "entity": "Answer"}
        talks = (state.sittings[subject].talk for subject in orders[QUALITY])
        rows = [
            SheetRow(letter(index), "\n".join(f"{names[who]}: {text}" for who, text in talk))
            for index, talk in enumerate(talks)
        ]
        why = "no entry answered the questions intelligently, so the whole talk is marked"
        return [Sheet(QUALITY, "The general quality of all responses", "", why, rows)]
    answers = {id_: state.sittings[id_].answers(asked.paper) for id_ in state.subjects}
    return [
        Sheet(
            *(each.id, each.text, each.about, each.key),
            [
                _row(letter(index), each, answers[subject].get(each.id), asked.paper.facts, marks)
                for index, subject in enumerate(orders[each.id])
            ],
        )
        for each in asked.paper.questions
    ]


def _row(
    of: str, question: Question, answer: Answer | None, facts: Facts, marks: Sequence[Fraction]
) -> SheetRow:
    if answer is None:
        unasked, nothing = (Sentence(f"season.beside.{name}") for name in ("unasked", "nothing"))
        return SheetRow(of, "", (unasked,), Fraction(0), nothing)
    found = suggest(question, answer.belonging, answer.asked, facts)
    late = [Sentence("season.beside.late", text=text) for text in answer.late]
    later = [Sentence("season.beside.later", text=text) for text in answer.later]
    # On a scale without a middle, half a mark becomes none.
    mark = marks[found.mark * (len(marks) - 1) // 2]
    return SheetRow(of, answer.text, (*_ENDED.get(answer.how, ()), *late, *later), mark, found.why)


_ENDED = {
    "too-long": [Sentence("season.beside.too_long")],
    "died": [Sentence("season.beside.died")],
}
SHEET, WORDING = "sheet.csv", "scale.txt"
COLUMNS = (
    *("item", "question", "typed before", "key", "letter", "answer", "remarks"),
    *("suggested", "why", "mark"),
)


def write_sheets(season: Writer, folder: Path) -> Path:
    """Writes the sheets as CSV, and the wording of the scale, into a folder, which must be empty or
    not exist. Returns the CSV file; each marker fills in a copy. Raises UserError if the folder is
    not empty, EnvironmentProblem if it can't be written."""
    refuse_unless_empty(folder)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for item, question, statement, key, rows in sheets_of(season):
        for row in rows:
            cells = (item, question, statement, key, row.letter, row.answer, "\n".join(row.beside))
            writer.writerow([*map(cell, (*cells, written(row.suggested), row.why)), ""])
    wording = "\n".join(f"{mark}  {words}" for mark, words in wording_of(season.state))
    text = (
        f"Fill in the column “mark” with one of these marks for each answer:\n\n{wording}\n\nThe "
        "column “suggested” is the mark according to the answer key; you decide. Mark on your own, "
        "and do not ask whose answers they are.\n"
    )
    # The byte order mark tells spreadsheets on Windows that this is UTF-8.
    write(folder / SHEET, out.getvalue(), "utf-8-sig")
    write(folder / WORDING, text)
    return folder / SHEET


def cell(text: str) -> str:
    """A text as a cell that spreadsheets don't treat as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def read_sheet(text: str, where: str) -> dict[str, dict[str, str]]:
    """Reads the marks of a filled-in sheet: item to letter to mark as written, without empty ones.
    The sheet is CSV with commas or semicolons; only the columns item, letter and mark are read.
    `where` is its name in errors. Raises BadInput if it is not such a sheet, BadOrder if an answer
    is marked twice."""
    found: dict[str, dict[str, str]] = {}
    for line, cells in read_table(text, ("item", "letter", "mark"), where):
        item, of, mark = cells.values()
        if mark and of in found.setdefault(item, {}):
            raise BadOrder(f"{where}, line {line}: {shown(item)}, {shown(of)} is marked twice")
        if mark:
            found[item][of] = mark
    return found


# Progress


class Agreement(msgspec.Struct, frozen=True):
    """How far the markers of a round agree, before any marks are settled: Krippendorff's alpha for
    ordinal marks (1 for full agreement, 0 for chance, None if undefined); the number of answers
    with at least two marks; and the number of those whose marks are all the same."""

    alpha: float | None
    answers: int
    same: int

    def in_words(self) -> str:
        """A sentence for people."""
        if not self.answers:
            return "No answer has been marked by two people yet."
        alpha = "is undefined, because all marks are the same"
        if self.alpha is not None:
            alpha = f"is {self.alpha:.3f} (ordinal)"
        many = counted(self.answers, "answer")
        return f"{self.same} of {many} marked alike; Krippendorff's alpha {alpha}."


class Difference(msgspec.Struct, frozen=True):
    """An answer on which markers differ and that is not settled: marker to mark."""

    item: str
    letter: str
    marks: dict[str, str]


class Status(msgspec.Struct, frozen=True):
    """The progress of marking in a round: `answers` is the number of answers to mark, `missing`
    maps each marker to the number of answers that the marker has not marked."""

    round: str
    scale: str
    answers: int
    missing: dict[str, int]
    agreement: Agreement
    to_settle: list[Difference]
    settled: int
    over: bool


def status(state: State) -> Status:
    """The progress of marking in this round; raises ScienceMissing if the library for the agreement
    is not installed."""
    return Status(
        *(state.round, state.scale, len(_answers(state)), missing(state), _agreement(state)),
        *(differences(state), len(state.settled), is_over(state)),
    )


def _answers(state: State) -> list[tuple[str, str]]:
    """The answers of this round: item and letter."""
    return [(item, of) for item in state.items for of in letters(state)]


def _agreement(state: State) -> Agreement:
    units = [given for _, given in sorted(state.marks.items()) if len(given) > 1]
    same = sum(len(set(given.values())) == 1 for given in units)
    # Alpha is undefined if all marks are the same.
    if len({mark for given in units for mark in given.values()}) < 2:
        return Agreement(None, len(units), same)
    alpha = import_science("krippendorff").alpha(
        reliability_data=[
            [float(given.get(who, math.nan)) for given in units] for who in state.markers
        ],
        value_domain=list(map(float, marks_on(state.scale))),
        level_of_measurement="ordinal",
    )
    return Agreement(float(alpha), len(units), same)


def differences(state: State) -> list[Difference]:
    """The answers of this round on which markers differ and that are not settled."""
    return [
        Difference(*key, {who: written(mark) for who, mark in sorted(state.marks[key].items())})
        for key in sorted(state.marks.keys() - state.settled.keys())
        if len(set(state.marks[key].values())) > 1
    ]


def missing(state: State) -> dict[str, int]:
    """Marker to the number of this round's answers that the marker has not marked."""
    given = [state.marks.get(key, {}) for key in _answers(state)]
    return {who: sum(who not in marks for marks in given) for who in state.markers}


def is_over(state: State) -> bool:
    """Whether the letters of this round are revealed."""
    return state.revealed is not None
