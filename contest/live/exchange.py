"""The contract between the hub and its users, which are the seats and the links.

Seats and links know only an `Exchange` and its talks. In a server of one process, the exchange is
the hub itself (contest.live.hub). If several processes serve one contest, each has its own
exchange, which carries keys to and from the process with the hub and the record. The contract and
its tests (tests/contract/test_exchange.py) stay the same:

1. **Durable first.** No listener receives a key, and `on_durable` is not called, before the key is
   in the record.
2. **Accepted once.** A person's key is identified by its number. A number that was accepted
   already, or that skips one, is refused and changes nothing. Each accepted `press` becomes exactly
   one event, however often it is sent.
3. **One order per talk.** All listeners of a talk receive its keys in the order of the record,
   without gaps or repetitions. A listener that starts later continues after the keys of `shown`.
4. **Judged where it is written.** The process with the record sets the time of receipt and the
   phase: a key that is too late by its clock is too late, whatever other clocks say.
5. **Separate talks.** Listeners of a talk receive only that talk's keys.
6. **One form.** All listeners get the same name for a key, regardless of its author and its
   spelling (`lpp.names.shown_as`), so that no name reveals a program. A key that types nothing is
   recorded and confirmed, but not shown: nobody else receives it, no entry gets it, and it has no
   number among the shown keys.

docs/explanation/capacity.md says when several processes are useful, and what a message system such
as NATS JetStream must do for them.
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
        key: the name that all others receive, from `lpp.names.shown_as`; for a key that is not
            shown, the name as received.
        n: the author's number for the key.
        shown: its number among this author's shown keys, from 1; None if it is not shown, because
            it is out of phase or types nothing.
    """

    author: Author
    key: str
    n: int
    shown: int | None


Listener: TypeAlias = Callable[[Talk, Durable], None]


class Exchange(Protocol):
    """Carries keys from their authors to the record and to the other sides."""

    @property
    def talks(self) -> Mapping[str, Talk]:
        """All talks that were opened, by id, in the order in which they were opened."""

    @property
    def paused(self) -> bool:
        """Whether the interaction is paused."""

    def listen(self, talk: Talk, listener: Listener) -> None:
        """Adds a listener for each further key of a talk, once it is durable. Listeners are called
        in the order in which they were added."""

    def remove_listeners(self, talk: Talk) -> None:
        """Removes all listeners of a talk."""

    def shown(self, talk: Talk) -> list[tuple[Author, str]]:
        """The author, and the name that others receive, of each durable key that is shown, in
        order."""

    def durable(self, talk: Talk, author: Author) -> int:
        """The highest durable key number of an author."""

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
        """Accepts or refuses a key.

        Arguments:
            talk: the talk.
            author: which of the two sides pressed it.
            actor: the seat's or entry's id.
            key: the key's name.
            n: the author's number for the key. A person's numbers count from 1 without gaps, and
                identify the keys; an entry's are those of its directory.
            raw: for an entry, the directory's name.
            rules: the protocol's rules that the key breaks.
            on_durable: called once the key is in the record.

        Returns:
            Whether it was accepted. A person's key is refused if its number was taken already, or
            does not follow the last one.
        """

    def seen(self, talk: Talk, author: Author, shown: int) -> None:
        """Notes that the other side has this author's shown keys up to this number: drawn on a
        screen, or in a directory."""
