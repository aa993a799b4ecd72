"""The ranking: from marks to totals, from totals to places, and the cut; with the answers behind
the marks.

1. An entry's total is the sum of its marks. Equal totals share a place: 1, 2, 2, 4.
2. Entries whose place is within the number of finalists go through ("The 4 entries with the highest
   scores will be selected as finalists", rules 2010, section 4).
3. If more entries share the last place than there is room for, they are *tied at the cut*. Only the
   rule stated before the letters were revealed (`TIE_RULES`) or the organizer's decision settles
   this.
4. Finalists already written stay as long as they fit the tie, even if an entry has been restored
   since.
5. A published total that is not the sum of its items is reported; the items count.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from contest.errors import BadOrder, WrongMoment
from contest.pages import own_style, render
from contest.screening.marking import cell, letter, written
from contest.screening.state import QUALITY, Decision, Settled, State
from scheduler.documents import read_cells
from scheduler.texts import id_problem, listed, natural, shown

#: The maximum number of entities and items of an external table.
MOST_ROWS = 1000
_MARK = re.compile(r"\d{1,6}(?:[.,]\d{1,6})?|\d{1,3}/[1-9]\d{0,2}")
#: Whether an entry goes through, in words for people.
OUTCOME_WORDS = {"yes": "finalist", "no": "", "tied": "tied at the cut"}

#: By name: the measure of an entry's marks, given the highest mark of all (more is better), and its
#: description.
TIE_RULES: Mapping[str, tuple[Callable[[Sequence[Fraction], Fraction], int], str]] = {
    "none": (lambda _marks, _highest: 0, "only a decision settles a tie"),
    "full-marks": (
        lambda marks, highest: sum(mark == highest and mark > 0 for mark in marks),
        "more answers with the highest mark",
    ),
    "most-items": (
        lambda marks, _highest: sum(mark > 0 for mark in marks),
        "more questions with a mark above 0",
    ),
}


# The result as JSON; its form is in docs/reference/screening.md


class Mark(msgspec.Struct, frozen=True):
    """The mark of an item. In a season also the answer behind it (`answer`: the text that came in
    time, `belonging`: all text that may belong to it, `how` it ended), marker to mark (`marks`),
    and a settled mark."""

    mark: Fraction
    answer: str | UnsetType = UNSET
    belonging: str | UnsetType = UNSET
    how: str | UnsetType | None = UNSET
    marks: dict[str, Fraction] | UnsetType = UNSET
    settled: Settled | UnsetType | None = UNSET


class Scored(msgspec.Struct):
    """A subject with its marks (item to mark); in a season an entry also has its program's name."""

    entry: str
    items: dict[str, Mark]
    program: str | UnsetType = UNSET
    total: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self.total = sum((each.mark for each in self.items.values()), Fraction(0))


class Row(Scored):
    """An entry with its place: the published total, if any; the place from 1, shared by equal
    totals; whether others share it; and whether the entry goes through: `yes`, `no`, or `tied`
    while a tie at the cut is open."""

    published_total: Fraction | None = None
    place: int = 0
    tied: bool = False
    finalist: str = "no"


class Cut(msgspec.Struct, frozen=True):
    """A tie at the cut: the entries, how many of them can go through, and what settled it, in
    words; None while it is open."""

    tied: list[str]
    room: int
    settled_by: str | None = None


class WrongTotal(msgspec.Struct, frozen=True):
    """A published total that is not the sum of its items, with the place by each."""

    entry: str
    published_total: Fraction
    total: Fraction
    place: int
    published_place: int | None


