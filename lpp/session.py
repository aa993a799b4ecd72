"""One side of a talk over a communications directory, without any I/O.

The session is told what listings hold and when removals are done; it says which key presses are
new, which names to create, and which to remove. It has no disk, clock, thread or log, so the
asyncio channel, a blocking façade and the tests are shells around it.

The rules that it keeps, each found to be needed by measurement or by real programs:

1. A listing can have holes. While a writer makes keys in order, one listing can hold key n and
   lack an earlier one. So a shell lists twice, and `receive` takes from the second listing only
   what is not above the highest number of the first: a conforming writer is sequential and the
   second listing began later, so up to there it is whole.
2. A listing can hold a name twice. Names are a set.
3. A name is taken once: it is remembered until its removal is confirmed. Afterwards the same
   name is a new key press of a writer that repeats itself.
4. Key presses come in the order of their numbers, equal numbers in the order of their text. A
   number that is not above the last one taken is a writer that started again, or breaks rule
   2.A.a: its keys are delivered all the same, with the breach on record.
5. A side's own names are not its business: only the other side's are read and removed.
6. Whatever is no key press is left alone, and reported once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lpp.errors import SequenceExhausted
from lpp.keypress import WIDTH, KeyPress, Side, parse
from lpp.violations import Rule, Violation

#: Names that are no key presses and have been reported; beyond that they are only counted, so
#: that a hostile program can't fill our memory with them.
STRANGE_NAMES_KEPT = 1000


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
    """

    def __init__(self, side: Side, last_number: int = -1) -> None:
        self.side = side
        self.last_number = last_number
        self.last_received = -1
        self._last_raw = ""
        self._awaiting_removal: set[str] = set()
        self._strange: set[str] = set()
        self.strange_names = 0

    # Writing

    def press(self, key: str) -> KeyPress:
        """The key press to create next.

        Arguments:
            key: a key name.

        Returns:
            The key press; its directory's name is `raw`.

        Raises:
            SequenceExhausted: if no number of ten digits is left.
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

    # Reading

    def highest_new(self, names: Iterable[str]) -> int | None:
        """What the first of two listings is for.

        Arguments:
            names: the first listing.

        Returns:
            The highest number among key presses of the other side that were not taken yet, or
            None if there is none and no second listing is needed.
        """
        highest = None
        for name in names:
            if name in self._awaiting_removal or name in self._strange:
                continue
            parsed = parse(name)
            if parsed is None:
                # Needs a look, so that it is reported; nothing is accepted on its account.
                highest = -1 if highest is None else highest
            elif parsed[0].side is not self.side:
                number = parsed[0].number
                highest = number if highest is None else max(highest, number)
        return highest

    def receive(self, names: Iterable[str], up_to: int) -> tuple[list[Received], list[Violation]]:
        """Takes what is new from the second listing.

        Arguments:
            names: the second listing, begun after the first one had ended.
            up_to: what `highest_new` gave for the first.

        Returns:
            The new key presses in their order, each now awaiting removal; and breaches that
            belong to no key press.
        """
        new: list[tuple[KeyPress, tuple[Violation, ...]]] = []
        strays: list[Violation] = []
        for name in set(names):
            if name in self._awaiting_removal or name in self._strange:
                continue
            parsed = parse(name)
            if parsed is None:
                strays.extend(self._report_strange(name))
            elif parsed[0].side is not self.side and parsed[0].number <= up_to:
                new.append(parsed)
        new.sort(key=lambda pair: pair[0])
        received = [Received(press, broken + self._order_breaches(press)) for press, broken in new]
        self._awaiting_removal.update(item.press.raw for item in received)
        return received, strays

    def removed(self, raw: str) -> None:
        """Confirms that a name is gone; from now on the same name would be a new key press."""
        self._awaiting_removal.discard(raw)

    @property
    def awaiting_removal(self) -> frozenset[str]:
        """Names taken and not yet confirmed as gone."""
        return frozenset(self._awaiting_removal)

    def forget_strange(self, listed: Iterable[str]) -> None:
        """Drops from memory the strange names that a listing no longer holds."""
        self._strange.intersection_update(listed)

    def _report_strange(self, name: str) -> list[Violation]:
        self.strange_names += 1
        if len(self._strange) >= STRANGE_NAMES_KEPT:
            return []
        self._strange.add(name)
        return [Violation(Rule.NAME, name, "this is no key press: sequence.keyname.extension")]

    def _order_breaches(self, press: KeyPress) -> tuple[Violation, ...]:
        broken: list[Violation] = []
        if self.last_received >= 0:
            if press.number == self.last_received:
                broken.append(
                    Violation(Rule.UNIQUE, press.raw, f"number {press.number} came before")
                )
            elif press.number < self.last_received:
                broken.append(
                    Violation(
                        Rule.NUMERIC, press.raw, f"{press.number} came after {self.last_received}"
                    )
                )
            elif press.raw <= self._last_raw:
                broken.append(
                    Violation(Rule.LEXICAL, press.raw, f"sorts before {self._last_raw!r}")
                )
        self.last_received = press.number
        self._last_raw = press.raw
        return tuple(broken)
