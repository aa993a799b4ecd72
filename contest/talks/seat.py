"""A seat: a place at a console, what was said there, and the connection of whoever sits there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from contest.record.bodies import Author
from contest.state.phases import Phase
from contest.talks.exchange import Talk
from contest.talks.refusal import Refusal
from lpp import wire


class Outlet(Protocol):
    """A console's connection."""

    def send(self, frame: wire.ToSeat) -> None:
        """Sends a frame; never blocks."""

    def close(self, why: str) -> None:
        """Ends the connection."""


class SeatRefused(Refusal):
    """A console can't have this seat."""

    def __init__(self, code: str, message: str, answers: str = "hello") -> None:
        super().__init__(code, message, answers)


class NotTaken(Exception):
    """A frame of a seated console that is not accepted; `code` is the wire's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class Seat:
    """A place at a console.

    Attributes:
        id: a judge's or confederate's id.
        role: which of both.
        talks: what sits at this seat's places in the round that is on.
        labels: while ranking: label to the talks it stands for.
        verdicts: (round, attempt) to the highest version of the verdict that was taken in.
        rankings, consents: the same of ranking and consent.
        name: of who sits here in the place of whom the settings name; empty for none.
        pseudonym: of the last consent that was taken in; empty for none.
        saved_verdicts: (round, attempt) to what was said of the last durable verdict.
        saved_ranking, saved_consent: the same of ranking and consent.
        ranked_ns: when the last durable ranking was given, by the contest's clock.
    """

    id: str
    role: wire.Role
    outlet: Outlet | None = None
    talks: dict[wire.Place, Talk] = field(default_factory=dict)
    labels: dict[str, list[Talk]] = field(default_factory=dict)
    verdicts: dict[tuple[int, int], int] = field(default_factory=dict)
    rankings: int = 0
    consents: int = 0
    name: str = ""
    pseudonym: str = ""
    saved_verdicts: dict[tuple[int, int], wire.Saved] = field(default_factory=dict)
    saved_ranking: wire.Saved | None = None
    saved_consent: wire.Saved | None = None
    ranked_ns: int = 0

    @property
    def author(self) -> Author:
        """Under which name this seat's keys go."""
        return "judge" if self.role == "judge" else "entity"

    def replaced(self, name: str) -> None:
        """Another person sits here from now on, who has agreed to nothing yet."""
        self.name, self.pseudonym, self.saved_consent = name, "", None

    def tell(self, frame: wire.ToSeat) -> None:
        """Sends a frame, if anybody sits here."""
        if self.outlet is not None:
            self.outlet.send(frame)


@dataclass(frozen=True, slots=True)
class Status:
    """What every seat is told of the contest: see wire.State."""

    phase: Phase
    round: int
    attempt: int
    remaining: float | None
    reason: str = ""
