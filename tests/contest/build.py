"""Synthetic records for tests: whole contests, written by a script without waiting.

`Builder` writes events one by one, with a clock that the test advances. `contest` uses it to play
all rounds of a schedule, with the incidents of a real contest, and always the same ones.
"""

from __future__ import annotations

import datetime as dt
import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from contest.record import bodies
from contest.record.bodies import AnyBody, Author, Place
from contest.record.events import Chains, Event, canonical
from contest.record.reading import EventLog, ListLog, Row
from contest.record.store import FILE_NAME, Record, sqlite_url
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.exports import files_of
from contest.state.publication import Published
from lpp.keypress import Rule
from lpp.names import keys_of
from scheduler import Pairing, Schedule, rounds_json, schedule_2010

SECOND = 1_000_000_000
START = dt.datetime(2010, 10, 23, 16, 30, tzinfo=dt.UTC)

TOML = """\
[contest]
name = "A contest of tests"
venue = "Nowhere, <b>bold</b> & free"
date = 2010-10-23

[rules]
rounds = 4
"""

#: Seconds of interaction in a round.
SECONDS = 300

JUDGE_SAYS = ("Hello.", "What is a hammer for?", "It rains.")
#: What each entity says; \b is BackSpace. The last lines are unfinished.
ENTITY_SAYS = {
    "E1": "Hello.\nTo drive nails, I think.\nDoes it? I like tea",
    "E2": "<script>alert('caught')</script>\n</style><img src=x onerror=alert(1)>\nBye",
    "E3": 'Helo\b\blo there!\n\b\nNails "and" thumbs & more.\nRai',
    "E4": "Tell me more.\nWhy do you ask that?\nPlease go on",
    "C1": "Hi! I am in a small roon\bm.\nFor nails :-)\nYes, here too",
    "C2": "hello there\nhm, \u00e9clairs? no: nails\nlike last year",
    "C3": "Good morning.\nTo hit things.\nDoes it now",
    "C4": "hey\nfor nails\b\b\b\b\bscrews, wrongly\nso I he",
}
#: The round and judge of each verdict that took the entry for the human.
FOOLED = {(1, "J1"), (2, "J1"), (3, "J1"), (2, "J2"), (3, "J3"), (4, "J3")}


def settings() -> dict[str, Any]:
    """The settings of the synthetic contest, in the form of a record."""
    return {
        "contest": {
            "name": "A contest of tests",
            "venue": "Nowhere, <b>bold</b> & free",
            "date": "2010-10-23",
            "start": "09:30:00",
        },
        "rules": {"rounds": 4, "interaction_minutes": "5", "scoring_minutes": "0.5"},
        "judge": [{"id": f"J{n}", "name": f"Judge {n}"} for n in range(1, 5)],
        "entry": [
            {"id": "E1", "name": "Teapot", "entrant": "A. Brewer"},
            {"id": "E2", "name": "<i>Sly</i>", "entrant": 'B. "Quote" O\'Neil'},
            {"id": "E3", "name": "judge left", "entrant": "C. Tangle"},
            {"id": "E4", "name": "../../etc/passwd", "entrant": ""},
        ],
        "confederate": [{"id": f"C{n}", "name": f"Person {n}"} for n in range(1, 5)],
    }


