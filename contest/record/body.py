"""What the body of every event is: a struct whose kind is a constant of its class; and how one is
written and read by a codebook, which is kind to struct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import msgspec

_B = TypeVar("_B", bound="Body")


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """The details of an event; `kind` says what happened."""

    kind: ClassVar[str]


def to_json(body: Body) -> dict[str, Any]:
    """The body as the event has it."""
    plain: dict[str, Any] = msgspec.to_builtins(body)
    return plain


def read(kind: str, body: Mapping[str, Any], kinds: Mapping[str, type[_B]], event: str) -> _B:
    """Reads a body.

    Arguments:
        kind: its event's kind.
        body: as the event has it.
        kinds: the codebook.
        event: what its events are called in messages.

    Raises:
        ValueError: if the kind is unknown or the body is not of its form.
    """
    struct = kinds.get(kind)
    if struct is None:
        raise ValueError(f"unknown kind of {event} {kind!r}")
    try:
        return msgspec.convert(body, struct)
    except msgspec.ValidationError as exc:
        raise ValueError(f"the body of a {kind!r} event is not of its form: {exc}") from exc
