"""Verification of a season's record: everything is computed anew and compared."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from contest.errors import ContestError
from contest.record import reading
from contest.record.events import GENESIS, Event
from contest.record.store import sqlite_url
from contest.screening.bodies import FORMAT, AnyBody, SeasonOpened, from_json
from contest.screening.season import FILE_NAME
from contest.screening.verifying.entries import EntriesCheck
from contest.screening.verifying.marks import MarksCheck
from contest.screening.verifying.past import OWN, Past
from contest.screening.verifying.ranking import RankingCheck
from contest.screening.verifying.sittings import SittingsCheck
from contest.verification.chain import Chain
from contest.verification.findings import Check, Faults, Report, quoted

#: A clock's reading is rounded to nanoseconds on its way from a float.
_SLACK_NS = 1000


def verify(folder: Path) -> Report | None:
    """Verifies the record of a season.

    Arguments:
        folder: the contest's folder.

    Returns:
        What was found, None where no season was begun there; a record that is damaged is a finding,
        not an error.

    Raises:
        LaterRecord: if a later version of this program made the record.
    """
    file = folder / FILE_NAME
    if not file.is_file():
        return None
    url = sqlite_url(file)
    return verify_rows(reading.rows_at(url, thorough=True), _sealed(url), folder)


def verify_rows(
    rows: Iterable[reading.Row], sealed: Mapping[str, Any], folder: Path | None = None
) -> Report:
    """Verifies the rows of a season's record.

    Arguments:
        rows: what stands in the record, in the order of the events' numbers.
        sealed: what is sealed beside the chains: name to value.
        folder: the contest's, against which the finalists are held; None for no contest.

    Returns:
        What was found.
    """
    chain = Chain(_body_of, OWN)
    past, times = Past(), _Times()
    ranking = RankingCheck(past, folder)
    checks = (EntriesCheck(past), SittingsCheck(past), MarksCheck(past, sealed), ranking)
    for event, body in chain.events(rows):
        if not times.take(event, body):
            continue
        for check in checks:
            check.take(event, body)
        past.take(event, body)
    others = [check.check() for check in checks] if chain.usable else []
    return Report(
        checks=(chain.check(), times.check(), *others),
        events=chain.read,
        head="" if chain.head == GENESIS else chain.head,
        finished=ranking.finished,
    )


class _Times:
    """The beginning, and the times of all events."""

    def __init__(self) -> None:
        self._faults = Faults(OWN)
        self._last_ns = 0
        self._days: list[dt.datetime] = []
        self._opened = False

    def take(self, event: Event, body: AnyBody) -> bool:
        """Takes the next event, and says whether anything can be computed from it."""
        if isinstance(body, SeasonOpened) == self._opened:
            what = "the season was opened before" if self._opened else "the season was not opened"
            self._faults.at(event, what)
        self._opened = True
        if isinstance(body, SeasonOpened) and not 1 <= body.format <= FORMAT:
            self._faults.at(event, f"its format is {body.format}; this program knows {FORMAT}")
        if event.mono_ns < self._last_ns - _SLACK_NS:
            self._faults.at(event, "the season's clock ran back to it")
        self._last_ns = max(self._last_ns, event.mono_ns)
        try:
            self._days.append(dt.datetime.fromisoformat(event.at))
        except ValueError:
            self._faults.at(event, f"its time {quoted(event.at)} is none")
            return False
        return True

    def check(self) -> Check:
        """What was found."""
        said = "no event"
        if self._days:
            said = f"from {min(self._days):%Y-%m-%d} to {max(self._days):%Y-%m-%d}"
        return self._faults.check("times", said)


def _body_of(event: Event) -> AnyBody:
    return from_json(event.kind, event.body)


def _sealed(url: str) -> dict[str, Any]:
    """What is sealed beside the chains; nothing where it can't be read, which the look through the
    database says."""
    try:
        return {name: json.loads(value) for name, value in reading.sealed_at(url).items()}
    except (ContestError, ValueError, TypeError, RecursionError):
        return {}