class Builder:
    """Writes a record.

    Arguments:
        speed: the speed of the contest's clock in thousandths of real time.
    """

    def __init__(self, speed: int = 1000) -> None:
        self.speed = speed
        self.now_ns = 5 * SECOND
        self._first_ns = self.now_ns
        self._stood_us = 0
        self.drafts: list[Event] = []
        self.events: list[Event] = []
        self.chains = Chains()
        self._numbers: dict[tuple[str, str], int] = {}
        self._directory: dict[str, int] = {}
        self.sides: dict[tuple[int, int, str], tuple[Place, str]] = {}

    def write(self, body: AnyBody, talk: str | None = None, actor: str = "server") -> Event:
        """Appends an event at the present time."""
        real_us = (self.now_ns - self._first_ns) // self.speed + self._stood_us
        at = (START + dt.timedelta(microseconds=real_us)).isoformat(timespec="microseconds")
        at = at.replace("+00:00", "Z")
        draft = Event(0, talk, at, self.now_ns, actor, body.kind, bodies.to_json(body))
        self.drafts.append(draft)
        event = self.chains.place(draft)
        self.events.append(event)
        return event

    def wait(self, seconds: float) -> None:
        """Lets time pass."""
        self.now_ns += round(seconds * SECOND)

    def stand(self, seconds: float) -> None:
        """Lets real time pass while the contest's clock is stopped."""
        self._stood_us += round(seconds * 1_000_000)

    def read(self) -> Contest:
        """The contest according to the events so far, as it may be published."""
        return Contest.of(self.log())

    def log(self) -> ListLog:
        """The record of the events so far."""
        return ListLog(self.events)

    def key(
        self,
        talk: str,
        author: Author,
        actor: str,
        key: str,
        *,
        out_of_phase: str | None = None,
        n: int | None = None,
        rules: Sequence[str] = (),
        raw: str | None = None,
    ) -> Event:
        """Writes a key press, 150 ms after the last event."""
        self.wait(0.15)
        side: Place = "left" if talk.endswith("left") else "right"
        if author == "entity" and actor.startswith("E"):
            n = self._directory.get(actor, 0) + 7 if n is None else n
            self._directory[actor] = n
            raw = f"{n:010d}.{key}.other" if raw is None else raw
        else:
            n = self._numbers.get((talk, author), 0) + 1 if n is None else n
            self._numbers[talk, author] = n
        body = bodies.Key(author, side, key, n, raw, list(rules), out_of_phase)
        return self.write(body, talk, actor)

    def type(self, talk: str, author: Author, actor: str, text: str) -> list[Event]:
        """Writes the key presses that type a text; \\b is BackSpace."""
        return [self.key(talk, author, actor, name) for name in keys_of(text)]

    def open(self, schedule: Schedule, own_settings: dict[str, Any] | None = None) -> None:
        """Opens the contest; all programs start and all consoles connect."""
        plan = {"rounds": rounds_json(schedule)}
        own = settings() if own_settings is None else own_settings
        self.write(bodies.ContestOpened(bodies.FORMAT, "builder of tests", own, plan, self.speed))
        for entry in schedule.roster.entries:
            command = ["program", "--dir", f"/dev/shm/{entry}"]
            self.write(bodies.EntryStarted(entry, command))
        for seat in (*schedule.roster.judges, *schedule.roster.confederates):
            self.wait(1)
            self.write(bodies.SeatJoined(seat, "console of tests"), actor=seat)

    def seat(self, number: int, attempt: int, pairing: Any) -> dict[str, str]:
        """Draws and seals the sides of a pairing, and opens its talks; returns entity to talk."""
        nonce = hashlib.md5(f"{number}{attempt}{pairing.judge}".encode()).hexdigest()
        human: Place = "left" if int(nonce, 16) % 2 else "right"
        program: Place = "right" if human == "left" else "left"
        seal = hashlib.sha256(f"{human}:{nonce}".encode()).hexdigest()
        self.sides[number, attempt, pairing.judge] = (human, nonce)
        self.write(bodies.SideSealed(number, attempt, pairing.judge, seal))
        talks = {}
        for entity, side in ((pairing.entry, program), (pairing.confederate, human)):
            talk = bodies.talk_id(number, attempt, pairing.judge, side)
            self.write(bodies.TalkOpened(number, attempt, pairing.judge, entity, side), talk)
            talks[entity] = talk
        return talks

    def close_round(self, number: int, attempt: int, talks: Iterable[str]) -> None:
        """Closes the talks and the round, with the heads of the talks."""
        for talk in talks:
            self.write(bodies.TalkClosed(), talk)
        self.write(bodies.RoundClosed(number, attempt, self.chains.heads(talks)))

    def reveal(self) -> None:
        """Opens all seals."""
        self.write(
            bodies.SidesRevealed(
                [
                    {"round": r, "attempt": a, "judge": j, "human": human, "nonce": nonce}
                    for (r, a, j), (human, nonce) in sorted(self.sides.items())
                ]
            )
        )

    def finish(self) -> None:
        """Writes the result, and closes the contest."""
        self.write(self.read().result())
        self.wait(1)
        self.write(bodies.ContestClosed(self.chains.heads()))


def publishable(events: Iterable[Event]) -> list[Event]:
    """A record as it may be published."""
    return list(Published(ListLog(events)).events())


def results_json(contest: Contest) -> dict[str, Any]:
    """The whole document `results.json`."""
    found: dict[str, Any] = json.loads("".join(Results(contest).stream()))
    return found


