"""The record of a desk without a server: a folder a session, with two files that are written line
by line, each line durable before anybody is told of it.

* `events.jsonl` -- in the form of a contest's record (docs/reference/record.md), its hash chains
  included: checked by docs/reference/verify_record.py, and played by `loebner replay`;
* `log-2012.txt` -- the key presses that were shown, in the form of 2012
  (docs/reference/log-2012.md).

A session is a contest of one round and one pairing: judge J1, entry E1, confederate C1. In
practice with one partner, and on a confederate's side, one of these is missing; there the schedule
is empty. A talk without a limit has 0 seconds.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import secrets
from collections.abc import Iterator, Sequence
from importlib import metadata
from itertools import count
from pathlib import Path

from contest.history.sides import Sealed
from contest.record import bodies
from contest.record.bodies import REDACTABLE, AnyBody, talk_id, to_json
from contest.record.events import Chains, Draft, canonical
from contest.setup.filenames import safe_name
from judge_console.model.desk import IDS
from judge_console.model.desknotes import (
    Breach,
    Closed,
    Ended,
    KeyNote,
    LeftOvers,
    Noted,
    Opening,
    Side,
    Started,
    Times,
    Trouble,
    VerdictNote,
    rfc3339,
)
from judge_console.model.desktalk import ATTEMPT, ROUND
from loebner.durable import DurableLines, sync_names
from lpp.errors import Surroundings
from lpp.log2012 import JUDGE as JUDGE_IN_LOG
from lpp.log2012 import Author, compose
from lpp.log2012 import write as log_text

EVENTS, LOG = "events.jsonl", "log-2012.txt"
#: Second line of the log: nobody was asked.
NOTICE = "Those who typed have not been asked about publication"

JUDGE, CONFEDERATE, ENTRY = IDS["judge"], IDS["confederate"], IDS["entry"]


class DeskRecord:
    """Keeps the record of one session, in a new folder.

    Arguments:
        parent: where the session's folder is made; made itself if it is not there.
        kind: a word or two for the folder's name, such as `practice`.
        now: the local time for it; the machine's if left out.

    Attributes:
        folder: the session's.
        slow: see `judge_console.desk.Recorder`.

    Raises:
        Surroundings: if the folder can't be made.
    """

    slow = True

    def __init__(self, parent: Path, kind: str, now: dt.datetime | None = None) -> None:
        self._began = now if now is not None else dt.datetime.now()
        self.folder = _new_folder(parent, f"{self._began:%Y-%m-%d %H-%M} {kind}")
        self._events: DurableLines | None = None
        self._log: DurableLines | None = None
        self._form: _Form | None = None

    @property
    def where(self) -> str:
        """The session's folder."""
        return str(self.folder)

    def write(self, notes: Sequence[Noted]) -> None:
        """See judge_console.desk.Recorder.

        Raises:
            OSError: if the notes are not durable; then nothing of them stands in either file.
            ValueError: if the first note of all is no Opening.
        """
        if self._form is None:
            first = notes[0].note
            if not isinstance(first, Opening):
                raise ValueError(f"a record begins with its opening, not with {first}")
            self._form = _Form(first, notes[0], self._began)
        if self._events is None:
            self._events = DurableLines(self.folder / EVENTS)
        if self._log is None:
            self._log = DurableLines(self.folder / LOG)
            sync_names(self.folder)
        chains = self._form.chains.snapshot()
        events = b"".join(
            canonical(chains.place(draft).as_json()) + b"\n"
            for noted in notes
            for draft in self._form.drafts(noted, chains)
        )
        log = b"".join(self._form.log_lines(noted) for noted in notes)
        before = self._events.size
        self._events.append(events)
        try:
            self._log.append(log)
        except OSError:
            self._events.cut(before)
            raise
        self._form.chains = chains

    def close(self) -> None:
        """Closes the files."""
        for file in (self._events, self._log):
            if file is not None:
                file.close()


