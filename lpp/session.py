"""One side of a talk over a communications directory, without any I/O.

The session receives listings and confirmations of removals; it tells which key presses are new, and
which names to create or remove. It has no disk, clock, thread or log. The asyncio channel, the
blocking interface and the tests are shells around it.

Its rules; measurements or real programs have shown that each is necessary:

1. A listing made while a writer works can have gaps: it can contain key n and lack an earlier one.
   So a shell lists twice, and a `Scan` takes from the second listing only numbers up to the highest
   of the first: up to there it is complete. If the first listing continues without a gap from the
   last key press taken, no key can be missing, and one listing is enough.
2. A listing can contain a name twice, so names are kept in a set.
3. A name is taken once, and remembered until its removal is confirmed. After that, the same name is
   a new key press by a writer that reuses names.
4. Key presses are delivered in the order of their numbers, and equal numbers in the order of their
   text. A number that is not above the last one taken means that the writer has restarted, or
   breaks rule 2.A.a. The key is delivered anyway, and the violation is reported.
5. A side reads and removes only the other side's names, and ignores its own.
6. Anything that is not a key press is left alone, and reported once.
7. A scan processes names in batches, so that 100,000 names don't block others on the same thread.
   If there are very many new names, it gathers only the lowest, to limit memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lpp.errors import SequenceExhausted
from lpp.keypress import WIDTH, KeyPress, Rule, Side, Violation, parse, printable

#: The maximum number of remembered names that are not key presses, so that each is reported once.
#: All further ones are reported by one violation, so that a hostile program can't fill the memory
#: or the record.
STRANGE_NAMES_KEPT = 1000

#: The maximum number of remembered suffixes of strict names: the rules define 98 keys; non-ASCII
#: ones are extra.
SUFFIXES_KEPT = 1000

#: Whenever a scan has gathered twice this number of new key presses, it keeps only this number, the
#: lowest; the next scan finds the rest. This limits the memory that a flood can use.
GATHER_LIMIT = 32_768


@dataclass(frozen=True, slots=True)
class Received:
    """A new key press, with the rules that it breaks."""

    press: KeyPress
    violations: tuple[Violation, ...] = ()


class Session:
    """One side's view of one communications directory.

    Arguments:
        side: our side; we write its extension and read the other's.

    Attributes:
        last_number: the highest sequence number issued so far, or -1.
        last_received: the number of the key press taken last, or -1.
        awaiting_removal: names taken and not yet confirmed as gone; names added here are never
            delivered. Don't remove names while a scan is in progress: one that its listing
            contains would be delivered a second time.
    """

    def __init__(self, side: Side) -> None:
        self.side = side
        self.last_number = -1
        self.last_received = -1
        self._last_raw = ""
        self.awaiting_removal: set[str] = set()
        # Maps the part of a strict name after its number to the key. Looking it up takes a third of
        # the time of parsing.
        self._strict: dict[str, str] = {}
        self._strange: set[str] = set()
        self._flood_reported = False

    # Writing

    def press(self, key: str) -> KeyPress:
        """Makes the next key press.

        Arguments:
            key: a key name.

        Returns:
            The key press; create a directory with the name `raw`.

        Raises:
            SequenceExhausted: if no ten-digit number is left.
            ValueError: if the key name can't be part of a directory's name.
        """
        if self.last_number + 1 >= 10**WIDTH:
            raise SequenceExhausted(
                f"all {WIDTH}-digit sequence numbers are used up here: start in a new directory"
            )
        made = KeyPress.make(self.last_number + 1, key, self.side)
        self.last_number += 1
        return made

    def continue_after(self, number: int) -> None:
        """Makes the next number larger than the given one and all issued before."""
        self.last_number = max(self.last_number, number)

    def continue_after_leftovers(self, names: Iterable[str]) -> None:
        """Makes the next number larger than those of our side's existing names.

        Numbers with more than ten digits, such as the official judge program wrote, are ignored,
        because ours can't be larger.
        """
        own = f".{self.side.value}"
        for name in names:
            # The other side may have many thousands: don't parse each of them.
            parsed = parse(name) if name[-len(own) :].lower() == own else None
            if parsed is not None and parsed[0].number < 10**WIDTH:
                self.continue_after(parsed[0].number)

    # Reading

    def scan(self) -> Scan:
        """Begins a scan of the directory; only one at a time."""
        return Scan(self)

    def _take(self, press: KeyPress, broken: tuple[Violation, ...]) -> Received:
        self.awaiting_removal.add(press.raw)
        order = self._order_violation(press)
        self.last_received = press.number
        self._last_raw = press.raw
        return Received(press, broken if order is None else (*broken, order))

    def _order_violation(self, press: KeyPress) -> Violation | None:
        last = self.last_received
        if last < 0:
            return None
        if press.number == last:
            rule, detail = Rule.UNIQUE, f"number {press.number} came before"
        elif press.number < last:
            rule, detail = Rule.NUMERIC, f"{press.number} came after {last}"
        elif press.raw <= self._last_raw:
            rule, detail = Rule.LEXICAL, f"sorts before {printable(self._last_raw)!r}"
        else:
            return None
        return Violation(rule, printable(press.raw), detail)


class Scan:
    """One scan of the directory: finds the new key presses in two listings.

    Pass it the `first` listing, in one or more batches. If it `needs_second`, pass it the `second`
    one, begun after the end of the first. Then `take` the new key presses.

    Attributes:
        strays: violations in the listings so far that belong to no key press.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: set[str] = set()
        #: Number, name (these two give the order), key, and broken rules.
        self._new: list[tuple[int, str, str, tuple[Violation, ...]]] = []
        self._highest = -1
        #: Names above this are not gathered.
        self._limit: tuple[int, str] = (10**40, "")
        self._strange_seen: set[str] = set()
        self.strays: list[Violation] = []

    @property
    def found(self) -> int:
        """The number of new key presses in the listings so far."""
        return len(self._new)

    def first(self, names: Iterable[str]) -> None:
        """Adds a batch of names from the first listing."""
        self._gather(names, 10**40)

    def needs_second(self) -> bool:
        """Ends the first listing; returns whether it may have gaps, so that a second is needed."""
        if not self._new:
            return False
        numbers = {number for number, *_ in self._new}
        self._highest = max(numbers)
        last = self._session.last_received
        return len(numbers) != self._highest - last or min(numbers) <= last

    def second(self, names: Iterable[str]) -> None:
        """Adds a batch of names from the second listing."""
        self._gather(names, self._highest)

    def take(self) -> Iterator[Received]:
        """Yields the new key presses in order, and marks each as taken and awaiting removal.

        Those that the caller doesn't ask for are not taken; the next scan will find them.
        """
        session = self._session
        session._strange &= self._strange_seen
        session._flood_reported &= len(session._strange) >= STRANGE_NAMES_KEPT
        heapq.heapify(self._new)
        while self._new:
            number, raw, key, broken = heapq.heappop(self._new)
            yield session._take(KeyPress(number, raw, key, session.side.opposite), broken)

    def _gather(self, names: Iterable[str], highest: int) -> None:
        session, new, seen = self._session, self._new, self._seen
        awaiting, strange, strict = session.awaiting_removal, session._strange, session._strict
        own = f".{session.side.value}"
        for name in names:
            # A slow program may leave thousands of our own keys unread: don't parse each of them.
            if name.endswith(own) or name in awaiting or name in seen:
                continue
            if name in strange:
                self._strange_seen.add(name)
                continue
            digits = name[:WIDTH]
            key = strict.get(name[WIDTH:])
            broken: tuple[Violation, ...] = ()
            if key is not None and digits.isdecimal() and digits.isascii():
                number = int(digits)
            else:
                parsed = parse(name)
                if parsed is None:
                    self._report_strange(name)
                    continue
                press, broken = parsed
                if press.side is session.side:
                    continue
                number, key = press.number, press.key
                self._remember_if_strict(press, broken)
            if number <= highest and (number, name) < self._limit:
                seen.add(name)
                new.append((number, name, key, broken))
                if len(new) >= 2 * GATHER_LIMIT:
                    self._keep_the_lowest()

    def _keep_the_lowest(self) -> None:
        self._new.sort()
        del self._new[GATHER_LIMIT:]
        self._limit = self._new[-1][:2]
        self._seen.intersection_update([name for _, name, *_ in self._new])

    def _remember_if_strict(self, press: KeyPress, broken: tuple[Violation, ...]) -> None:
        end = press.raw[WIDTH:]
        strict = self._session._strict
        if not broken and end == f".{press.key}.{press.side.value}" and len(strict) < SUFFIXES_KEPT:
            strict[end] = press.key

    def _report_strange(self, name: str) -> None:
        session = self._session
        if len(session._strange) < STRANGE_NAMES_KEPT:
            session._strange.add(name)
            self._strange_seen.add(name)
            detail = "not a key press (sequence.keyname.extension)"
        elif not session._flood_reported:
            session._flood_reported = True
            detail = f"more than {STRANGE_NAMES_KEPT} names are not key presses; omitting the rest"
        else:
            return
        self.strays.append(Violation(Rule.NAME, printable(name), detail))
