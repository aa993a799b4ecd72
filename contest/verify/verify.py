"""Verification of a contest's record: everything is computed again and compared.

`verify` reads the record of a contest's folder, read-only, and makes these checks: chain, heads
(also against the published one), schedule, replay, seals, tally. The files beside it are compared
by `contest.results.published`. A record that is not finished is verified so far; a published one as
far as its events are there. docs/reference/record.md says how to do the same by other means.
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

#: Where a contest's folder keeps the head that was published.
HEAD_FILE = "head.txt"

#: The name of a published record.
EXPORT = "events.jsonl"

_HEAD = re.compile(r"[0-9a-f]{64}")


def is_head(text: str) -> bool:
    """Whether a text is a head: 64 hex digits, small letters."""
    return _HEAD.fullmatch(text) is not None


def verify(place: Path, head: str | None = None) -> Report:
    """Verifies the record of a contest's folder, or one that was published.

    Arguments:
        place: the contest's folder; or an `events.jsonl`, or a folder with it and no contest.
        head: the contest's head as published, in hex; left out, that of `head.txt` beside the
            record is taken if it is there. If both are there, they have to be the same.

    Returns:
        What was found; a record that is damaged, however, is a finding, not an error.

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
        reading.rows_at(reading.place_of(place), thorough=True)
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
        rows: those of the record, in the order of the events' numbers.
        published: the contest's head as published, or None.
        source: where from, for messages.
        broken: what is wrong with the published head itself.

    Returns:
        What was found.
    """
    chain, contest = Chain(_body_of), ContestCheck()
    for event, body in chain.events(rows):
        contest.take(event, body)
    heads = chain.check_heads(published, source)
    if broken is not None:
        heads.add(broken)
    # Of a record that can't be read at all there is nothing more to say.
    others = contest.checks() if chain.usable else []
    return Report(
        checks=(chain.check(), heads, *others),
        events=chain.read,
        head="" if chain.head == GENESIS else chain.head,
        finished=chain.finished,
        redacted=chain.redacted,
    )


def _body_of(event: Event) -> AnyBody | None:
    """The body of an event; None where all of it is withheld, and of a season's, which
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
    return None, Fault(f"{file.name} holds no head: 64 hex digits")


# A record as it was published


def exported_file(place: Path) -> Path | None:
    """The published record that a path means.

    Arguments:
        place: such a file, by whatever name with the ending `.jsonl`; or a folder that holds one
            by its own name, and no contest.

    Returns:
        The file, or None if the path means something else.
    """
    if place.is_file():
        return place if place.suffix == ".jsonl" else None
    file = place / EXPORT
    is_contest = any((place / name).exists() for name in (SETTINGS_FILE, RECORD_FILE))
    return file if file.is_file() and not is_contest else None


def _exported_rows(file: Path) -> Iterator[Row]:
    """The events of a published record, in the order of its lines, as rows of a database.

    A line that says the same in another form than the canonical one gives a row whose body is not
    canonical either.

    Raises:
        RecordTrouble: if the file can't be read, or a line is not an event.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield _row(line)
                except (ValueError, RecursionError) as exc:
                    raise RecordTrouble(f"{file.name}, line {number}: {exc}") from exc
    except OSError as exc:
        raise RecordTrouble(f"{file}: can't be read ({exc.strerror or exc})") from exc


def _row(line: bytes) -> Row:
    event = json.loads(line)
    names = set(event) if isinstance(event, dict) else set()
    if names | {"redacted"} != set(Row._fields) or event.get("redacted", True) is not True:
        raise ValueError(f"this is not an event: {', '.join(Row._fields)}")
    try:
        is_canonical = f"{canonical_text(event)}\n".encode() == line
        body = canonical_text(event["body"]) + " " * (not is_canonical)
    except (ValueError, RecursionError):
        body = json.dumps(event["body"])  # has no canonical form, as the check will say
    return Row(**{**event, "body": body})
