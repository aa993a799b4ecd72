"""What the organizer sees of a running contest, as documents for programs: its state, and whether
the next round can begin."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from contest.links.link import LinkStatus, status_of
from contest.live import decisions
from contest.live.conductor import Conductor
from contest.live.desks import Desks, stalled
from contest.live.fairness import Delays
from contest.organizer.chronicle import Chronicle
from contest.record import bodies
from contest.record.events import Event
from contest.record.journal import Journal
from contest.setup.settings import EntryTable
from contest.state.model import desk
from contest.state.phases import Phase, coming, in_words, last_round
from scheduler import Pairing

#: The latest incidents that are told; the record has them all.
INCIDENTS = 50

Level = Literal["green", "yellow", "red"]


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether something that the next round needs is ready.

    Attributes:
        what: such as `seat J1` or `entry E1`.
        level: green, yellow for what is to be thought of, red for what is not ready.
        words: what was found, and where it is not green what to do.
    """

    what: str
    level: Level
    words: str

    @property
    def ok(self) -> bool:
        """Whether the round can begin, as far as this goes."""
        return self.level != "red"

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {"what": self.what, "ok": self.ok, "level": self.level, "words": self.words}


class Overview:
    """Looks at a running contest.

    Arguments:
        conductor: plays it.
        journal: the record: where delays that differ are put down, and how its copy does.
        folder: the contest's.

    Attributes:
        chronicle: all that has happened but key presses and their times.
    """

    def __init__(self, conductor: Conductor, journal: Journal, folder: Path) -> None:
        self._conductor = conductor
        self._journal = journal
        self._folder = folder
        self._began = time.monotonic()
        self.chronicle = Chronicle()
        self._delays = Delays(conductor.seats.speed)
        self._desks = Desks(conductor, self._delays)
        self._last = 0

    def event(self, event: Event) -> None:
        """Takes an event that is durable; of a contest that is taken up again the earlier ones
        first, key presses and their times left out. One that it has taken is passed over."""
        if event.seq <= self._last:
            return
        self._last = event.seq
        if event.talk is not None:
            self._delays.take(event)
        if event.kind == bodies.Times.kind and event.talk is not None:
            self._look_at_delays(event.talk)
        elif event.kind != bodies.Key.kind:
            self.chronicle.events.append(event)

    def _look_at_delays(self, name: str) -> None:
        """Puts down, once in a talk, that a judge could notice something."""
        talk = self._conductor.hub.talks.get(name)
        if talk is None or not talk.open:
            return
        if desk(talk.round, talk.attempt, talk.judge) in self._conductor.state.differing:
            return
        talks = self._desks.talks(talk.judge, talk.round, talk.attempt)
        differing = self._desks.differing(talks)
        if differing is not None:
            self._journal.write(None, "server", differing)

    # Documents

    def status(self) -> dict[str, Any]:
        """Where the contest is, with desks, seats, entries and the latest incidents."""
        conductor, state = self._conductor, self._conductor.state
        status = conductor.status()
        return {
            "contest": conductor.settings.contest.name,
            "phase": status.phase.value,
            "words": self._words(),
            "round": status.round,
            "attempt": status.attempt,
            "rounds": len(conductor.schedule.rounds),
            "last_round": last_round(state),
            "remaining": None if status.remaining is None else round(status.remaining, 1),
            "reason": status.reason,
            "waits_for_start": conductor.waits,
            "next": _next(conductor),
            "pairings": self._desks.rows(),
            "seats": [
                {
                    "seat": seat.id,
                    "role": seat.role,
                    "name": conductor.seats.name(seat.id),
                    "here": seat.outlet is not None,
                }
                for seat in conductor.seats.seats.values()
            ],
            "entries": [self._entry(entry) for entry in conductor.settings.entry],
            "two_persons": conductor.settings.rules.two_persons,
            "proposals": decisions.proposals(state, status),
            "result": {
                "state": decisions.result_state(state),
                "steps": decisions.steps(state),
                "shown": list(state.shown),
                "next": next(iter(decisions.steps_left(state)), None),
            },
            "incidents": [
                {"seq": each.seq, "at": each.at, "kind": each.kind}
                | {"who": each.who, "what": each.what, "count": each.count}
                for each in state.incidents[-INCIDENTS:]
            ],
            "record": {
                "copy": self._journal.copy_state,
                "trouble": self._journal.trouble,
                "disk_free": _free(self._folder),
            },
            "wall": round(time.monotonic() - self._began, 1),
        }

    def check(self) -> list[Readiness]:
        """Whether all that the next round, or the ranking, needs is ready; nothing behind it."""
        if self._conductor.status().phase is Phase.OVER:
            return []
        following = coming(self._conductor.state)
        if following is None:
            judges = [judge.id for judge in self._conductor.settings.judge]
            return [self._seat(judge) for judge in judges]
        pairings = self._conductor.schedule.rounds[following[0] - 1]
        seats = [each for p in pairings for each in (p.judge, p.confederate)]
        order = list(self._conductor.seats.seats)
        return [
            *(self._seat(seat) for seat in sorted(seats, key=order.index)),
            *(self._link(pairing) for pairing in sorted(pairings, key=lambda p: p.entry)),
        ]

    def _words(self) -> str:
        conductor = self._conductor
        status = conductor.status()
        match decisions.result_state(conductor.state):
            case "provisional" if status.phase is Phase.OVER:
                return "the result is there, provisional until it is declared final"
            case "final":
                return "the contest is over, and its result is final"
        stopped = last_round(conductor.state) < len(conductor.schedule.rounds)
        last = ", the last one, as the contest was stopped"
        return in_words(status, waits=conductor.waits, beside=last if stopped else "")

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
        link = status_of(self._conductor.links, entry.id)
        return {
            "entry": entry.id,
            "name": entry.name,
            "here": link.here,
            "program": _program(link),
            "waiting": link.waiting,
            "unread": link.standing,
            "oldest_unread": round(link.oldest, 1),
            "stalled": stalled(link),
            "delay": link.delay,
            "talk": None if talk is None else talk.id,
            "keys": 0 if talk is None else len(talk.seqs["entity"]),
        }

    def _seat(self, seat: str) -> Readiness:
        if self._conductor.seats.seats[seat].outlet is not None:
            return Readiness(f"seat {seat}", "green", "a console is here")
        return Readiness(f"seat {seat}", "red", "no console is here: seat somebody")

    def _link(self, pairing: Pairing) -> Readiness:
        what, link = f"entry {pairing.entry}", status_of(self._conductor.links, pairing.entry)
        if not link.here:
            return Readiness(what, "red", self._why_away(pairing.entry))
        program = _program(link)
        if program == "ended":
            words = "its program has ended: see what it said in its log, and restart it"
            return Readiness(what, "red", words)
        running = ", and its program runs" if program else ""
        before = self._conductor.state.running_on.get(pairing.entry)
        if before is None:
            return Readiness(what, "green", f"its link is ready{running}")
        how = "`restart` it" if program else "have it started anew by whoever runs it"
        return Readiness(
            what,
            "yellow",
            f"its link is ready{running}, but it was not started anew since its talk in round "
            f"{before}: {how}, unless its entrant wants it to run on",
        )

    def _why_away(self, entry: str) -> str:
        """What to do about a link that is not here: one on this machine the server has started."""
        table = next(each for each in self._conductor.settings.entry if each.id == entry)
        if table.link == "remote":
            return "its link is not here: start `loebner link` beside it"
        return (
            f"its link is not here: logs/{entry}.link.log in the contest's folder says why; mend "
            "it, a wrong command in contest.toml, and start the server again"
        )


def _next(conductor: Conductor) -> dict[str, int] | str | None:
    phase = conductor.status().phase.value
    if phase in ("ranking", "over"):
        return None
    following = coming(conductor.state)
    return "ranking" if following is None else {"round": following[0], "attempt": following[1]}


def _program(link: LinkStatus) -> str | None:
    return {None: None, True: "running", False: "ended"}[link.running]


def _free(folder: Path) -> int | None:
    """Bytes that are free where a folder is, or None if that can't be known."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
