"""The register, the tests for compliance, and who goes on: each step as it could be taken."""

from __future__ import annotations

from collections.abc import Mapping

from contest.record.events import Event
from contest.screening.associates import Shared, clashes
from contest.screening.bodies import (
    AnyBody,
    ComplianceTested,
    EntryRegistered,
    EntryRestored,
    EntryWithdrawn,
    Form,
    PriorityDecided,
    ScreeningBegun,
    SeasonSet,
)
from contest.screening.compliance import ITEMS, Answers, Source, assess_all, before
from contest.screening.register import Entry
from contest.screening.selecting import selection_of
from contest.screening.submission import priority
from contest.screening.verifying.past import OWN, Past, anew, named, settings_in
from contest.verification.findings import Check, Faults, quoted, several
from scheduler.texts import listed


class EntriesCheck:
    """Takes all events in their order; `check` says what was found.

    Arguments:
        past: what stands before each event.
    """

    def __init__(self, past: Past) -> None:
        self._past = past
        self._faults = Faults(OWN)
        self._tests = Answers()
        self._tested = 0
        self._begun: tuple[str, ...] | None = None

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes the next event."""
        match body:
            case SeasonSet():
                try:
                    settings_in(body)
                except ValueError as exc:
                    self._faults.at(event, f"its settings can't be used: {exc}")
            case EntryRegistered():
                self._registered(event, body)
            case EntryWithdrawn() | EntryRestored():
                self._moved(event, body)
            case ComplianceTested():
                self._test(event, body)
            case PriorityDecided():
                self._decided(event, body)
            case ScreeningBegun():
                self._begin(event, body)
            case _:
                pass

    def check(self) -> Check:
        """What was found."""
        entries = self._past.register.entries
        versions = sum(len(entry.versions) for entry in entries.values())
        said = [
            several(len(entries), "entry", "entries"),
            several(versions, "version of their forms", "versions of their forms"),
            several(self._tested, "test"),
        ]
        if self._begun is not None:
            said.append(f"{len(self._begun)} go on, as computed anew")
        return self._faults.check("entries", "; ".join((", ".join(said[:3]), *said[3:])))

    # The register

    def _registered(self, event: Event, body: EntryRegistered) -> None:
        register = self._past.register
        held = register.entries.get(body.entry)
        expected = 1 if held is None else held.versions[-1].number + 1
        if body.version != expected:
            self._faults.at(event, f"its version is {body.version}, not {expected}")
        next_ = f"E{len(register.entries) + 1}"
        if held is None and body.entry != next_:
            self._faults.at(event, f"it registers {quoted(body.entry)}; the next one is {next_}")
        if held is not None and not body.reason:
            self._faults.at(event, f"it changes {quoted(body.entry)} without a reason")
        if body.form.received < body.form.posted:
            self._faults.at(event, "its entry was received before it was posted")
        anyway = held is None and body.reason
        if not anyway and (held is None or not held.withdrawn):
            self._clash(event, body.entry, body.form)

    def _clash(self, event: Event, id_: str, form: Form) -> None:
        forms = self._past.register.forms
        known: list[Shared] = clashes(forms)
        for shared in clashes({**forms, id_: form}, id_):
            if shared not in known:
                self._faults.at(event, f"{shared.words()}, and no reason is given")

    def _moved(self, event: Event, body: EntryWithdrawn | EntryRestored) -> None:
        entry = self._known(event, body.entry)
        if entry is None:
            return
        if not body.reason:
            self._faults.at(event, "it has no reason")
        withdraws = isinstance(body, EntryWithdrawn)
        if entry.withdrawn == withdraws:
            state = "withdrawn" if withdraws else "not withdrawn"
            self._faults.at(event, f"{entry.id} was {state} before")
        elif not withdraws:
            self._clash(event, entry.id, entry.form)

    def _known(self, event: Event, id_: str) -> Entry | None:
        entry = self._past.register.entries.get(id_)
        if entry is None:
            self._faults.at(event, f"{quoted(id_)} was never registered")
        return entry

    # Compliance

    def _test(self, event: Event, body: ComplianceTested) -> None:
        self._tested += 1
        entry = self._known(event, body.entry)
        if entry is None:
            return
        if entry.withdrawn:
            self._faults.at(event, f"{entry.id} was withdrawn before")
        if body.tested < entry.form.received:
            self._faults.at(
                event, f"{entry.id} was tested on {body.tested}, and came {entry.form.received}"
            )
        for name, tested in body.items.items():
            item = ITEMS.get(name)
            if item is None or item.source is not Source.PERSON:
                self._faults.at(event, f"{quoted(name)} is nothing that a person tests")
            elif entry.form.way not in item.ways:
                self._faults.at(event, f"{name} is not asked of way {entry.form.way}")
            if tested.outcome != "pass" and not tested.reason:
                self._faults.at(event, f"{quoted(name)}: {tested.outcome} without a reason")
        if body.conformance is not None:
            failed = body.conformance.cases.get("fail")
            if body.conformance.passed == bool(failed):
                self._faults.at(event, "check-bot's verdict is not that of its cases")
        self._turn(event, body, entry)
        self._tests.take(event, body)

    def _turn(self, event: Event, body: ComplianceTested, entry: Entry) -> None:
        if body.out_of_order or entry.id in self._tests.answers:
            return
        table = self._past.settings.season
        first = before(entry, assess_all(self._past.register, self._tests, table))
        if first:
            self._faults.at(
                event,
                f"{entry.id} was tested before {listed(first)}, received earlier, and no reason is "
                "given",
            )

    # Who goes on

    def _decided(self, event: Event, body: PriorityDecided) -> None:
        entries: Mapping[str, Entry] = self._past.register.entries
        unknown = [id_ for id_ in body.entries if id_ not in entries]
        if unknown:
            self._faults.at(event, f"{quoted(unknown[0])} was never registered")
            return
        if len(set(body.entries)) != len(body.entries) or len(body.entries) < 2:
            self._faults.at(event, "it does not name two entries at least, each once")
        if len({priority(entries[id_].form) for id_ in body.entries}) > 1:
            self._faults.at(event, "its entries differ in posting or receipt, which decide")
        if not body.reason:
            self._faults.at(event, "it has no reason")
        if self._begun is not None:
            self._faults.at(event, "screening had begun: the list stands")

    def _begin(self, event: Event, body: ScreeningBegun) -> None:
        if self._begun is not None:
            self._faults.at(event, "screening had begun before")
            return
        self._begun = tuple(body.entries)
        found = anew(
            *(self._faults, event, "who goes on"),
            lambda: selection_of(self._past.kept, self._past.settings),
        )
        if found is None:
            return
        if found.provisional:
            self._faults.at(event, "somebody was still to be tested")
        if found.screened != self._begun:
            self._faults.at(
                event,
                f"it begins with {named(body.entries)}; by postings and tests there go on: "
                f"{named(found.screened)}",
            )
