"""The frames that viewers are sent, as JSON text over WebSocket. docs/reference/spectators.md
explains them; a viewer says nothing.

Nothing here names an entity, and nothing is numbered: a talk goes by round, attempt, judge and
side, and a key is no more than the character it types.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from contest.record.bodies import Author, Place

#: What was typed, in its order: whose, and characters; BackSpace is `\\b`, Return `\\n`.
Typed: TypeAlias = list[tuple[Author, str]]


class _Frame(msgspec.Struct, frozen=True, tag_field="type"):
    pass


class Phase(_Frame, frozen=True, tag="phase"):
    """Where the contest is.

    `phase` is one of the wire's (contest.history.phases.Phase), `words` the same for people.
    `remaining_ms` is what is left of the phase, in milliseconds of the contest, null where nothing
    limits it; it runs, `speed` times as fast as the audience's time, if `runs`.
    """

    phase: str
    round: int
    attempt: int
    words: str
    remaining_ms: int | None
    runs: bool
    speed: float


class Talk(msgspec.Struct, frozen=True):
    """A talk as far as it has come out of the delay."""

    id: str
    side: Place
    typed: Typed


class Desk(msgspec.Struct, frozen=True):
    """A judge's desk; `number` counts judges in the order of the settings. One that is `closed` is
    not shown, at the wish of a participant, and has no talks here."""

    number: int
    judge: str
    name: str
    closed: bool
    talks: list[Talk]


class Judge(msgspec.Struct, frozen=True):
    """A judge, by id and by the name to show; the id where there is none to show."""

    id: str
    name: str


class Whole(_Frame, frozen=True, tag="whole"):
    """All that there is to see, for who comes or was too slow: it takes the place of all before.

    `plan` is who judges in each round; `outcome` is HTML of what is revealed, empty before.
    """

    phase: Phase
    desks: list[Desk]
    plan: list[list[Judge]]
    outcome: str
    archive: bool


class Keys(_Frame, frozen=True, tag="keys"):
    """What came out of the delay in one step: talk to what was typed there."""

    talks: dict[str, Typed]


Frame: TypeAlias = Whole | Phase | Keys

#: A sign of life when there is nothing to say.
NOTHING = "{}"

_encoder = msgspec.json.Encoder()


def encode(frame: Frame) -> str:
    """A frame's text."""
    return _encoder.encode(frame).decode()
