"""Marks to totals, totals to places, and the cut: pure.

1. An entry's total is the sum of its marks. Places are 1, 2, 2, 4: equal totals share one.
2. Those whose place is within the number of finalists go on ("The 4 entries with the highest scores
   will be selected as finalists", rules 2010, section 4).
3. Where more share the last place than there is room for, they are *tied at the cut*. Nothing
   settles that but the rule that was stated before it was known whose marks they are
   (`TIE_RULES`), or the organizer's decision, with its reason.
4. A published total that is not the sum of its items is named; the items count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from types import MappingProxyType

from contest.errors import BadOrder
from contest.screening.marking.scale import written
from scheduler.texts import listed, natural


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry with its marks.

    Attributes:
        entry: its id or name.
        marks: item to mark.
        published: the total that was published, if one was.
    """

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
        published_place: its place by the published totals, where each entry has one.
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
    def wrong(self) -> bool:
        """Whether its published total is not the sum of its items."""
        published = self.scored.published
        return published is not None and published != self.scored.total


@dataclass(frozen=True, slots=True)
class Cut:
    """A tie at the cut.

    Attributes:
        tied: the entries.
        room: how many of them can go on.
        settled_by: what settled it, in words; empty while it is open.
    """

    tied: tuple[str, ...]
    room: int
    settled_by: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The result of screening.

    Attributes:
        rows: all entries by place, those that share one in the natural order of their names.
        items: what was marked, in order.
        cut: the tie at the cut, if there is one.
        answered: whether any entry earned a mark.
        words: what is to be said of it, each a sentence.
    """

    rows: tuple[Row, ...]
    items: tuple[str, ...]
    cut: Cut | None
    answered: bool
    words: tuple[str, ...] = field(default=())

    @property
    def finalists(self) -> tuple[str, ...]:
        """Those that go on, by place."""
        return tuple(row.entry for row in self.rows if row.finalist)

    @property
    def is_open(self) -> bool:
        """Whether it is not known yet who goes on."""
        return any(row.finalist is None for row in self.rows)


def _full_marks(scored: Scored, highest: Fraction) -> Fraction:
    return Fraction(sum(mark == highest for mark in scored.marks.values() if mark))


def _answered(scored: Scored, _highest: Fraction) -> Fraction:
    return Fraction(sum(mark > 0 for mark in scored.marks.values()))


#: Name to what is compared, by an entry and the highest mark that any has, more being better; and
#: in words.
TIE_RULES: Mapping[str, tuple[Callable[[Scored, Fraction], Fraction], str]] = MappingProxyType(
    {
        "none": (lambda _scored, _highest: Fraction(0), "nothing settles a tie but a decision"),
        "full-marks": (_full_marks, "more answers with the highest mark"),
        "most-items": (_answered, "more questions with a mark above 0"),
    }
)


def rank(
    scored: Iterable[Scored],
    finalists: int,
    *,
    tie_rule: str = "",
    decided: Sequence[str] | None = None,
    decision: str = "",
    quality: bool = False,
) -> Ranking:
    """Ranks entries.

    Arguments:
        scored: them, in any order.
        finalists: how many go on.
        tie_rule: what settles a tie at the cut, one of `TIE_RULES`; empty for nothing.
        decided: those of the tied that go on by the organizer's decision.
        decision: that decision in words: by whom, and why.
        quality: whether the marks are those of the general quality of the responses.

    Raises:
        BadOrder: if there is no such rule, or the decision does not fit the tie.
    """
    if tie_rule and tie_rule not in TIE_RULES:
        raise BadOrder(f"there is no rule {tie_rule!r}; there are {', '.join(TIE_RULES)}")
    all_ = sorted(scored, key=lambda each: (-each.total, natural(each.entry)))
    places = _places(all_, lambda each: each.total)
    published = {
        each.entry: place
        for place, group in (
            _places(all_, lambda each: each.published or Fraction(0))
            if all_ and all(each.published is not None for each in all_)
            else ()
        )
        for each in group
    }
    inside: set[str] = set()
    cut: Cut | None = None
    for place, group in places:
        room = finalists - (place - 1)
        names = [each.entry for each in group]
        if 0 < room < len(group):
            highest = max((mark for each in all_ for mark in each.marks.values()), default=place)
            cut, chosen = _settle(group, room, (tie_rule, Fraction(highest)), decided, decision)
            inside |= chosen
        elif room > 0:
            inside |= set(names)
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
    items = tuple(dict.fromkeys(item for each in all_ for item in each.marks))
    found = Ranking(rows, items, cut, any(each.total > 0 for each in all_))
    return Ranking(rows, items, cut, found.answered, tuple(_words(found, quality)))


def _places(
    scored: Sequence[Scored], key: Callable[[Scored], Fraction]
) -> list[tuple[int, list[Scored]]]:
    found = []
    place = 1
    ordered = sorted(scored, key=lambda each: -key(each))
    for _, equal in groupby(ordered, key=key):
        group = sorted(equal, key=lambda each: natural(each.entry))
        found.append((place, group))
        place += len(group)
    return found


def _settle(
    group: Sequence[Scored],
    room: int,
    stated: tuple[str, Fraction],
    decided: Sequence[str] | None,
    decision: str,
) -> tuple[Cut, set[str]]:
    """A tie at the cut: by the stated rule as far as it goes, then by the decision."""
    sure: set[str] = set()
    left = list(group)
    tie_rule, highest = stated
    if tie_rule:
        measure, _ = TIE_RULES[tie_rule]
        for place, equal in _places(group, lambda each: measure(each, highest)):
            if place - 1 + len(equal) <= room:
                sure |= {each.entry for each in equal}
            elif place - 1 < room:
                left = list(equal)
        if len(sure) == room:
            left = []
    if not left:
        words = f"the stated rule {tie_rule}: {TIE_RULES[tie_rule][1]}"
        return Cut(tuple(each.entry for each in group), room, words), sure
    names = tuple(each.entry for each in left)
    places = room - len(sure)
    if decided is None:
        return Cut(names, places), sure
    if set(decided) - set(names) or len(set(decided)) != places or len(decided) != places:
        raise BadOrder(
            f"tied at the cut are {listed(names)}, and {places} of them go on; the decision names "
            f"{listed(decided) if decided else 'nobody'}"
        )
    return Cut(names, places, decision or "a decision"), sure | set(decided)


def _words(found: Ranking, quality: bool) -> Iterable[str]:
    for row in found.rows:
        if row.wrong:
            assert row.scored.published is not None
            beside = (
                f", place {row.published_place} by the published totals"
                if row.published_place is not None
                else ""
            )
            yield (
                f"{row.entry}: the published total is {written(row.scored.published)}, its items "
                f"add up to {written(row.scored.total)}: place {row.place} by the items{beside}."
            )
    unanswered = bool(found.rows) and not found.answered and not quality
    if unanswered:
        yield (
            "No entry earned a mark. “If no entries can respond ‘intelligently’ to these questions "
            "I will evaluate the entries on a general quality of responses” (rules 2010, section "
            "4): `loebner screen mark CONTEST --quality` opens that round."
        )
    cut = found.cut
    if cut is not None and not cut.settled_by and not unanswered:
        yield (
            f"Tied at the cut: {listed(cut.tied)}; {cut.room} of them "
            f"{'goes' if cut.room == 1 else 'go'} on. Nothing settles it but the rule that was "
            "stated before, or the organizer's decision: `loebner screen finalists CONTEST "
            "--decide`."
        )
    elif cut is not None and cut.settled_by:
        yield f"The tie of {listed(cut.tied)} at the cut is settled by {cut.settled_by}."
