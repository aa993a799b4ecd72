"""The state of a season: a fold of its events, without I/O.

Terms. An *entry* is a program with its entrant; ids are E1, E2 and so on in the order of
registration and are never reused. A *subject* answers the paper: an entry, or a human for
comparison. An *item* is something that gets marks: a question, or the whole talk in the round
`quality`. A *letter* stands for a subject within one item.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import msgspec

from contest.errors import BadOrder, ContestError, RecordTrouble, WrongMoment
from contest.record import season as kinds
from contest.record.events import Body, Event, canonical, read
from contest.record.store import Record
from contest.screening import paper
from contest.screening.sitting import Sitting, Timing
from contest.setup.settings import ContestTable, Settings
from scheduler.texts import listed, natural, shown
from texts import Sentence

#: The item of the round `quality`.
QUALITY = "general-quality"
#: The maximum number of characters of a name, and of a command, a note or a reason.
NAME_LIMIT, TEXT_LIMIT = 200, 2000


class Change(msgspec.Struct, frozen=True):
    """A change of an entry: the event's kind, when (RFC 3339), by whom, why, and the form from then
    on; None for a withdrawal and its reversal."""

    kind: str
    at: str
    by: str
    reason: str
    form: kinds.Form | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the register: its id and its changes in order."""

    id: str
    changes: tuple[Change, ...]

    @property
    def versions(self) -> list[kinds.Form]:
        """The versions of its form, the latest last."""
        return [change.form for change in self.changes if change.form is not None]

    @property
    def form(self) -> kinds.Form:
        """The latest version of its form."""
        return self.versions[-1]

    @property
    def withdrawn(self) -> str | None:
        """Why it is withdrawn; None if it is not."""
        steps = [change for change in self.changes if change.form is None]
        is_out = bool(steps) and steps[-1].kind == kinds.EntryWithdrawn.kind
        return steps[-1].reason if is_out else None


class Tested(msgspec.Struct, frozen=True, kw_only=True):
    """The latest result for an item of an entry's checklist: the outcome, the reason, and, if a
    person gave it, by whom, when, and the day of the test."""

    outcome: str
    reason: str = ""
    by: str = ""
    at: str = ""
    tested: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision on the entries that go through after a tie; by whom, and why."""

    what: tuple[str, ...]
    by: str
    reason: str


class Settled(msgspec.Struct, frozen=True):
    """A mark that was settled; by whom, and why."""

    mark: Fraction
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The questioning, the same for all subjects: the paper, the times, and the seed of the judge's
    typing."""

    paper: paper.Paper
    timing: Timing
    typing_seed: int

    @classmethod
    def of(cls, body: kinds.PaperSet) -> Asked:
        """Reads an event; raises BadOrder if its paper or its times can't be used."""
        return cls(paper.parse(body.paper, "its paper"), Timing.of(body.timing), body.typing_seed)


