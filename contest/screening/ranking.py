"""Marks to totals, totals to places, and the cut; and the answers behind the marks.

1. An entry's total is the sum of its marks. Places are 1, 2, 2, 4: equal totals share one.
2. Entries whose place is within the number of finalists go on ("The 4 entries with the highest
   scores will be selected as finalists", rules 2010, section 4).
3. Where more share the last place than there is room for, they are *tied at the cut*. Only the rule
   stated before the letters were revealed (`TIE_RULES`) or the organizer's decision settles that.
4. A published total that is not the sum of its items is named; the items count.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib.resources import files
from itertools import groupby
from typing import Any

from markupsafe import Markup

from contest.errors import BadOrder, WrongMoment
from contest.pages import render
from contest.record import season as kinds
from contest.screening.marking import cell, is_over, letter, written
from contest.screening.sitting import Answer
from contest.screening.state import QUALITY, Decision, State, reason_of
from scheduler.texts import id_problem, listed, natural, shown

#: Entities and items of a table from elsewhere at most.
MOST = 1000
_MARK = re.compile(r"\d{1,6}(?:[.,]\d{1,6})?|\d{1,3}/[1-9]\d{0,2}")
#: Whether an entry goes on, for programs and for people.
_GOES_ON = {True: ("yes", "finalist"), False: ("no", ""), None: ("tied", "tied at the cut")}


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry with its marks, and the total that was published, if one was."""

    entry: str
    marks: Mapping[str, Fraction]
    published: Fraction | None = None

    @property
    def total(self) -> Fraction:
        """The sum of its marks."""
        return sum(self.marks.values(), Fraction(0))


@dataclass(frozen=True, slots=True)
class Row:
    """An entry's place.

    Attributes:
        scored: the entry and its marks.
        place: from 1, shared by equal totals.
        tied: those that share it.
        finalist: True, False, or None while a tie at the cut is open.
        published_place: by the published totals, if each entry has one.
    """

    scored: Scored
    place: int
    tied: tuple[str, ...]
    finalist: bool | None
    published_place: int | None = None

    @property
    def entry(self) -> str:
        """Its id or name."""
        return self.scored.entry

    @property
    def fate(self) -> str:
        """Whether it goes on, for people."""
        return _GOES_ON[self.finalist][1]

    @property
    def wrong(self) -> bool:
        """Whether its published total is not the sum of its items."""
        return self.scored.published not in (None, self.scored.total)


@dataclass(frozen=True, slots=True)
class Cut:
    """A tie at the cut: the entries, how many of them can go on, and what settled it, in words;
    empty while it is open."""

    tied: tuple[str, ...]
    room: int
    settled_by: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The places.

    Attributes:
        rows: all entries by place, those that share one in the natural order of their names.
        items: what was marked, in order.
        cut: the tie at the cut, if there is one.
        words: remarks, each a sentence.
    """

    rows: tuple[Row, ...]
    items: tuple[str, ...]
    cut: Cut | None
    words: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether any entry earned a mark."""
        return any(row.scored.total > 0 for row in self.rows)

    @property
    def finalists(self) -> tuple[str, ...]:
        """Those that go on, by place."""
        return tuple(row.entry for row in self.rows if row.finalist)

    @property
    def is_open(self) -> bool:
        """Whether it is not known yet who goes on."""
        return any(row.finalist is None for row in self.rows)


#: Name to the measure of an entry's marks, given the highest mark of all (more is better), and to
#: what it compares, in words.
TIE_RULES: Mapping[str, tuple[Callable[[Sequence[Fraction], Fraction], int], str]] = {
    "none": (lambda _marks, _highest: 0, "nothing settles a tie but a decision"),
    "full-marks": (
        lambda marks, highest: sum(mark == highest and mark > 0 for mark in marks),
        "more answers with the highest mark",
    ),
    "most-items": (
        lambda marks, _highest: sum(mark > 0 for mark in marks),
        "more questions with a mark above 0",
    ),
}


