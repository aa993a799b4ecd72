"""Verification of a contest's record: everything is recomputed and compared.

`verify` reads the record of a contest's folder, read-only, and makes these checks: chain, heads
(also against the published one), schedule, replay, seals, tally. `contest.results.published`
compares the files beside it. An unfinished record is verified up to its last event; a published one
as far as its events are not redacted. docs/reference/record.md says how to verify a record without
this program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from contest.errors import RecordTrouble
from contest.record import bodies, reading, season
from contest.record.bodies import AnyBody
from contest.record.events import GENESIS, Event
from contest.record.reading import Row
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.verify.chain import Chain, canonical_text
from contest.verify.contest import ContestCheck
from contest.verify.findings import Fault, Report

#: The file in a contest's folder that holds the published head.
HEAD_FILE = "head.txt"

#: The name of a published record.
EXPORT = "events.jsonl"

_HEAD = re.compile(r"[0-9a-f]{64}")


def is_head(text: str) -> bool:
    """Whether a text is a head: 64 hex digits in lower case."""
    return _HEAD.fullmatch(text) is not None


def verify(place: Path, head: str | None = None) -> Report:
    """Verifies the record of a contest's folder, or a published record.

    Arguments:
        place: the contest's folder; or an `events.jsonl`, or a folder that holds one and no
            contest.
        head: the contest's head as published, in hex. If left out, the one in `head.txt` beside the
            record is used if there is one; if both are given, they must agree.

    Returns:
        The findings. A damaged record is a finding, not an error.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
    """
    source = HEAD_FILE
    published, broken = _published((place if place.is_dir() else place.parent) / HEAD_FILE)
    if head is not None:
        source, beside, published = "--head", published, head.strip().lower()
        if beside not in (None, published):
            broken = Fault(f"{HEAD_FILE} has {beside}, --head {published}")
    file = exported_file(place)
    rows = (
        reading.read_rows(reading.url_of(place), thorough=True)
        if file is None
        else _exported_rows(file)
    )
    return verify_rows(rows, published, source, broken)


def verify_rows(
    rows: Iterable[Row],
    published: str | None = None,
    source: str = "--head",
    broken: Fault | None = None,
) -> Report:
    """Verifies the rows of a record.

    Arguments:
        rows: the record's rows, in the order of the events' numbers.
        published: the contest's head as published, or None.
        source: where that head came from, for messages.
        broken: what is wrong with the published head itself.

    Returns:
        The findings.
    """
    chain, contest = Chain(_body_of), ContestCheck()
    for event, body in chain.events(rows):
        contest.take(event, body)
    heads = chain.check_heads(published, source)
    if broken is not None:
        heads.add(broken)
    return Report(
        checks=(chain.check(), heads, *contest.checks()),
        events=chain.read,
        head="" if chain.head == GENESIS else chain.head,
        finished=chain.finished,
        redacted=chain.redacted,
    )


def _body_of(event: Event) -> AnyBody | None:
    """The body of an event; None if it is withheld, or is a season's, which
    `contest.screening.verify` reads."""
    if event.kind in season.KINDS or (event.redacted and event.talk is not None):
        return None
    return bodies.from_json(event.kind, event.body)


def _published(file: Path) -> tuple[str | None, Fault | None]:
    try:
        head = file.read_text("ascii", "replace").strip().lower()
    except FileNotFoundError:
        return None, None
    except OSError as exc:
        return None, Fault(f"{file.name} can't be read ({exc})")
    if is_head(head):
        return head, None
    return None, Fault(f"{file.name} does not contain a head (64 hex digits)")


# Published records


def exported_file(place: Path) -> Path | None:
    """The published record at a path.

    Arguments:
        place: the file, with any name that ends in `.jsonl`; or a folder that holds an
            `events.jsonl` and no contest.

    Returns:
        The file, or None if there is no published record there.
    """
    if place.is_file():
        return place if place.suffix == ".jsonl" else None
    file = place / EXPORT
    is_contest = any((place / name).exists() for name in (SETTINGS_FILE, RECORD_FILE))
    return file if file.is_file() and not is_contest else None


def _exported_rows(file: Path) -> Iterator[Row]:
    """The events of a published record, in the order of its lines, as rows of a database.

    A line that is not in canonical form gives a row whose body is not canonical either.

    Raises:
        RecordTrouble: if the file can't be read, or a line is not an event.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield _row(line)
                except json.JSONDecodeError as exc:
                    at = f"line {number}, byte {exc.pos + 1}"
                    raise RecordTrouble(f"{file.name}, {at}: not JSON ({exc.msg})") from exc
                except (ValueError, RecursionError) as exc:
                    raise RecordTrouble(f"{file.name}, line {number}: {exc}") from exc
    except OSError as exc:
        raise RecordTrouble(f"{file}: can't be read ({exc.strerror or exc})") from exc


def _row(line: bytes) -> Row:
    event = json.loads(line)
    names = set(event) if isinstance(event, dict) else set()
    if names | {"redacted"} != set(Row._fields) or event.get("redacted", True) is not True:
        raise ValueError(f"this is not an event; its fields are not {', '.join(Row._fields[:-1])}")
    try:
        is_canonical = f"{canonical_text(event)}\n".encode() == line
        body = canonical_text(event["body"]) + " " * (not is_canonical)
    except (ValueError, RecursionError):
        body = json.dumps(event["body"])  # it has no canonical form, which the check will report
    return Row(**{**event, "body": body})
