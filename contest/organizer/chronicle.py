"""What has happened in a running contest, key presses left out: the log, and the results as far as
they go."""

from __future__ import annotations

from typing import Any

import scheduler
from contest.history import timeline
from contest.history.tallying import tally_of
from contest.record import bodies
from contest.record.events import Event
from contest.state.incidents import in_words

#: Where the body of an event names somebody or some place.
_WHO = ("seat", "judge", "entity", "entry", "where")


class Chronicle:
    """Keeps events.

    Attributes:
        events: in the order of the record, without key presses and their times: a contest has some
            hundreds of them.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []

    def log(self, kind: str = "", who: str = "", last: int = 50) -> list[dict[str, Any]]:
        """What has happened.

        Arguments:
            kind: only events of this kind.
            who: only what this person, entry or place did, or what concerns it.
            last: how many at most, the latest ones.

        Returns:
            Of each event `seq`, `at`, `talk`, `actor`, `kind`, `words` (empty where it is no
            incident) and `body`.
        """
        found: list[dict[str, Any]] = []
        for event in reversed(self.events):
            if len(found) == last:
                break
            if (kind and event.kind != kind) or (who and not _concerns(event, who)):
                continue
            told = in_words(event, bodies.from_json(event.kind, event.body))
            body = {name: value for name, value in event.body.items() if name != "salt"}
            found.append(
                {"seq": event.seq, "at": event.at, "talk": event.talk, "actor": event.actor}
                | {"kind": event.kind, "words": "" if told is None else told[1], "body": body}
            )
        return found[::-1]

    def tally(self) -> dict[str, Any]:
        """The results as far as they go: the `tally` as `loebner tally --json` has it, and the
        places in `words`.

        Raises:
            RecordTrouble: if what is on record can't be tallied.
        """
        tally = tally_of(timeline.read(self.events))
        return {"tally": tally.as_json(), "words": list(scheduler.explain_places(tally))}


def _concerns(event: Event, who: str) -> bool:
    if who in (event.actor, event.talk):
        return True
    return any(event.body.get(name) == who for name in _WHO)