def rank(
    scored: Sequence[Scored],
    finalists: int,
    *,
    tie_rule: str = "",
    decided: Decision | None = None,
    quality: bool = False,
) -> Ranking:
    """Ranks entries.

    Arguments:
        scored: them, in any order.
        finalists: how many go on.
        tie_rule: what settles a tie at the cut, one of `TIE_RULES`; empty for nothing.
        decided: the organizer's decision on those of the tied that go on.
        quality: whether the marks are those of the general quality of the responses.

    Raises:
        BadOrder: if there is no such rule, or the decision does not fit the tie.
    """
    _require_rule(tie_rule or "none")
    places = _places(scored, lambda each: each.total)
    published: dict[str, int] = {}
    if scored and all(each.published is not None for each in scored):
        for place, group in _places(scored, lambda each: each.published or 0):
            published |= {each.entry: place for each in group}
    inside: set[str] = set()
    cut: Cut | None = None
    for place, group in places:
        room = finalists - (place - 1)
        if 0 < room < len(group):
            highest = max(
                (mark for each in scored for mark in each.marks.values()), default=Fraction(0)
            )
            cut, chosen = _settle(group, room, tie_rule or "none", highest, decided)
            inside |= chosen
        elif room > 0:
            inside |= {each.entry for each in group}
    if decided is not None and cut is None:
        raise BadOrder("there is no tie at the cut, and nothing to decide")
    tied_open = set(cut.tied) if cut is not None and not cut.settled_by else set()
    rows = tuple(
        Row(
            each,
            place,
            tuple(other.entry for other in group if other is not each),
            # Of those that are tied some may be sure of their place by the stated rule.
            True if each.entry in inside else None if each.entry in tied_open else False,
            published.get(each.entry),
        )
        for place, group in places
        for each in group
    )
    items = tuple(dict.fromkeys(item for row in rows for item in row.scored.marks))
    found = Ranking(rows, items, cut)
    return replace(found, words=tuple(_words(found, quality)))


def _require_rule(name: str) -> None:
    if name not in TIE_RULES:
        raise BadOrder(f"there is no rule {shown(name)}; there are {', '.join(TIE_RULES)}")


def _places(
    scored: Sequence[Scored], key: Callable[[Scored], Fraction | int]
) -> list[tuple[int, list[Scored]]]:
    found, place = [], 1
    for _, equal in groupby(sorted(scored, key=lambda each: -key(each)), key=key):
        group = sorted(equal, key=lambda each: natural(each.entry))
        found.append((place, group))
        place += len(group)
    return found


def _settle(
    group: Sequence[Scored], room: int, tie_rule: str, highest: Fraction, decided: Decision | None
) -> tuple[Cut, set[str]]:
    """A tie at the cut: by the stated rule as far as it goes, then by the decision. Gives the tie,
    and those that go on."""
    measure, words = TIE_RULES[tie_rule]
    sure: set[str] = set()
    left: Sequence[Scored] = ()
    for place, equal in _places(group, lambda each: measure(list(each.marks.values()), highest)):
        if place - 1 + len(equal) <= room:
            sure |= {each.entry for each in equal}
        elif place - 1 < room:
            left = equal
    if not left:
        all_ = tuple(each.entry for each in group)
        return Cut(all_, room, f"the stated rule {tie_rule}: {words}"), sure
    names, places = tuple(each.entry for each in left), room - len(sure)
    if decided is None:
        return Cut(names, places), sure
    chosen = decided.what
    if set(chosen) - set(names) or not len(set(chosen)) == len(chosen) == places:
        raise BadOrder(
            f"tied at the cut are {listed(names)}, and {places} of them go on; the decision names "
            f"{listed(chosen) if chosen else 'nobody'}"
        )
    return Cut(names, places, f"the decision of {decided.by}: {decided.reason}"), sure | set(chosen)


