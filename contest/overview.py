"""What the organizer sees of a running contest, as documents for programs: its state, and whether
the next round can begin."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from contest import bodies
from contest.conductor import Conductor
from contest.course import in_words
from contest.entrylink import EntryLink
from contest.events import Event
from contest.incidents import in_words as incident_in_words
from contest.links.link import Link
from contest.programs import Program
from contest.settings import EntryTable
from scheduler import Pairing

#: The latest incidents that are told; the record has them all.
INCIDENTS = 50


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether something that the next round needs is ready.

    Attributes:
        what: such as `seat J1` or `entry E1`.
        ok: whether it is.
        words: what was found, and where it is not ready what to do.
    """

    what: str
    ok: bool
    words: str

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"what": self.what, "ok": self.ok, "words": self.words}


class Overview:
    """Looks at a running contest.

    Arguments:
        conductor: plays it.
        links: entry id to its link.
        programs: entry id to its program, of those that the server has started.
    """

    def __init__(
        self,
        conductor: Conductor,
        links: Mapping[str, Link],
        programs: Mapping[str, Program],
    ) -> None:
        self._conductor = conductor
        self._links = links
        self._programs = programs
        self._incidents: deque[dict[str, Any]] = deque(maxlen=INCIDENTS)

    def event(self, event: Event) -> None:
        """Takes an event that is durable, to tell incidents."""
        if event.talk is not None:
            return  # nothing in a talk is an incident, and keys are many
        told = incident_in_words(event, bodies.from_json(event.kind, event.body))
        if told is not None:
            self._incidents.append(
                {"seq": event.seq, "at": event.at, "kind": event.kind}
                | {"who": told[0], "what": told[1]}
            )

    def status(self) -> dict[str, Any]:
        """Where the contest is, with seats, entries and the latest incidents."""
        conductor = self._conductor
        status = conductor.status()
        return {
            "contest": conductor.settings.contest.name,
            "phase": status.phase.value,
            "words": in_words(status, conductor.waits),
            "round": status.round,
            "attempt": status.attempt,
            "rounds": len(conductor.schedule.rounds),
            "remaining": None if status.remaining is None else round(status.remaining, 1),
            "reason": status.reason,
            "waits_for_start": conductor.waits,
            "next": _next(conductor),
            "seats": [
                {"seat": seat.id, "role": seat.role, "here": seat.outlet is not None}
                for seat in conductor.seats.seats.values()
            ],
            "entries": [self._entry(entry) for entry in conductor.settings.entry],
            "incidents": list(self._incidents),
        }

    def check(self) -> list[Readiness]:
        """Whether all that the next round, or the ranking, needs is ready."""
        coming = self._conductor.coming
        if coming is None:
            judges = [judge.id for judge in self._conductor.settings.judge]
            return [self._seat(judge) for judge in judges]
        pairings = self._conductor.schedule.rounds[coming[0] - 1]
        seats = [each for p in pairings for each in (p.judge, p.confederate)]
        order = list(self._conductor.seats.seats)
        return [
            *(self._seat(seat) for seat in sorted(seats, key=order.index)),
            *(self._link(pairing) for pairing in sorted(pairings, key=lambda p: p.entry)),
        ]

    def _entry(self, entry: EntryTable) -> dict[str, Any]:
        status = self._conductor.status()
        talk = next(
            (
                talk
                for talk in self._conductor.hub.talks.values()
                if (talk.round, talk.attempt, talk.entity)
                == (status.round, status.attempt, entry.id)
            ),
            None,
        )
        link = self._links[entry.id].status()
        return {
            "entry": entry.id,
            "name": entry.name,
            "here": link.here,
            "program": self._program(entry.id),
            "waiting": link.waiting,
            "unread": link.standing,
            "oldest_unread": round(link.oldest, 1),
            "delay": link.delay,
            "talk": None if talk is None else talk.id,
            "keys": 0 if talk is None else len(talk.seqs["entity"]),
        }

    def _program(self, entry: str) -> str | None:
        program = self._programs.get(entry)
        if program is None:
            return None
        return "running" if program.running else "ended"

    def _seat(self, seat: str) -> Readiness:
        here = self._conductor.seats.seats[seat].outlet is not None
        words = "a console is here" if here else "no console is here: seat somebody"
        return Readiness(f"seat {seat}", here, words)

    def _link(self, pairing: Pairing) -> Readiness:
        what, link = f"entry {pairing.entry}", self._links[pairing.entry]
        if isinstance(link, EntryLink) and not os.access(link.directory, os.W_OK):
            return Readiness(what, False, f"its directory can't be written: {link.directory}")
        if not link.status().here:
            return Readiness(what, False, "its link is not here: start `loebner link` beside it")
        if self._program(pairing.entry) == "ended":
            words = f"its program has ended: see logs/{pairing.entry}.log, and restart it"
            return Readiness(what, False, words)
        running = ", and its program runs" if pairing.entry in self._programs else ""
        return Readiness(what, True, f"its link is ready{running}")


def _next(conductor: Conductor) -> dict[str, int] | str | None:
    phase = conductor.status().phase.value
    if phase in ("ranking", "over"):
        return None
    coming = conductor.coming
    return "ranking" if coming is None else {"round": coming[0], "attempt": coming[1]}
