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
        excluded: why the ballot does not count; empty if it does.
    """

    judge: str
    ranks: tuple[Rank, ...]
    excluded: str = ""

    @classmethod
    def of(
        cls, judge: str, ranks: Mapping[str, int | float | Fraction], excluded: str = ""
    ) -> Self:
        """A ballot from plain values.

        Arguments:
            judge: the judge.
            ranks: for each participant the rank.
            excluded: why it does not count; empty if it does.

        Returns:
            The ballot.
        """
        given = tuple(Rank(name, Fraction(value)) for name, value in ranks.items())
        return cls(judge, given, excluded)


class Status(StrEnum):
    """Whether a ballot counts. A count of what was excluded says nothing: each ballot has one."""

    COUNTED = "counted"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class BallotStatus:
    """What became of a ballot in the tally.

    Arguments:
        judge: whose.
        status: whether it counts.
        reason: why it does not; empty if it does.
        lacking: the participants that it does not rank.
    """

    judge: str
    status: Status
    reason: str
    lacking: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "judge": self.judge,
            "status": str(self.status),
            "reason": self.reason,
            "lacking": list(self.lacking),
        }
