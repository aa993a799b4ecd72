"""What the body of every event of a season is: a struct whose kind is a constant of its class."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class Body(msgspec.Struct, frozen=True, omit_defaults=True):
    """The details of an event; `kind` says what happened."""

    kind: ClassVar[str]
