"""The organizer's view of a running contest: its status, desk by desk, as described in
docs/reference/control.md, and whether the next round can begin."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from contest.links.link import UNREAD, LinkStatus
from contest.live import decisions
from contest.live.conductor import Conductor
from contest.organizer.orders import is_due
from contest.record import bodies
from contest.record.bodies import Author, Place
from contest.record.events import Event
from contest.results.contest import steps_of
from contest.state import phases
from contest.state.incidents import differing_in_words, in_words, order_in_words
from contest.state.model import Talk, desk
from contest.state.phases import TYPING, Phase, last_round, next_attempt
from scheduler import Pairing
from texts import Sentence, Texts, load

#: How many of the latest incidents are shown; the record has them all.
INCIDENTS = 50
#: Recent keys are those of this many seconds of contest time.
RECENT = 10.0
_PLACES: tuple[Place, Place] = ("left", "right")
#: Reader to the author of the keys that they read.
_READERS: Mapping[Author, Author] = {"judge": "entity", "entity": "judge"}
#: The roles at a desk.
ROLES = ("judge", "confederate", "entry")


#: The states of a person or program at a desk: code to shape (templates/shapes.html). `board.desks`
#: in texts/ has their words.
STATES: Mapping[str, str] = {
    "away": "away",
    "ended": "ended",
    "stalled": "late",
    "typing": "typing",
    "quiet": "quiet",
    "decides": "open",
    "decided": "done",
    "here": "here",
}


class Readiness(NamedTuple):
    """Whether something that the next round needs is ready.

    Attributes:
        role: `seat` or `entry`.
        id: the seat's or the entry's.
        level: green; yellow for something to consider; red for not ready.
        found: the finding, by its name in `board.checks` of texts/.
        round: the round since which an entry has not been restarted.
    """

    role: Literal["seat", "entry"]
    id: str
    level: Literal["green", "yellow", "red"]
    found: str
    round: int = 0

    @property
    def ok(self) -> bool:
        """Whether the round can begin, as far as this check is concerned."""
        return self.level != "red"

    def as_json(self) -> dict[str, Any]:
        """The check as JSON: `what` it is about, such as `seat J1`; its `level`; the finding in
        `words` and, unless green, the remedy; and whether it is `ok`."""
        what = Sentence(f"board.checks.{self.role}", id=self.id)
        words = Sentence(f"board.checks.{self.found}", id=self.id, round=self.round)
        return {"what": what, "level": self.level, "words": words, "ok": self.ok}

    @property
    def in_words(self) -> Sentence:
        """What the check is about, and the finding."""
        found = self.as_json()
        return Sentence("board.checks.one", what=found["what"], found=found["words"])


class Overview:
    """The status of a running contest.

    Arguments:
        conductor: runs the contest. Differences in delays are written to its journal, which also
            knows the state of the second copy.
        folder: the contest's folder.
    """

    def __init__(self, conductor: Conductor, folder: Path) -> None:
        self._conductor, self._state, self._hub = conductor, conductor.state, conductor.hub
        self._journal = conductor.hub.journal
        self._folder = folder
        self._began = time.monotonic()

    def event(self, event: Event) -> None:
        """Takes a durable event. If it has times of keys that show a difference in delays that the
        judge could notice, the difference is recorded, once per desk."""
        talk = self._state.talks.get(event.talk or "")
        if event.kind != bodies.Times.kind or talk is None or not talk.open:
            return
        if desk(talk.round, talk.attempt, talk.judge) in self._state.differing_desks:
            return
        talks = self._talks(talk.judge, talk.round, talk.attempt)
        differing = self._hub.delay_difference(talks, self._conductor.now_ns())
        if differing is not None:
            self._journal.write(None, "server", differing)

    def status(self, texts: Texts | None = None) -> dict[str, Any]:
        """The contest's phase, desks, seats, entries and latest incidents. Events are described in
        English by default."""
        texts = texts or load()
        conductor, state = self._conductor, self._state
        now = conductor.status()
        phase = now.phase
        pairings = self._desks(texts)
        seats = [
            {"seat": seat.id, "role": seat.role, "name": conductor.seats.name(seat.id)}
            | {"here": seat.outlet is not None}
            for seat in conductor.seats.seats.values()
        ]
        entries = [self._entry(entry.id, entry.name) for entry in conductor.settings.entry]
        return {
            "contest": conductor.settings.contest.name,
            "phase": phase.value,
            "words": self._words(),
            "round": now.round,
            "attempt": now.attempt,
            "rounds": len(conductor.schedule.rounds),
            "last_round": last_round(state),
            "remaining": None if now.remaining is None else round(now.remaining, 1),
            "reason": now.reason,
            "waits_for_start": conductor.waits,
            "next": self._next(),
            "missing": missing(phase, pairings, seats, entries),
            "pairings": pairings,
            "seats": seats,
            "entries": entries,
            "two_persons": conductor.settings.rules.two_persons,
            "proposals": [
                {"number": number, "by": each.by, "order": dict(each.body.order)}
                | {"reason": each.body.reason, "words": order_in_words(each.body.order)}
                for number, each in state.proposals.items()
                if is_due(each.body, state, conductor.now_ns())
            ],
            "result": {
                "state": decisions.result_state(state),
                "steps": steps_of(state),
                "shown": list(state.shown),
                "next": next(iter(decisions.steps_left(state)), None),
            },
            "incidents": [
                {"seq": each.event.seq, "at": each.event.at, "kind": each.event.kind}
                | {"who": each.who, "what": in_words(each.event, each.count, texts)}
                | {"count": each.count}
                for each in state.incidents[-INCIDENTS:]
            ],
            "record": {
                "copy": self._journal.copy_state,
                "trouble": self._journal.trouble,
                "disk_free": _free(self._folder),
            },
            "wall": round(time.monotonic() - self._began, 1),
        }

    def _words(self) -> Sentence:
        conductor, state = self._conductor, self._state
        now = conductor.status()
        match decisions.result_state(state):
            case "provisional" if now.phase is Phase.OVER:
                return Sentence("board.state.provisional")
            case "final":
                return Sentence("board.state.final")
        stopped = last_round(state) < len(conductor.schedule.rounds)
        return phases.in_words(now, waits=conductor.waits, last=stopped)

    def _next(self) -> dict[str, int] | str | None:
        if self._conductor.status().phase in (Phase.RANKING, Phase.OVER):
            return None
        following = next_attempt(self._state)
        return "ranking" if following is None else {"round": following[0], "attempt": following[1]}

    def _entry(self, entry: str, name: str) -> dict[str, Any]:
        now, link = self._conductor.status(), self._link(entry)
        at = self._state.talks.get(self._state.last_talk.get(entry, ""))
        talk = at if at and (at.round, at.attempt) == (now.round, now.attempt) else None
        return {
            "entry": entry,
            "name": name,
            "here": link.here,
            "program": _program(link),
            "waiting": link.waiting,
            "unread": link.standing,
            "oldest_unread": round(link.oldest, 1),
            "stalled": _stalled(link),
            "delay": link.delay,
            "talk": None if talk is None else talk.id,
            "keys": 0 if talk is None else len(talk.seqs["entity"]),
        }

    def _link(self, entry: str) -> LinkStatus:
        """The status of an entry's link; disconnected if there is none, as after the contest."""
        link = self._conductor.links.get(entry)
        return LinkStatus(entry) if link is None else link.status()

    def _here(self, seat: str) -> bool:
        return self._conductor.seats.seats[seat].outlet is not None

    # Desks

    def _desks(self, texts: Texts) -> list[dict[str, Any]]:
        """A row for each pairing of the current or last round; while the contest waits for the
        organizer's start, of the next round."""
        conductor = self._conductor
        now = conductor.status()
        number, attempt = now.round, now.attempt
        following = next_attempt(self._state)
        if conductor.waits and following is not None:
            number, attempt = following
        if not number:
            return []
        return [self._desk(each, attempt, texts) for each in conductor.schedule.rounds[number - 1]]

    def _talks(self, judge: str, number: int, attempt: int) -> dict[Place, Talk]:
        """The talks at a judge's desk; none before the round is prepared."""
        found = {
            side: self._state.talks.get(bodies.talk_id(number, attempt, judge, side))
            for side in _PLACES
        }
        return {side: talk for side, talk in found.items() if talk is not None}

    def _desk(self, pairing: Pairing, attempt: int, texts: Texts) -> dict[str, Any]:
        now_ns = self._conductor.now_ns()
        talks = self._talks(pairing.judge, pairing.round, attempt)
        both = list(talks.values())
        human = [talk for talk in both if talk.entity == pairing.confederate]
        link = self._link(pairing.entry)
        differing = self._hub.delay_difference(talks, now_ns)
        delay = None if link.delay is None else round(link.delay * 1000)
        return {
            "round": pairing.round,
            "attempt": attempt,
            **{role: getattr(pairing, role) for role in ROLES},
            "states": {
                "judge": self._judge(pairing.judge, both),
                "confederate": self._typist(pairing.confederate, human, "entity"),
                "entry": self._program(link, [talk for talk in both if talk not in human]),
            },
            **{place: self._side(talks.get(place), now_ns) for place in _PLACES},
            "oldest_unread": round(link.oldest, 1),
            "delays": {
                "judge": self._console(both, "entity", now_ns),
                "confederate": self._console(human, "judge", now_ns),
                "entry": delay,
            },
            "warning": "" if differing is None else differing_in_words(differing, texts),
            "differing": {
                name: None if differing is None else getattr(differing, name)
                for name in ("to", "left_ms", "right_ms")
            },
        }

    def _side(self, talk: Talk | None, now_ns: int) -> dict[str, Any] | None:
        if talk is None:
            return None
        delays = {
            f"to_{to}_ms": self._hub.delay(talk, author, now_ns) for to, author in _READERS.items()
        }
        return {
            "talk": talk.id,
            "entity": talk.entity,
            "keys": {author: self._recent_keys(talk, author) for author in _READERS},
            **{name: None if delay is None else delay.whole for name, delay in delays.items()},
        }

    def _judge(self, judge: str, talks: list[Talk]) -> dict[str, Any]:
        now = self._conductor.status()
        if now.phase is Phase.SCORING and talks and self._here(judge):
            decided = desk(now.round, now.attempt, judge) in self._state.verdicts
            return _state("decided" if decided else "decides")
        return self._typist(judge, talks, "judge")

    def _typist(self, seat: str, talks: list[Talk], author: Author) -> dict[str, Any]:
        if not self._here(seat):
            return _state("away")
        return self._typing(talks, author) or _state("here")

    def _program(self, link: LinkStatus, talks: list[Talk]) -> dict[str, Any]:
        if not link.here:
            return _state("away")
        if link.running is False:
            return _state("ended")
        if _stalled(link):
            return _state("stalled")
        return self._typing(talks, "entity") or _state("here")

    def _typing(self, talks: list[Talk], author: Author) -> dict[str, Any] | None:
        if self._conductor.status().phase not in TYPING or not talks:
            return None
        keys = sum(self._recent_keys(talk, author) for talk in talks)
        return _state("typing" if keys else "quiet", keys)

    def _recent_keys(self, talk: Talk, author: Author) -> int:
        since, count = self._conductor.now_ns() - round(RECENT * 1e9), 0
        for (who, _), at in zip(reversed(talk.shown), reversed(talk.shown_ns), strict=True):
            if at < since:
                break
            count += who == author
        return count

    def _console(self, talks: list[Talk], author: Author, now_ns: int) -> int | None:
        """The longest round trip to a console in its talks, in milliseconds."""
        delays = [self._hub.delay(talk, author, now_ns) for talk in talks]
        return max((each.console for each in delays if each is not None), default=None)

    # Before a round

    def check(self) -> list[Readiness]:
        """Checks everything that the next round, or the ranking, needs; empty after the ranking."""
        if self._conductor.status().phase is Phase.OVER:
            return []
        following = next_attempt(self._state)
        if following is None:
            return [self._seat(judge.id) for judge in self._conductor.settings.judge]
        pairings = self._conductor.schedule.rounds[following[0] - 1]
        order = list(self._conductor.seats.seats)
        seats = sorted(
            (seat for p in pairings for seat in (p.judge, p.confederate)), key=order.index
        )
        entries = sorted(pairing.entry for pairing in pairings)
        return [*map(self._seat, seats), *map(self._ready, entries)]

    def _seat(self, seat: str) -> Readiness:
        if self._here(seat):
            return Readiness("seat", seat, "green", "here")
        return Readiness("seat", seat, "red", "away")

    def _ready(self, entry: str) -> Readiness:
        link = self._link(entry)
        if not link.here:
            remote = entry in {e.id for e in self._conductor.settings.entry if e.link == "remote"}
            return Readiness("entry", entry, "red", "no_link_remote" if remote else "no_link")
        program, before = _program(link), self._state.program_used_in.get(entry)
        if program == "ended":
            return Readiness("entry", entry, "red", "ended")
        found = "runs" if program else "ready"
        if before is None:
            return Readiness("entry", entry, "green", found)
        return Readiness("entry", entry, "yellow", f"{found}_old", before)


