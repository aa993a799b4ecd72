"""The judges' verdicts on pairings, and their ballots, which rank participants by humanness; reads
both from CSV or JSON.

Reading finds faults within a line. :func:`scheduler.tally` finds faults that involve several lines,
such as two verdicts for one pairing, or a name in no pairing, and names their places, too.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import groupby
from typing import Self

from scheduler.documents import Node, load_json, read_table
from scheduler.errors import BadInput
from scheduler.formats import LIST_COLUMNS, pairing_of
from scheduler.schedule import Pairing
from scheduler.texts import in_order, shown

VERDICT_COLUMNS = (*LIST_COLUMNS, "verdict")
"""The columns of a table of verdicts."""

RANKING_COLUMNS = ("judge", "participant", "rank")
"""The columns of a table of rankings."""

EXCLUDED = "excluded"
"""An optional column or key of rankings, which says why the judge's ballot doesn't count."""

_RANK = re.compile(r"[+-]?[0-9]{1,6}(\.[0-9]{1,6})?")


class Choice(StrEnum):
    """Which of the two a judge took for the human."""

    ENTRY = "entry"
    CONFEDERATE = "confederate"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's verdict on one pairing.

    Arguments:
        pairing: judge, entry, confederate and round.
        choice: who was taken for the human; None if there is no verdict yet.
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
        value: the rank, 1 = most human; may be a half rank for a tie.
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
        """Makes a ballot from plain values.

        Arguments:
            ranks: the rank of each participant.
            excluded: why it does not count; empty if it does.
        """
        given = tuple(Rank(name, Fraction(value)) for name, value in ranks.items())
        return cls(judge, given, excluded)

    @classmethod
    def merged(
        cls, judge: str, given: Mapping[str, Sequence[Fraction]], excluded: str = ""
    ) -> Self:
        """Makes a ballot in which a participant may have several ranks, because the judge met that
        participant under several labels. The mean of these ranks counts. Then all participants are
        ranked again by their means, low ones first; equal ones share the mean of their ranks.

        Arguments:
            judge: the judge.
            given: the ranks of each participant.
            excluded: why it does not count; empty if it does.
        """
        ranks = {who: sum(given[who], Fraction(0)) / len(given[who]) for who in in_order(given)}
        if any(len(each) > 1 for each in given.values()):
            means, place = dict(ranks), 0
            for _, same in groupby(sorted(ranks, key=means.__getitem__), key=means.__getitem__):
                sharing = list(same)
                ranks.update(dict.fromkeys(sharing, place + Fraction(len(sharing) + 1, 2)))
                place += len(sharing)
        return cls.of(judge, ranks, excluded)


@dataclass(frozen=True, slots=True)
class BallotStatus:
    """The status of a ballot in the tally.

    Arguments:
        judge: the judge.
        reason: why the ballot doesn't count; empty if it does.
        lacking: the participants that it doesn't rank.
    """

    judge: str
    reason: str
    lacking: tuple[str, ...]

    @property
    def status(self) -> str:
        """Whether the ballot counts: ``counted`` or ``excluded``."""
        return "excluded" if self.reason else "counted"

    def as_json(self) -> dict[str, object]:
        """The status as JSON."""
        return {
            "judge": self.judge,
            "status": self.status,
            "reason": self.reason,
            "lacking": list(self.lacking),
        }


def read_verdicts(text: str, source: str = "verdicts") -> list[Verdict]:
    """Reads verdicts.

    Arguments:
        text: CSV with the columns ``round,judge,entry,confederate,verdict``, or JSON: a list of
            objects with these keys, or an object that contains it under ``verdicts``. The verdict
            is ``entry`` or ``confederate``, the one taken for the human; empty or null means that
            there is no verdict yet.

    Returns:
        The verdicts in the order of the text.

    Raises:
        BadInput: the text has a fault; the error names its line and field, or path.
    """
    held = _document("verdicts", text, source)
    nodes = held.items() if held else _rows(text, VERDICT_COLUMNS, source)
    return [Verdict(pairing_of(node), _choice(node.at("verdict")), node.where) for node in nodes]


def read_rankings(text: str, source: str = "rankings") -> list[Ballot]:
    """Reads rankings.

    Arguments:
        text: CSV with the columns ``judge,participant,rank``, or JSON: a list of objects with
            these keys, an object ``{"J1": {"E1": 1, ...}, ...}``, or an object that contains one of
            them under ``rankings``. An optional column or key ``excluded``, in any of a judge's
            lines, says why the ballot doesn't count.

    Returns:
        One ballot per judge, in the order in which the judges first appear.

    Raises:
        BadInput: the text has a fault; the error names its line and field, or path.
    """
    ballots: dict[str, list[Rank]] = {}
    excluded: dict[str, list[str]] = {}
    for judge, rank, why in _ranks(text, source):
        ballots.setdefault(judge, []).append(rank)
        reasons = excluded.setdefault(judge, [])
        if why and why not in reasons:
            reasons.append(why)
    return [
        Ballot(judge, tuple(ranks), "; ".join(excluded[judge])) for judge, ranks in ballots.items()
    ]


def _ranks(text: str, source: str) -> Iterable[tuple[str, Rank, str]]:
    """Yields each line of the ballots: the judge, the rank, and why the ballot doesn't count."""
    held = _document("rankings", text, source)
    if held is not None and isinstance(held.value, dict):
        for judge, ranks in held.fields().items():
            for name, rank in ranks.fields().items():
                participant = replace(rank, value=name).id()
                ranked = Rank(participant, _rank(rank), rank.where)
                yield replace(ranks, value=judge).id(), ranked, ""
        return
    for node in held.items() if held else _rows(text, RANKING_COLUMNS, source, (EXCLUDED,)):
        ranked = Rank(node.at("participant").id(), _rank(node.at("rank")), node.where)
        why = node.fields().get(EXCLUDED, Node(""))
        reason = why.value or ""
        if not isinstance(reason, str):
            raise why.error(
                f"{shown(reason)} is not a reason; say in words why the ballot doesn't count"
            )
        yield node.at("judge").id(), ranked, reason.strip()


def _document(key: str, text: str, source: str) -> Node | None:
    """The value under a key in a JSON text, if it is an object with ``verdicts`` or ``rankings``;
    else the whole document, which may be a list or ballots. None for a CSV table."""
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if not start:
        raise BadInput("is empty", source=source)
    if start not in "[{" and not source.casefold().endswith(".json"):
        return None
    document, keys = load_json(text, source), ("verdicts", "rankings")
    if isinstance(document, dict) and (key == "verdicts" or set(document) & set(keys)):
        node = Node(document, source)
        node.table(keys)
        return node.at(key)
    return Node(document, source, key)


def _rows(
    text: str, columns: Sequence[str], source: str, optional: Sequence[str] = ()
) -> list[Node]:
    rows = read_table(text, columns, source, optional)
    return [Node(cells, source, line=line) for line, cells in rows]


def _choice(node: Node) -> Choice | None:
    if node.value is None or node.value == "":
        return None
    text = node.value.strip() if isinstance(node.value, str) else ""
    if text not in list(Choice):
        raise node.error(
            f"{shown(node.value)} is not a verdict; write entry or confederate (who was taken "
            "for the human), or leave it empty"
        )
    return Choice(text)


def _rank(node: Node) -> Fraction:
    # Always as text: a binary floating-point number would not be exact.
    value = node.value
    text = str(value).strip() if isinstance(value, str | int) else ""
    if isinstance(value, bool) or not _RANK.fullmatch(text):
        raise node.error(f"{shown(value)} is not a rank; write a number such as 1 or 2.5")
    return Fraction(text)
