"""Reading a record as it was published: `events.jsonl`, an event a line, some of them redacted.

Gives the same rows as `contest.record.reading` does, for the same checks: who has the file and not
the contest's folder can verify it too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contest.errors import RecordTrouble
from contest.record.reading import Row
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
        RecordTrouble: if the file can't be read, or a line is not an event.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield _row(line, f"{file.name}, line {number}")
    except OSError as exc:
        raise RecordTrouble(f"{file}: can't be read ({exc.strerror or exc})") from exc


def _row(line: bytes, place: str) -> Row:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise RecordTrouble(f"{place}: this is not JSON ({exc})") from exc
    names = set(event) if isinstance(event, dict) else set()
    if names | {"redacted"} != set(Row._fields) or event.get("redacted", True) is not True:
        raise RecordTrouble(f"{place}: this is not an event: {', '.join(Row._fields)}")
    return Row(**{**event, "body": _body(line, event)})


def _body(line: bytes, event: dict[str, Any]) -> str:
    try:
        is_canonical = canonical_of_whole(event) + b"\n" == line
        text = canonical_of_whole(event["body"]).decode()
    except (ValueError, RecursionError):
        return json.dumps(event["body"])  # has no canonical form, as the check will say
    return text if is_canonical else f"{text} "
