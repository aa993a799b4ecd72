"""A talk without a server: its plan, and the contest that runs it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias

from lpp.directory import LocalDirectory
from lpp.errors import UserError
from lpp.wire import Role

if TYPE_CHECKING:
    from judge_console.client import SeatClient

#: The longest talk, in minutes.
LONGEST_TALK = 999.0

Sides: TypeAlias = Literal["as-given", "random"]
Which: TypeAlias = Literal["left", "right"]


class SameDirectory(UserError):
    """The judge's two directories are the same."""


@dataclass(frozen=True, slots=True)
class DeskPlan:
    """A talk without a server; made by `of`.

    Attributes:
        role: the role of the person at this console.
        left, right: the judge's communications directories; `right` is empty for practice with one
            partner. A confederate has only `left`.
        minutes: how long the talk lasts; 0 means no limit.
        sides: whether the entities are on the sides given, or on random ones.
        human: the directory that is the human's, for the record.
        record: the directory for the record; empty for none.
    """

    role: Role = "judge"
    left: str = ""
    right: str = ""
    minutes: float = 25.0
    sides: Sides = "as-given"
    human: Which = "right"
    record: str = ""

    @classmethod
    def of(cls, role: Role, directories: Sequence[Path], **more: Any) -> Self:
        """A talk over one or two communications directories.

        Arguments:
            role: the role of the person at this console.
            directories: the left one, or the only one, and optionally the right one.
            more: other attributes; a confederate's talk has no limit unless `minutes` is given.

        Raises:
            BadDirectory: a directory can't be used.
            SameDirectory: both are the same directory, possibly through a link.
        """
        for path in directories:
            LocalDirectory(path).check()
        if len(directories) > 1 and os.path.samefile(*directories):
            raise SameDirectory("left and right must be two different directories")
        if role == "confederate":
            more = {"minutes": 0.0, **more}
        left, right = (*(str(path.absolute()) for path in directories), "")[:2]
        return cls(role, left, right, **more)


class Desk(Protocol):
    """A contest of one pairing without a server, made by the command that opens the console."""

    def seat(self) -> SeatClient:
        """Sets the contest up and returns the person's seat; called in the seat's thread.

        Raises:
            UserError: if a directory or a time can't be used.
            EnvironmentProblem: if the record can't be written.
        """

    def end(self, phase: str) -> None:
        """Ends a phase early, if it is still the current one."""

    def leave(self) -> None:
        """Starts to end the contest; returns at once."""

    def close(self) -> None:
        """Ends the contest and waits until its record is closed."""
