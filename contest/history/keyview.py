"""The keys of a talk as the model has them (`contest.history.views.KeyView`)."""

from __future__ import annotations

import datetime as dt
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import overload

from contest.history.views import KeyView
from contest.record import bodies
from contest.record.bodies import Author, Place
from contest.record.events import Event

#: Stands for a time that is not on record; no time of a record is as low.
_NONE = -(2**63)


class TalkKeys(Sequence[KeyView]):
    """The keys of a talk in the order of the record, in a quarter of the room that as many
    `KeyView`s would take: a talk may be very long."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._received = array("q")
        # Real time, in microseconds since 1970.
        self._at = array("q")
        self._durable = array("q")
        self._shown = array("q")
        # All but times and number: few keys differ in it from all others.
        self._kinds: dict[_Rest, _Rest] = {}
        self._rest: list[_Rest] = []
        self._n = array("q")
        self._raw: list[str | None] = []

    def take(self, event: Event, body: bodies.Key) -> None:
        """Takes a key press, without the times that come later.

        Raises:
            ValueError: if a number is none that a record may hold.
        """
        rest = (body.author, body.side, body.key, tuple(body.rules), body.out_of_phase)
        try:
            self._n.append(body.n)
            self._received.append(event.mono_ns)
            self._at.append(_microseconds(event.at))
            self._numbers.append(event.seq)
        except OverflowError as exc:
            raise ValueError("a number is beyond 2**53") from exc
        self._rest.append(self._kinds.setdefault(rest, rest))
        self._raw.append(body.raw)
        self._durable.append(_NONE)
        self._shown.append(_NONE)

    def add_times(self, times: list[int | None]) -> None:
        """Adds when a key was durable and shown.

        Arguments:
            times: `[seq, durable_ns, shown_ns or null]`.

        Raises:
            ValueError: if the times are not of that form.
        """
        seq, durable, shown = times_of(times)
        at = bisect_left(self._numbers, seq)
        if at == len(self._numbers) or self._numbers[at] != seq:
            return
        try:
            if durable is not None:
                self._durable[at] = durable
            if shown is not None:
                self._shown[at] = shown
        except OverflowError as exc:
            raise ValueError("a number is beyond 2**53") from exc

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[KeyView]:
        return map(self._key, range(len(self)))

    @overload
    def __getitem__(self, at: int) -> KeyView: ...

    @overload
    def __getitem__(self, at: slice) -> list[KeyView]: ...

    def __getitem__(self, at: int | slice) -> KeyView | list[KeyView]:
        if isinstance(at, slice):
            return [self._key(each) for each in range(len(self))[at]]
        return self._key(range(len(self))[at])

    def _key(self, at: int) -> KeyView:
        author, side, key, rules, out_of_phase = self._rest[at]
        durable, shown = self._durable[at], self._shown[at]
        return KeyView(
            self._numbers[at],
            self._received[at],
            self._at[at],
            author,
            side,
            key,
            self._n[at],
            self._raw[at],
            rules,
            out_of_phase,
            None if durable == _NONE else durable,
            None if shown == _NONE else shown,
        )


_Rest = tuple[Author, Place, str, tuple[str, ...], str | None]


def _microseconds(at: str) -> int:
    since = dt.datetime.fromisoformat(at) - dt.datetime.fromtimestamp(0, dt.UTC)
    return since // dt.timedelta(microseconds=1)


def times_of(times: list[int | None]) -> tuple[int, int | None, int | None]:
    """A key's number, and when it was durable and shown.

    Raises:
        ValueError: if the times are not of the form of `contest.record.bodies.Times`.
    """
    match times:
        case [int(seq), int() | None as durable, int() | None as shown]:
            return seq, durable, shown
        case _:
            raise ValueError("the times of a key are [seq, durable, shown]")
