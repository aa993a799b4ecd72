"""What judges say: verdicts on pairings, and ballots that rank participants on humanness."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Self

from scheduler.schedule import Pairing


class Choice(StrEnum):
    """The one whom a judge took for the human."""

    ENTRY = "entry"
    CONFEDERATE = "confederate"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict on one pairing.

    Arguments:
        pairing: judge, entry, confederate and round.
        choice: the one taken for the human; None if there is no verdict yet.
        where: the place in a file, for messages.
    """

    pairing: Pairing
    choice: Choice | None
    where: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Rank:
    """One line of a ballot.

    Arguments:
        participant: an entry or a confederate.
        value: its rank, 1 = most human, halves for ties where the judge gave them.
        where: the place in a file, for messages.
    """

    participant: str
    value: Fraction
    where: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Ballot:
    """A judge's ranking at the end of the contest.

    Arguments:
        judge: the judge.
        ranks: the ranks as given.
    """

    judge: str
    ranks: tuple[Rank, ...]

    @classmethod
    def of(cls, judge: str, ranks: Mapping[str, int | float | Fraction]) -> Self:
        """A ballot from plain values.

        Arguments:
            judge: the judge.
            ranks: for each participant the rank.

        Returns:
            The ballot.
        """
        return cls(judge, tuple(Rank(name, Fraction(value)) for name, value in ranks.items()))
