"""The register of entries, as the season's events have it.

Terms. An *entry* is a program with its entrant; its id, E1, E2 and so on in the order of
registration, is never given again. A *form* is what is known of it; a correction is a new version
of the form, and all are kept. Nothing here reads or writes; `contest.screening.registering` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from contest.errors import BadOrder
from contest.record.events import Event
from contest.screening.bodies import AnyBody, EntryRegistered, EntryRestored, EntryWithdrawn, Form
from scheduler.texts import listed, shown

#: Ways of submission, in words.
WAYS: Mapping[int, str] = {
    1: "management installs it",
    2: "the entrant installs it on management's computer",
    3: "the entrant brings a computer",
}


@dataclass(frozen=True, slots=True)
class Version:
    """What the register said of an entry from some moment on.

    Attributes:
        number: from 1.
        form: what it said.
        at: when it was written, RFC 3339.
        by: who wrote it.
        reason: why it was changed.
    """

    number: int
    form: Form
    at: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """A withdrawal, or its end: what, when, by whom, why."""

    withdrawn: bool
    at: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the register.

    Attributes:
        id: such as E7.
        versions: of its form, the latest last; never empty.
        steps: withdrawals and their ends, in order.
    """

    id: str
    versions: tuple[Version, ...]
    steps: tuple[Step, ...] = ()

    @property
    def form(self) -> Form:
        """What is known of it now."""
        return self.versions[-1].form

    @property
    def withdrawn(self) -> bool:
        """Whether it takes no part any more."""
        return bool(self.steps) and self.steps[-1].withdrawn

    def as_json(self) -> dict[str, object]:
        """For programs: the form's fields, and how it came to them."""
        plain: dict[str, object] = {"entry": self.id, "withdrawn": self.withdrawn}
        plain |= form_json(self.form)
        plain["versions"] = [
            {"version": v.number, "at": v.at, "by": v.by, "reason": v.reason}
            | {"form": form_json(v.form)}
            for v in self.versions
        ]
        plain["steps"] = [
            {"withdrawn": s.withdrawn, "at": s.at, "by": s.by, "reason": s.reason}
            for s in self.steps
        ]
        return plain


@dataclass
class Register:
    """All entries, by id in the order of registration."""

    entries: dict[str, Entry] = field(default_factory=dict)

    def take(self, event: Event, body: AnyBody) -> None:
        """Takes an event in; those that are not the register's change nothing."""
        match body:
            case EntryRegistered():
                version = Version(body.version, body.form, event.at, event.actor, body.reason)
                before = self.entries.get(body.entry)
                versions = (*(before.versions if before is not None else ()), version)
                steps = before.steps if before is not None else ()
                self.entries[body.entry] = Entry(body.entry, versions, steps)
            case EntryWithdrawn() | EntryRestored():
                step = Step(isinstance(body, EntryWithdrawn), event.at, event.actor, body.reason)
                entry = self.entries[body.entry]
                self.entries[body.entry] = Entry(entry.id, entry.versions, (*entry.steps, step))

    @property
    def active(self) -> dict[str, Entry]:
        """Those that are not withdrawn."""
        return {id_: entry for id_, entry in self.entries.items() if not entry.withdrawn}

    @property
    def forms(self) -> dict[str, Form]:
        """The forms of those that are not withdrawn."""
        return {id_: entry.form for id_, entry in self.active.items()}

    def find(self, id_: str) -> Entry:
        """The entry of that id.

        Raises:
            BadOrder: if there is none.
        """
        if id_ not in self.entries:
            known = listed(self.entries) if self.entries else "none yet"
            raise BadOrder(f"there is no entry {shown(id_)}; in the register: {known}")
        return self.entries[id_]


def register_of(events: Iterable[tuple[Event, AnyBody]]) -> Register:
    """The register of a season's events."""
    register = Register()
    for event, body in events:
        register.take(event, body)
    return register


def form_json(form: Form) -> dict[str, object]:
    """A form for programs, with all its fields, in their order."""
    plain: dict[str, object] = msgspec.to_builtins(msgspec.structs.asdict(form))
    return plain