@dataclass
class State:
    """A season so far.

    Attributes:
        settings: the settings according to the record.
        set_as: the same as recorded, in canonical JSON.
        opened: whether the season has begun.
        held: the versions of the settings' table `contest`, each with its first day.
        entries: by id, in the order of registration.
        tests: entry to item to the latest result.
        out_of_order: entry to the reason for testing it before an entry received earlier.
        priorities: the organizer's decisions on entries with equal posting and receipt.
        begun: the entries that are screened; None before screening begins.
        asked: what is asked; None before the paper is set.
        sittings: by subject.
        scale: the name of the scale of marks; empty before marking.
        drawn: the sealed letters of this round; None before.
        subjects: the subjects that have letters.
        revealed: the letters of this round, once marking is over.
        marks: (item, letter) to marker to mark, in this round.
        settled: (item, letter) to the settled mark.
        tie_rule: the rule for a tie at the cut; empty for none.
        cut: the organizer's decision on such a tie.
        quality: why the general quality decides; empty if it does not.
        finalists: as written into the contest's settings; None before.
        written: the same, but empty if the round of general quality was opened since.
    """

    settings: Settings = field(default_factory=lambda: Settings(ContestTable("")))
    set_as: bytes = b""
    opened: bool = False
    held: list[tuple[dt.date, Mapping[str, Any]]] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    tests: dict[str, dict[str, Tested]] = field(default_factory=dict)
    out_of_order: dict[str, str] = field(default_factory=dict)
    priorities: list[tuple[str, ...]] = field(default_factory=list)
    begun: tuple[str, ...] | None = None
    asked: Asked | None = None
    sittings: dict[str, Sitting] = field(default_factory=dict)
    scale: str = ""
    drawn: kinds.LettersDrawn | None = None
    subjects: tuple[str, ...] = ()
    revealed: kinds.LettersRevealed | None = None
    marks: dict[tuple[str, str], dict[str, Fraction]] = field(default_factory=dict)
    settled: dict[tuple[str, str], Settled] = field(default_factory=dict)
    tie_rule: str = ""
    cut: Decision | None = None
    quality: str = ""
    finalists: tuple[str, ...] | None = None
    written: tuple[str, ...] = ()

    @property
    def active(self) -> dict[str, kinds.Form]:
        """The forms of the entries that are not withdrawn."""
        return {id_: entry.form for id_, entry in self.entries.items() if entry.withdrawn is None}

    def find(self, id_: str) -> Entry:
        """The entry with an id; raises BadOrder if there is none."""
        if id_ not in self.entries:
            known = listed(self.entries) if self.entries else Sentence("season.remark.nothing")
            raise BadOrder(Sentence("season.refused.no_entry", entry=shown(id_), known=known))
        return self.entries[id_]

    def require_asked(self) -> Asked:
        """The paper and how it is asked; raises WrongMoment if no paper is set yet."""
        if self.asked is None:
            raise WrongMoment("no entry has been asked yet: run `loebner screen ask`")
        return self.asked

    @property
    def to_ask(self) -> list[str]:
        """The entries that are screened and not withdrawn, once screening has begun."""
        return [id_ for id_ in self.begun or () if id_ in self.active]

    @property
    def with_answers(self) -> list[str]:
        """The subjects whose answers can be marked, because they were asked to the end."""
        to_ask = self.to_ask
        return [
            id_
            for id_ in sorted(self.sittings, key=natural)
            if (each := self.sittings[id_]).ended and (each.human or id_ in to_ask)
        ]

    @property
    def round(self) -> kinds.Round:
        """The current round of marking."""
        return "quality" if self.quality else "questions"

    @property
    def items(self) -> list[str]:
        """The items of this round; none before its letters are drawn."""
        return [] if self.drawn is None else list(self.drawn.items)

    @property
    def markers(self) -> list[str]:
        """The people who have given marks in this round."""
        return sorted({who for marks in self.marks.values() for who in marks})

    def mark(self, item: str, letter: str) -> Fraction | None:
        """The mark that counts: the settled one, or the one that all markers gave."""
        if (item, letter) in self.settled:
            return self.settled[item, letter].mark
        given = set(self.marks.get((item, letter), {}).values())
        return given.pop() if len(given) == 1 else None

    def apply(self, event: Event, body: Body) -> None:
        """Applies the next event. An event that does not fit is applied as far as possible;
        `verify` reports it."""
        match body:
            case kinds.SeasonOpened():
                self.opened = True
            case kinds.SeasonSet():
                self.set_as = canonical(body.settings)
                with contextlib.suppress(ContestError, ValueError):
                    self.settings = settings_in(body)
                    day = dt.date.fromisoformat(event.at[:10])
                    self.held.append((day, body.settings.get("contest", {})))
            case kinds.EntryRegistered():
                self._change(event, body.entry, body.reason, body.form)
            case kinds.EntryWithdrawn() | kinds.EntryRestored() if body.entry in self.entries:
                self._change(event, body.entry, body.reason)
            case kinds.ComplianceTested():
                self._test(event, body)
            case kinds.PriorityDecided():
                self.priorities.append(tuple(body.entries))
            case kinds.ScreeningBegun():
                self.begun = tuple(body.entries)
            case kinds.PaperSet():
                with contextlib.suppress(ContestError):
                    self.asked = self.asked or Asked.of(body)
            case _ if event.talk is not None and event.talk.startswith(kinds.SITTING):
                subject = event.talk.removeprefix(kinds.SITTING)
                self.sittings.setdefault(subject, Sitting(subject)).apply(event, body)
            case kinds.ScaleSet():
                self.scale = self.scale or body.scale
            case kinds.LettersDrawn() if self.drawn is None:
                self.drawn, self.subjects = body, tuple(self.with_answers)
            case kinds.LettersRevealed():
                self.revealed = self.revealed or body
            case kinds.Marked():
                for letter, mark in body.marks.items():
                    self.marks.setdefault((body.item, letter), {})[body.marker] = fraction(mark)
            case kinds.MarkSettled():
                settled = Settled(fraction(body.mark), event.actor, body.reason)
                self.settled[body.item, body.letter] = settled
            case kinds.TieRuleStated():
                self.tie_rule = body.rule
            case kinds.CutDecided():
                self.cut = Decision(tuple(body.entries), event.actor, body.reason)
            case kinds.QualityOpened():
                # Another round of marking; the decision on a tie was about other marks.
                self.quality, self.cut, self.written = body.reason, None, ()
                self.drawn, self.subjects, self.revealed = None, (), None
                self.marks, self.settled = {}, {}
            case kinds.FinalistsSet():
                self.finalists = self.written = tuple(body.entries)

    def _change(self, event: Event, id_: str, reason: str, form: kinds.Form | None = None) -> None:
        change = Change(event.kind, event.at, event.actor, reason, form)
        before = self.entries[id_].changes if id_ in self.entries else ()
        self.entries[id_] = Entry(id_, (*before, change))

    def _test(self, event: Event, body: kinds.ComplianceTested) -> None:
        told = {name: (item.outcome, item.reason) for name, item in body.items.items()}
        if body.conformance is not None:
            cases, passed = body.conformance.cases, body.conformance.passed
            order = ("pass", "fail", "non-strict", "info", "not-tested")
            words = ", ".join(f"{len(cases[each])} {each}" for each in order if cases.get(each))
            failed = f": {', '.join(cases['fail'])}" if cases.get("fail") else ""
            told["lpp"] = ("pass" if passed else "fail", words + failed)
        for name, (outcome, reason) in told.items():
            self.tests.setdefault(body.entry, {})[name] = Tested(
                outcome=outcome, reason=reason, by=event.actor, at=event.at, tested=body.tested
            )
        if body.out_of_order:
            self.out_of_order[body.entry] = body.out_of_order


