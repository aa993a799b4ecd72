"""What judges say: verdicts on pairings, and ballots that rank participants on humanness; and how
both are read from CSV or JSON.

Reading finds what is wrong in a line. What is wrong between lines, such as two verdicts for one
pairing or a name in no pairing, is found by :func:`scheduler.tally`, with the same places.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Self

from scheduler.documents import id_at, list_at, load_json, object_at, round_at
from scheduler.errors import BadInput, place
from scheduler.formats import LIST_COLUMNS, pairing_of
from scheduler.schedule import Pairing
from scheduler.tables import read_table
from scheduler.texts import id_problem, near, shown

VERDICT_COLUMNS = (*LIST_COLUMNS, "verdict")
"""The columns of a table of verdicts."""

RANKING_COLUMNS = ("judge", "participant", "rank")
"""The columns of a table of rankings."""

EXCLUDED = "excluded"
"""A further column of rankings, and key of their objects: why the judge's ballot does not count."""

_RANK = re.compile(r"[+-]?[0-9]{1,6}(\.[0-9]{1,6})?")


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


def read_verdicts(text: str, source: str = "verdicts") -> list[Verdict]:
    """Reads verdicts.

    Arguments:
        text: CSV with the columns ``round,judge,entry,confederate,verdict``, or JSON: a list of
            objects with these keys, or an object that has it under ``verdicts``. The verdict is
            ``entry`` or ``confederate``, the one taken for the human; empty or null means that
            there is none yet.
        source: the name to use in messages.

    Returns:
        The verdicts in the order of the text.

    Raises:
        BadInput: with line and field, or path, of the fault.
    """
    if not _is_json(text, source):
        return [
            Verdict(
                pairing_of(row),
                _choice(row.cells["verdict"], source, row.line, "verdict"),
                place(source, row.line),
            )
            for row in read_table(text, VERDICT_COLUMNS, source)
        ]
    document = load_json(text, source)
    verdicts = []
    for i, item in enumerate(_listed(document, "verdicts", source)):
        path = f"verdicts[{i}]"
        held = object_at(item, path, source)
        if "verdict" not in held:
            raise BadInput("is missing", source=source, field=f"{path}.verdict")
        pairing = Pairing(
            round_at(held.get("round"), f"{path}.round", source),
            *(id_at(held, kind, path, source) for kind in LIST_COLUMNS[1:]),
        )
        choice = _choice(held["verdict"], source, None, f"{path}.verdict")
        verdicts.append(Verdict(pairing, choice, place(source, None, path)))
    return verdicts


def read_rankings(text: str, source: str = "rankings") -> list[Ballot]:
    """Reads rankings.

    Arguments:
        text: CSV with the columns ``judge,participant,rank``, or JSON: a list of objects with
            these keys, an object ``{"J1": {"E1": 1, ...}, ...}``, or an object that has one of
            them under ``rankings``. A further column or key ``excluded`` says, in any of a
            judge's lines, why the ballot does not count.
        source: the name to use in messages.

    Returns:
        A ballot a judge, in the order in which the judges first appear.

    Raises:
        BadInput: with line and field, or path, of the fault.
    """
    given = (
        _json_ranks(load_json(text, source), source)
        if _is_json(text, source)
        else _table_ranks(text, source)
    )
    ballots: dict[str, list[Rank]] = {}
    excluded: dict[str, list[str]] = {}
    for judge, rank, why in given:
        ballots.setdefault(judge, []).append(rank)
        reasons = excluded.setdefault(judge, [])
        if why and why not in reasons:
            reasons.append(why)
    return [
        Ballot(judge, tuple(ranks), "; ".join(excluded[judge])) for judge, ranks in ballots.items()
    ]


def exclude(ballots: Iterable[Ballot], reasons: Mapping[str, str]) -> list[Ballot]:
    """Ballots of which some do not count.

    Arguments:
        ballots: one a judge.
        reasons: judge to why the ballot does not count.

    Returns:
        The ballots, those named excluded.

    Raises:
        BadInput: a judge has given no ballot, or a reason is empty.
    """
    given = list(ballots)
    judges = [ballot.judge for ballot in given]
    for judge, reason in reasons.items():
        if judge not in judges:
            raise BadInput(f"there is no ballot of {shown(judge)}{near(judge, judges)}")
        if not reason.strip():
            raise BadInput(f"say why the ballot of {judge} does not count")
    return [replace(b, excluded=reasons.get(b.judge, "").strip() or b.excluded) for b in given]


