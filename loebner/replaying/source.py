"""Where recordings come from: a file, or the folder of a contest."""

from __future__ import annotations

from pathlib import Path

from lpp.recording import Recording, load, of_events

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
    from contest.history.publication import publishable
    from contest.record import reading
    from contest.record.events import canonical

    # What people agreed to holds here too: a replay is made to be shown.
    events = publishable(reading.events(place))
    data = b"".join(canonical(event.as_json()) + b"\n" for event in events)
    return of_events(data, str(place), talk)
