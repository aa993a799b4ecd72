"""The kinds of event of a season, which comes before its contest: entries come in, are tested, sit
a paper of questions, are marked and ranked.

They are in the contest's own chain, but a sitting has its own chain: the talk `screening.` and the
subject's id. `docs/reference/screening.md` explains the kinds to people outside. Dates are text, as
2010-05-03. Who did it is the event's actor. None of it is published.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

import msgspec

from contest.record.events import Body, Redactable, kinds_in

#: Before the id of a subject: the talk of its sitting.
SITTING = "screening."
#: Version of these kinds, in the season's first event.
FORMAT = 1
Round = Literal["questions", "quality"]


class SeasonOpened(Redactable, frozen=True):
    """First of all. `program` is the name and version of what wrote it."""

    format: int
    program: str


class SeasonSet(Redactable, frozen=True):
    """The settings that hold from here on: the tables `contest`, `season` and `screening`."""

    settings: dict[str, Any]


class _Part(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    pass


class Form(_Part, frozen=True):
    """What the register holds of an entry: see `docs/reference/screening.md`. `way` is 1 where
    management installs it, 2 where the entrant does on management's computer, 3 where the entrant
    brings a computer."""

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


class EntryRegistered(Redactable, frozen=True):
    """An entry is in the register; the highest version counts. From version 2 on `reason` says why
    it was changed; of version 1, why it is registered although somebody is associated with another
    entry, too."""

    entry: str
    version: int
    form: Form
    reason: str = ""


class EntryWithdrawn(Redactable, frozen=True):
    """An entry is withdrawn, for `reason`; its number stays its own."""

    entry: str
    reason: str


class EntryRestored(Redactable, frozen=True):
    """The withdrawal of an entry is taken back, for `reason`."""

    entry: str
    reason: str


class ItemTested(_Part, frozen=True):
    """An item of the checklist: the outcome, and why."""

    outcome: Literal["pass", "fail", "not-applicable"]
    reason: str = ""


class Conformance(_Part, frozen=True):
    """The result of `check-bot --json`: the SHA-256 of its document, and the identifiers of its
    cases by outcome."""

    sha256: str
    passed: bool
    cases: dict[str, list[str]]


class ComplianceTested(Redactable, frozen=True):
    """An entry was tested for compliance on the day `tested`; each item replaces what was said of
    it before. `out_of_order` says why it was tested before one that was received earlier."""

    entry: str
    tested: dt.date
    items: dict[str, ItemTested]
    conformance: Conformance | None = None
    out_of_order: str = ""


class PriorityDecided(Redactable, frozen=True):
    """The organizer's decision on the order of entries with the same posting and receipt, for
    `reason`. The last one that names an entry counts."""

    entries: list[str]
    reason: str


class ScreeningBegun(Redactable, frozen=True):
    """Screening begins with these entries: from here on nobody moves up."""

    entries: list[str]


class PaperSet(Redactable, frozen=True):
    """The paper that all entries get, as TOML, the seed of the judge's typing, and the times that
    hold for all, in milliseconds. Once for a season."""

    paper: str
    typing_seed: int
    timing: dict[str, int]


class SittingBegun(Redactable, frozen=True):
    """A subject, an entry or a human to compare with, begins, or goes on after a break: what was
    asked and had not ended before does not count."""

    subject: str
    human: bool = False


class ProgramStarted(Redactable, frozen=True):
    """An entry's program was started with these words."""

    words: list[str]


class ProgramEnded(Redactable, frozen=True):
    """An entry's program has ended by itself: how, in words."""

    how: str


class LineBegun(Redactable, frozen=True):
    """The judge begins to type a line of a question: its text, or a statement told before it.
    `again` if it is repeated to a program that was restarted after a break."""

    question: str
    asks: bool
    again: bool = False


class SittingKey(Redactable, frozen=True):
    """A key press of a sitting; `raw` is the name of the subject's directory, `broken` are the
    rules that it breaks. In records of the first version its kind is `key`."""

    author: Literal["judge", "entity"]
    key: str
    raw: str = ""
    broken: list[str] = msgspec.field(default_factory=list)


class LineAsked(Redactable, frozen=True):
    """The Return of a line is pressed; `local` is the local time of the machine."""

    question: str
    asks: bool
    local: dt.datetime


class LineEnded(Redactable, frozen=True):
    """No answer is waited for any longer: it is over, went on for too long, none came, or the
    program has ended. What comes from here on is late."""

    question: str
    asks: bool
    how: Literal["quiet", "too-long", "silent", "died"]


class SittingEnded(Redactable, frozen=True):
    """All was asked."""

    subject: str


class ScaleSet(Redactable, frozen=True):
    """The scale of the marks, before the first mark."""

    scale: str


class LettersDrawn(Redactable, frozen=True):
    """For each item the subjects get letters, in a random order that is sealed: the SHA-256 of the
    canonical JSON of `{"letters", "salt"}`."""

    round: Round
    items: list[str]
    sha256: str


class LettersRevealed(Redactable, frozen=True):
    """Marking is over: what was sealed. Item to the subjects in the order of their letters."""

    round: Round
    letters: dict[str, list[str]]
    salt: str


class Marked(Redactable, frozen=True):
    """A marker's marks for answers to an item: letter to mark, as text. The last one counts."""

    marker: str
    item: str
    marks: dict[str, str]


class MarkSettled(Redactable, frozen=True):
    """A mark on which the markers differ is settled, for `reason`, by the event's actor."""

    item: str
    letter: str
    mark: str
    reason: str


class TieRuleStated(Redactable, frozen=True):
    """What settles a tie at the cut; before the letters are revealed. The last one counts."""

    rule: str


class CutDecided(Redactable, frozen=True):
    """The organizer's decision on a tie at the cut: these go on, for `reason`. The last one
    counts."""

    entries: list[str]
    reason: str


class QualityOpened(Redactable, frozen=True):
    """No entry answered intelligently: the general quality of the responses decides, for
    `reason`."""

    reason: str


class FinalistsSet(Redactable, frozen=True):
    """The finalists, written into the contest's settings."""

    entries: list[str]


OF_SITTINGS: tuple[type[Body], ...] = (
    *(SittingBegun, ProgramStarted, ProgramEnded, LineBegun, SittingKey, LineAsked, LineEnded),
    SittingEnded,
)
OF_MARKING: tuple[type[Body], ...] = (
    *(ScaleSet, LettersDrawn, LettersRevealed, Marked, MarkSettled, TieRuleStated, QualityOpened),
)
KINDS: dict[str, type[Body]] = kinds_in(globals())
