"""Keys of a record as the model has them (`contest.history.views.KeyView`)."""

from __future__ import annotations

from dataclasses import replace

from contest.history.views import KeyView
from contest.record import bodies
from contest.record.events import Event


def key_view(event: Event, body: bodies.Key) -> KeyView:
    """A key press, without the times that come later."""
    return KeyView(
        seq=event.seq,
        mono_ns=event.mono_ns,
        at=event.at,
        author=body.author,
        side=body.side,
        key=body.key,
        n=body.n,
        raw=body.raw,
        rules=tuple(body.rules),
        out_of_phase=body.out_of_phase,
        durable_ns=None,
        shown_ns=None,
    )


def add_times(keys: dict[int, KeyView], times: list[int | None]) -> None:
    """Adds when a key was durable and shown.

    Arguments:
        keys: a talk's keys by their events' numbers; changed here.
        times: `[seq, durable_ns, shown_ns or null]`.

    Raises:
        ValueError: if the times are not of that form.
    """
    match times:
        case [int(seq), int() | None as durable, int() | None as shown]:
            key = keys.get(seq)
            if key is not None:
                keys[seq] = replace(
                    key,
                    durable_ns=key.durable_ns if durable is None else durable,
                    shown_ns=key.shown_ns if shown is None else shown,
                )
        case _:
            raise ValueError("the times of a key are [seq, durable, shown]")
