"""Where recordings come from: a file, or the folder of a contest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lpp.recording import Recording, load, of_events

if TYPE_CHECKING:
    from contest.record.logs import EventLog

#: A folder that holds one of these is a contest's.
_OF_A_CONTEST = ("contest.toml", "record.db")


def recording_from(place: Path, talk: str | None) -> Recording:
    """Reads a recording.

    Arguments:
        place: a log in the form of 2012, an `events.jsonl`, or a contest's folder.
        talk: which talk of a record, such as `1.1.J1.left`; may be None if there is but one.

    Raises:
        YoursToFix: as `lpp.recording.load`, or if the folder's record can't be read.
    """
    if not any((place / name).exists() for name in _OF_A_CONTEST):
        return load(place, talk)
    from contest.history.publication import Published
    from contest.record import reading

    # What people agreed to holds here too: a replay is made to be shown.
    return of_events(_lines(Published(reading.log(place)), talk), str(place), talk)


def _lines(log: EventLog, talk: str | None) -> Iterator[tuple[int, bytes]]:
    """The events by number, as lines of an `events.jsonl`; the keys of other talks are left out."""
    from contest.record.events import canonical

    talks = []
    for event in log.events(keys=False):
        yield event.seq, canonical(event.as_json()) + b"\n"
        if event.talk is not None and event.talk not in talks:
            talks.append(event.talk)
    chosen = talks[0] if talk is None and len(talks) == 1 else talk
    if chosen is not None:
        others = {event.seq for event in log.events(chosen, keys=False)}
        for event in log.events(chosen):
            if event.seq not in others:
                yield event.seq, canonical(event.as_json()) + b"\n"
