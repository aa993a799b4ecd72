"""Tests for compliance, and the selection of entries to screen: of the entries that comply, those
posted earliest.

Entries are tested in the order of receipt (rules 2010, section 1); a test out of order needs a
reason. Compliant entries are ordered by the rules (section 1), and by our own where those say
nothing:

1. By date of posting; receipt alone decides nothing.
2. On the same day, by the time of day on the proof. A proof without a time counts as the end of the
   day.
3. At the same time, by receipt, in the same way.
4. After that, by the organizer's decision on record. Without a decision, entries share a place, and
   if the cut goes through them, all of them are screened.

Until screening begins, the next entry moves up if one is withdrawn or does not comply; from then on
the list is final.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import msgspec

from contest.errors import BadOrder, WrongMoment
from contest.record.season import (
    Conformance,
    ItemTested,
)
from contest.screening.register import ASKED, FAILS, OPEN, Checklist, assess, quoted
from contest.screening.state import TEXT_LIMIT, State, one_line
from lpp.conformance.cases import Level, Outcome, choose
from scheduler.texts import counted, did_you_mean, listed, natural, shown
from texts import Sentence

OUTCOMES = ("pass", "fail", "not-applicable")
#: The outcomes for an entry that does not fail.
SCREENED, WAITS, UNTESTED, WITHDRAWN = (
    *("screened", "moves up if another goes", "to be tested", "withdrawn"),
)
_LAST = dt.time.max


def assess_all(state: State) -> list[Checklist]:
    """The checklists of all entries, including withdrawn ones, in the order of receipt."""
    ids = sorted(state.entries, key=lambda id_: (_received(state, id_), natural(id_)))
    return [assess(state, id_) for id_ in ids]


def _received(state: State, id_: str) -> tuple[dt.date, dt.time]:
    form = state.find(id_).form
    return form.received, form.received_at or _LAST


def waiting_for(state: State, id_: str) -> str:
    """A clause that says which entries have to be tested before this one, because they were
    received earlier and are open. Empty if there are none, or this entry's test has begun."""
    first = [
        each.entry
        for each in ([] if id_ in state.tests else assess_all(state))
        if not each.withdrawn
        and each.state == OPEN
        and _received(state, each.entry) < _received(state, id_)
    ]
    if not first:
        return ""
    fields = {"n": len(first), "first": listed(first), "entry": id_, "rule": quoted("1/order")}
    return Sentence("season.refused.order", **fields)


# Tests


class OutOfOrder(WrongMoment):
    """An entry that was received earlier has to be tested first."""


def read_items(words: Sequence[str]) -> dict[str, ItemTested]:
    """Reads items as written on the command line, `NAME=OUTCOME` or `NAME=OUTCOME:REASON`; raises
    BadOrder if one can't be read."""
    found: dict[str, ItemTested] = {}
    for word in words:
        name, equals, said = (part.strip() for part in word.partition("="))
        outcome, _, reason = said.partition(":")
        if not equals or name not in ASKED:
            raise BadOrder(
                f"{shown(word)}: write ITEM=pass, ITEM=fail:REASON or ITEM=not-applicable:REASON, "
                f"with an item of {', '.join(ASKED)}{did_you_mean(name, ASKED) if equals else ''}"
            )
        if name in found:
            raise BadOrder(f"{name} is given twice; give it once")
        found[name] = read_outcome(name, outcome.strip(), reason)
    return found


def read_outcome(name: str, outcome: str, reason: str) -> ItemTested:
    """Reads the outcome of an item; raises BadOrder if it or its reason can't be used."""
    if outcome not in OUTCOMES:
        known = ", ".join(OUTCOMES)
        said = Sentence("season.refused.outcome", item=name, outcome=shown(outcome), known=known)
        raise BadOrder(said)
    try:
        why = one_line(reason, TEXT_LIMIT)
    except ValueError as exc:
        raise BadOrder(Sentence("season.refused.of_item", item=name, why=exc.args[0])) from None
    if outcome != "pass" and not why:
        raise BadOrder(Sentence("season.refused.needs_reason", item=name, outcome=outcome))
    return ItemTested(outcome, why)  # type: ignore[arg-type]  # one of OUTCOMES


