"""A record of a whole contest, of any size, written at once: what verification and exports read."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.server.streams import key
from contest.history import sides, timeline
from contest.history.tallying import result_body
from contest.record import bodies
from contest.record.bodies import AnyBody, Author, Place
from contest.record.events import Draft
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.setup.settings import load
from contest.verification.verify import HEAD_FILE

_START = dt.datetime(2010, 10, 23, 16, 30, tzinfo=dt.UTC)
_GAP_NS = 50_000_000
#: Events in one commit.
_GROUP = 1000
#: Keys whose times stand in one event.
_TIMES = 200


class _Pen:
    """Stamps events by a clock of its own."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._now = 0
        self._waiting: list[Draft] = []

    def write(self, body: AnyBody, talk: str | None = None, actor: str = "server") -> int:
        """Appends an event; its number."""
        self._now += _GAP_NS
        at = (_START + dt.timedelta(microseconds=self._now // 1000)).isoformat(
            timespec="microseconds"
        )
        plain = bodies.to_json(body)
        if body.kind in bodies.REDACTABLE:
            plain["salt"] = "0" * 32
        at = at.replace("+00:00", "Z")
        self._waiting.append(Draft(talk, at, self._now, actor, body.kind, plain))
        number = self._record.chains.last_seq + len(self._waiting)
        if len(self._waiting) >= _GROUP:
            self.flush()
        return number

    @property
    def now(self) -> int:
        """The time of the last event, in ns."""
        return self._now

    def flush(self) -> None:
        """Commits what waits."""
        if self._waiting:
            self._record.append(self._waiting)
            self._waiting = []


def write(contest: Path, keys: int) -> None:
    """Writes the record of a contest of one round that was played to its end.

    Arguments:
        contest: the contest's folder, furnished.
        keys: how many key presses.
    """
    settings = load(contest)
    desks = len(settings.judge)
    rng = random.Random(1)
    with Record(sqlite_url(contest / FILE_NAME), create=True) as record:
        pen = _Pen(record)
        plan = [
            {"judge": f"J{n}", "entry": f"E{n}", "confederate": f"C{n}"}
            for n in range(1, desks + 1)
        ]
        pen.write(
            bodies.ContestOpened(
                bodies.FORMAT, "benchmark", settings.as_json(), {"rounds": [plan]}, 1000
            )
        )
        people = [j.id for j in settings.judge] + [c.id for c in settings.confederate]
        for seat in people:
            pen.write(bodies.ConsentGiven(seat, True, 1), actor=seat)
        pen.write(bodies.RoundOpened(1, 1))
        sealed = {f"J{n}": sides.draw(rng) for n in range(1, desks + 1)}
        talks = list(_talks(pen, sealed))
        pen.write(bodies.RoundStarted(1, 1, 60 + 2 * keys * _GAP_NS // 1_000_000_000))
        _type(pen, talks, keys)
        pen.write(bodies.RoundEnded(1, 1, "organizer"), actor="organizer")
        for judge, seal in sealed.items():
            pen.write(bodies.VerdictGiven(1, 1, judge, seal.human, 1), actor=judge)
        for talk, _, _ in talks:
            pen.write(bodies.TalkClosed(), talk)
        pen.flush()
        heads = record.chains.heads([talk for talk, _, _ in talks])
        pen.write(bodies.RoundClosed(1, 1, heads))
        pen.write(bodies.RankingOpened())
        pen.write(bodies.RankingClosed("no ballots"), actor="organizer")
        pen.write(
            bodies.SidesRevealed(
                [
                    {"round": 1, "attempt": 1, "judge": judge, **seal.as_json()}
                    for judge, seal in sealed.items()
                ]
            )
        )
        pen.flush()
        pen.write(result_body(timeline.read(record.events())))
        pen.flush()
        pen.write(bodies.ContestClosed(record.chains.heads()))
        pen.flush()
        (contest / HEAD_FILE).write_text(record.chains.head(None) + "\n", encoding="ascii")


def _talks(pen: _Pen, sealed: dict[str, sides.Sealed]) -> Iterator[tuple[str, str, str]]:
    """Opens all talks: the name, the judge and the entity of each."""
    for judge, seal in sealed.items():
        pen.write(bodies.SideSealed(1, 1, judge, seal.seal))
        places: dict[Place, str] = {
            seal.human: judge.replace("J", "C"),
            seal.program: judge.replace("J", "E"),
        }
        for side in sorted(places):
            talk = bodies.talk_id(1, 1, judge, side)
            pen.write(bodies.TalkOpened(1, 1, judge, places[side], side), talk)
            yield talk, judge, places[side]


def _type(pen: _Pen, talks: list[tuple[str, str, str]], keys: int) -> None:
    """All type in turn; the times of their keys follow in groups."""
    streams: list[tuple[str, Author, str, Place]] = []
    for talk, judge, entity in talks:
        side: Place = "left" if talk.endswith("left") else "right"
        streams += [(talk, "judge", judge, side), (talk, "entity", entity, side)]
    times: dict[str, list[list[int | None]]] = {talk: [] for talk, _, _ in talks}
    for at in range(keys):
        talk, author, actor, side = streams[at % len(streams)]
        n = at // len(streams) + 1
        raw = f"{n:010d}.{key(n)}.other" if actor.startswith("E") else None
        seq = pen.write(bodies.Key(author, side, key(n), n, raw), talk, actor)
        times[talk].append([seq, pen.now + 2_000_000, pen.now + 9_000_000])
        if len(times[talk]) >= _TIMES:
            pen.write(bodies.Times(times[talk]), talk)
            times[talk] = []
    for talk, left in times.items():
        if left:
            pen.write(bodies.Times(left), talk)
