"""The result of a season's screening: places, and each answer behind its mark."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from contest.errors import BadOrder, WrongMoment
from contest.record.events import Event
from contest.screening.asking.ask import sittings_of
from contest.screening.asking.paperset import needed
from contest.screening.bodies import AnyBody
from contest.screening.marking.book import QUALITY, Book, Settled, book_of
from contest.screening.marking.csvs import cell
from contest.screening.marking.letters import letter
from contest.screening.marking.scale import written
from contest.screening.marking.sheets import key_of
from contest.screening.ranking import Ranking, Row, Scored, rank
from contest.screening.register import register_of
from contest.screening.selecting import selection_of
from contest.setup.settings import Settings
from scheduler.texts import natural


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind a mark.

    Attributes:
        answer: what was said on time.
        belonging: all that seems to belong to the question.
        how: why it was not waited for any longer; empty if it was not asked.
        marks: marker to mark.
        settled: what was settled, where they differed.
    """

    answer: str
    belonging: str
    how: str
    marks: Mapping[str, Fraction]
    settled: Settled | None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of screening.

    Attributes:
        ranking: the entries' places.
        questions: item to what was asked, and the key in words; empty for a table from elsewhere.
        behind: (entry, item) to what stands behind the mark.
        names: entry to its program's name.
        controls: humans who sat the paper to compare, with their marks; they have no place.
        talks: subject to what was said: author and text.
    """

    ranking: Ranking
    questions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    behind: Mapping[tuple[str, str], Behind] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    controls: tuple[Scored, ...] = ()
    talks: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For programs; the shape is in docs/reference/screening.md."""
        ranking = self.ranking
        cut = ranking.cut
        return {
            "items": list(ranking.items),
            "entries": [self._row_json(row) for row in ranking.rows],
            "controls": [self._scored_json(each) for each in self.controls],
            "finalists": list(ranking.finalists),
            "open": ranking.is_open,
            "cut": None
            if cut is None
            else {"tied": list(cut.tied), "room": cut.room, "settled_by": cut.settled_by or None},
            "wrong_totals": [
                {
                    "entry": row.entry,
                    "published_total": number(row.scored.published),
                    "total": number(row.scored.total),
                    "place": row.place,
                    "published_place": row.published_place,
                }
                for row in ranking.rows
                if row.wrong
            ],
            "general_quality": not ranking.answered,
            "words": list(ranking.words),
        }

    def _row_json(self, row: Row) -> dict[str, Any]:
        finalist = {True: "yes", False: "no", None: "tied"}[row.finalist]
        return {
            **self._scored_json(row.scored),
            "published_total": number(row.scored.published),
            "place": row.place,
            "tied": bool(row.tied),
            "finalist": finalist,
        }

    def _scored_json(self, scored: Scored) -> dict[str, Any]:
        items = {item: self._item_json(scored, item) for item in scored.marks}
        found: dict[str, Any] = {"entry": scored.entry, "total": number(scored.total)}
        if scored.entry in self.names:
            found["program"] = self.names[scored.entry]
        return {**found, "items": items}

    def _item_json(self, scored: Scored, item: str) -> dict[str, Any]:
        found: dict[str, Any] = {"mark": number(scored.marks[item])}
        behind = self.behind.get((scored.entry, item))
        if behind is not None:
            settled = behind.settled
            found |= {
                "answer": behind.answer,
                "belonging": behind.belonging,
                "how": behind.how or None,
                "marks": {who: number(mark) for who, mark in behind.marks.items()},
                "settled": None
                if settled is None
                else {"mark": number(settled.mark), "by": settled.by, "reason": settled.reason},
            }
        return found

    def as_csv(self) -> str:
        """Places and marks as CSV, as `contest.screening.table` reads it but for three columns."""
        out = io.StringIO()
        writer = csv.writer(out)
        items = self.ranking.items
        writer.writerow(("place", "entity", "finalist", "total", *items))
        for row in self.ranking.rows:
            finalist = {True: "yes", False: "no", None: "tied"}[row.finalist]
            marks = [written(row.scored.marks[item]) for item in items]
            total = written(row.scored.total)
            writer.writerow((row.place, cell(row.entry), finalist, total, *marks))
        return out.getvalue()


def number(value: Fraction | None) -> int | float | None:
    """A mark as JSON has it."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)


def result_of(
    events: Iterable[tuple[Event, AnyBody]], settings: Settings, *, deciding: bool = False
) -> Result:
    """The result of a season.

    An organizer's decision that does not fit the tie any more, for instance because a finalist
    was withdrawn, leaves the tie open, and the ranking says so.

    Arguments:
        events: the season's; the letters are revealed.
        settings: the contest's.
        deciding: refuse a decision that does not fit.

    Raises:
        WrongMoment: if marking is not over.
        BadOrder: with `deciding`, if the organizer's decision does not fit the tie.
    """
    kept = list(events)
    book = book_of(kept)
    if book.round not in book.revealed:
        raise WrongMoment("marking is not over: `loebner screen rank CONTEST` ends it")
    asked = needed(kept)
    found = sittings_of(kept, asked)
    letters = book.revealed[book.round].letters
    behind: dict[tuple[str, str], Behind] = {}
    marks: dict[str, dict[str, Fraction]] = {}
    # In the order of the paper: the record's objects are in that of their names.
    for item in book.items:
        for index, subject in enumerate(letters[item]):
            mark = book.mark(item, letter(index))
            marks.setdefault(subject, {})[item] = mark if mark is not None else Fraction(0)
            answer = found[subject].answers.get(item)
            behind[subject, item] = Behind(
                answer.text if answer is not None else "",
                answer.belonging if answer is not None else "",
                answer.how if answer is not None else "",
                dict(sorted(book.marks.get((item, letter(index)), {}).items())),
                book.settled.get((item, letter(index))),
            )
    running = selection_of(kept, settings).to_ask
    scored = [Scored(subject, given) for subject, given in marks.items() if subject in running]
    ranking = _ranked(scored, settings.season.finalists, book, deciding)
    register = register_of(kept)
    questions = {each.id: (each.text, key_of(each)) for each in asked.paper.questions}
    if book.quality:
        questions[QUALITY] = ("The general quality of all responses", book.quality)
    return Result(
        ranking,
        {item: questions[item] for item in book.items},
        behind,
        {each.entry: register.find(each.entry).form.program for each in scored},
        tuple(Scored(id_, given) for id_, given in marks.items() if found[id_].human),
        {id_: found[id_].talk for id_ in sorted(marks, key=natural)},
    )


def _ranked(scored: Sequence[Scored], finalists: int, book: Book, deciding: bool) -> Ranking:
    def ranked(decided: Sequence[str] | None = None, decision: str = "") -> Ranking:
        return rank(
            scored,
            finalists,
            tie_rule=book.tie_rule,
            decided=decided,
            decision=decision,
            quality=bool(book.quality),
        )

    if book.cut is None:
        return ranked()
    decided, by, why = book.cut
    try:
        return ranked(decided, f"the decision of {by}: {why}")
    except BadOrder as exc:
        if deciding:
            raise
        found = ranked()
        return replace(
            found, words=(*found.words, f"The decision of {by} no longer applies: {exc}.")
        )
