"""Reading a record as it was published: `events.jsonl`, an event a line, some of them redacted.

Gives the same rows as `contest.record.reading` does, for the same checks: who has the file and not
the contest's folder can verify it too.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from contest.errors import RecordTrouble
from contest.record.bodies import OF_KEYS
from contest.record.events import Event, event_from_json
from contest.record.reading import RedactedRow, Row
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.verify.chain import canonical_of_whole

FILE_NAME = "events.jsonl"


def file_of(place: Path) -> Path | None:
    """The published record that a path means.

    Arguments:
        place: such a file, by whatever name with the ending `.jsonl`; or a folder that holds one
            by its own name, and no contest.

    Returns:
        The file, or None if the path means something else.
    """
    if place.is_file():
        return place if place.suffix == ".jsonl" else None
    file = place / FILE_NAME
    is_contest = any((place / name).exists() for name in (SETTINGS_FILE, RECORD_FILE))
    return file if file.is_file() and not is_contest else None


def rows(file: Path) -> Iterator[Row]:
    """The events of a published record, in the order of its lines, as rows of a database.

    A line that says the same in another form than the canonical one gives a row whose body is not
    canonical either.

    Raises:
        RecordTrouble: if the file can't be read, or a line is no event.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield _row(line, f"{file.name}, line {number}")
    except OSError as exc:
        raise RecordTrouble(f"{file}: can't be read ({exc.strerror or exc})") from exc


class FileLog:
    """An `EventLog` of a published record: 16 bytes an event are held, for the places of its lines.

    Arguments:
        file: an `events.jsonl`.
        end: how many of its events are wanted; all if left out.

    Raises:
        RecordTrouble: if the file can't be read, or a line is no event; also later, where an event
            is read.
    """

    def __init__(self, file: Path, end: int | None = None) -> None:
        self._file = file
        self._all = array("q")
        self._others = array("q")
        self._of_talks: dict[str, array[int]] = {}
        place = 0
        for number, line in enumerate(self._lines(), 1):
            if end is not None and number > end:
                break
            event = self._event(line, f"line {number}")
            self._all.append(place)
            if event.talk is None or event.kind not in OF_KEYS:
                self._others.append(place)
            if event.talk is not None:
                self._of_talks.setdefault(event.talk, array("q")).append(place)
            place += len(line)

    def events(self, talk: str | None = None, *, keys: bool = True) -> Iterator[Event]:
        """See `EventLog`."""
        places = self._all if keys else self._others
        if talk is not None:
            places = self._of_talks.get(talk, array("q"))
        for line in self._lines(places):
            event = self._event(line, "a line")
            if keys or event.talk is None or event.kind not in OF_KEYS:
                yield event

    def count(self) -> int:
        """See `EventLog`."""
        return len(self._all)

    def last(self) -> Event | None:
        """See `EventLog`."""
        return next((self._event(x, "the last line") for x in self._lines(self._all[-1:])), None)

    def _lines(self, places: Iterable[int] | None = None) -> Iterator[bytes]:
        try:
            with self._file.open("rb") as file:
                if places is None:
                    yield from file
                    return
                for place in places:
                    file.seek(place)
                    yield file.readline()
        except OSError as exc:
            raise RecordTrouble(f"{self._file}: can't be read ({exc.strerror or exc})") from exc

    def _event(self, line: bytes, place: str) -> Event:
        try:
            return event_from_json(line)
        except (ValueError, RecursionError) as exc:
            raise RecordTrouble(f"{self._file.name}, {place}: {exc}") from exc


def _row(line: bytes, place: str) -> Row:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise RecordTrouble(f"{place}: this is no JSON ({exc})") from exc
    names = set(event) if isinstance(event, dict) else set()
    if names - {"redacted"} != set(Row._fields) or event.get("redacted", True) is not True:
        raise RecordTrouble(f"{place}: this is no event: {', '.join(Row._fields)}, or redacted")
    kind = RedactedRow if event.pop("redacted", False) else Row
    return kind(**{**event, "body": _body(line, event, kind is RedactedRow)})


def _body(line: bytes, event: dict[str, Any], redacted: bool) -> str:
    whole = {**event, "redacted": True} if redacted else event
    try:
        is_canonical = canonical_of_whole(whole) + b"\n" == line
        text = canonical_of_whole(event["body"]).decode()
    except (ValueError, RecursionError):
        return json.dumps(event["body"])  # has no canonical form, as the check will say
    return text if is_canonical else f"{text} "
