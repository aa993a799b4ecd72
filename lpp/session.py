"""One side of a talk over a communications directory, without any I/O.

The session is told what listings hold and when removals are done; it says which key presses are
new, which names to create, and which to remove. It has no disk, clock, thread or log, so the
asyncio channel, a blocking façade and the tests are shells around it.

The rules that it keeps, each found to be needed by measurement or by real programs:

1. A listing can have holes: made while a writer works, it can hold key n and lack an earlier one.
   So a shell lists twice, and a `Look` takes from the second listing only what is not above the
   highest number of the first: up to there it is whole. Where the first listing follows on the
   last key press taken without a gap, no key can be missing, and one listing will do.
2. A listing can hold a name twice. Names are a set.
3. A name is taken once: it is remembered until its removal is confirmed. Afterwards the same
   name is a new key press of a writer that repeats itself.
4. Key presses come in the order of their numbers, equal numbers in the order of their text. A
   number that is not above the last one taken is a writer that started again, or breaks rule
   2.A.a: its keys are delivered all the same, with the breach on record.
5. A side's own names are not its business: only the other side's are read and removed.
6. Whatever is not a key press is left alone, and reported once.
7. A look is told and taken in pieces, so that 100,000 names don't hold up others on the same
   thread; of very many new names it gathers only the lowest, so that nobody fills our memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lpp.errors import SequenceExhausted
from lpp.keypress import WIDTH, KeyPress, Rule, Side, Violation, parse, printable

#: Names that are no key presses and are remembered as reported; what is beyond that is reported
#: by one violation for all, so that a hostile program can't fill our memory or the record.
STRANGE_NAMES_KEPT = 1000

#: Ends of strict names that are remembered; the rules know 98 keys, and beyond ASCII are more.
ENDS_KEPT = 1000

#: New key presses that one look gathers, the lowest ones, whenever it has seen twice as many: the
#: rest stay where they are for the next look. A flood costs no more memory than that.
GATHERED = 32_768


@dataclass(frozen=True, slots=True)
class Received:
    """A key press that is new, with the rules that it breaks."""

    press: KeyPress
    violations: tuple[Violation, ...] = ()


class Session:
    """One side's view of one communications directory.

    Arguments:
        side: which side we are; we write its extension and read the other's.
        last_number: the highest sequence number that our side ever issued here, or -1.

    Attributes:
        last_number: the highest sequence number issued so far, or -1.
        last_received: the number of the key press that was taken last, or -1.
        awaiting_removal: names taken and not yet confirmed as gone; what is added here is never
            delivered. Must not be changed between the listings of a look and its end: a name
            that a listing held would come a second time.
    """

    def __init__(self, side: Side, last_number: int = -1) -> None:
        self.side = side
        self.last_number = last_number
        self.last_received = -1
        self._last_raw = ""
        self.awaiting_removal: set[str] = set()
        # What follows the number, to the key: strict names differ in little else, and reading
        # them so takes a third of the time of a parse.
        self._strict: dict[str, str] = {}
        self._strange: set[str] = set()
        self._too_strange = False

    # Writing

    def press(self, key: str) -> KeyPress:
        """The key press to create next.

        Arguments:
            key: a key name.

        Returns:
            The key press; its directory's name is `raw`.

        Raises:
            SequenceExhausted: if no number of ten digits is left.
            ValueError: if the key name can't be in the name of a directory.
        """
        if self.last_number + 1 >= 10**WIDTH:
            raise SequenceExhausted(
                f"the sequence numbers of {WIDTH} digits are used up here: start in a new directory"
            )
        made = KeyPress.make(self.last_number + 1, key, self.side)
        self.last_number += 1
        return made

    def continue_after(self, number: int) -> None:
        """Makes the next number larger than the given one, and than all issued before."""
        self.last_number = max(self.last_number, number)

    def continue_after_left_overs(self, names: Iterable[str]) -> None:
        """Makes the next number larger than those of our side's names that are there.

        Numbers of more than ten digits, as the official judge program wrote them, can't be gone
        on from and are passed over.
        """
        own = f".{self.side.value}"
        for name in names:
            # The other side's may be many thousands: not worth a parse each.
            parsed = parse(name) if name[-len(own) :].lower() == own else None
            if parsed is not None and parsed[0].number < 10**WIDTH:
                self.continue_after(parsed[0].number)

    # Reading

    def look(self) -> Look:
        """Begins a look at what the directory holds; one at a time."""
        return Look(self)

    def _take(self, press: KeyPress, broken: tuple[Violation, ...]) -> Received:
        self.awaiting_removal.add(press.raw)
        order = self._order_breach(press)
        self.last_received = press.number
        self._last_raw = press.raw
        return Received(press, broken if order is None else (*broken, order))

    def _order_breach(self, press: KeyPress) -> Violation | None:
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


class Look:
    """One look at the directory: two listings, and what is new in them.

    Give it the `first` listing, in one piece or in many; if it `needs_second`, the `second` one,
    begun after the first had ended; then `take`.

    Attributes:
        strays: breaches that belong to no key press, found by the listings so far.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: set[str] = set()
        #: Number and name first, by which they are ordered; the key, and the rules it breaks.
        self._new: list[tuple[int, str, str, tuple[Violation, ...]]] = []
        self._highest = -1
        #: Above this, nothing is gathered any more.
        self._limit: tuple[int, str] = (10**40, "")
        self._strange_seen: set[str] = set()
        self.strays: list[Violation] = []

    @property
    def found(self) -> int:
        """How many new key presses the listings so far hold."""
        return len(self._new)

    def first(self, names: Iterable[str]) -> None:
        """Takes a piece of the first listing."""
        self._gather(names, 10**40)

    def needs_second(self) -> bool:
        """Ends the first listing; whether it may have holes, so that a second one is needed."""
        if not self._new:
            return False
        numbers = {number for number, *_ in self._new}
        self._highest = max(numbers)
        last = self._session.last_received
        return len(numbers) != self._highest - last or min(numbers) <= last

    def second(self, names: Iterable[str]) -> None:
        """Takes a piece of the second listing."""
        self._gather(names, self._highest)

    def take(self) -> Iterator[Received]:
        """The new key presses in their order, each taken, and awaiting removal, as it is given.

        What is not asked for is not taken, and will be found by the next look.
        """
        session = self._session
        session._strange &= self._strange_seen
        session._too_strange &= len(session._strange) >= STRANGE_NAMES_KEPT
        heapq.heapify(self._new)
        while self._new:
            number, raw, key, broken = heapq.heappop(self._new)
            yield session._take(KeyPress(number, raw, key, session.side.opposite), broken)

    def _gather(self, names: Iterable[str], highest: int) -> None:
        session, new, seen = self._session, self._new, self._seen
        awaiting, strange, strict = session.awaiting_removal, session._strange, session._strict
        own = f".{session.side.value}"
        for name in names:
            # Our own keys, unread by a slow program, may be thousands: not worth a parse each.
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
                if len(new) >= 2 * GATHERED:
                    self._keep_the_lowest()

    def _keep_the_lowest(self) -> None:
        self._new.sort()
        del self._new[GATHERED:]
        self._limit = self._new[-1][:2]
        self._seen.intersection_update([name for _, name, *_ in self._new])

    def _remember_if_strict(self, press: KeyPress, broken: tuple[Violation, ...]) -> None:
        end = press.raw[WIDTH:]
        strict = self._session._strict
        if not broken and end == f".{press.key}.{press.side.value}" and len(strict) < ENDS_KEPT:
            strict[end] = press.key

    def _report_strange(self, name: str) -> None:
        session = self._session
        if len(session._strange) < STRANGE_NAMES_KEPT:
            session._strange.add(name)
            self._strange_seen.add(name)
            detail = "this is not a key press: sequence.keyname.extension"
        elif not session._too_strange:
            session._too_strange = True
            detail = f"more than {STRANGE_NAMES_KEPT} names are no key presses; no more are told"
        else:
            return
        self.strays.append(Violation(Rule.NAME, printable(name), detail))
