"""What the conductor may expect of a link, whichever machine the entry's directory is on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from contest.talks.exchange import Talk


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """How a link does now.

    Attributes:
        entry: the entry's id.
        here: whether keys can go both ways, and the directory was emptied for the talk.
        waiting: keys of the judge that are not yet made in the directory.
        standing: keys of the judge that stand there unread.
        oldest: seconds that the oldest of them stands, as far as is known.
        delay: seconds that a frame needs to the entry's machine and back, the middle one of the
            last measurements; None where none was made, 0 on this machine.
    """

    entry: str
    here: bool
    waiting: int
    standing: int
    oldest: float
    delay: float | None


class Link(Protocol):
    """A link between the hub and one entry's communications directory."""

    entry: str

    @property
    def here(self) -> bool:
        """Whether a talk can begin."""

    @property
    def unread(self) -> int:
        """Keys of the judge that wait to be made."""

    async def prepare(self) -> None:
        """Empties the directory before a talk; what stood there goes on record.

        Waits for no one: what can't be emptied for the moment is not `here` until it is, or goes
        on record as trouble.
        """

    def join(self, talk: Talk) -> None:
        """From now on the entry sits at this talk."""

    def leave(self) -> None:
        """The talk is over for the entry; what it types from now on is no part of any."""

    def status(self) -> LinkStatus:
        """How it does now."""


def status_of(links: Mapping[str, Link], entry: str) -> LinkStatus:
    """How the link of an entry does: away where there is none, as in a contest that is over and
    only shown.

    Arguments:
        links: entry id to its link.
        entry: the entry's id.
    """
    link = links.get(entry)
    if link is not None:
        return link.status()
    return LinkStatus(entry, here=False, waiting=0, standing=0, oldest=0.0, delay=None)