def has_rankings(text: str, source: str = "verdicts") -> bool:
    """Whether a text with verdicts holds the rankings, too.

    Arguments:
        text: CSV or JSON.
        source: the name to use in messages.

    Returns:
        True for a JSON object that has the key ``rankings``.
    """
    if not _is_json(text, source):
        return False
    document = load_json(text, source)
    return isinstance(document, dict) and "rankings" in document


def _table_ranks(text: str, source: str) -> Iterable[tuple[str, Rank, str]]:
    for row in read_table(text, RANKING_COLUMNS, source, (EXCLUDED,)):
        value = _rank(row.cells["rank"], source, row.line, "rank")
        rank = Rank(row.id("participant"), value, place(source, row.line))
        yield row.id("judge"), rank, row.cells[EXCLUDED]


def _json_ranks(document: object, source: str) -> Iterable[tuple[str, Rank, str]]:
    held = document
    if isinstance(document, dict) and ("rankings" in document or "verdicts" in document):
        held = _under(document, "rankings", source)
    if isinstance(held, dict):
        for judge, ranks in held.items():
            for name, value in object_at(ranks, f"rankings.{judge}", source).items():
                path = f"rankings.{judge}.{name}"
                for text in (judge, name):
                    if problem := id_problem(text.strip()):
                        raise BadInput(problem, source=source, field=path)
                exact = _rank(value, source, None, path)
                yield judge.strip(), Rank(name.strip(), exact, place(source, None, path)), ""
        return
    for i, item in enumerate(list_at(held, "rankings", source)):
        path = f"rankings[{i}]"
        line = object_at(item, path, source)
        name = id_at(line, "participant", path, source)
        if "rank" not in line:
            raise BadInput("is missing", source=source, field=f"{path}.rank")
        exact = _rank(line["rank"], source, None, f"{path}.rank")
        why = line.get(EXCLUDED) or ""
        if not isinstance(why, str):
            raise BadInput(
                f"{shown(why)} is no reason; say in words why the ballot does not count",
                source=source,
                field=f"{path}.{EXCLUDED}",
            )
        rank = Rank(name, exact, place(source, None, path))
        yield id_at(line, "judge", path, source), rank, why.strip()


def _is_json(text: str, source: str) -> bool:
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if not start:
        raise BadInput("is empty", source=source)
    return start in "[{" or source.casefold().endswith(".json")


def _listed(document: object, key: str, source: str) -> list[object]:
    held = _under(document, key, source) if isinstance(document, dict) else document
    return list_at(held, key, source)


def _under(document: Mapping[str, object], key: str, source: str) -> object:
    known = ("verdicts", "rankings")
    if unknown := next((name for name in document if name not in known), None):
        raise BadInput(f"the key {shown(unknown)} is unknown{near(unknown, known)}", source=source)
    if key not in document:
        raise BadInput("is missing", source=source, field=key)
    return document[key]


def _choice(value: object, source: str, line: int | None, field: str) -> Choice | None:
    if value is None or value == "":
        return None
    text = value.strip() if isinstance(value, str) else ""
    if text not in list(Choice):
        raise BadInput(
            f"{shown(value)} is no verdict; write entry or confederate, the one taken for the "
            "human, or leave it empty",
            source=source,
            line=line,
            field=field,
        )
    return Choice(text)


def _rank(value: object, source: str, line: int | None, field: str) -> Fraction:
    # As text throughout: a number that passed through binary floating point is not exact.
    text = str(value).strip() if isinstance(value, str | int) else ""
    if isinstance(value, bool) or not _RANK.fullmatch(text):
        raise BadInput(
            f"{shown(value)} is no rank; write a number such as 1 or 2.5",
            source=source,
            line=line,
            field=field,
        )
    return Fraction(text)
