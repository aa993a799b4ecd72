"""What a verification finds: checks, and faults that name their event."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from contest.record.events import Event
from scheduler.texts import plain

#: Faults kept of one check: a wrecked record has one for each event.
KEPT = 1000
#: Characters of a damaged value that a message quotes.
_QUOTED = 80


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong.

    Attributes:
        what: in words, one line.
        seq: the event's number, or None for the record as a whole.
        chain: `contest` (or `season`), or the talk's name; None if it is not known.
        kind: the event's kind; None if it is not known.
    """

    what: str
    seq: int | None = None
    chain: str | None = None
    kind: str | None = None

    @staticmethod
    def of(event: Event, what: str, own: str = "contest") -> Fault:
        """A fault of an event; `own` is the name of the chain outside all talks."""
        chain = own if event.talk is None else quoted(event.talk)
        return Fault(what, event.seq, chain, event.kind)

    def __str__(self) -> str:
        if self.seq is None:
            return plain(self.what)
        place = ", ".join(part for part in (self.chain, self.kind) if part)
        return plain(f"event {self.seq}{f' ({place})' if place else ''}: {self.what}")


@dataclass(slots=True)
class Check:
    """One check, and what it finds while events come.

    Attributes:
        name: one word.
        own: the name of the chain outside all talks.
        summary: what was looked at, in words, where nothing is wrong.
        faults: what is wrong; none means green.
        more: how many faults beyond `KEPT` are not listed.
        notes: what is not wrong, and what a reader of the result has to know.
    """

    name: str
    own: str = "contest"
    summary: str = ""
    faults: list[Fault] = field(default_factory=list)
    more: int = 0
    notes: list[Fault] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether it is green."""
        return not self.faults

    def add(self, fault: Fault) -> None:
        """Takes a fault."""
        if len(self.faults) < KEPT:
            self.faults.append(fault)
        else:
            self.more += 1

    def at(self, event: Event, what: str) -> None:
        """Takes a fault of an event."""
        self.add(Fault.of(event, what, self.own))

    def tell(self, what: str) -> None:
        """Takes a fault of the record as a whole."""
        self.add(Fault(what))

    def said(self, summary: str) -> Check:
        """The same check, with its summary."""
        self.summary = summary
        return self

    def as_json(self) -> dict[str, Any]:
        """For `verify --json`."""
        found = {"ok": self.ok, **asdict(self)}
        del found["own"]
        return found


@dataclass(frozen=True, slots=True)
class Report:
    """A whole verification.

    Attributes:
        checks: in the order in which they were made.
        events: how many events were read.
        head: the hash of the last event of the contest's or season's own chain; empty if there is
            none.
        finished: whether the contest was closed; of a season, whether its finalists are known.
        redacted: how many events hold only what may be published of them.
    """

    checks: tuple[Check, ...]
    events: int
    head: str
    finished: bool
    redacted: int = 0

    @property
    def ok(self) -> bool:
        """Whether everything is green."""
        return all(check.ok for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """The document of `verify --json`."""
        checks = [check.as_json() for check in self.checks]
        return {"ok": self.ok, **asdict(self), "head": self.head or None, "checks": checks}


def quoted(value: Any) -> str:
    """A value of unknown origin as a message quotes it: one line, not too long."""
    text = plain(value if isinstance(value, str) else repr(value))
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