class _Case(msgspec.Struct):
    id: str
    outcome: Outcome


class _Document(msgspec.Struct):
    passed: bool
    cases: list[_Case]


def read_conformance(text: str, source: str) -> Conformance:
    """Reads the result in a document of `check-bot --json`; `source` is its name in errors. Only a
    complete check counts: raises BadOrder if it is not such a document, lacks a case, or its
    verdict contradicts its cases."""
    levels, wrong = {case.id: case.level for case in choose(())}, ""
    passed, by_outcome = False, dict[str, list[str]]()
    try:
        document = msgspec.json.decode(text, type=_Document)
    except (msgspec.DecodeError, ValueError, RecursionError) as exc:
        wrong = Sentence("season.conformance.unreadable", why=str(exc))
    else:
        passed, cases = document.passed, [case.id for case in document.cases]
        for case in document.cases:
            by_outcome.setdefault(case.outcome.value, []).append(case.id)
        failed = by_outcome.get("fail", [])
        soft = [id_ for id_ in by_outcome.get("non-strict", ()) if levels.get(id_) is Level.MUST]
        if len(set(cases)) < len(cases):
            wrong = Sentence("season.conformance.twice")
        elif missing := [id_ for id_ in levels if id_ not in cases]:
            wrong = Sentence("season.conformance.lacks", case=missing[0])
        elif passed == bool(failed) or soft:
            these = failed or soft
            cases_ = listed(these) if these else Sentence("season.conformance.no_fail")
            wrong = Sentence("season.conformance.contradicts", cases=cases_)
    if wrong:
        raise BadOrder(
            Sentence("season.conformance.again", source=source, wrong=wrong, dir="{dir}")
        )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Conformance(digest, passed, by_outcome)


# Selection


class Standing(msgspec.Struct, frozen=True):
    """An entry's place.

    Attributes:
        fate: the outcome for it: `SCREENED`, `WAITS` and so on, or `FAILS`.
        place: its place among compliant entries, as 1, 2, 2, 4; None for all others.
        tied: the other entries that share its place.
        why: the reason, in words.
    """

    entry: str
    program: str
    entrant: str
    posted: dt.date
    posted_at: dt.time | None
    received: dt.date
    fate: str
    place: int | None
    tied: list[str]
    why: str


class Selection(msgspec.Struct, frozen=True):
    """The selection of entries to screen.

    Attributes:
        screened: the ids, by place.
        begun: whether screening has begun, so that the list is final.
        provisional: whether an entry that is not tested yet could change the list.
        words: remarks, each a sentence.
        entries: all entries; first the compliant ones by place, then the others by id.
    """

    screened: list[str]
    begun: bool
    provisional: bool
    words: list[str]
    entries: list[Standing]


def priority(state: State, id_: str) -> tuple[dt.date, dt.time, dt.date, dt.time]:
    """The sort key: posting and receipt, each with its time. Dates and times are local to the place
    of posting, as on the proofs."""
    form = state.find(id_).form
    return form.posted, form.posted_at or _LAST, *_received(state, id_)


def select(state: State) -> Selection:
    """Selects the entries to screen."""
    known = {each.entry: each for each in assess_all(state)}
    places = dict(
        _places(state, [id_ for id_ in known if id_ in state.active and not known[id_].why])
    )
    inside = [id_ for id_, (place, _) in places.items() if place <= state.settings.season.screened]
    begun, screened = state.begun is not None, list(inside if state.begun is None else state.begun)
    others = sorted((id_ for id_ in known if id_ not in places), key=natural)
    rows = [
        _row(state, known[id_], id_ in screened, *places.get(id_, (None, [])))
        for id_ in (*places, *others)
    ]
    if begun:
        words: list[str] = [
            Sentence("season.remark.begun", entries=counted(len(screened), "entry"))
        ]
    else:
        words = list(_remarks(state, rows, inside))
    words += _dates(state)
    provisional = not begun and any(row.fate == UNTESTED for row in rows)
    return Selection(screened, begun, provisional, words, rows)


