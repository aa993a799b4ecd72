"""The kinds of event of a season, which precedes its contest: entries are received, tested, given a
paper of questions, marked and ranked.

The events are in the contest's own chain, except that each sitting has a chain of its own: the talk
`screening.` followed by the subject's id. `docs/reference/screening.md` documents the kinds. Dates
are text, such as 2010-05-03. The event's actor is the person who did it. None of this is published.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

import msgspec

from contest.record.events import Body, Redactable, kinds_in

#: The talk of a sitting is this prefix and the subject's id.
SITTING = "screening."
#: Version of these kinds, in the season's first event.
FORMAT = 1
Round = Literal["questions", "quality"]


class SeasonOpened(Redactable, frozen=True):
    """A season's first event. `program` is the name and version of the program that wrote it."""

    format: int
    program: str


class SeasonSet(Redactable, frozen=True):
    """The settings from here on: the tables `contest`, `season` and `screening`."""

    settings: dict[str, Any]


class _Part(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    pass


class Form(_Part, frozen=True):
    """An entry's details in the register: see `docs/reference/screening.md`. `way` is 1 if
    management installs the entry, 2 if the entrant installs it on management's computer, 3 if the
    entrant brings a computer."""

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
    """An entry was registered or its details changed, for `reason`; the highest version counts."""

    entry: str
    version: int
    form: Form
    reason: str = ""


class EntryWithdrawn(Redactable, frozen=True):
    """An entry was withdrawn, for `reason`; its number is not given to another."""

    entry: str
    reason: str


class EntryRestored(Redactable, frozen=True):
    """The withdrawal of an entry was reversed, for `reason`."""

    entry: str
    reason: str


class ItemTested(_Part, frozen=True):
    """The result of an item of the checklist: the outcome, and the reason for it."""

    outcome: Literal["pass", "fail", "not-applicable"]
    reason: str = ""


class Conformance(_Part, frozen=True):
    """The result of `check-bot --json`: the SHA-256 of the document, and the identifiers of the
    cases by outcome."""

    sha256: str
    passed: bool
    cases: dict[str, list[str]]


class ComplianceTested(Redactable, frozen=True):
    """An entry was tested for compliance on the day `tested`; each item replaces its earlier
    result. `out_of_order` says why the entry was tested before one that was received earlier."""

    entry: str
    tested: dt.date
    items: dict[str, ItemTested]
    conformance: Conformance | None = None
    out_of_order: str = ""


class PriorityDecided(Redactable, frozen=True):
    """The organizer decided on the order of entries that were posted and received at the same time,
    for `reason`. The last decision that names an entry counts."""

    entries: list[str]
    reason: str


class ScreeningBegun(Redactable, frozen=True):
    """Screening began with these entries; from here on no other entry moves up."""

    entries: list[str]


class PaperSet(Redactable, frozen=True):
    """The paper that all entries get, as TOML, the seed of the judge's typing, and the times that
    apply to all, in milliseconds. Once per season."""

    paper: str
    typing_seed: int
    timing: dict[str, int]


class SittingBegun(Redactable, frozen=True):
    """A subject (an entry, or a human for comparison) began its sitting, or resumed it after an
    interruption. A question that had been asked but not finished does not count."""

    subject: str
    human: bool = False


class ProgramStarted(Redactable, frozen=True):
    """An entry's program was started with these arguments."""

    words: list[str]


class ProgramEnded(Redactable, frozen=True):
    """An entry's program ended by itself: how, in words."""

    how: str


class LineBegun(Redactable, frozen=True):
    """The judge began to type a line of a question: the question itself (`asks`), or a statement
    made before it. `again`: the line is repeated to a program restarted after an interruption."""

    question: str
    asks: bool
    again: bool = False


class SittingKey(Redactable, frozen=True):
    """A key press in a sitting; `raw` is the name of the subject's directory, `broken` are the
    rules that it breaks."""

    author: Literal["judge", "entity"]
    key: str
    raw: str = ""
    broken: list[str] = msgspec.field(default_factory=list)


class LineAsked(Redactable, frozen=True):
    """The judge pressed Return after a line; `local` is the machine's local time."""

    question: str
    asks: bool
    local: dt.datetime


class LineEnded(Redactable, frozen=True):
    """The wait for an answer ended: the answer was complete, it went on for too long, none came, or
    the program ended. Anything that comes later is late."""

    question: str
    asks: bool
    how: Literal["quiet", "too-long", "silent", "died"]


class SittingEnded(Redactable, frozen=True):
    """The subject was asked all questions of the paper."""

    subject: str


class ScaleSet(Redactable, frozen=True):
    """The scale of the marks was set, before the first mark."""

    scale: str


class LettersDrawn(Redactable, frozen=True):
    """For each item the subjects were given letters in a random order, which is drawn from a sealed
    salt; `sha256` is the salt's hash."""

    round: Round
    items: list[str]
    sha256: str


class LettersRevealed(Redactable, frozen=True):
    """Marking is over, and the salt was unsealed. `letters` has for each item the subjects in the
    order of their letters."""

    round: Round
    letters: dict[str, list[str]]
    salt: str


class Marked(Redactable, frozen=True):
    """A marker marked answers to an item. `marks` has for each letter its mark, as text. The last
    mark counts."""

    marker: str
    item: str
    marks: dict[str, str]


class MarkSettled(Redactable, frozen=True):
    """The event's actor settled a mark on which the markers differed, for `reason`."""

    item: str
    letter: str
    mark: str
    reason: str


class TieRuleStated(Redactable, frozen=True):
    """The rule that settles a tie at the cut was stated before the letters were revealed. The last
    one counts."""

    rule: str


class CutDecided(Redactable, frozen=True):
    """The organizer decided a tie at the cut: these entries go through, for `reason`. The last
    decision counts."""

    entries: list[str]
    reason: str


class QualityOpened(Redactable, frozen=True):
    """No entry answered intelligently, so the general quality of the responses decides, for
    `reason`."""

    reason: str


class FinalistsSet(Redactable, frozen=True):
    """The finalists were chosen and written into the contest's settings."""

    entries: list[str]


SITTING_BODIES: tuple[type[Body], ...] = (
    *(SittingBegun, ProgramStarted, ProgramEnded, LineBegun, SittingKey, LineAsked, LineEnded),
    SittingEnded,
)
MARKING_BODIES: tuple[type[Body], ...] = (
    *(ScaleSet, LettersDrawn, LettersRevealed, Marked, MarkSettled, TieRuleStated, QualityOpened),
)
KINDS: dict[str, type[Body]] = kinds_in(globals())
