"""The state of a season: a fold of its events. Pure; nothing here reads a record or writes one.

Terms. An *entry* is a program with its entrant; its id, E1, E2 and so on in the order of
registration, is never given again. A *subject* sits the paper: an entry, or a human to compare
with. An *item* is what is marked: a question, or in the round `quality` all that was said. A
*letter* stands for a subject within one item.

What follows from the state is computed by the other modules: `compliance.assess`,
`selection.select`, `ranking.result_of`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import msgspec

from contest.errors import BadOrder, ContestError, RecordTrouble, WrongMoment
from contest.record import season as kinds
from contest.record.body import Body, read
from contest.record.events import Draft, Event, canonical
from contest.screening import paper
from contest.screening.sitting import Sitting, Timing
from contest.setup.settings import ContestTable, Settings
from scheduler.texts import listed, natural, shown

#: The item of the round `quality`.
QUALITY = "general-quality"


@dataclass(frozen=True, slots=True)
class Change:
    """A step in the life of an entry.

    Attributes:
        kind: of its event.
        at, by, reason: when it was written, RFC 3339, by whom and why.
        form: what the register says from then on; None for a withdrawal and its end.
    """

    kind: str
    at: str
    by: str
    reason: str
    form: kinds.Form | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the register: its id, and all changes in their order."""

    id: str
    changes: tuple[Change, ...]

    @property
    def versions(self) -> list[tuple[Change, kinds.Form]]:
        """The versions of its form, the latest last."""
        return [(change, change.form) for change in self.changes if change.form is not None]

    @property
    def form(self) -> kinds.Form:
        """What is known of it now."""
        return self.versions[-1][1]

    @property
    def steps(self) -> list[Change]:
        """Withdrawals and their ends."""
        return [change for change in self.changes if change.form is None]

    @property
    def withdrawn(self) -> bool:
        """Whether it takes no part any more."""
        return bool(self.steps) and self.steps[-1].kind == kinds.EntryWithdrawn.kind

    def as_json(self) -> dict[str, object]:
        """For programs: the form's fields, and how it came to them."""
        common = {"entry": self.id, "withdrawn": self.withdrawn, **_plain(self.form)}
        return common | {
            "versions": [
                {"version": number, "at": change.at, "by": change.by, "reason": change.reason}
                | {"form": _plain(form)}
                for number, (change, form) in enumerate(self.versions, 1)
            ],
            "steps": [
                {"withdrawn": change.kind == kinds.EntryWithdrawn.kind}
                | {"at": change.at, "by": change.by, "reason": change.reason}
                for change in self.steps
            ],
        }


def _plain(form: kinds.Form) -> dict[str, object]:
    plain: dict[str, object] = msgspec.to_builtins(msgspec.structs.asdict(form))
    return plain


@dataclass(frozen=True, slots=True)
class Tested:
    """The latest word on an item of an entry's checklist: by whom, when it was written, and the
    day of the test."""

    outcome: str
    reason: str
    by: str
    at: str
    day: dt.date


@dataclass(frozen=True, slots=True)
class Decision:
    """A mark that was settled, or who goes on after a tie: what, by whom, why."""

    what: Any
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What all subjects are asked: the paper, the times, and the seed of the judge's typing."""

    paper: paper.Paper
    timing: Timing
    typing_seed: int