def missing(
    phase: Phase,
    pairings: Sequence[Mapping[str, Any]],
    seats: Sequence[Mapping[str, Any]],
    entries: Sequence[Mapping[str, Any]],
) -> list[dict[str, str]]:
    """The people and programs that are needed now but missing, judges first.

    Everybody at a desk is needed during the interaction, the desks' judges during scoring, and all
    judges during the ranking.

    Arguments:
        phase: the contest's.
        pairings, seats, entries: as in `Overview.status`.

    Returns:
        For each `id`, `name`, `role`, the problem (`what`), the `remedy`, and the `order` that
        helps, or an empty string.
    """
    needed: set[str] = set()
    if phase in TYPING:
        needed = {each[role] for each in pairings for role in ROLES}
    elif phase is Phase.SCORING:
        needed = {each["judge"] for each in pairings}
    elif phase is Phase.RANKING:
        needed = {each["seat"] for each in seats if each["role"] == "judge"}
    wait = "; pause the round in the meantime." if phase is Phase.INTERACTION else "."
    away = "is not here", "Have the console reopened with this seat's code", "replace"
    no_link = "has no link", "Check its link: its log file says why", ""
    ended = "has ended", "Restart it", "restart"
    found = [(each["role"], each["seat"], each, away) for each in seats if not each["here"]]
    found += [
        ("entry", each["entry"], each, ended if each["here"] else no_link)
        for each in entries
        if not each["here"] or each["program"] == "ended"
    ]
    return [
        {"id": id_, "name": each["name"], "role": role, "what": what}
        | {"remedy": f"{remedy}{wait}", "order": order}
        for wanted in ROLES
        for role, id_, each, (what, remedy, order) in found
        if role == wanted and id_ in needed
    ]


def _state(code: str, keys: int = 0) -> dict[str, Any]:
    return {"code": code, "words": Sentence(f"board.desks.{code}"), "keys": keys}


def _stalled(link: LinkStatus) -> bool:
    """Whether an entry has left the judge's keys unread for too long."""
    return bool(link.standing) and link.oldest >= UNREAD


def _program(link: LinkStatus) -> str | None:
    return {None: None, True: "running", False: "ended"}[link.running]


def _free(folder: Path) -> int | None:
    """The free bytes on a folder's disk, or None if unknown."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free
    return None