class Writer(Protocol):
    """A season that is open for writing: `contest.screening.season.Season`."""

    state: State

    @property
    def record(self) -> Record:
        """The record that its events are written to."""

    def write(self, actor: str, *bodies: Body) -> None:
        """Checks events and appends all of them, or none; raises ContestError."""


def settings_in(body: kinds.SeasonSet) -> Settings:
    """The settings that an event records; raises BadOrder if they can't be used."""
    try:
        # Not strict, because dates are text in the event.
        return msgspec.convert(body.settings, Settings, strict=False)
    except (msgspec.ValidationError, ContestError) as exc:
        raise BadOrder(f"its settings can't be used: {exc}") from exc


def fold(events: Iterable[Event]) -> State:
    """The state of a season after its events; raises RecordTrouble if one is malformed."""
    state = State()
    for event in events:
        try:
            state.apply(event, read(event.kind, event.body, kinds.KINDS))
        except ValueError as exc:
            raise RecordTrouble(f"event {event.seq} of the season: {exc}") from exc
    return state


# Texts that people write


def fraction(text: str) -> Fraction:
    """Reads a mark: 0,5 and 1/2 are 0.5; a text that is not a number gives -1."""
    try:
        return Fraction(text.strip().replace(",", ".")) if len(text) <= 20 else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        return Fraction(-1)


def one_line(value: Any, limit: int = NAME_LIMIT) -> str:
    """Text on one line, without surrounding spaces; raises ValueError with the fault."""
    if not isinstance(value, str):
        raise ValueError(Sentence("season.refused.not_text", text=shown(value)))
    text = " ".join(value.split())
    if len(text) > limit:
        raise ValueError(Sentence("season.refused.long", number=len(text), limit=limit))
    if not text.isprintable():
        raise ValueError(Sentence("season.refused.unprintable", text=shown(text)))
    return text


def require_reason(text: str) -> None:
    """Raises BadOrder if the reason for the record is missing or can't be used."""
    try:
        if not one_line(text, TEXT_LIMIT):
            raise BadOrder(Sentence("season.refused.no_reason"))
    except ValueError as exc:
        raise BadOrder(Sentence("season.refused.reason", why=exc.args[0])) from None
