"""A judge's earlier talks, to be read again before a verdict or a ranking."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from contest.record.bodies import talk_id
from contest.state.phases import Phase
from contest.talks.exchange import Talk
from contest.talks.seat import NotTaken, Seat, Status
from lpp import wire

#: Nobody reads earlier talks while others are on: the judge's eyes belong to these.
_ON = (Phase.INTERACTION, Phase.PAUSED)
#: What the frame needs beside its keys, in bytes: far more than it ever is.
_MARGIN = 1024


def past(seat: Seat, frame: wire.Read, talks: Mapping[str, Talk], status: Status) -> wire.Past:
    """An earlier talk of a judge, whichever attempt, once its round is closed.

    Arguments:
        seat: who wants to read it.
        frame: which.
        talks: all talks of the contest so far.
        status: what the contest is doing now.

    Returns:
        The keys that were shown, and nothing that tells with whom it was. Of a talk that is too
        long for a frame, as many of the first keys as fit.

    Raises:
        NotTaken: if this seat has no such talk, or it is not over, or others are on.
    """
    if status.phase in _ON:
        raise NotTaken("no-talk", "earlier talks can be read when the interaction is over")
    talk = talks.get(talk_id(frame.round, frame.attempt, seat.id, frame.place))
    if talk is None or talk.open:
        raise NotTaken("no-talk", "this seat has no such talk that is over")
    return wire.Past(frame.round, frame.attempt, frame.place, _keys(talk))


def _keys(talk: Talk) -> list[tuple[int, wire.Author, str]]:
    keys: list[tuple[int, wire.Author, str]] = []
    room = wire.SNAPSHOT_LIMIT - _MARGIN
    for at_ns, (author, key) in zip(talk.shown_ns, talk.shown, strict=True):
        row = ((at_ns - talk.shown_ns[0]) // 1_000_000, author, key)
        room -= len(msgspec.json.encode(row)) + 1
        if room < 0:
            break
        keys.append(row)
    return keys
