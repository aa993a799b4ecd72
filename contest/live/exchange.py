"""What those who sit at a talk may expect of whatever carries the keys: the seam of the hub.

Seats and links know an `Exchange` and its talks and nothing else of the hub. In a server of one
process it is the hub itself (contest.live.hub). Where several processes serve one contest, each has
its own exchange that carries keys to the one that has the hub and the record, and back; the
contract is the same, and so are its tests (tests/contract/test_exchange.py):

1. **Durable before heard.** No listener hears a key, and `on_durable` is not called, before the key
   is in the record.
2. **Taken once.** A person's key is known by its number: one that was taken already, or that leaves
   one out, is refused and changes nothing. Each `press` that was not refused becomes one event,
   however often it travels.
3. **One order a talk.** All listeners of a talk hear its keys in the order of the record, without a
   gap and none twice; so does whoever begins to listen later, after what `shown` gives.
4. **Judged where it is written.** Time of receipt and phase are those of the process that has the
   record: what came too late by its clock is too late, whatever others believe.
5. **Nothing of others.** What happens in a talk is heard in that talk only.
6. **One form.** A key is heard under one name, whoever pressed it and however it was spelt
   (`lpp.names.shown_as`), so that no name tells a program. A key that types nothing is recorded
   and confirmed, and not shown: nobody else hears of it, no entry gets it, and it has no number
   among the shown ones.

docs/explanation/capacity.md says when more than one process is of use, and what a carrier such as
NATS JetStream has to do for this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from contest.record.bodies import Author
from contest.state.model import Talk


@dataclass(frozen=True, slots=True)
class Durable:
    """A key that is in the record.

    Attributes:
        author: who pressed it.
        key: the name that all others get, `lpp.names.shown_as`; the name as it came where it is
            not shown.
        n: its author's own number.
        shown: its number among this author's shown keys, from 1; None if it is not to be shown:
            it is out of phase, or types nothing.
    """

    author: Author
    key: str
    n: int
    shown: int | None


Listener: TypeAlias = Callable[[Talk, Durable], None]


class Exchange(Protocol):
    """Carries keys from who presses them to the record, and to who is to see them."""

    @property
    def talks(self) -> Mapping[str, Talk]:
        """All talks that were opened, by their ids, in the order of their opening."""

    @property
    def paused(self) -> bool:
        """Whether the clock of the interaction stands still."""

    def listen(self, talk: Talk, listener: Listener) -> None:
        """Has each key of a talk told from now on, when it is durable; all who listen hear it one
        after another, in their order."""

    def silence(self, talk: Talk) -> None:
        """Nobody listens to a talk any more."""

    def shown(self, talk: Talk) -> list[tuple[Author, str]]:
        """(author, name that others get) of all that is durable and to be shown, in order."""

    def durable(self, talk: Talk, author: Author) -> int:
        """The highest own number of an author that is durable."""

    def press(
        self,
        talk: Talk,
        author: Author,
        actor: str,
        key: str,
        n: int,
        *,
        raw: str | None = None,
        rules: Sequence[str] = (),
        on_durable: Callable[[], None] | None = None,
    ) -> bool:
        """A key comes in.

        Arguments:
            talk: where.
            author: which of the two sides.
            actor: the seat's or entry's id.
            key: the key's name.
            n: the author's own number. People's numbers count from 1 without gaps and are their
                identity; an entry's are those of its directory.
            raw: the directory's name, for an entry.
            rules: the rules of the protocol that it breaks.
            on_durable: called when it is in the record.

        Returns:
            Whether it was taken in; a person's key is not if its number was taken already, or
            does not follow the last one.
        """

    def seen(self, talk: Talk, author: Author, shown: int) -> None:
        """The other side has this author's shown keys up to that number before it: a screen has
        drawn them, or a directory holds them."""
