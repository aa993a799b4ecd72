"""What the body of every event is: a struct whose class is the event's kind; and how one is written
and read by a codebook, which is kind to struct."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

_CAPITAL = re.compile("(?<=[a-z])(?=[A-Z])")


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """The details of an event. `kind` says what happened: the name of the class, `SeatJoined` as
    `seat-joined`, unless the class has another."""

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if "kind" not in cls.__dict__:
            cls.kind = _CAPITAL.sub("-", cls.__name__).lower()


class Redactable(Body, frozen=True):
    """A body of which something may have to stay unpublished. It gets a `salt` on record: the hash
    of a withheld event is published, and could be guessed by trying all keys without one."""


def kinds_in(module: Mapping[str, Any]) -> dict[str, type[Body]]:
    """The kinds that a module defines, given its `globals()`: kind to struct."""
    return {
        each.kind: each
        for each in module.values()
        if isinstance(each, type)
        and issubclass(each, Body)
        and each.__module__ == module["__name__"]
    }


def to_json(body: Body) -> dict[str, Any]:
    """The body as the event has it."""
    plain: dict[str, Any] = msgspec.to_builtins(body)
    return plain


def read(kind: str, body: Mapping[str, Any], kinds: Mapping[str, type[Body]]) -> Body:
    """Reads a body.

    Arguments:
        kind: its event's kind.
        body: as the event has it.
        kinds: the codebook.

    Raises:
        ValueError: if the kind is unknown or the body is not of its form.
    """
    struct = kinds.get(kind)
    if struct is None:
        raise ValueError(f"unknown kind of event {kind!r}")
    try:
        return msgspec.convert(body, struct)
    except msgspec.ValidationError as exc:
        raise ValueError(f"the body of a {kind!r} event is not of its form: {exc}") from exc


class Salts:
    """Salts of bodies that may have to be withheld: 128 random bits each.

    They are drawn many at a time. Each drawing is a call of the system, in which the interpreter's
    lock is given away; with thousands of keys a second that is more than making the whole event.
    """

    _BYTES, _MANY = 16, 256

    def __init__(self) -> None:
        self._drawn: list[bytes] = []

    def next(self) -> str:
        """A salt, in hex; none is given twice."""
        if not self._drawn:
            drawn = os.urandom(self._BYTES * self._MANY)
            self._drawn = [drawn[at : at + self._BYTES] for at in range(0, len(drawn), self._BYTES)]
        return self._drawn.pop().hex()