def _places(state: State, complying: list[str]) -> Iterator[tuple[str, tuple[int, list[str]]]]:
    """Each entry with its place and the entries that share it, the earliest first."""
    place = 1
    ordered = sorted(complying, key=lambda id_: (priority(state, id_), natural(id_)))
    for _, equal in groupby(ordered, key=lambda id_: priority(state, id_)):
        ids = list(equal)
        # The last decision that covers all of them, if any.
        decided = next((each for each in reversed(state.priorities) if set(each) >= set(ids)), None)
        if decided is None:
            yield from ((id_, (place, ids)) for id_ in ids)
        else:
            for number, id_ in enumerate(sorted(ids, key=decided.index)):
                yield id_, (place + number, [id_])
        place += len(ids)


def _row(
    state: State, each: Checklist, screened: bool, place: int | None, group: list[str]
) -> Standing:
    entry = state.entries[each.entry]
    form, why = entry.form, each.why
    if entry.withdrawn is not None:
        fate, why = WITHDRAWN, entry.withdrawn
    elif screened:
        fate = SCREENED
    elif why:
        fate = FAILS if each.state == FAILS else UNTESTED
    else:
        fate = WAITS
    posted = Sentence("season.remark.posted", date=form.posted)
    if form.posted_at is not None:
        at = f"{form.posted_at:%H:%M:%S}".removesuffix(":00")
        posted = Sentence("season.remark.posted_at", date=form.posted, time=at)
    tied = [other for other in group if other != each.entry]
    return Standing(
        *(each.entry, form.program, form.entrant, form.posted, form.posted_at, form.received),
        *(fate, place, tied, why or posted),
    )


def _remarks(state: State, rows: Sequence[Standing], inside: Sequence[str]) -> Iterator[str]:
    """Remarks on a list that may change."""
    table, prizes = state.settings.season, state.settings.prizes
    if open_ := [row.entry for row in rows if row.fate == UNTESTED]:
        yield Sentence("season.remark.may_change", n=len(open_), entries=listed(open_))
    if any(row.place is not None and row.entry not in inside for row in rows):
        n = sum(row.place is not None for row in rows)
        yield Sentence("season.remark.first", n=n, rule=quoted("1/first"))
    if len(inside) > table.screened:
        last = next(row for row in reversed(rows) if row.entry in inside)
        tied = listed(sorted((last.entry, *last.tied), key=natural))
        yield Sentence("season.remark.tied", entries=tied, limit=table.screened)
    if not rows:
        yield Sentence("season.remark.empty")
    elif not inside and not open_:
        money = f"{prizes.currency} {sum(prizes.places)}".strip()
        yield Sentence("season.remark.none", money=money, rule=quoted("1/none"))
    elif len(inside) < table.finalists and not open_:
        fields = {"finalists": table.finalists, "rule": quoted("3/open-source")}
        yield Sentence("season.remark.few", n=len(inside), **fields)


def _dates(state: State) -> Iterator[str]:
    """Faults in the contest's date, and in changes of date and venue."""
    table, date = state.settings.season, state.settings.contest.date
    if date is not None and not table.contest_from <= date <= table.contest_to:
        days = {"first": table.contest_from, "last": table.contest_to}
        yield Sentence("season.remark.date", date=date, **days, rule=quoted("1/moved"))
    for (_, before), (day, contest) in pairwise(state.held):
        for name in ("date", "venue") if day > table.fixed_after else ():
            old, new = before.get(name), contest.get(name)
            if old and old != new:
                fields = {"old": old, "new": new or Sentence("season.remark.nothing"), "day": day}
                fields |= {"limit": table.fixed_after, "rule": quoted("1/date")}
                yield Sentence(f"season.remark.{name}_changed", **fields)


def are(ids: Sequence[str]) -> str:
    """Names followed by "is" or "are"."""
    return f"{listed(ids)} {'is' if len(ids) == 1 else 'are'}"
