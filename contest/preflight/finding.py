"""Words of the pre-flight: how a thing is, what was found, and what to do about it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from scheduler.texts import plain

if TYPE_CHECKING:
    from contest.preflight.ground import Ground


class Level(enum.Enum):
    """How a thing is: ready; worth a look; a contest can't be held so."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a check has seen.

    Attributes:
        level: how it is.
        found: what was found, in words.
        remedy: what to do about it; empty where nothing is to be done.
        of: whom it is about, such as `E1`; empty where the check is about one thing only.
    """

    level: Level
    found: str
    remedy: str = ""
    of: str = ""


def green(found: str, *, of: str = "") -> Seen:
    """All is well."""
    return Seen(Level.GREEN, found, "", of)


def yellow(found: str, remedy: str, *, of: str = "") -> Seen:
    """A contest can be held, but this is worth a look."""
    return Seen(Level.YELLOW, found, remedy, of)


def red(found: str, remedy: str, *, of: str = "") -> Seen:
    """No contest can be held so."""
    return Seen(Level.RED, found, remedy, of)


Look: TypeAlias = "Callable[[Ground], Iterable[Seen]]"


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        id: its identifier, for programs.
        what: what it looks at, for people.
        look: looks, and tells what it has seen: nothing where the thing is not there.
        settings: whether it is of use only with settings that can be read.
        joint: what stands between `what` and whom it is about.
    """

    id: str
    what: str
    look: Look
    settings: bool = True
    joint: str = "of"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the pre-flight.

    Attributes:
        id: the check's, with whom it is about, as in `start/E1`.
        level: how it is.
        what: what was looked at.
        found: what was found.
        remedy: what to do; empty where nothing is to be done.
    """

    id: str
    level: Level
    what: str
    found: str
    remedy: str = ""

    @classmethod
    def of(cls, check: Check, seen: Seen) -> Finding:
        """The line of what a check has seen. Names and paths in it are text and nothing else."""
        return cls(
            f"{check.id}/{seen.of}" if seen.of else check.id,
            seen.level,
            plain(f"{check.what} {check.joint} {seen.of}" if seen.of else check.what),
            plain(" ".join(seen.found.split())),
            plain(" ".join(seen.remedy.split())),
        )

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "id": self.id,
            "level": self.level.value,
            "what": self.what,
            "found": self.found,
            "remedy": self.remedy,
        }
