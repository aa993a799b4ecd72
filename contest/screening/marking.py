"""Marking: answers under letters, marked by two or more people who can't tell whose they are.

The orders of the letters are drawn for each item from 128 random bits and sealed: outside the
chains until marking is over, while their SHA-256 is on record. So nobody can change them
afterwards, and no marker can find them out by trying. A *suggestion* is what the answer key says by
itself; a person decides.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from contest.errors import BadOrder, Surroundings, WrongMoment
from contest.record import season as kinds
from contest.record.events import canonical
from contest.results.statistics import import_science
from contest.screening.answers import suggest
from contest.screening.paper import Question
from contest.screening.sitting import Answer
from contest.screening.state import QUALITY, State, Writer, fraction
from contest.screening.texts import one_line, reason_of
from contest.setup.folder import refuse_unless_empty
from contest.verify.findings import several
from scheduler.texts import listed, shown

#: People who mark, at least, for a mark to count.
MARKERS = 2


# Scales and letters


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale: its name, the marks, the lowest first, and what each stands for, of an answer and of
    the general quality of all that was said."""

    name: str
    marks: tuple[Fraction, ...]
    wording: tuple[str, ...]
    quality: tuple[str, ...]

    def read(self, text: str) -> Fraction:
        """A mark as somebody writes it; 0,5 and 1/2 are 0.5.

        Raises:
            BadOrder: if it is none of this scale.
        """
        mark = fraction(text)
        if mark not in self.marks:
            raise BadOrder(f"{text[:20]!r} is no mark; the scale is {self.name}")
        return mark

    def suggested(self, halves: int) -> Fraction:
        """The mark that halves of a full one come to; half a mark is none where the scale has no
        middle."""
        return self.marks[halves * (len(self.marks) - 1) // 2]


_WRONG, _RIGHT = (
    "wrong, no answer, or an evasion",
    "right, as a person would answer who has understood the question",
)
_THREE = (_WRONG, "partly right, or right and spoiled by what else is said", _RIGHT)
_GENERAL = (
    *("nothing that a person would say", "now and then as a person would"),
    "mostly as a person would",
)
_TWO = (f"{_WRONG}, or partly right", _RIGHT)
_GENERAL_TWO = (_GENERAL[0], "now and then as a person would, or better")
SCALES: Mapping[str, Scale] = {
    name: Scale(name, tuple(map(Fraction, name.split("/"))), wording, quality)
    for name, wording, quality in (
        ("0/1", _TWO, _GENERAL_TWO),
        ("0/0.5/1", _THREE, _GENERAL),
        ("0/1/2", _THREE, _GENERAL),
    )
}
#: The one that is taken if nothing is said.
DEFAULT = "0/0.5/1"


def written(mark: Fraction | None) -> str:
    """A mark, or a sum of them, as people write it: 0.5; as a fraction where no short decimal is
    exact; empty for None."""
    if mark is None:
        return ""
    text = f"{float(mark):.10g}"
    return text if Fraction(text) == mark else str(mark)


def letter(index: int) -> str:
    """The letter of an index from 0: A to Z, then AA, AB and so on."""
    name, index = "", index + 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def letters(state: State) -> list[str]:
    """The letters that are in use in this round."""
    return [letter(index) for index in range(len(state.subjects.get(state.round, ())))]


def draw(items: Iterable[str], subjects: Sequence[str], salt: str | None = None) -> dict[str, Any]:
    """Draws an order of the subjects for each item.

    Arguments:
        items: their ids.
        subjects: their ids.
        salt: what all of it comes from, in hex; drawn if left out.

    Returns:
        `{"letters": {item: [subject, …]}, "salt": …}`, the first subject being A.
    """
    salt = secrets.token_hex(16) if salt is None else salt
    orders = {}
    for item in items:
        orders[item] = sorted(subjects)
        random.Random(f"{salt} {item}").shuffle(orders[item])
    return {"letters": orders, "salt": salt}


def digest(drawn: Mapping[str, Any]) -> str:
    """The hash that is on record of letters while they are sealed, in hex; empty where they have no
    canonical form."""
    try:
        plain = canonical({"letters": drawn["letters"], "salt": drawn["salt"]})
        return hashlib.sha256(plain).hexdigest()
    except (LookupError, TypeError, ValueError):
        return ""


# The state of marking


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An answer on which markers differ: their marks by name."""

    item: str
    letter: str
    marks: Mapping[str, Fraction]


def disagreements(state: State) -> list[Disagreement]:
    """Answers of this round on which markers differ and which are not settled."""
    used = letters(state)
    return [
        Disagreement(item, of, dict(sorted(given.items())))
        for item in sorted(state.items)
        for of in used
        if len(set((given := state.marks.get((item, of), {})).values())) > 1
        and (item, of) not in state.settled
    ]


def missing(state: State) -> dict[str, int]:
    """Marker to how many answers of this round have no mark of that marker's."""
    wanted = [(item, of) for item in state.items for of in letters(state)]
    return {
        who: sum(who not in state.marks.get(key, {}) for key in wanted) for who in state.markers
    }


def is_over(state: State) -> bool:
    """Whether the letters of this round are revealed."""
    return state.round in state.revealed


# Checks


def check_scale(state: State, _by: str, body: kinds.ScaleSet) -> None:
    """Raises ContestError where a scale can't be set."""
    if body.scale not in SCALES:
        raise BadOrder(f"there is no scale {body.scale[:20]!r}; there are {', '.join(SCALES)}")
    if state.scale:
        raise WrongMoment(f"the scale was set to {state.scale} when marking began, and stands")


def check_drawn(state: State, _by: str, body: kinds.LettersDrawn) -> None:
    """Raises ContestError where letters can't be drawn."""
    if body.round in state.drawn or body.round != state.round:
        raise WrongMoment("letters of this round were drawn before, or it was not opened")
    if not state.scale:
        raise WrongMoment("no scale was set before it")
    if body.items != _items(state):
        raise BadOrder("its items are not those that were asked")
    _check_answers(state)


def _check_answers(state: State) -> None:
    """Raises WrongMoment where an entry is still to be asked."""
    left = [id_ for id_ in state.to_ask if id_ not in state.with_answers]
    if left:
        raise WrongMoment(
            f"{listed(left)} {'is' if len(left) == 1 else 'are'} not asked to the end: "
            "`loebner screen ask` goes on"
        )


def _items(state: State) -> list[str]:
    questions = [question.id for question in state.require_asked().paper.questions]
    return [QUALITY] if state.quality else questions


def check_marked(state: State, by: str, body: kinds.Marked) -> None:
    """Raises ContestError where marks can't be given."""
    if not body.marker or body.marker != by:
        raise BadOrder(f"{shown(by)} gave marks of {shown(body.marker)}")
    for of, mark in body.marks.items():
        _check_mark(state, body.item, of, mark)


def check_settled(state: State, _by: str, body: kinds.MarkSettled) -> None:
    """Raises ContestError where a mark can't be settled."""
    _check_mark(state, body.item, body.letter, body.mark)
    if len(set(state.marks.get((body.item, body.letter), {}).values())) < 2:
        raise WrongMoment(
            f"nothing is to be settled of {body.item}, {body.letter}: no two markers differ"
        )
    reason_of(body.reason)


def _check_mark(state: State, item: str, of: str, mark: str) -> None:
    if state.round not in state.drawn:
        raise WrongMoment("marking has not begun: `loebner screen mark CONTEST` makes the sheets")
    if is_over(state):
        raise WrongMoment("marking is over: it is known whose answers they are")
    if item not in state.items:
        raise BadOrder(f"there is no item {shown(item)} to mark")
    if of not in letters(state):
        raise BadOrder(f"{item} has no answer {shown(of)}")
    try:
        SCALES[state.scale].read(mark)
    except BadOrder as exc:
        raise BadOrder(f"{item}, {of}: {exc}") from None


def check_quality(state: State, _by: str, body: kinds.QualityOpened) -> None:
    """Raises ContestError where the general quality can't decide."""
    if state.quality:
        raise WrongMoment("the general quality decides already")
    if "questions" not in state.revealed:
        raise WrongMoment("mark the answers to the questions to the end first")
    reason_of(body.reason)


def check_revealed(state: State, _by: str, body: kinds.LettersRevealed) -> None:
    """Raises ContestError where marking can't end like this."""
    drawn = state.drawn.get(body.round)
    if drawn is None or body.round in state.revealed or body.round != state.round:
        raise WrongMoment("nothing was to be revealed")
    if digest({"letters": body.letters, "salt": body.salt}) != drawn.sha256:
        raise BadOrder("the letters that it reveals are not those that were sealed")
    subjects = state.subjects[body.round]
    if body.letters != draw(drawn.items, subjects, body.salt)["letters"]:
        raise BadOrder("its letters are not what its salt draws")
    check_complete(state)


def check_complete(state: State) -> None:
    """Raises WrongMoment where marks are missing, fewer than two people have marked, or something
    is to be settled."""
    if len(state.markers) < MARKERS:
        who = listed(state.markers) if state.markers else "nobody"
        raise WrongMoment(f"{MARKERS} people at least have to mark; so far {who} has")
    left = [f"{who} {number}" for who, number in missing(state).items() if number]
    if left:
        raise WrongMoment(f"marks are missing: of {listed(left)}")
    if open_ := disagreements(state):
        raise WrongMoment(
            f"{several(len(open_), 'mark')} to settle, the first {open_[0].item}, "
            f"{open_[0].letter}: `loebner screen mark CONTEST --settle ITEM LETTER MARK`"
        )


# Steps


def begin(season: Writer, scale: str = "") -> None:
    """Begins to mark, or goes on: fixes the scale, and draws the letters of this round.

    Arguments:
        season: where.
        scale: its name; what was set, else `DEFAULT`, if left out.

    Raises:
        BadOrder: if there is no such scale.
        WrongMoment: if another one is set, or an entry is still to be asked.
    """
    state, bodies = season.state, list[Any]()
    if not state.scale or (scale and scale != state.scale):
        bodies.append(kinds.ScaleSet(scale or DEFAULT))
    if state.round not in state.drawn:
        items = _items(state)
        _check_answers(state)
        drawn = draw(items, state.with_answers)
        bodies.append(kinds.LettersDrawn(state.round, items, digest(drawn)))
        # Letters that are not on record are drawn again.
        season.seal(_sealed(digest(drawn)), drawn)
    if bodies:
        season.write("server", *bodies)


def _sealed(sha256: str) -> str:
    return f"letters-{sha256}"


def _drawn(season: Writer) -> dict[str, Any]:
    state = season.state
    if state.round not in state.drawn:
        raise WrongMoment("marking has not begun: `loebner screen mark CONTEST` makes the sheets")
    sha256 = state.drawn[state.round].sha256
    # The first version sealed them under the name of the round.
    for name in (_sealed(sha256), f"letters-{state.round}"):
        drawn = season.unseal(name)
        if isinstance(drawn, dict) and digest(drawn) == sha256:
            return drawn
    raise WrongMoment("the letters that are sealed are not those that are on record")


def letters_of(season: Writer) -> dict[str, list[str]]:
    """Item to subjects in the order of their letters, in this round; not for markers' eyes.

    Raises:
        WrongMoment: if none are drawn, or what is sealed is not what is on record.
    """
    return dict(_drawn(season)["letters"])


def mark_all(season: Writer, marker: str, items: Mapping[str, Mapping[str, str]]) -> int:
    """Puts a marker's marks on record; earlier ones give way. All of them, or none.

    Arguments:
        season: where.
        marker: who marks.
        items: item to letter to mark, as somebody writes it.

    Returns:
        How many marks are new, or others than before.

    Raises:
        BadOrder: if there is no such item, letter or mark.
        WrongMoment: if marking has not begun, or is over.
    """
    try:
        who = one_line(marker, 60)
    except ValueError as exc:
        raise BadOrder(f"the marker's name {exc}") from None
    if not who:
        raise BadOrder("say who marks: --marker NAME")
    state, bodies = season.state, []
    for item, marks in items.items():
        for of, text in marks.items():
            _check_mark(state, item, of, text)
        new = {
            of: written(mark)
            for of, text in marks.items()
            if state.marks.get((item, of), {}).get(who) != (mark := fraction(text))
        }
        if new:
            bodies.append(kinds.Marked(who, item, new))
    if bodies:
        season.write(who, *bodies)
    return sum(len(body.marks) for body in bodies)


def settle(season: Writer, item: str, of: str, text: str, by: str, reason: str) -> None:
    """Settles an answer on which the markers differ. Raises ContestError where it can't be."""
    _check_mark(season.state, item, of, text)
    season.write(by, kinds.MarkSettled(item, of, written(fraction(text)), reason_of(reason)))


def reveal(season: Writer) -> None:
    """Ends marking: puts on record whose letter was whose. Does nothing where that was done.

    Raises:
        WrongMoment: if marks are missing, fewer than two people have marked, or something is to
            be settled.
    """
    state = season.state
    if not is_over(state):
        drawn = _drawn(season)
        check_complete(state)
        season.write("server", kinds.LettersRevealed(state.round, drawn["letters"], drawn["salt"]))


def open_quality(season: Writer, by: str, reason: str) -> None:
    """Opens the round in which the general quality of the responses decides. Raises ContestError
    where it can't be opened."""
    season.write(by, kinds.QualityOpened(reason_of(reason)))
    begin(season)


# Sheets


@dataclass(frozen=True, slots=True)
class Row:
    """An answer as a marker sees it.

    Attributes:
        letter: whose, within this item.
        answer: what came on time, after the question.
        beside: what came late or elsewhere, each line a remark.
        suggested: the mark that the key suggests; None where there is no key.
        why: what it rests on.
    """

    letter: str
    answer: str
    beside: tuple[str, ...] = ()
    suggested: Fraction | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """An item with all its answers: what was asked, the statement that it asks about, and the key
    in words."""

    item: str
    question: str
    told: str
    key: str
    rows: tuple[Row, ...]


def sheets_of(season: Writer) -> list[Sheet]:
    """The sheets of this round, in the order of the paper.

    Raises:
        WrongMoment: if no letters are drawn yet.
    """
    state, orders = season.state, letters_of(season)
    asked, scale = state.require_asked(), SCALES[state.scale]
    if state.quality:
        names = {"judge": "Judge", "entity": "Answer"}
        talks = [
            "\n".join(f"{names[who]}: {text}" for who, text in state.sittings[subject].talk)
            for subject in orders[QUALITY]
        ]
        rows = tuple(Row(letter(index), talk) for index, talk in enumerate(talks))
        why = "no entry answered the questions intelligently, and the whole talk is marked"
        return [Sheet(QUALITY, "The general quality of all responses", "", why, rows)]
    answers = {id_: state.sittings[id_].answers(asked.paper) for id_ in state.subjects[state.round]}

    def row_of(of: str, question: Question, answer: Answer | None) -> Row:
        if answer is None:
            return Row(of, "", ("was not asked",), Fraction(0), "nothing is answered")
        found = suggest(question, answer.belonging, answer.asked, asked.paper.facts)
        return Row(of, answer.text, _beside(answer), scale.suggested(found.mark), found.why)

    return [
        Sheet(
            *(question.id, question.text, question.about, question.key),
            tuple(
                row_of(letter(index), question, answers[subject].get(question.id))
                for index, subject in enumerate(orders[question.id])
            ),
        )
        for question in asked.paper.questions
    ]


def _beside(answer: Answer) -> tuple[str, ...]:
    said = {
        "too-long": ["went on for too long, and was not waited for"],
        "died": ["the program died here"],
    }.get(answer.how, [])
    for piece in answer.pieces:
        if piece.late:
            said.append(f"late: {piece.text}")
        elif piece.belongs and piece.belongs != answer.question:
            said.append(f"seems to answer an earlier question: {piece.text}")
    said += [f"came after a later question: {piece.text}" for piece in answer.elsewhere]
    return tuple(said)


# Sheets as CSV

FIELDS = (
    *("item", "question", "told before", "key", "letter", "answer", "beside"),
    *("suggested", "why", "mark"),
)
SHEET, WORDING = "sheet.csv", "scale.txt"


def write_sheets(season: Writer, folder: Path) -> Path:
    """Writes the sheets as CSV, and the wording of the scale beside them.

    Arguments:
        season: whose.
        folder: where; it has to be empty, or is made.

    Returns:
        The CSV file, one for every marker to make a copy of.

    Raises:
        YoursToFix: if the folder is not empty.
        Surroundings: if it can't be written.
    """
    refuse_unless_empty(folder)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(FIELDS)
    for sheet in sheets_of(season):
        for row in sheet.rows:
            cells = (sheet.item, sheet.question, sheet.told, sheet.key, row.letter, row.answer)
            more = ("\n".join(row.beside), written(row.suggested), row.why)
            writer.writerow([*map(cell, (*cells, *more)), ""])
    wording = "\n".join(f"{mark}  {words}" for mark, words in wording_of(season.state))
    text = (
        f"Fill in the column mark, for each answer one of:\n\n{wording}\n\nThe column suggested is "
        "what the answer key says by itself; a person decides. Mark for yourself; do not ask whose "
        "answers they are.\n"
    )
    file = folder / SHEET
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The byte order mark tells spreadsheets on Windows that this is UTF-8.
        file.write_text(out.getvalue(), encoding="utf-8-sig", newline="")
        (folder / WORDING).write_text(text, encoding="utf-8")
    except OSError as exc:
        raise Surroundings(f"{folder}: can't be written ({exc.strerror or exc})") from exc
    return file


def wording_of(state: State) -> list[tuple[str, str]]:
    """Each mark of the scale as written, and what it stands for in this round."""
    scale = SCALES[state.scale]
    words = scale.quality if state.quality else scale.wording
    return [(written(mark), text) for mark, text in zip(scale.marks, words, strict=True)]


def cell(text: str) -> str:
    """A text as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def read_sheet(text: str, where: str) -> dict[str, dict[str, str]]:
    """The marks of a sheet that was filled in: item to letter to mark, as written; rows without a
    mark are left out.

    Arguments:
        text: CSV, with commas or semicolons; the columns item, letter and mark are read.
        where: what errors call it.

    Raises:
        BadOrder: if it is no such sheet, or an answer is in it twice.
    """
    text = text.removeprefix("\ufeff")
    delimiter = ";" if text.split("\n", 1)[0].count(";") > 2 else ","
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    found: dict[str, dict[str, str]] = {}
    try:
        for name in ("item", "letter", "mark"):
            if name not in (rows.fieldnames or ()):
                raise BadOrder(f"{where}: lacks the column {name}; fill in the sheet of --out")
        for row in rows:
            item, of, mark = ((row[name] or "").strip() for name in ("item", "letter", "mark"))
            if mark and of in found.setdefault(item, {}):
                raise BadOrder(
                    f"{where}, line {rows.line_num}: {shown(item)}, {shown(of)} is marked twice"
                )
            if mark:
                found[item][of] = mark
    except csv.Error as exc:
        raise BadOrder(f"{where}, line {rows.line_num}: this is no CSV ({exc})") from exc
    return found


# Agreement


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far markers agree.

    Attributes:
        alpha: Krippendorff's, ordinal: 1 where they all agree, 0 as by chance; None where nothing
            can be said.
        answers: how many have two marks at least.
        same: of how many of them all marks are the same.
        why_not: why there is no alpha; empty if there is one.
    """

    alpha: float | None
    answers: int
    same: int
    why_not: str = ""

    def in_words(self) -> str:
        """For people, a sentence."""
        if not self.answers:
            return f"No agreement to measure: {self.why_not}."
        verb = "is" if self.answers == 1 else "are"
        same = f"{self.same} of {several(self.answers, 'answer')} {verb} marked alike"
        if self.alpha is None:
            return f"{same}; no alpha: {self.why_not}."
        return f"{same}; Krippendorff's alpha is {self.alpha:.3f} (ordinal)."


def agreement_of(state: State) -> Agreement:
    """How far the markers of this round agree, before anything is settled; errors as of
    `agreement`."""
    items = state.items
    given = [marks for (item, _), marks in sorted(state.marks.items()) if item in items]
    return agreement(given, SCALES[state.scale])


def agreement(answers: Iterable[Mapping[str, Fraction]], scale: Scale) -> Agreement:
    """How far markers agree.

    Arguments:
        answers: of each, marker to mark.
        scale: of the marks; the distance between two is by their order.

    Raises:
        ScienceMissing: if the library is not installed.
    """
    units = [given for given in answers if len(given) > 1]
    same = sum(len(set(given.values())) == 1 for given in units)
    if not units:
        return Agreement(None, 0, 0, "no answer is marked by two people")
    if len({mark for given in units for mark in given.values()}) == 1:
        # Marks that are all the same show nothing of how markers tell answers apart.
        return Agreement(None, len(units), same, "all marks are the same one")
    markers = sorted({who for given in units for who in given})
    data = [[float(given[who]) if who in given else math.nan for given in units] for who in markers]
    alpha = import_science("krippendorff").alpha(
        reliability_data=data,
        value_domain=[float(mark) for mark in scale.marks],
        level_of_measurement="ordinal",
    )
    return Agreement(float(alpha), len(units), same)