@dataclass
class State:
    """A season as far as it goes.

    Attributes:
        settings: those that hold by the record.
        opened: whether a season was begun.
        set_as: the settings as they stand on record, in canonical JSON.
        held: the days from which settings held, each with the table `contest`.
        entries: by id, in the order of registration.
        tests: entry to item to the latest word on it.
        out_of_order: entry to why it was tested before one that was received earlier.
        priorities: the organizer's decisions on entries with the same posting and receipt.
        begun: the entries with which screening has begun; None before.
        asked: what is asked; None before the paper is set.
        sittings: by subject.
        scale: the name of the scale of marks; empty before marking.
        drawn: round to its letters, while sealed.
        subjects: round to the subjects that have letters.
        revealed: round to its letters, when marking is over.
        marks: (item, letter) to marker to mark.
        settled: (item, letter) to the mark that was settled.
        tie_rule: what settles a tie at the cut; empty for nothing.
        cut: the organizer's decision on such a tie.
        quality: why the general quality decides; empty where it does not.
        finalists: as written into the contest's settings; None before.
    """

    settings: Settings = field(default_factory=lambda: Settings(ContestTable("")))
    opened: bool = False
    set_as: bytes = b""
    held: list[tuple[dt.date, Mapping[str, Any]]] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    tests: dict[str, dict[str, Tested]] = field(default_factory=dict)
    out_of_order: dict[str, str] = field(default_factory=dict)
    priorities: list[tuple[str, ...]] = field(default_factory=list)
    begun: tuple[str, ...] | None = None
    asked: Asked | None = None
    sittings: dict[str, Sitting] = field(default_factory=dict)
    scale: str = ""
    drawn: dict[str, kinds.LettersDrawn] = field(default_factory=dict)
    subjects: dict[str, tuple[str, ...]] = field(default_factory=dict)
    revealed: dict[str, kinds.LettersRevealed] = field(default_factory=dict)
    marks: dict[tuple[str, str], dict[str, Fraction]] = field(default_factory=dict)
    settled: dict[tuple[str, str], Decision] = field(default_factory=dict)
    tie_rule: str = ""
    cut: Decision | None = None
    quality: str = ""
    finalists: tuple[str, ...] | None = None

    # What is asked of it

    @property
    def active(self) -> dict[str, kinds.Form]:
        """The forms of the entries that are not withdrawn."""
        return {id_: entry.form for id_, entry in self.entries.items() if not entry.withdrawn}

    def find(self, id_: str) -> Entry:
        """The entry of that id.

        Raises:
            BadOrder: if there is none.
        """
        if id_ not in self.entries:
            known = listed(self.entries) if self.entries else "none yet"
            raise BadOrder(f"there is no entry {shown(id_)}; in the register: {known}")
        return self.entries[id_]

    def require_asked(self) -> Asked:
        """What is asked.

        Raises:
            WrongMoment: if nothing is set yet.
        """
        if self.asked is None:
            raise WrongMoment(
                "nobody was asked anything yet: `loebner screen ask` puts a paper to each entry"
            )
        return self.asked

    @property
    def to_ask(self) -> list[str]:
        """The entries that are screened and not withdrawn, once screening has begun."""
        return [id_ for id_ in self.begun or () if id_ in self.active]

    @property
    def round(self) -> kinds.Round:
        """The round that is being marked."""
        return "quality" if self.quality else "questions"

    @property
    def items(self) -> list[str]:
        """What is marked in this round; nothing before letters are drawn."""
        return list(self.drawn[self.round].items) if self.round in self.drawn else []

    @property
    def markers(self) -> list[str]:
        """The people who have given a mark in this round."""
        items = self.items
        given = (marks for (item, _), marks in self.marks.items() if item in items)
        return sorted({who for marks in given for who in marks})

    def mark(self, item: str, letter: str) -> Fraction | None:
        """The mark that counts: the one that was settled, or that all markers give."""
        if (item, letter) in self.settled:
            mark: Fraction = self.settled[item, letter].what
            return mark
        given = set(self.marks.get((item, letter), {}).values())
        return given.pop() if len(given) == 1 else None

    # Events

    def apply(self, event: Event, body: Body) -> None:
        """Takes the next event; others than a season's change nothing. One that does not fit those
        before it changes what it can: `verify` names it.

        Arguments:
            event: when and by whom.
            body: what happened, as a struct.
        """
        match body:
            case kinds.SeasonOpened():
                self.opened = True
            case kinds.SeasonSet():
                self._set(event, body)
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
                self._set_paper(body)
            case _ if event.talk is not None and event.talk.startswith(kinds.SITTING):
                subject = event.talk.removeprefix(kinds.SITTING)
                self.sittings.setdefault(subject, Sitting(subject)).apply(event, body)
            case _:
                self._mark(event, body)

    def _set(self, event: Event, body: kinds.SeasonSet) -> None:
        self.set_as = canonical(body.settings)
        try:
            self.settings = settings_in(body)
            day = dt.date.fromisoformat(event.at[:10])
        except (ContestError, ValueError):
            return
        self.held.append((day, body.settings.get("contest", {})))

    def _change(self, event: Event, id_: str, reason: str, form: kinds.Form | None = None) -> None:
        change = Change(event.kind, event.at, event.actor, reason, form)
        before = self.entries[id_].changes if id_ in self.entries else ()
        self.entries[id_] = Entry(id_, (*before, change))

    def _test(self, event: Event, body: kinds.ComplianceTested) -> None:
        said = dict(body.items)
        if body.conformance is not None:
            outcome = "pass" if body.conformance.passed else "fail"
            said["lpp"] = kinds.ItemTested(outcome, _verdict(body.conformance.cases))  # type: ignore[arg-type]
        held = self.tests.setdefault(body.entry, {})
        for name, item in said.items():
            held[name] = Tested(item.outcome, item.reason, event.actor, event.at, body.tested)
        if body.out_of_order:
            self.out_of_order[body.entry] = body.out_of_order

    def _set_paper(self, body: kinds.PaperSet) -> None:
        try:
            read_ = paper.parse(body.paper.encode(), "the paper on record")
            self.asked = self.asked or Asked(read_, Timing.of(body.timing), body.typing_seed)
        except ContestError:
            return

    def _mark(self, event: Event, body: Body) -> None:
        match body:
            case kinds.ScaleSet():
                self.scale = self.scale or body.scale
            case kinds.LettersDrawn():
                self.drawn.setdefault(body.round, body)
                self.subjects.setdefault(body.round, tuple(self.with_answers))
            case kinds.LettersRevealed():
                self.revealed.setdefault(body.round, body)
            case kinds.Marked():
                for letter, mark in body.marks.items():
                    self.marks.setdefault((body.item, letter), {})[body.marker] = fraction(mark)
            case kinds.MarkSettled():
                settled = Decision(fraction(body.mark), event.actor, body.reason)
                self.settled[body.item, body.letter] = settled
            case kinds.TieRuleStated():
                self.tie_rule = body.rule
            case kinds.CutDecided():
                self.cut = Decision(tuple(body.entries), event.actor, body.reason)
            case kinds.QualityOpened():
                # A decision on a tie by other marks says nothing of a tie by these.
                self.quality, self.cut = body.reason, None
            case kinds.FinalistsSet():
                self.finalists = tuple(body.entries)

    @property
    def with_answers(self) -> list[str]:
        """The subjects whose answers can be marked: they were asked to the end."""
        running = self.to_ask
        return [
            id_
            for id_, sitting in sorted(self.sittings.items(), key=lambda pair: natural(pair[0]))
            if sitting.ended and (id_ in running or sitting.human)
        ]