def play_round(b: Builder, number: int, pairings: Sequence[Any], attempt: int = 1) -> None:
    """Plays a round. In round 3, the clock is stopped for 30 seconds."""
    b.wait(20)
    b.write(bodies.RoundOpened(number, attempt))
    if number == 2:
        b.write(bodies.LeftOvers("E2", ["0000000001.H.other", "<script>.other", "note.txt"]))
    desks = [(pairing, b.seat(number, attempt, pairing)) for pairing in pairings]
    talks = [talk for _, opened in desks for talk in opened.values()]
    early = desks[0][0].entry
    b.key(desks[0][1][early], "entity", early, "x", out_of_phase=Rule.WAITS.value)
    b.wait(2)
    begun = b.now_ns
    b.write(bodies.RoundStarted(number, attempt, SECONDS))
    shown: list[Event] = []
    for turn in range(3):
        for pairing, opened in desks:
            for entity, talk in opened.items():
                shown += b.type(talk, "judge", pairing.judge, JUDGE_SAYS[turn] + "\n")
                answer = ENTITY_SAYS[entity].split("\n")[turn]
                ending = "\n" if turn < 2 else ""
                shown += b.type(talk, "entity", entity, answer + ending)
        if (number, turn) == (3, 0):
            paused = b.now_ns
            b.write(bodies.RoundPaused(number, attempt, "a fire alarm"), actor="organizer")
            b.wait(29)
            judge, talk = desks[0][0].judge, talks[0]
            b.key(talk, "judge", judge, "p", out_of_phase=Rule.NOT_ON.value)
            b.write(bodies.RoundResumed(number, attempt), actor="organizer")
            begun += b.now_ns - paused
        for talk in talks:
            mine = [event for event in shown if event.talk == talk]
            rows: list[list[int | None]] = [
                [event.seq, event.mono_ns + 3_000_000, event.mono_ns + 9_000_000] for event in mine
            ]
            if rows:
                b.write(bodies.Times(rows), talk)
        shown = []
    b.now_ns = max(b.now_ns, begun + SECONDS * SECOND) + 1_000_000
    b.write(bodies.RoundEnded(number, attempt, "time"))
    late = desks[1][0].confederate
    b.key(desks[1][1][late], "entity", late, "z", out_of_phase=Rule.AFTER_END.value)
    b.wait(4)
    for pairing, _ in desks:
        human, _ = b.sides[number, attempt, pairing.judge]
        other: Place = "right" if human == "left" else "left"
        given = other if (number, pairing.judge) in FOOLED else human
        if (number, pairing.judge) == (1, "J2"):
            b.write(bodies.VerdictGiven(number, attempt, "J2", other, 1, 60, "slip"), actor="J2")
            b.write(bodies.VerdictGiven(number, attempt, "J2", given, 2, 80), actor="J2")
        else:
            b.write(
                bodies.VerdictGiven(number, attempt, pairing.judge, given, 1), actor=pairing.judge
            )
    b.close_round(number, attempt, talks)


def break_off(b: Builder, number: int, pairings: Sequence[Any], attempt: int) -> None:
    """Begins an attempt that ends after a few words and is never closed."""
    b.wait(20)
    b.write(bodies.RoundOpened(number, attempt))
    desks = [(pairing, b.seat(number, attempt, pairing)) for pairing in pairings]
    b.write(bodies.RoundStarted(number, attempt, SECONDS))
    for pairing, opened in desks:
        for talk in opened.values():
            b.type(talk, "judge", pairing.judge, "Hello?\n")
    b.write(bodies.Trouble("directory of E1", "no space left on device"))
    b.wait(5)
    b.write(bodies.RoundEnded(number, attempt, "a program hung"), actor="organizer")


def rank(b: Builder, schedule: Schedule) -> None:
    """Has every judge rank everybody they met: confederates first, entries by number. J4 gives two
    the same rank."""
    read = b.read()
    entities = {talk.id: talk for talk in read.talks if read.counts(talk)}
    for judge in schedule.roster.judges:
        b.wait(5)
        labels: dict[str, list[str]] = {}
        order: dict[str, str] = {}
        for talk in entities.values():
            if talk.judge == judge:
                label = f"{talk.round} {talk.side}"
                labels[label] = [talk.id]
                order[label] = talk.entity
        ranks = {
            label: 2 * (position + 1)
            for position, label in enumerate(sorted(order, key=lambda label: order[label]))
        }
        if judge == "J4":
            of = {entity: label for label, entity in order.items()}
            if len(of) == len(schedule.roster.participants):
                ranks[of["E1"]] = ranks[of["E2"]] = 11
        b.write(bodies.RankingGiven(judge, 1, ranks, labels), actor=judge)


@functools.cache
def contest(*, again: bool = True, speed: int = 1000) -> Builder:
    """A whole contest by the schedule of 2010. It is cached: don't change it.

    Arguments:
        again: whether round 2 is abandoned and played again.
        speed: thousandths of real time.
    """
    return play(schedule_2010(), again=again, speed=speed)


@functools.cache
def brief() -> Builder:
    """A whole contest of two rounds with two pairings each. It is cached: don't change it."""
    return play(
        Schedule.of(
            Pairing(*each)
            for each in (
                *((1, "J1", "E1", "C1"), (1, "J2", "E2", "C2")),
                *((2, "J1", "E2", "C2"), (2, "J2", "E1", "C1")),
            )
        )
    )


