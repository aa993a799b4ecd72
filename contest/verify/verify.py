"""Verification of a contest's record: everything is computed again and compared.

`verify` reads the record of a contest's folder, read-only, and makes these checks: chain, heads
(also against the published one), schedule, replay, seals, tally. The files beside it are compared
by `contest.results.published`. A record that is not finished is
verified as far as it goes; a published one as far as its events are there. docs/reference/record.md
says how to do the same by other means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from contest.record import bodies, reading, season
from contest.record.bodies import AnyBody
from contest.record.events import GENESIS, Event
from contest.verify import exported
from contest.verify.chain import Chain
from contest.verify.contest import ContestCheck
from contest.verify.findings import Check, Fault, Report

#: Where a contest's folder keeps the head that was published.
HEAD_FILE = "head.txt"

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
    file = exported.file_of(place)
    rows = (
        reading.rows_at(reading.place_of(place), thorough=True)
        if file is None
        else exported.rows(file)
    )
    return verify_rows(rows, published, source, broken)


def verify_rows(
    rows: Iterable[reading.Row],
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
        heads = Check(heads.name, heads.summary, (*heads.faults, broken), heads.more)
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
        text = file.read_bytes()
    except FileNotFoundError:
        return None, None
    except OSError as exc:
        return None, Fault(f"{file.name} can't be read ({exc})")
    head = text.decode("ascii", "replace").strip().lower()
    if not is_head(head):
        return None, Fault(f"{file.name} holds no head: 64 hex digits")
    return head, None