class Ranking(msgspec.Struct):
    """The ranking.

    Attributes:
        items: the marked items, in order.
        entries: by place, and within a place in the natural order of their names.
        controls: humans who answered the paper for comparison; they have no place.
        finalists: entries that certainly go through, by place.
        open: whether a tie at the cut is not settled yet.
        cut: the tie at the cut, if there is one.
        wrong_totals: published totals that are wrong.
        general_quality: whether no entry earned a mark.
        words: remarks, each a sentence.
    """

    items: list[str]
    entries: list[Row]
    controls: list[Scored]
    finalists: list[str]
    open: bool
    cut: Cut | None
    wrong_totals: list[WrongTotal]
    general_quality: bool
    words: list[str]

    def as_json(self) -> Any:
        """The ranking for JSON."""

        def number(value: Any) -> int | float:
            return int(value) if value.denominator == 1 else float(value)

        return msgspec.to_builtins(self, enc_hook=number)

    def as_csv(self) -> str:
        """Places and marks as CSV."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(("place", "entity", "finalist", "total", *self.items))
        for row in self.entries:
            marks = [written(row.items[item].mark) for item in self.items]
            writer.writerow((row.place, cell(row.entry), row.finalist, written(row.total), *marks))
        return out.getvalue()

    def as_html(self, title: str, state: State | None = None) -> str:
        """A self-contained page, without scripts or anything from outside. Text that programs and
        people typed is escaped.

        Arguments:
            title: the page's heading.
            state: the season's state, for the questions and all talks; None for a table.
        """
        parts: dict[str, Any] = {
            "title": title,
            **own_style("screening/templates/ranking.css"),
            "ranking": self,
            "wrong": {each.entry: each for each in self.wrong_totals},
            "written": written,
            "goes_on": OUTCOME_WORDS,
            "published": any(row.published_total is not None for row in self.entries),
            "questions": {},
            "talks": {},
        }
        if state is not None:
            questions = state.require_asked().paper.questions
            parts["questions"] = {each.id: (each.text, each.key) for each in questions}
            parts["questions"][QUALITY] = ("The general quality of all responses", state.quality)
            subjects = sorted((each.entry for each in (*self.entries, *self.controls)), key=natural)
            parts["talks"] = {id_: state.sittings[id_].talk for id_ in subjects}
        return render("screening/ranking.html", parts)


# Places


def rank(
    rows: Sequence[Row],
    finalists: int,
    *,
    tie_rule: str = "none",
    decided: Decision | None = None,
    quality: bool = False,
) -> Ranking:
    """Ranks entries.

    Arguments:
        rows: the entries, in any order; their places are filled in.
        finalists: how many go through.
        tie_rule: the rule that settles a tie at the cut, one of `TIE_RULES`.
        decided: the organizer's decision on which of the tied entries go through.
        quality: whether the marks are for the general quality of the responses.

    Raises:
        BadOrder: if there is no such rule, or the decision does not fit the tie.
    """
    if tie_rule not in TIE_RULES:
        raise BadOrder(f"there is no rule {shown(tie_rule)}; choose from {', '.join(TIE_RULES)}")
    measure, words = TIE_RULES[tie_rule]
    highest = max((each.mark for row in rows for each in row.items.values()), default=Fraction(0))

    def by_rule(row: Row) -> tuple[Fraction, int]:
        return row.total, measure([each.mark for each in row.items.values()], highest)

    cut, going, entries = None, set[str](), list[Row]()
    for place, group in _places(rows, lambda row: row.total):
        for row in group:
            row.place, row.tied = place, len(group) > 1
        entries += group
        if 0 < (room := finalists - place + 1) < len(group):
            tied = [row.entry for row in group]
            cut = Cut(tied, room, f"the stated rule {tie_rule}: {words}")
    for place, group in _places(rows, by_rule):
        tied, room = [row.entry for row in group], finalists - place + 1
        if len(group) <= room:
            going.update(tied)
        elif room > 0:
            cut = Cut(tied, room, None if decided is None else _decision(tied, room, decided))
            going.update(() if decided is None else decided.what)
    if decided is not None and cut is None:
        raise BadOrder("there is no tie at the cut to decide")
    open_ = cut.tied if cut is not None and cut.settled_by is None else []
    for row in entries:
        row.finalist = "yes" if row.entry in going else "tied" if row.entry in open_ else "no"
    wrong = list(_wrong_totals(entries))
    unanswered = all(row.total <= 0 for row in entries)
    return Ranking(
        items=list(entries[0].items) if entries else [],
        entries=entries,
        controls=[],
        finalists=[row.entry for row in entries if row.finalist == "yes"],
        open=bool(open_),
        cut=cut,
        wrong_totals=wrong,
        general_quality=unanswered,
        words=list(_words(wrong, cut, tie_rule, bool(entries) and unanswered and not quality)),
    )


def _places(rows: Iterable[Row], key: Callable[[Row], Any]) -> Iterator[tuple[int, list[Row]]]:
    """Groups of rows with an equal key, each with the place that they share, the highest first."""
    place = 1
    in_order = sorted(sorted(rows, key=lambda row: natural(row.entry)), key=key, reverse=True)
    for _, equal in groupby(in_order, key=key):
        group = list(equal)
        yield place, group
        place += len(group)


def _decision(tied: Sequence[str], room: int, decided: Decision) -> str:
    """The decision that settles a tie, in words; raises BadOrder if it does not fit the tie."""
    chosen = decided.what
    if set(chosen) - set(tied) or not len(set(chosen)) == len(chosen) == room:
        raise BadOrder(
            f"tied at the cut are {listed(tied)}, and {room} of them can go through, but the "
            f"decision names {listed(chosen) if chosen else 'nobody'}"
        )
    return f"the decision of {decided.by}: {decided.reason}"


def _wrong_totals(entries: Sequence[Row]) -> Iterator[WrongTotal]:
    published: dict[str, int] = {}
    if all(row.published_total is not None for row in entries):
        for place, group in _places(entries, lambda row: row.published_total or 0):
            published |= {row.entry: place for row in group}
    for row in entries:
        said = row.published_total
        if said is not None and said != row.total:
            yield WrongTotal(row.entry, said, row.total, row.place, published.get(row.entry))


def _words(
    wrong: Sequence[WrongTotal], cut: Cut | None, tie_rule: str, unanswered: bool
) -> Iterator[str]:
    for each in wrong:
        place = each.published_place
        beside = f", {place} by the published totals" if place is not None else ""
        yield (
            f"{each.entry}: the published total is {written(each.published_total)}, but its items "
            f"add up to {written(each.total)}; the place is {each.place} by the items{beside}."
        )
    if unanswered:
        yield (
            "No entry earned a mark. “If no entries can respond ‘intelligently’ to these questions "
            "I will evaluate the entries on a general quality of responses” (rules 2010, section "
            "4): `loebner screen mark CONTEST --quality` opens that round."
        )
    if cut is not None and cut.settled_by:
        yield f"The tie of {listed(cut.tied)} at the cut is settled by {cut.settled_by}."
    elif cut is not None and not unanswered:
        rule = "No rule was stated in advance"
        if tie_rule != "none":
            rule = f"By the rule {tie_rule}, they are equal"
        yield (
            f"Tied at the cut: {listed(cut.tied)}; {cut.room} of them can go through. {rule}, so "
            "the organizer decides: for a contest, `loebner screen finalists CONTEST --decide`."
        )


# A season's ranking


def ranking_of(state: State, *, deciding: bool = False) -> Ranking:
    """The ranking by the marks of the round that counts, with the answers behind them. If the
    organizer's decision no longer fits the tie, for instance because a finalist was withdrawn, the
    tie is open again, and the ranking says so.

    Arguments:
        state: the season's state.
        deciding: whether to refuse a decision that does not fit.

    Raises:
        WrongMoment: if marking is not over.
        BadOrder: with `deciding`, if the organizer's decision does not fit the tie.
    """
    if state.revealed is None:
        raise WrongMoment("marking is not over: `loebner screen rank CONTEST` ends it")
    marks, running = _marks(state, state.revealed.letters), state.to_ask

    def ranked(decided: Decision | None) -> Ranking:
        rows = [
            Row(id_, items, state.entries[id_].form.program)
            for id_, items in marks.items()
            if id_ in running
        ]
        return rank(
            *(rows, state.settings.season.finalists),
            tie_rule=state.tie_rule or "none",
            decided=decided,
            quality=bool(state.quality),
        )

    said = []
    try:
        found = ranked(state.cut)
    except BadOrder as exc:
        if deciding or state.cut is None:
            raise
        found = ranked(None)
        said = [f"The decision of {state.cut.by} no longer applies: {exc}."]
    if found.open and found.cut is not None and state.written:
        before = tuple(id_ for id_ in found.cut.tied if id_ in state.written)
        if len(before) == found.cut.room:
            found = ranked(Decision(before, "the organizer", "they were written as finalists"))
            said = []
    found.words += said
    found.controls = [Scored(id_, marks[id_]) for id_ in marks if state.sittings[id_].human]
    if state.written and not found.open and set(state.written) != set(found.finalists):
        found.words.append(
            f"The contest's settings have {listed(state.written)} as finalists; `loebner screen "
            "finalists CONTEST` writes those of this ranking."
        )
    return found


def _marks(state: State, letters: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Mark]]:
    """For each subject, the marks of its items in the order of the paper, with the answers;
    `letters` are the revealed ones."""
    found: dict[str, dict[str, Mark]] = {}
    paper = state.require_asked().paper
    answers = {id_: state.sittings[id_].answers(paper) for id_ in state.subjects}
    for item in state.items:
        for index, subject in enumerate(letters[item]):
            key, answer = (item, letter(index)), answers[subject].get(item)
            found.setdefault(subject, {})[item] = Mark(
                state.mark(*key) or Fraction(0),
                "" if answer is None else answer.text,
                "" if answer is None else answer.belonging,
                None if answer is None else answer.how,
                dict(sorted(state.marks.get(key, {}).items())),
                state.settled.get(key),
            )
    return found


# External tables


def read_table(text: str, where: str) -> list[Row]:
    """Reads a table of marks: CSV with `entity,published_total,q1,…`. `published_total` may be left
    out, or empty; all other columns are items. A mark is a number such as 1, 0.5 or 1/2. `where` is
    the table's name in errors. Raises BadOrder, with line and column, if it can't be used."""

    def number(name: str, cell_: str) -> Fraction:
        if not cell_.isascii() or not _MARK.fullmatch(cell_):
            raise BadOrder(f"{here}, {name}: {shown(cell_)} is not a mark such as 1 or 0.5")
        return Fraction(cell_.replace(",", "."))

    (line, head), *rows = read_cells(text, where)
    here = f"{where}, line {line}"
    if head[0] != "entity":
        raise BadOrder(f"{here}: the first line must be entity,published_total,q1,q2 and so on")
    if (
        not 1 <= len(set(head[1:]) - {"published_total"}) <= MOST_ROWS
        or not 1 <= len(rows) <= MOST_ROWS
    ):
        raise BadOrder(f"{where}: give 1 to {MOST_ROWS} items, and 1 to {MOST_ROWS} entities")
    for name in head:
        if head.count(name) > 1 or id_problem(name):
            raise BadOrder(f"{here}: the column {shown(name)} occurs twice or is not a name")
    found: dict[str, Row] = {}
    for line, row in rows:
        here = f"{where}, line {line}"
        if len(row) != len(head):
            raise BadOrder(f"{here}: {len(row)} cells, but the first line has {len(head)}")
        cells = dict(zip(head, row, strict=True))
        entity, published = cells.pop("entity"), cells.pop("published_total", "")
        if problem := id_problem(entity):
            raise BadOrder(f"{here}: the entity {problem}")
        if entity in found:
            raise BadOrder(f"{here}: {shown(entity)} occurs twice")
        marks = {item: Mark(number(item, each)) for item, each in cells.items()}
        total = number("published_total", published) if published else None
        found[entity] = Row(entity, marks, published_total=total)
    return list(found.values())