class _Form:
    """What notes look like in both files."""

    def __init__(self, opening: Opening, noted: Noted, began: dt.datetime) -> None:
        self.chains = Chains()
        self._opening = opening
        self._first = noted
        self._date = f"{began:%Y-%m-%d}"
        self._ended = False
        self._seqs: dict[int, int] = {}
        self._sealed: Sealed | None = None
        if len(opening.sitters) > 1 and opening.human is not None:
            self._sealed = Sealed(opening.human, secrets.token_hex(16))
        self._header = len(self._log_text([]))

    # events.jsonl

    def drafts(self, noted: Noted, chains: Chains) -> Iterator[Draft]:
        """The events of a note, each to be placed in the chains before the next is asked for."""
        for talk, actor, body in self._bodies(noted, chains):
            plain = to_json(body)
            if body.kind in REDACTABLE:
                plain["salt"] = secrets.token_hex(16)
            at = rfc3339(noted.wall_us)
            yield Draft(talk, at, noted.mono_ns, actor, body.kind, plain)

    def _bodies(self, noted: Noted, chains: Chains) -> Iterator[tuple[str | None, str, AnyBody]]:
        match noted.note:
            case KeyNote() as note:
                self._seqs[note.id] = chains.last_seq + 1
                yield self._talk(note.side), self._actor(note), _key(note)
            case Times() as note:
                rows: list[list[int | None]] = [
                    [self._seqs[id_], durable, shown] for id_, durable, shown in note.rows
                ]
                yield self._talk(note.side), "server", bodies.Times(rows)
            case VerdictNote() as note:
                body = bodies.VerdictGiven(
                    *(ROUND, ATTEMPT, JUDGE, note.human, note.version),
                    *(note.confidence, note.reason),
                )
                yield None, JUDGE, body
            case Opening() as note:
                yield from self._open(note)
            case LeftOvers() as note:
                who = self._entity(note.side)
                yield None, "server", bodies.LeftOvers(who, list(note.names))
            case Started():
                seconds = self._opening.seconds or 0
                yield None, "server", bodies.RoundStarted(ROUND, ATTEMPT, seconds)
            case Ended() as note:
                self._ended = True
                yield None, "server", bodies.RoundEnded(ROUND, ATTEMPT, note.reason)
            case Breach() as note:
                who = self._entity(note.side) if self._opening.role == "judge" else JUDGE
                yield None, who, bodies.Breach(who, note.rule, note.name, note.detail)
            case Trouble() as note:
                where = f"directory at the {note.side}"
                yield None, "server", bodies.Trouble(where, note.what)
            case Closed():
                yield from self._close(chains)

    def _open(self, note: Opening) -> Iterator[tuple[str | None, str, AnyBody]]:
        pairing = {"judge": JUDGE, "entry": ENTRY, "confederate": CONFEDERATE}
        people = {self._entity(side): name for side, name in note.sitters.items()}
        entries = [{"id": who, "name": people[who]} for who in (ENTRY,) if who in people]
        humans = [{"id": who, "name": people[who]} for who in (CONFEDERATE,) if who in people]
        minutes = f"{(note.seconds or 0) / 60:g}"
        settings = {
            "contest": {"name": note.contest, "date": self._date},
            "rules": {"rounds": 1, "interaction_minutes": minutes},
            "publication": {"default": "withhold"},
            "judge": [{"id": JUDGE, "name": JUDGE}],
            "entry": entries,
            "confederate": humans,
        }
        yield (
            None,
            "server",
            bodies.ContestOpened(
                format=bodies.FORMAT,
                program=f"loebner {metadata.version('loebner')}",
                settings=settings,
                schedule={"rounds": [[pairing]] if self._sealed else []},
                speed=round(note.speed * 1000),
            ),
        )
        yield None, "server", bodies.RoundOpened(ROUND, ATTEMPT)
        if self._sealed is not None:
            seal = bodies.SideSealed(ROUND, ATTEMPT, JUDGE, self._sealed.seal)
            yield None, "server", seal
        for side in sorted(note.sitters):
            opened = bodies.TalkOpened(ROUND, ATTEMPT, JUDGE, self._entity(side), side)
            yield self._talk(side), "server", opened

    def _close(self, chains: Chains) -> Iterator[tuple[str | None, str, AnyBody]]:
        for side in sorted(self._opening.sitters):
            yield self._talk(side), "server", bodies.TalkClosed()
        if self._ended:
            yield None, "server", bodies.RoundClosed(ROUND, ATTEMPT, chains.heads())
        if self._sealed is not None:
            revealed = {
                "round": ROUND,
                "attempt": ATTEMPT,
                "judge": JUDGE,
                **self._sealed.as_json(),
            }
            yield None, "server", bodies.SidesRevealed([revealed])
        yield None, "server", bodies.ContestClosed(chains.heads())

    def _entity(self, side: Side) -> str:
        return CONFEDERATE if side == self._opening.human else ENTRY

    def _actor(self, note: KeyNote) -> str:
        return JUDGE if note.author == "judge" else self._entity(note.side)

    def _talk(self, side: Side) -> str:
        return talk_id(ROUND, ATTEMPT, JUDGE, side)

    # The log in the form of 2012

    def log_lines(self, noted: Noted) -> bytes:
        """The lines of a note: the header, a key press that was shown, or nothing."""
        match noted.note:
            case Opening():
                return self._log_text([])
            case KeyNote(out_of_phase=None) as note:
                # By the clock that never runs back, from the wall's time at the beginning.
                passed = (noted.mono_ns - self._first.mono_ns) // 1000
                key = (self._first.wall_us + passed, note.author, note.side, note.key)
                return self._log_text([key])[self._header :]
        return b""

    def _log_text(self, keys: Sequence[tuple[int, Author, Side, str]]) -> bytes:
        opening = self._opening
        log = compose(
            title=f"{opening.contest}  {self._date}",
            notice=NOTICE,
            judge=JUDGE,
            program=self._program(),
            round_=ROUND,
            left="human" if opening.human == "left" else "program",
            keys=keys,
        )
        return log_text(log).encode("utf-8", "surrogateescape")

    def _program(self) -> str:
        sitters = self._opening.sitters
        at = next((side for side in sitters if side != self._opening.human), None)
        # One word, for blanks separate the parts of a line; the form knows a judge by `judge`.
        name = "" if at is None else "_".join(sitters[at].split())
        return name if name and name != JUDGE_IN_LOG else f"program_{name}".rstrip("_")


def _key(note: KeyNote) -> bodies.Key:
    n = min(note.n, bodies.LARGEST)
    rules = list(note.rules)
    return bodies.Key(note.author, note.side, note.key, n, note.raw, rules, note.out_of_phase)


def _new_folder(parent: Path, name: str) -> Path:
    name = safe_name(name)
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            folder = parent / (name if number == 1 else f"{name} {number}")
            with contextlib.suppress(FileExistsError):
                folder.mkdir()
                return folder
    except OSError as exc:
        raise Surroundings(
            f"{parent}: no record can be written here ({exc.strerror or exc}); "
            "name another directory"
        ) from exc
    raise AssertionError("numbers do not end")
