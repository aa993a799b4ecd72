"""The kinds of event of a season, and the body of each: the codebook of `season.db` in code.

As `contest.bodies` is for the contest: a body is a struct, its kind is the struct's tag, all its
numbers are whole. Dates are text, as 2010-05-03. `docs/reference/screening.md` explains the kinds
to people outside. Who did it is the event's actor.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import msgspec

#: Version of this codebook, in the season's first event.
FORMAT = 1


class _Body(msgspec.Struct, frozen=True, omit_defaults=True):
    kind: ClassVar[str]


class SeasonOpened(_Body, frozen=True):
    """First of all. `program` is the name and version of what wrote it."""

    kind = "season-opened"
    format: int
    program: str


class SeasonSet(_Body, frozen=True):
    """The settings that hold from here on: tables of contest.toml, `season` and `screening`."""

    kind = "season-set"
    settings: dict[str, Any]


AnyBody: TypeAlias = SeasonOpened | SeasonSet

KINDS: dict[str, type[AnyBody]] = {
    body.kind: body
    for body in (
        SeasonOpened,
        SeasonSet,
    )
}


def to_json(body: AnyBody) -> dict[str, Any]:
    """The body as the event has it."""
    plain: dict[str, Any] = msgspec.to_builtins(body)
    return plain


def from_json(kind: str, body: dict[str, Any]) -> AnyBody:
    """Reads a body.

    Raises:
        ValueError: if the kind is unknown or the body is not of its form.
    """
    struct = KINDS.get(kind)
    if struct is None:
        raise ValueError(f"unknown kind of event of a season {kind!r}")
    try:
        return msgspec.convert(body, struct)
    except msgspec.ValidationError as exc:
        raise ValueError(f"the body of a {kind!r} event is not of its form: {exc}") from exc
