"""One talk at a desk without a server: what is durable, what is shown, and when that was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judge_console.model.desknotes import KeyNote, Side, Times
from lpp import wire
from lpp.wire import Author, Place

#: A session is one round, and there is no second attempt at it.
ROUND, ATTEMPT = 1, 1


@dataclass
class DeskTalk:
    """A talk, as a server's hub would hold it.

    Attributes:
        place: where the seat has it.
        begun: whether the judge has pressed a first key that types something.
        accepted: the highest own number of who sits here that was taken in.
        durable: the same of what is on record.
        shown: (author, name by `lpp.names.shown_as`) of all that is durable and to be shown, in
            order.
    """

    place: Place
    begun: bool = False
    accepted: int = 0
    durable: int = 0
    shown: list[tuple[Author, str]] = field(default_factory=list)
    # Of each author the shown keys' ids, and how many of them stand before the other side.
    _ids: dict[Author, list[int]] = field(default_factory=lambda: {"judge": [], "entity": []})
    _seen: dict[Author, int] = field(default_factory=lambda: {"judge": 0, "entity": 0})
    # Id to when durable and when seen, in nanoseconds, until that is noted.
    _times: dict[int, tuple[int, int | None]] = field(default_factory=dict)

    @property
    def side(self) -> Side:
        """Where the entity sits, in the record."""
        return side_of(self.place)

    def snapshot(self) -> wire.Talk:
        """All that stands in the talk, for the seat."""
        return wire.Talk(ROUND, ATTEMPT, self.place, list(self.shown), self.durable)

    def show(self, note: KeyNote, name: str | None, now: float) -> int:
        """A key is durable, and is to be shown if it types anything.

        Arguments:
            note: the key press.
            name: under which it is shown; None for a key that types nothing.
            now: seconds of the desk's clock.

        Returns:
            Its number among its author's shown keys, from 1.
        """
        self._times[note.id] = (ns(now), None)
        if name is not None:
            self.shown.append((note.author, name))
            self._ids[note.author].append(note.id)
        return len(self._ids[note.author])

    def seen(self, author: Author, upto: int, now: float) -> None:
        """This author's shown keys up to a number stand before the other side: on a screen, or in
        a directory."""
        ids, before = self._ids[author], self._seen[author]
        for id_ in ids[before:upto]:
            if id_ in self._times:
                self._times[id_] = (self._times[id_][0], ns(now))
        self._seen[author] = max(before, min(upto, len(ids)))

    def take_times(self, *, everything: bool) -> Times | None:
        """The times of keys that have been seen, once.

        Arguments:
            everything: also of keys that nobody has seen yet.

        Returns:
            A note for the record; None if there are none.
        """
        ripe = {id_: row for id_, row in self._times.items() if everything or row[1] is not None}
        for id_ in ripe:
            del self._times[id_]
        rows = tuple((id_, durable, shown) for id_, (durable, shown) in ripe.items())
        return Times(self.side, rows) if rows else None


def talk_at(talks: Iterable[DeskTalk], side: Side) -> DeskTalk:
    """The talk at a side of the record."""
    return next(talk for talk in talks if talk.side == side)


def side_of(place: Place) -> Side:
    """The record's side of a place: a confederate's only one is the left."""
    return "right" if place == "right" else "left"


def ns(seconds: float) -> int:
    """Nanoseconds, as the record counts."""
    return round(seconds * 1e9)
