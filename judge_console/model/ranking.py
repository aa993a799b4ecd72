"""The judge's final ranking, as it is put in order.

An order with ties is a list of groups: those of one group share their places. Who shares first and
second place has rank one and a half, and so on: the middle of the places that are shared, so that
the ranks of n participants always add up to n(n+1)/2, as the tally expects of a full ballot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from judge_console.model.decision import Form
from lpp.wire import Place, Ranks, RankThese, Saved

#: A talk of this judge's: round, attempt, place.
Met: TypeAlias = tuple[int, int, Place]


class Row(NamedTuple):
    """A participant in the order.

    Attributes:
        label: who.
        place: from 1; who share one have the same, and the next one's counts them all (1, 2, 2, 4).
        shared: whether others have it too.
    """

    label: str
    place: int
    shared: bool


class RankingForm(Form[Ranks]):
    """A ranking of all participants, the most human first.

    Arguments:
        these: whom to rank; the order begins as they are given.

    Attributes:
        met: label to the judge's talks under it.
        ties: whether some may share a place.
    """

    def __init__(self, these: RankThese) -> None:
        super().__init__()
        self.met: Mapping[str, Sequence[Met]] = these.participants
        self.ties = these.ties
        self._groups = [[label] for label in these.participants]

    # What stands

    @property
    def rows(self) -> list[Row]:
        """All participants, the most human first."""
        rows: list[Row] = []
        for group in self._groups:
            place = len(rows) + 1
            rows += [Row(label, place, len(group) > 1) for label in group]
        return rows

    @property
    def moved(self) -> bool:
        """Whether the order is another one than that in which they were given."""
        return [[label] for label in self.met] != self._groups

    def row(self, label: str) -> Row:
        """A participant's row."""
        return next(row for row in self.rows if row.label == label)

    def index(self, label: str) -> int:
        """The index of a participant's row."""
        return [row.label for row in self.rows].index(label)

    # What the judge does; each says whether anything has changed

    def up(self, label: str) -> bool:
        """One place up: over those above, or out of a shared place to its top."""
        at = self._group_of(label)
        return self._put(label, at if len(self._groups[at]) > 1 else at - 1)

    def down(self, label: str) -> bool:
        """One place down: under those below, or out of a shared place to its bottom."""
        at = self._group_of(label)
        return self._put(label, at + 1 if len(self._groups[at]) > 1 else at + 2)

    def drop(self, label: str, gap: int) -> bool:
        """Into a gap between rows.

        Arguments:
            label: who.
            gap: the number of rows above it. Between two that share a place it means to share it.
        """
        order = [row.label for row in self.rows]
        if 0 < gap < len(order):
            above, below = self._group_of(order[gap - 1]), self._group_of(order[gap])
            if above == below:
                return self._join(label, above)
        return self._put(
            label, self._group_of(order[gap]) if gap < len(order) else len(self._groups)
        )

    def share(self, label: str, other: str) -> bool:
        """The place of another one, who keeps it; nothing where ties are not allowed."""
        return label != other and self._join(label, self._group_of(other))

    def share_above(self, label: str) -> bool:
        """The place of those above."""
        at = self._group_of(label)
        return at > 0 and self._join(label, at - 1)

    def split(self, label: str) -> bool:
        """A place of its own, under those with whom it was shared."""
        at = self._group_of(label)
        return len(self._groups[at]) > 1 and self._put(label, at + 1)

    def _join(self, label: str, at: int) -> bool:
        if not self.ties:
            return False
        wanted = [
            [*(other for other in group if other != label), *([label] if number == at else [])]
            for number, group in enumerate(self._groups)
        ]
        if self._group_of(label) == at:
            return False
        return self._order(wanted)

    def _put(self, label: str, before: int) -> bool:
        """A place of its own, before the group of that number."""
        wanted = [[other for other in group if other != label] for group in self._groups]
        wanted.insert(max(0, before), [label])
        return self._order(wanted)

    def _order(self, wanted: list[list[str]]) -> bool:
        wanted = [group for group in wanted if group]
        if not self.can_change or wanted == self._groups:
            return False
        self._groups = wanted
        self._touched()
        return True

    def _group_of(self, label: str) -> int:
        return next(at for at, group in enumerate(self._groups) if label in group)

    # Form

    def message(self) -> Ranks | None:
        """See `Form`."""
        ranks: dict[str, int] = {}
        for group in self._groups:
            first = len(ranks) + 1
            # The middle of first and last place, times two.
            ranks.update(dict.fromkeys(group, first + first + len(group) - 1))
        return Ranks(ranks)

    def said(self, saved: Saved) -> Ranks | None:
        """See `Form`."""
        return None if saved.ranks is None else Ranks(saved.ranks)

    def show(self, message: Ranks) -> None:
        """See `Form`."""
        current = self.message()
        if current == message:
            return  # those who share a place keep the order in which they stand
        known = [label for label in self.met if label in message.ranks]
        known.sort(key=message.ranks.__getitem__)
        self._take([list(group) for _, group in groupby(known, key=message.ranks.__getitem__)])

    def content(self) -> Any:
        """See `Form`."""
        return [list(group) for group in self._groups]

    def take(self, content: Any) -> bool:
        """See `Form`."""
        if not isinstance(content, list) or not all(isinstance(group, list) for group in content):
            return False
        labels = [label for group in content for label in group]
        if not all(isinstance(label, str) for label in labels) or len(set(labels)) < len(labels):
            return False
        self._take(content)
        return True

    def _take(self, groups: list[list[str]]) -> None:
        """An order as it was once: who is not to be ranked any more goes, who is new comes last,
        and where ties are not allowed there are none."""
        kept = [[label for label in group if label in self.met] for group in groups]
        seen = {label for group in kept for label in group}
        kept += [[label] for label in self.met if label not in seen]
        if not self.ties:
            kept = [[label] for group in kept for label in group]
        self._groups = [group for group in kept if group]


def several_attempts(talks: Sequence[Met]) -> bool:
    """Whether a round and place stand there more than once, so that the attempt must be said."""
    return len({(round_, place) for round_, _, place in talks}) < len(talks)
