"""Rooms, in which people and programs hold a dialogue: what a seat sees, and what it answers.

A discipline asks its seats in turn. It does not know who sits there: a person in a browser, a
script, or a provider.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias


class Call(NamedTuple):
    """A function that a seat calls, and the arguments by name."""

    name: str
    arguments: Mapping[str, Any]


#: What a seat answers: a message, or the call of a function.
Turn: TypeAlias = str | Call


class View(NamedTuple):
    """What a seat sees.

    Attributes:
        title: what the room is about, in a few words.
        messages: what was said so far and this seat may see: who, and the text.
        panels: what stands beside the dialogue: a label, and its lines.
        functions: the functions that this seat may call instead of saying something, as tools of a
            chat endpoint.
    """

    title: str
    messages: Sequence[tuple[str, str]]
    panels: Sequence[tuple[str, Sequence[str]]] = ()
    functions: Sequence[Mapping[str, Any]] = ()


class Seat(Protocol):
    """A place in a room."""

    def ask(self, view: View, seconds: float | None = None) -> Turn | None:
        """Has the seat take its turn, and waits for it.

        Arguments:
            view: what it sees.
            seconds: for how long it may think; None for as long as it takes.

        Returns:
            Its turn, or None if it took too long.

        Raises:
            ItemFailed: if it can't answer.
            Surroundings: if it can't be reached now, but perhaps later.
        """

    def show(self, view: View) -> None:
        """Shows the seat something while others have the turn."""
