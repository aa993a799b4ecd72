"""The findings of a verification: checks, and faults that name their event."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from contest.record.events import Event
from scheduler.texts import plain

#: The maximum number of faults kept for one check: a badly damaged record has one for each event.
KEPT_FAULTS = 1000
#: The maximum number of characters of a damaged value that a message quotes.
_QUOTED = 80


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong.

    Attributes:
        what: the fault in words, one line.
        seq: the event's number, or None for the record as a whole.
        chain: `contest` (or `season`), or the talk's name; None if it is unknown.
        kind: the event's kind; None if it is unknown.
    """

    what: str
    seq: int | None = None
    chain: str | None = None
    kind: str | None = None

    def __str__(self) -> str:
        if self.seq is None:
            return plain(self.what)
        place = ", ".join(part for part in (self.chain, self.kind) if part)
        return plain(f"event {self.seq}{f' ({place})' if place else ''}: {self.what}")


@dataclass(slots=True)
class Check:
    """One check, with its findings so far.

    Attributes:
        name: one word.
        own: the name of the chain outside all talks.
        summary: what was checked, in words, if nothing is wrong.
        faults: what is wrong; none means green.
        more: how many faults beyond `KEPT_FAULTS` are not listed.
        notes: things that are not wrong, but that a reader of the result should know.
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
        """Adds a fault."""
        if len(self.faults) < KEPT_FAULTS:
            self.faults.append(fault)
        else:
            self.more += 1

    def at(self, event: Event, what: str) -> None:
        """Adds a fault of an event."""
        self.add(self._of(event, what))

    def note(self, event: Event, what: str) -> None:
        """Adds a note on an event, up to `KEPT_FAULTS`."""
        if len(self.notes) < KEPT_FAULTS:
            self.notes.append(self._of(event, what))

    def _of(self, event: Event, what: str) -> Fault:
        chain = self.own if event.talk is None else quoted(event.talk)
        return Fault(what, event.seq, chain, event.kind)

    def tell(self, what: str) -> None:
        """Adds a fault of the record as a whole."""
        self.add(Fault(what))

    def with_summary(self, summary: str) -> Check:
        """Sets the summary and returns the check."""
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
        finished: whether the contest was closed; for a season, whether its finalists are known.
        redacted: how many events have parts that are not published.
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
    """Quotes a value of unknown origin in a message: one line, not too long."""
    text = plain(value if isinstance(value, str) else repr(value))
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