def play(schedule: Schedule, *, again: bool = True, speed: int = 1000) -> Builder:
    """Plays a contest; see `contest`."""
    b = Builder(speed)
    b.open(schedule)
    for number, pairings in enumerate(schedule.rounds, 1):
        attempt = 1
        if again and number == 2:
            break_off(b, number, pairings, attempt)
            attempt = 2
        play_round(b, number, pairings, attempt)
    rank(b, schedule)
    b.reveal()
    b.finish()
    return b


def small(
    talk: Callable[[Builder, dict[str, str]], object] | None = None,
    *,
    schedule: Schedule | None = None,
    close: bool = True,
    speed: int = 1000,
) -> Builder:
    """A contest of one pairing, J1 with E1 and C1.

    Arguments:
        talk: plays the interaction, given the builder and entity to talk.
        schedule: a schedule whose first pairing is played; by default it has no other.
        close: whether the round is ended and closed.
        speed: see Builder.
    """
    schedule = schedule or Schedule.of([Pairing(1, "J1", "E1", "C1")])
    b = Builder(speed)
    b.open(schedule)
    b.write(bodies.RoundOpened(1, 1))
    talks = b.seat(1, 1, schedule.pairings[0])
    b.write(bodies.RoundStarted(1, 1, SECONDS))
    started = b.now_ns
    if talk is not None:
        talk(b, talks)
    if close:
        b.now_ns = max(b.now_ns, started + SECONDS * SECOND)
        b.write(bodies.RoundEnded(1, 1, "time"))
        b.write(bodies.VerdictGiven(1, 1, "J1", b.sides[1, 1, "J1"][0], 1), actor="J1")
        b.close_round(1, 1, list(talks.values()))
    return b


@functools.cache
def tiny() -> Builder:
    """A whole contest of one pairing, with two incidents and some 250 events. It is cached: don't
    change it."""

    def talk(b: Builder, talks: dict[str, str]) -> None:
        b.write(bodies.Trouble("directory of E1", "no space left on device"))
        for turn, said in enumerate(JUDGE_SAYS):
            for entity, name in talks.items():
                b.type(name, "judge", "J1", f"{said}\n")
                answer = ENTITY_SAYS[{"E1": "E1", "C1": "E2"}[entity]].split("\n")[turn]
                b.type(name, "entity", entity, answer + "\n" * (turn < 2))
        b.write(bodies.Trouble("directory of E1", "no space left on device"))

    b = small(talk)
    labels = {f"1 {side}": [f"1.1.J1.{side}"] for side in ("left", "right")}
    b.write(bodies.RankingGiven("J1", 1, {"1 left": 2, "1 right": 4}, labels), actor="J1")
    b.reveal()
    b.finish()
    return b


def save(folder: Path, b: Builder) -> Path:
    """Writes a contest's folder: settings, record, head."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "contest.toml").write_text(TOML, encoding="utf-8")
    with Record(sqlite_url(folder / FILE_NAME), create=True) as record:
        record.append(b.drafts)
    (folder / "head.txt").write_text(b.chains.head(None) + "\n", encoding="ascii")
    return folder


def reforge(drafts: Iterable[Event]) -> Builder:
    """Rewrites a whole record, with correct hashes, links, numbers and heads."""
    b = Builder()
    for draft in drafts:
        body = draft.body
        if "heads" in body:
            talks = None if draft.kind == "contest-closed" else list(body["heads"])
            body = {**body, "heads": b.chains.heads(talks)}
        draft = structs.replace(draft, body=body)
        b.drafts.append(draft)
        b.events.append(b.chains.place(draft))
    return b


def changed(b: Builder, seq: int, /, **body: Any) -> Builder:
    """Rewrites a whole record with other values in the body of one event."""
    drafts = list(b.drafts)
    old = drafts[seq - 1]
    drafts[seq - 1] = structs.replace(old, body={**old.body, **body})
    return reforge(drafts)


def rows(b: Builder) -> list[Row]:
    """The record as rows of its database."""
    return [
        Row(**{**event.as_json(), "body": canonical(event.body).decode()}) for event in b.events
    ]


def first(b: Builder, kind: str, after: int = 0) -> Event:
    """The first event of a kind after this number."""
    return next(event for event in b.events if event.kind == kind and event.seq > after)


def exported(log: EventLog, form: str) -> dict[str, bytes]:
    """The files of an export by their names."""
    return {name: b"".join(content) for name, content in files_of(log, form)}


def codebook() -> dict[str, Any]:
    """An example of the body of each kind of event."""
    lines = Path(__file__).with_name("codebook.jsonl").read_text("utf-8").splitlines()
    return {row["kind"]: row["body"] for row in map(json.loads, lines)}
