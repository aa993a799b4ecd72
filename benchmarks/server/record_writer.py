"""Writes the record of a whole contest, of any size, to benchmark verification and exports."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.server.process import pairings
from contest.live.conductor import draw_side
from contest.record import bodies
from contest.record.bodies import AnyBody, Author, Place
from contest.record.events import Event
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.results.contest import Contest
from contest.setup.settings import load
from contest.verify.verify import HEAD_FILE
from lpp.names import BACKSPACE, keys_of

_START = dt.datetime(2010, 10, 23, 16, 30, tzinfo=dt.UTC)
_GAP_NS = 50_000_000
#: Events in one commit.
_GROUP = 1000
#: Keys whose times are in one event.
_TIMES = 200
#: The words that are typed, and the probability of a wrong letter that is then deleted.
_WORDS = ("a", "hammer", "is", "for", "nails", "and", "so", "the", "rain", "that", "falls", "tea")
_SLIPS = 0.03


class _Pen:
    """Writes events with times from its own clock."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._now = 0
        self._waiting: list[Event] = []

    def write(self, body: AnyBody, talk: str | None = None, actor: str = "server") -> int:
        """Appends an event; returns its number."""
        self._now += _GAP_NS
        at = (_START + dt.timedelta(microseconds=self._now // 1000)).isoformat(
            timespec="microseconds"
        )
        plain = bodies.to_json(body)
        if body.kind in bodies.SALTED:
            plain["salt"] = "0" * 32
        at = at.replace("+00:00", "Z")
        self._waiting.append(Event(0, talk, at, self._now, actor, body.kind, plain))
        number = self._record.chains.last_seq + len(self._waiting)
        if len(self._waiting) >= _GROUP:
            self.flush()
        return number

    @property
    def now(self) -> int:
        """The time of the last event, in ns."""
        return self._now

    def flush(self) -> None:
        """Commits the waiting events."""
        if self._waiting:
            self._record.append(self._waiting)
            self._waiting = []


def write(contest: Path, keys: int) -> None:
    """Writes the record of a contest that was played to its end, with all ballots.

    Arguments:
        contest: the contest's folder, from `furnish`; it has all rounds of its settings.
        keys: how many key presses, over all rounds.
    """
    settings = load(contest)
    desks, rounds = len(settings.judge), settings.rules.rounds
    rng = random.Random(1)
    with Record(sqlite_url(contest / FILE_NAME), create=True) as record:
        pen = _Pen(record)
        plan = [
            [
                {"judge": f"J{n}", "entry": f"E{entry}", "confederate": f"C{confederate}"}
                for n, entry, confederate in pairings(number, desks)
            ]
            for number in range(1, rounds + 1)
        ]
        pen.write(
            bodies.ContestOpened(
                bodies.FORMAT, "benchmark", settings.as_json(), {"rounds": plan}, 1000
            )
        )
        people = [j.id for j in settings.judge] + [c.id for c in settings.confederate]
        for seat in people:
            pen.write(bodies.ConsentGiven(seat, True, 1), actor=seat)
        revealed: list[dict[str, Any]] = []
        met: dict[str, dict[str, list[str]]] = {}
        for number in range(1, rounds + 1):
            here = keys * number // rounds - keys * (number - 1) // rounds
            for talk, judge, entity in _round(pen, record, number, desks, here, rng, revealed):
                met.setdefault(judge, {}).setdefault(entity, []).append(talk)
        pen.write(bodies.RankingOpened())
        for judge, talks in met.items():
            order = rng.sample(sorted(talks), len(talks))
            labels = {who: f"label {at}" for at, who in enumerate(sorted(talks), 1)}
            pen.write(
                bodies.RankingGiven(
                    judge,
                    1,
                    {labels[who]: 2 * rank for rank, who in enumerate(order, 1)},
                    {labels[who]: each for who, each in talks.items()},
                ),
                actor=judge,
            )
        pen.write(bodies.RankingClosed("all ballots are in"), actor="organizer")
        pen.write(bodies.SidesRevealed(revealed))
        pen.flush()
        pen.write(Contest.of(record.log()).result())
        pen.flush()
        pen.write(bodies.ContestClosed(record.chains.heads()))
        pen.flush()
        (contest / HEAD_FILE).write_text(record.chains.head(None) + "\n", encoding="ascii")


def _round(
    pen: _Pen,
    record: Record,
    number: int,
    desks: int,
    keys: int,
    rng: random.Random,
    revealed: list[dict[str, Any]],
) -> list[tuple[str, str, str]]:
    """Writes a round; returns the name, the judge and the entity of each talk."""
    pen.write(bodies.RoundOpened(number, 1))
    talks = []
    sealed = {}
    for n, entry, confederate in pairings(number, desks):
        judge = f"J{n}"
        sealed[judge] = seal = draw_side(rng)
        pen.write(bodies.SideSealed(number, 1, judge, seal.seal))
        revealed.append({"round": number, "attempt": 1, "judge": judge, **asdict(seal)})
        sits: dict[Place, str] = {seal.human: f"C{confederate}", seal.program: f"E{entry}"}
        for side in sorted(sits):
            talk = bodies.talk_id(number, 1, judge, side)
            pen.write(bodies.TalkOpened(number, 1, judge, sits[side], side), talk)
            talks.append((talk, judge, sits[side]))
    pen.write(bodies.RoundStarted(number, 1, 60 + 2 * keys * _GAP_NS // 1_000_000_000))
    _type(pen, talks, keys, rng)
    pen.write(bodies.RoundEnded(number, 1, "organizer"), actor="organizer")
    for judge, seal in sealed.items():
        side = rng.choice((seal.human, seal.human, seal.program))
        pen.write(bodies.VerdictGiven(number, 1, judge, side, 1), actor=judge)
    for talk, _, _ in talks:
        pen.write(bodies.TalkClosed(), talk)
    pen.flush()
    heads = record.chains.heads([talk for talk, _, _ in talks])
    pen.write(bodies.RoundClosed(number, 1, heads))
    return talks


def _type(pen: _Pen, talks: list[tuple[str, str, str]], keys: int, rng: random.Random) -> None:
    """Writes keys from all authors in turn; the times of the keys follow in groups."""
    streams: list[tuple[str, Author, str, Place, Iterator[str]]] = []
    for talk, judge, entity in talks:
        side: Place = "left" if talk.endswith("left") else "right"
        streams += [
            (talk, "judge", judge, side, _said(rng)),
            (talk, "entity", entity, side, _said(rng)),
        ]
    times: dict[str, list[list[int | None]]] = {talk: [] for talk, _, _ in talks}
    for at in range(keys):
        talk, author, actor, side, said = streams[at % len(streams)]
        n, name = at // len(streams) + 1, next(said)
        raw = f"{n:010d}.{name}.other" if actor.startswith("E") else None
        seq = pen.write(bodies.Key(author, side, name, n, raw), talk, actor)
        times[talk].append([seq, pen.now + 2_000_000, pen.now + 9_000_000])
        if len(times[talk]) >= _TIMES:
            pen.write(bodies.Times(times[talk]), talk)
            times[talk] = []
    for talk, left in times.items():
        if left:
            pen.write(bodies.Times(left), talk)


def _said(rng: random.Random) -> Iterator[str]:
    """An endless stream of keys: lines of words, with an occasional wrong letter and BackSpace."""
    while True:
        words = " ".join(rng.choices(_WORDS, k=rng.randint(2, 14)))
        for name in keys_of(f"{words.capitalize()}.\n"):
            if rng.random() < _SLIPS:
                yield from ("x", BACKSPACE)
            yield name