class Writer(Protocol):
    """A season that is open for writing: `contest.screening.season.Season`."""

    state: State

    def write(self, actor: str, *bodies: Body) -> None:
        """Checks events, and appends all of them or none; raises ContestError."""

    def seal(self, name: str, value: Any) -> None:
        """Keeps something sealed, outside the chains."""

    def unseal(self, name: str) -> Any:
        """What was sealed under a name; None if nothing was."""


def _verdict(cases: Mapping[str, list[str]]) -> str:
    """The outcome of check-bot's cases in a few words."""
    order = ("pass", "fail", "non-strict", "info", "not-tested")
    counts = [f"{len(cases[outcome])} {outcome}" for outcome in order if cases.get(outcome)]
    failed = cases.get("fail")
    return f"{', '.join(counts)}{': ' + ', '.join(failed) if failed else ''}"


def fraction(text: str) -> Fraction:
    """A mark; 0,5 and 1/2 are 0.5, and what is no number is -1."""
    try:
        return Fraction(text.strip().replace(",", ".")) if len(text) <= 20 else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        return Fraction(-1)


def settings_in(body: kinds.SeasonSet) -> Settings:
    """The settings that an event puts on record.

    Raises:
        BadOrder: if they can't be used.
    """
    try:
        # Dates stand there as text.
        found = msgspec.convert(body.settings, Settings, strict=False)
    except (msgspec.ValidationError, ContestError) as exc:
        raise BadOrder(f"its settings can't be used: {exc}") from exc
    return found


def body_of(event: Event) -> Body | None:
    """The body of a season's event; None of another.

    Raises:
        ValueError: if it is not of its form.
    """
    kind = event.kind
    if kind == "key" and event.talk is not None and event.talk.startswith(kinds.SITTING):
        kind = kinds.SittingKey.kind  # as the first version of these records has it
    return read(kind, event.body, kinds.KINDS) if kind in kinds.KINDS else None


def unplaced(draft: Draft) -> Event:
    """The event that a draft will be, as far as a season's state needs it."""
    at = (draft.talk, draft.at, draft.mono_ns, draft.actor, draft.kind, draft.body)
    return Event(0, *at, "", "")


def fold(events: Iterable[Event]) -> State:
    """The state of a season after its events; those of a contest among them change nothing.

    Raises:
        RecordTrouble: if one is not of its form.
    """
    state = State()
    for event in events:
        try:
            body = body_of(event)
        except ValueError as exc:
            raise RecordTrouble(f"event {event.seq} of the season: {exc}") from exc
        if body is not None:
            state.apply(event, body)
    return state
