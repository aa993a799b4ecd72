"""The steps of marking, each put on record: scale, letters, marks, what is settled, the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from contest.errors import BadOrder, WrongMoment
from contest.screening.asking.ask import sittings_of
from contest.screening.asking.paperset import needed
from contest.screening.forms import TEXT_LIMIT, one_line
from contest.screening.marking.bodies import (
    LettersDrawn,
    LettersRevealed,
    Marked,
    MarkSettled,
    QualityOpened,
    ScaleSet,
    TieRuleStated,
)
from contest.screening.marking.book import QUALITY, Book, Round, book_in
from contest.screening.marking.letters import digest, draw, letter
from contest.screening.marking.scale import DEFAULT, scale_of, written
from contest.screening.season import Season, bodies
from contest.screening.selecting import selection_of
from contest.verification.findings import several
from scheduler.texts import listed, shown

#: People who mark, at least, for a mark to count.
MARKERS = 2


def begin(season: Season, scale: str = "") -> Book:
    """Begins to mark, or goes on: fixes the scale, and draws the letters of this round.

    Arguments:
        season: where.
        scale: its name; what was set, else `DEFAULT`, if left out.

    Raises:
        BadOrder: if there is no such scale.
        WrongMoment: if another one is set, or somebody is still to be asked.
    """
    book = book_in(season)
    if book.scale is not None and scale and scale_of(scale) != book.scale:
        raise WrongMoment(f"the scale was set to {book.scale.name} when marking began, and stands")
    if book.round in book.drawn:
        return book
    kept = list(bodies(season.events()))
    asked = needed(kept)
    found = sittings_of(kept, asked)
    running = selection_of(kept, season.settings).to_ask
    left = [id_ for id_ in running if id_ not in found or not found[id_].ended]
    if left:
        raise WrongMoment(
            f"{listed(left)} {'is' if len(left) == 1 else 'are'} not asked to the end: "
            "`loebner screen ask` goes on"
        )
    subjects = [id_ for id_, each in found.items() if each.ended and (id_ in running or each.human)]
    items = [QUALITY] if book.quality else [question.id for question in asked.paper.questions]
    if book.scale is None:
        season.write("server", ScaleSet(scale_of(scale or DEFAULT).name))
    drawn = draw(items, subjects)
    season.record.seal(_sealed(book.round), drawn)
    season.write("server", LettersDrawn(book.round, items, digest(drawn)))
    return book_in(season)


def letters_of(season: Season, book: Book) -> dict[str, list[str]]:
    """Item to subjects in the order of their letters, in this round; not for markers' eyes.

    Raises:
        WrongMoment: if none are drawn, or what is sealed is not what is on record.
    """
    if book.round not in book.drawn:
        raise WrongMoment("marking has not begun: `loebner screen mark CONTEST` makes the sheets")
    return dict(_drawn(season, book)["letters"])


def mark(season: Season, marker: str, item: str, marks: Mapping[str, str]) -> None:
    """Puts a marker's marks for answers to an item on record; earlier ones give way.

    Arguments:
        season: where.
        marker: who marks.
        item: a question's id, or `QUALITY`.
        marks: letter to mark, as somebody writes it.

    Raises:
        BadOrder: if there is no such item, letter or mark. Then none is taken.
        WrongMoment: if marking has not begun, or is over.
    """
    mark_all(season, marker, {item: marks})


def mark_all(season: Season, marker: str, items: Mapping[str, Mapping[str, str]]) -> int:
    """As `mark`, of several items: all of them, or none.

    Returns:
        How many marks are new, or others than before.
    """
    who = _named(marker)
    book = _open(season)
    letters = letters_of(season, book)
    assert book.scale is not None
    drafts, count = [], 0
    for item, marks in items.items():
        read = {}
        for each, text in marks.items():
            _check(letters, item, each)
            try:
                value = book.scale.read(text)
            except BadOrder as exc:
                raise BadOrder(f"{item}, {each}: {exc}") from None
            if book.marks.get((item, each), {}).get(who) != value:
                read[each] = written(value)
        if read:
            count += len(read)
            drafts.append(season.draft(who, Marked(who, item, read)))
    if drafts:
        season.write_all(drafts)
    return count


def settle(season: Season, item: str, letter_: str, text: str, by: str, reason: str) -> None:
    """Settles an answer on which the markers do not agree.

    Arguments:
        season: where.
        item, letter_: the answer.
        text: the mark that counts.
        by: who settles it.
        reason: why.

    Raises:
        BadOrder: if there is no such answer or mark, or no reason.
        WrongMoment: if the markers agree, or marking is over.
    """
    book = _open(season)
    _check(letters_of(season, book), item, letter_)
    assert book.scale is not None
    mark_ = book.scale.read(text)
    if len(set(book.marks.get((item, letter_), {}).values())) < 2:
        raise WrongMoment(f"nothing is to be settled of {item}, {letter_}: no two markers differ")
    season.write(by, MarkSettled(item, letter_, written(mark_), reason_of(reason)))


def state_tie_rule(season: Season, rule: str, by: str, known: Sequence[str]) -> None:
    """States what settles a tie at the cut, before anybody knows whom it would help.

    Raises:
        BadOrder: if there is no such rule.
        WrongMoment: if the letters are revealed.
    """
    if rule not in known:
        raise BadOrder(f"there is no rule {shown(rule)}; there are {', '.join(known)}")
    if book_in(season).revealed:
        raise WrongMoment(
            "the letters are revealed, and a rule stated now could be made to fit; a tie is "
            "settled by a decision with its reason: `loebner screen finalists CONTEST --decide`"
        )
    season.write(by, TieRuleStated(rule))


def reveal(season: Season) -> Book:
    """Ends marking: puts on record whose letter was whose. Does nothing where that was done.

    Raises:
        WrongMoment: if marks are missing, fewer than two people have marked, or something is to
            be settled.
    """
    book = book_in(season)
    if book.round in book.revealed:
        return book
    letters = letters_of(season, book)
    count = len(next(iter(letters.values()), []))
    if len(book.markers) < MARKERS:
        who = listed(book.markers) if book.markers else "nobody"
        raise WrongMoment(f"{MARKERS} people at least have to mark; so far {who} has")
    missing = {
        who: number for who, number in book.missing(map(letter, range(count))).items() if number
    }
    if missing:
        told = listed(f"{who} {number}" for who, number in missing.items())
        raise WrongMoment(f"marks are missing: of {told}")
    open_ = book.disagreements()
    if open_:
        raise WrongMoment(
            f"{several(len(open_), 'mark')} to settle, the first {open_[0].item}, "
            f"{open_[0].letter}: `loebner screen mark CONTEST --settle ITEM LETTER MARK`"
        )
    drawn = _drawn(season, book)
    season.write("server", LettersRevealed(book.round, drawn["letters"], drawn["salt"]))
    return book_in(season)


def open_quality(season: Season, by: str, reason: str) -> Book:
    """Opens the round in which the general quality of the responses decides.

    Raises:
        BadOrder: without a reason.
        WrongMoment: if it is open, or the questions are not marked to the end.
    """
    book = book_in(season)
    if book.quality:
        raise WrongMoment("the general quality decides already")
    if "questions" not in book.revealed:
        raise WrongMoment("mark the answers to the questions to the end first")
    season.write(by, QualityOpened(reason_of(reason)))
    return begin(season)


def reason_of(text: str) -> str:
    """A reason as it goes on record.

    Raises:
        BadOrder: if it is none.
    """
    try:
        why = one_line(text, TEXT_LIMIT)
    except ValueError as exc:
        raise BadOrder(f"the reason {exc}") from None
    if not why:
        raise BadOrder("a reason is needed: it goes on record")
    return why


def _open(season: Season) -> Book:
    book = book_in(season)
    if book.round in book.revealed:
        raise WrongMoment("marking is over: it is known whose answers they are")
    return book


def _named(marker: str) -> str:
    try:
        name = one_line(marker, 60)
    except ValueError as exc:
        raise BadOrder(f"the marker's name {exc}") from None
    if not name:
        raise BadOrder("say who marks: --marker NAME")
    return name


def _check(letters: Mapping[str, Sequence[str]], item: str, letter_: str) -> None:
    if item not in letters:
        raise BadOrder(f"there is no item {shown(item)} to mark")
    if letter_ not in map(letter, range(len(letters[item]))):
        raise BadOrder(f"{item} has no answer {shown(letter_)}")


def _drawn(season: Season, book: Book) -> dict[str, Any]:
    name = _sealed(book.round)
    drawn: dict[str, Any] = season.record.unseal(name).get(name, {"letters": {}, "salt": ""})
    if digest(drawn) != book.drawn[book.round].sha256:
        raise WrongMoment("the letters that are sealed are not those that are on record")
    return drawn


def _sealed(round_: Round) -> str:
    return f"letters-{round_}"
