"""The kinds of event of a season, and the body of each: the codebook of `season.db` in code.

As `contest.record.bodies` is for the contest: a body is a struct, its kind is the struct's tag, all
its numbers are whole. Dates are text, as 2010-05-03. `docs/reference/screening.md` explains the
kinds to people outside. Who did it is the event's actor.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal, TypeAlias

import msgspec

from contest.record.body import Body, read
from contest.record.body import to_json as to_json
from contest.screening.asking.bodies import (
    LineAsked,
    LineBegun,
    LineEnded,
    PaperSet,
    ProgramEnded,
    ProgramStarted,
    ScreeningKey,
    SittingBegun,
    SittingEnded,
)
from contest.screening.marking.bodies import (
    CutDecided,
    FinalistsSet,
    LettersDrawn,
    LettersRevealed,
    Marked,
    MarkSettled,
    QualityOpened,
    ScaleSet,
    TieRuleStated,
)

#: Version of this codebook, in the season's first event.
FORMAT = 1


class SeasonOpened(Body, frozen=True):
    """First of all. `program` is the name and version of what wrote it."""

    kind = "season-opened"
    format: int
    program: str


class SeasonSet(Body, frozen=True):
    """The settings that hold from here on: the tables `contest`, `season` and `screening` of
    contest.toml."""

    kind = "season-set"
    settings: dict[str, Any]


class Form(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the register holds of an entry.

    Attributes:
        program: its name.
        entrant: who submits it.
        posted, posted_at: date of posting, and the time of day, both as the proof has them.
        received, received_at: the same of receipt.
        way: 1 management installs it, 2 the entrant does on management's computer, 3 the entrant
            brings a computer.
        individuals: whoever else is associated with it.
        service: by which it was sent.
        proof: number of the receipt that proves the posting.
        media: on which it came.
        platforms: on which it runs.
        testing, testing_at: day and time on which the entrant comes to have it tested.
        agreed: day on which that was agreed.
        present: whether the entrant will be present at the contest.
        command: how it is started to be screened, with `{dir}` for its directory.
        note: whatever else is to be known.
    """

    program: str
    entrant: str
    posted: dt.date
    received: dt.date
    way: Literal[1, 2, 3]
    individuals: tuple[str, ...] = ()
    posted_at: dt.time | None = None
    received_at: dt.time | None = None
    service: str = ""
    proof: str = ""
    media: str = ""
    platforms: tuple[str, ...] = ()
    testing: dt.date | None = None
    agreed: dt.date | None = None
    present: bool = False
    command: str = ""
    note: str = ""
    testing_at: dt.time | None = None


class EntryRegistered(Body, frozen=True):
    """An entry is in the register, as `form` has it; the highest version counts. From version 2 on
    `reason` says why it was changed; of version 1, why it is registered although somebody is
    associated with another entry, too."""

    kind = "entry-registered"
    entry: str
    version: int
    form: Form
    reason: str = ""


class EntryWithdrawn(Body, frozen=True):
    """An entry is withdrawn, for `reason`; its number stays its own."""

    kind = "entry-withdrawn"
    entry: str
    reason: str


class EntryRestored(Body, frozen=True):
    """An entry that was withdrawn is not, for `reason`."""

    kind = "entry-restored"
    entry: str
    reason: str


class ItemTested(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An item of the checklist: what came out, and why."""

    outcome: Literal["pass", "fail", "not-applicable"]
    reason: str = ""


class Conformance(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `check-bot --json` said of an entry: the SHA-256 of its document, and the identifiers of
    its cases by outcome."""

    sha256: str
    passed: bool
    cases: dict[str, list[str]]


class ComplianceTested(Body, frozen=True):
    """An entry was tested for compliance on the day `tested`: items of the checklist, each of which
    replaces what was said of it before. `out_of_order` says why it was tested before one that was
    received earlier."""

    kind = "compliance-tested"
    entry: str
    tested: dt.date
    items: dict[str, ItemTested]
    conformance: Conformance | None = None
    out_of_order: str = ""


class PriorityDecided(Body, frozen=True):
    """Of entries whose posting and receipt tell them not apart, these go before one another in this
    order: the organizer's decision, for `reason`. The last one that names an entry counts."""

    kind = "priority-decided"
    entries: list[str]
    reason: str


class ScreeningBegun(Body, frozen=True):
    """Screening begins, with these entries: from here on nobody moves up."""

    kind = "screening-begun"
    entries: list[str]


AnyBody: TypeAlias = (
    SeasonOpened
    | SeasonSet
    | EntryRegistered
    | EntryWithdrawn
    | EntryRestored
    | ComplianceTested
    | PriorityDecided
    | ScreeningBegun
    | PaperSet
    | SittingBegun
    | ProgramStarted
    | ProgramEnded
    | LineBegun
    | ScreeningKey
    | LineAsked
    | LineEnded
    | SittingEnded
    | ScaleSet
    | LettersDrawn
    | LettersRevealed
    | Marked
    | MarkSettled
    | TieRuleStated
    | CutDecided
    | QualityOpened
    | FinalistsSet
)

KINDS: dict[str, type[AnyBody]] = {
    body.kind: body
    for body in (
        SeasonOpened,
        SeasonSet,
        EntryRegistered,
        EntryWithdrawn,
        EntryRestored,
        ComplianceTested,
        PriorityDecided,
        ScreeningBegun,
        PaperSet,
        SittingBegun,
        ProgramStarted,
        ProgramEnded,
        LineBegun,
        ScreeningKey,
        LineAsked,
        LineEnded,
        SittingEnded,
        ScaleSet,
        LettersDrawn,
        LettersRevealed,
        Marked,
        MarkSettled,
        TieRuleStated,
        CutDecided,
        QualityOpened,
        FinalistsSet,
    )
}


def from_json(kind: str, body: dict[str, Any]) -> AnyBody:
    """Reads a body.

    Raises:
        ValueError: if the kind is unknown or the body is not of its form.
    """
    return read(kind, body, KINDS, "event of a season")
