"""Lines that people write into the record: names, reasons."""

from __future__ import annotations

from typing import Any

from contest.errors import BadOrder
from scheduler.texts import shown

#: Characters of a name, and of a command, a note or a reason.
NAME_LIMIT, TEXT_LIMIT = 200, 2000


def one_line(value: Any, limit: int = NAME_LIMIT) -> str:
    """A text on one line, without spaces around it.

    Raises:
        ValueError: if it is none, or longer than `limit`; says what it is instead.
    """
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is no text")
    text = " ".join(value.split())
    if len(text) > limit:
        raise ValueError(f"has {len(text)} characters; {limit} are taken at most")
    if not text.isprintable():
        raise ValueError(f"{shown(text)} holds a character that does not print; remove it")
    return text


def reason_of(text: str, *, needed: bool = True) -> str:
    """A reason as it goes on record.

    Raises:
        BadOrder: if it can't be used, or is missing.
    """
    try:
        reason = one_line(text, TEXT_LIMIT)
    except ValueError as exc:
        raise BadOrder(f"the reason {exc}") from None
    if needed and not reason:
        raise BadOrder("a reason is needed: it goes on record")
    return reason