def _words(found: Ranking, quality: bool) -> Iterator[str]:
    for row in found.rows:
        if row.wrong:
            place = row.published_place
            beside = f", place {place} by the published totals" if place is not None else ""
            yield (
                f"{row.entry}: the published total is {written(row.scored.published)}, its items "
                f"add up to {written(row.scored.total)}: place {row.place} by the items{beside}."
            )
    cut, unanswered = found.cut, bool(found.rows) and not found.answered and not quality
    if unanswered:
        yield (
            "No entry earned a mark. “If no entries can respond ‘intelligently’ to these questions "
            "I will evaluate the entries on a general quality of responses” (rules 2010, section "
            "4): `loebner screen mark CONTEST --quality` opens that round."
        )
    if cut is not None and cut.settled_by:
        yield f"The tie of {listed(cut.tied)} at the cut is settled by {cut.settled_by}."
    elif cut is not None and not unanswered:
        yield (
            f"Tied at the cut: {listed(cut.tied)}; {cut.room} of them "
            f"{'goes' if cut.room == 1 else 'go'} on. Only the rule that was stated before settles "
            "it, or the organizer's decision: `loebner screen finalists CONTEST --decide`."
        )


# A season's result


@dataclass(frozen=True, slots=True)
class Behind:
    """An answer behind a mark, None if it was not asked; marker to mark; and what was settled."""

    answer: Answer | None
    marks: Mapping[str, Fraction]
    settled: Decision | None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of screening.

    Attributes:
        ranking: the entries' places.
        questions: item to the question, and the key in words; empty for a table from elsewhere.
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
    talks: Mapping[str, list[tuple[str, str]]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For programs; docs/reference/screening.md has the shape."""
        ranking, cut = self.ranking, self.ranking.cut
        return {
            "items": list(ranking.items),
            "entries": [
                self._scored_json(row.scored)
                | {
                    "published_total": _number(row.scored.published),
                    "place": row.place,
                    "tied": bool(row.tied),
                    "finalist": _GOES_ON[row.finalist][0],
                }
                for row in ranking.rows
            ],
            "controls": [self._scored_json(each) for each in self.controls],
            "finalists": list(ranking.finalists),
            "open": ranking.is_open,
            "cut": None
            if cut is None
            else {"tied": list(cut.tied), "room": cut.room, "settled_by": cut.settled_by or None},
            "wrong_totals": [
                {
                    "entry": row.entry,
                    "published_total": _number(row.scored.published),
                    "total": _number(row.scored.total),
                    "place": row.place,
                    "published_place": row.published_place,
                }
                for row in ranking.rows
                if row.wrong
            ],
            "general_quality": not ranking.answered,
            "words": list(ranking.words),
        }

    def _scored_json(self, scored: Scored) -> dict[str, Any]:
        found: dict[str, Any] = {"entry": scored.entry, "total": _number(scored.total)}
        if scored.entry in self.names:
            found["program"] = self.names[scored.entry]
        return found | {"items": {item: self._item_json(scored, item) for item in scored.marks}}

    def _item_json(self, scored: Scored, item: str) -> dict[str, Any]:
        found: dict[str, Any] = {"mark": _number(scored.marks[item])}
        behind = self.behind.get((scored.entry, item))
        if behind is not None:
            answer, settled = behind.answer, behind.settled
            found |= {
                "answer": answer.text if answer is not None else "",
                "belonging": answer.belonging if answer is not None else "",
                "how": answer.how if answer is not None else None,
                "marks": {who: _number(mark) for who, mark in behind.marks.items()},
                "settled": None
                if settled is None
                else {"mark": _number(settled.what), "by": settled.by, "reason": settled.reason},
            }
        return found

    def as_csv(self) -> str:
        """Places and marks as CSV."""
        out = io.StringIO()
        writer = csv.writer(out)
        items = self.ranking.items
        writer.writerow(("place", "entity", "finalist", "total", *items))
        for row in self.ranking.rows:
            marks = [written(row.scored.marks[item]) for item in items]
            goes_on, total = _GOES_ON[row.finalist][0], written(row.scored.total)
            writer.writerow((row.place, cell(row.entry), goes_on, total, *marks))
        return out.getvalue()

    def as_html(self, title: str = "Selection of the finalists") -> str:
        """A self-contained page: no script, nothing from outside. What programs and people typed is
        text in it."""
        css = files("contest").joinpath("screening", "templates", "ranking.css").read_text("utf-8")
        sha256 = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
        parts: dict[str, Any] = {
            "title": title,
            "policy": f"default-src 'none'; style-src 'sha256-{sha256}'; base-uri 'none'; "
            "form-action 'none'",
            "css": Markup(css),
            "result": self,
            "ranking": self.ranking,
            "written": written,
            "subjects": [row.scored for row in self.ranking.rows] + list(self.controls),
            "published": any(row.scored.published is not None for row in self.ranking.rows),
        }
        return render("screening/ranking.html", parts)


def _number(value: Fraction | None) -> int | float | None:
    """A mark as JSON has it."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)


def ranking_of(state: State, *, deciding: bool = False) -> Ranking:
    """The places by the marks of the round that counts.

    An organizer's decision that no longer fits the tie, for instance because a finalist was
    withdrawn, leaves the tie open, and the ranking says so.

    Arguments:
        state: the season's.
        deciding: refuse a decision that does not fit.

    Raises:
        WrongMoment: if marking is not over.
        BadOrder: with `deciding`, if the organizer's decision does not fit the tie.
    """
    if not is_over(state):
        raise WrongMoment("marking is not over: `loebner screen rank CONTEST` ends it")
    running = state.to_ask
    scored = [each for each in _scored(state) if each.entry in running]

    def ranked(decided: Decision | None) -> Ranking:
        finalists, quality = state.settings.season.finalists, bool(state.quality)
        return rank(scored, finalists, tie_rule=state.tie_rule, decided=decided, quality=quality)

    try:
        return ranked(state.cut)
    except BadOrder as exc:
        if deciding or state.cut is None:
            raise
        found = ranked(None)
        why = f"The decision of {state.cut.by} no longer applies: {exc}."
        return replace(found, words=(*found.words, why))


def _letters(state: State) -> Iterator[tuple[str, str, str]]:
    """Item, letter and subject of this round, in the order of the paper: the record's objects are
    in the order of their names."""
    for item in state.items:
        for index, subject in enumerate(state.revealed[state.round].letters[item]):
            yield item, letter(index), subject


def _scored(state: State) -> list[Scored]:
    """All subjects with the marks of the round that counts."""
    marks: dict[str, dict[str, Fraction]] = {}
    for item, of, subject in _letters(state):
        marks.setdefault(subject, {})[item] = state.mark(item, of) or Fraction(0)
    return [Scored(subject, given) for subject, given in marks.items()]


def result_of(state: State) -> Result:
    """The result of a season: its ranking, and all answers behind it. Errors as of `ranking_of`."""
    ranking, paper = ranking_of(state), state.require_asked().paper
    scored = _scored(state)
    answers = {each.entry: state.sittings[each.entry].answers(paper) for each in scored}
    behind = {
        (subject, item): Behind(
            answers[subject].get(item),
            dict(sorted(state.marks.get((item, of), {}).items())),
            state.settled.get((item, of)),
        )
        for item, of, subject in _letters(state)
    }
    questions = {each.id: (each.text, each.key) for each in paper.questions}
    questions[QUALITY] = ("The general quality of all responses", state.quality)
    return Result(
        ranking,
        {item: questions[item] for item in state.items},
        behind,
        {row.entry: state.entries[row.entry].form.program for row in ranking.rows},
        tuple(each for each in scored if state.sittings[each.entry].human),
        {id_: state.sittings[id_].talk for id_ in sorted(answers, key=natural)},
    )


# Checks


def check_tie_rule(state: State, _by: str, body: kinds.TieRuleStated) -> None:
    """Raises ContestError if a rule for a tie can't be stated any more."""
    _require_rule(body.rule)
    if state.revealed:
        raise WrongMoment(
            "the letters are revealed, and a rule stated now could be made to fit; a tie is "
            "settled by a decision with its reason: `loebner screen finalists CONTEST --decide`"
        )


def check_cut(state: State, by: str, body: kinds.CutDecided) -> None:
    """Raises ContestError if a tie at the cut can't be decided like this."""
    why = reason_of(body.reason)
    if not state.quality and not ranking_of(state).answered:
        raise WrongMoment(
            "no entry earned a mark, so the general quality of the responses decides first (rules "
            "2010, section 4): `loebner screen mark CONTEST --quality`"
        )
    decision = Decision(tuple(body.entries), by, why)
    ranking_of(replace(state, cut=decision), deciding=True)


def check_finalists(state: State, _by: str, body: kinds.FinalistsSet) -> None:
    """Raises ContestError if these are not the finalists."""
    found = ranking_of(state)
    if found.is_open:
        raise WrongMoment("a tie at the cut was open")
    if found.finalists != tuple(body.entries):
        given, right = (listed(ids) if ids else "nobody" for ids in (body.entries, found.finalists))
        raise BadOrder(f"its finalists are {given}; by the marks they are {right}")


# A table from elsewhere


def read_table(text: str, where: str) -> list[Scored]:
    """Reads a table of marks: CSV with `entity,published_total,q1,…`; `published_total` may be left
    out, or empty; all other columns are items. A mark is a number such as 1, 0.5 or 1/2.

    Arguments:
        text: the table.
        where: what errors call it.

    Raises:
        BadOrder: if it can't be used; says which line and column.
    """

    def number(name: str, cell_: str) -> Fraction:
        if not cell_.isascii() or not _MARK.fullmatch(cell_):
            raise BadOrder(f"{here}, {name}: {shown(cell_)} is not a mark such as 1 or 0.5")
        return Fraction(cell_.replace(",", "."))

    here = f"{where}, line 1"
    try:
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True))
    except csv.Error as exc:
        raise BadOrder(f"{where}: this is not CSV ({exc})") from exc
    head = [name.strip() for name in rows[0]] if rows else []
    if head[:1] != ["entity"]:
        raise BadOrder(f"{here}: the first line is entity,published_total,q1,q2 and so on")
    if not 1 <= len(set(head[1:]) - {"published_total"}) <= MOST or len(rows) > MOST + 1:
        raise BadOrder(f"{where}: give 1 to {MOST} items, and {MOST} entities at most")
    for name in head:
        if head.count(name) > 1 or id_problem(name):
            raise BadOrder(f"{here}: the column {shown(name)} is there twice, or is not a name")
    found: dict[str, Scored] = {}
    for line, row in enumerate(rows[1:], 2):
        here = f"{where}, line {line}"
        cells = dict(zip(head, (each.strip() for each in row), strict=False))
        if not any(cells.values()):
            continue
        if len(row) != len(head):
            raise BadOrder(f"{here}: {len(row)} cells, and the first line has {len(head)}")
        entity, published = cells.pop("entity"), cells.pop("published_total", "")
        if problem := id_problem(entity):
            raise BadOrder(f"{here}: the entity {problem}")
        if entity in found:
            raise BadOrder(f"{here}: {shown(entity)} is there twice")
        marks = {item: number(item, each) for item, each in cells.items()}
        total = number("published_total", published) if published else None
        found[entity] = Scored(entity, marks, total)
    if not found:
        raise BadOrder(f"{where}: no entity is in it")
    return list(found.values())
