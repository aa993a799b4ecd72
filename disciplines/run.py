"""A discipline's run: its folder, its record, and the state folded from the events.

Each stage processes items, and its value for each item goes on record. So a run that was killed
continues with the first missing item. If an item fails, the reason goes on record, and the other
items are processed as usual.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import queue
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import msgspec

from contest.errors import BadSettings, EnvironmentProblem, NotAContest, RecordTrouble
from contest.record.events import Body, Event, Json, canonical, read, to_json
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.record.store import Record, sqlite_url
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from disciplines.events import (
    FORMAT,
    KINDS,
    Answered,
    Failed,
    GameEvent,
    Measured,
    Rated,
    RunAgain,
    RunOpened,
    RunResult,
    Spoke,
)

#: The most characters of an accepted answer: as many as a chat endpoint may send.
LONGEST = 1_000_000
#: Seconds after which noted events are made durable.
FLUSH = 1.0
#: How long a provider's threads may take to end after the run is stopped, in seconds.
GRACE = 5.0
#: Settings that don't affect a run's result: its speed, and its server's host names.
_OPERATIONAL = frozenset({"at_once", "names"})
#: Called after each item with the stage, and how many of its items are done, out of how many.
Progress = Callable[[str, int, int], None]

_T = TypeVar("_T", bound=msgspec.Struct)


class ItemFailed(Exception):
    """A stage can't compute a value for an item; the text says why, in one line."""


class TooLate(ItemFailed):
    """There is no answer within the time limit."""


class Answer(NamedTuple):
    """An answer, and the number of tokens of its call, if the provider counts them."""

    text: str
    tokens: int | None = None


class Dialogue(Protocol):
    """A dialogue with an answerer, which may remember the earlier texts."""

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        """Asks for an answer.

        Arguments:
            text: the text to answer.
            item: the item that the answer is for; stored answers are looked up by it.
            seconds: the time limit, if it is shorter than the provider's own.

        Raises:
            TooLate: if there is no answer within the time limit.
            ItemFailed: if there is no answer.
            EnvironmentProblem: if the answerer can't be reached now, but perhaps later.
        """


@runtime_checkable
class ResumableDialogue(Dialogue, Protocol):
    """A dialogue that can be resumed: after `resume`, its answerer knows the earlier texts."""

    def resume(self, before: Sequence[tuple[str, str]]) -> None:
        """Continues a dialogue that was stopped; raises as `ask`.

        Arguments:
            before: the texts asked so far, each with its answer.
        """


class Provider(Protocol):
    """A source of answers; `at_once` dialogues may be open at the same time, each in its own
    thread."""

    at_once: int

    def dialogue(self, item: str) -> AbstractContextManager[Dialogue]:
        """A new dialogue for an item."""

    def close(self) -> None:
        """Ends all dialogues, and the programs that were started for them."""


@dataclass
class State:
    """A run so far.

    Attributes:
        discipline: its name; empty before the first event.
        program: name and version of the program that opened the run, or repeated a stage last.
        settings, versions: the ones that apply now.
        stages: the stages in their order.
        answers: by item.
        spoken: by item, the messages of its dialogue, if they went on record one by one.
        games: by name, the events of a game that was played here, in order; they always stay.
        values, failures: stage to item to its value, or to the reason why there is none.
        ratings: (item, rater, metric) to the rating.
        replaced: by item, the answer from before `collect` was repeated, until the item has a new
            one.
        result: the last result, or None.

    Values that a stage computed before it was repeated no longer count. Ratings by people stay,
    unless `collect` has since got a different answer for the item: they rated the old one.
    """

    discipline: str = ""
    program: str = ""
    settings: Json = field(default_factory=dict)
    stages: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answered] = field(default_factory=dict)
    spoken: dict[str, list[Spoke]] = field(default_factory=dict)
    games: dict[str, list[GameEvent]] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, dict[str, str]] = field(default_factory=dict)
    ratings: dict[tuple[str, str, str], str] = field(default_factory=dict)
    replaced: dict[str, Answered] = field(default_factory=dict)
    result: RunResult | None = None

    def apply(self, event: Event, body: Body) -> None:
        """Takes the next event."""
        match body:
            case RunOpened() | RunAgain():
                self.program, self.stages = body.program, tuple(body.stages)
                self.settings, self.versions = body.settings, body.versions
                if isinstance(body, RunOpened):
                    self.discipline = body.discipline
                else:
                    self._forget(body.first, body.failed)
            case Spoke():
                self.spoken.setdefault(body.item, []).append(body)
            case _ if isinstance(body, GameEvent):
                self.games.setdefault(body.game, []).append(body)
            case Answered():
                before = self.replaced.pop(body.item, None)
                if before is not None and before.answer != body.answer:
                    self.ratings = {k: v for k, v in self.ratings.items() if k[0] != body.item}
                self.answers[body.item] = body
                self.failures.get("collect", {}).pop(body.item, None)
            case Measured():
                self.values.setdefault(body.stage, {})[body.item] = body.value
                self.failures.get(body.stage, {}).pop(body.item, None)
            case Failed():
                self.failures.setdefault(body.stage, {})[body.item] = body.reason
            case Rated():
                self.ratings[body.item, event.actor, body.metric] = body.value
            case RunResult():
                self.result = body

    def _forget(self, first: str, failed: bool) -> None:
        for stage in self.stages[self.stages.index(first) :] if first in self.stages else ():
            self.failures.pop(stage, None)
            if failed:
                continue
            self.values.pop(stage, None)
            if stage == "collect":
                self.replaced |= self.answers
                self.answers.clear()
                self.spoken.clear()

    def has(self, stage: str, item: str) -> bool:
        """Whether a stage has processed an item, even if it failed."""
        found = self.answers if stage == "collect" else self.values.get(stage, {})
        return item in found or item in self.failures.get(stage, {})


def body_of(event: Event) -> Body:
    """The body of a run's event; raises ValueError if its kind is unknown or it is malformed."""
    return read(event.kind, event.body, KINDS)


# Settings


class SettingsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a discipline's `contest.toml`, or the whole of it."""


def load(folder: Path, discipline: str, kind: type[_T]) -> _T:
    """Reads a discipline's `contest.toml`.

    Arguments:
        folder: the contest's folder.
        discipline: the required value of its key `discipline`.
        kind: the `SettingsTable` of its tables, without that key.

    Raises:
        NotAContest: if there is no such file.
        BadSettings: if it can't be used; the text says where and what to do.
    """
    file = folder / SETTINGS_FILE
    if not file.is_file():
        raise NotAContest(f"{folder}: this folder has no {SETTINGS_FILE}; name a contest's folder")
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as exc:
        raise BadSettings(f"{file}: can't be read ({exc})") from exc
    found = raw.pop("discipline", None)
    if found != discipline:
        raise BadSettings(
            f"{file}: this is a different kind of contest; the first line must be "
            f'discipline = "{discipline}"'
        )
    try:
        return msgspec.convert(raw, kind, strict=True)
    except msgspec.ValidationError as exc:
        text, _, place = str(exc).partition(" - at `$")
        where = place.strip("`.").replace("[...]", "")
        what = text.replace("Object contains unknown field", "unknown option")
        what = what.replace(
            "Expected `array`, got `object`", f"write [[{where}]], with two brackets"
        )
        what = what.replace("`", "'").replace("Object missing required field", "there is no")
        raise BadSettings(
            f"{file}: {f'[{where}] ' if where else ''}{what[0].lower()}{what[1:]}"
        ) from exc


def plain(value: Any) -> Any:
    """Settings in the form for the record: floats and dates as text, and without those that don't
    affect the result."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key not in _OPERATIONAL}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return repr(value) if isinstance(value, float) else value


# The run


class Run(AbstractContextManager["Run"]):
    """A run, open for writing; use as a context manager.

    Arguments:
        folder: the contest's folder.
        discipline: its name.
        settings: from `plain`.
        stages: name to version, in order. Values from another version of a stage are recomputed.
        repeat_from: the first stage to repeat, with all stages after it; empty to continue.
        progress: called after each item.
        failed: whether to repeat only the items that failed, from stage `repeat_from` on.

    Attributes:
        state: the state after the last event.

    Raises:
        BadSettings: if the settings differ from those on record, and `repeat_from` does not say
            from which stage they apply; or if `repeat_from` is not a stage.
        InUse, NewerRecord, RecordTrouble: if the record can't be used.
    """

    def __init__(
        self,
        folder: Path,
        discipline: str,
        settings: Json,
        stages: Mapping[str, str],
        repeat_from: str = "",
        progress: Progress = lambda stage, done, of: None,
        failed: bool = False,
    ) -> None:
        self.folder, self.state = folder, State()
        self._progress = progress
        self._writing = threading.RLock()
        self._waiting: list[Event] = []
        self._began = self._flushed = time.monotonic()
        if repeat_from and repeat_from not in stages:
            raise BadSettings(f"unknown stage {repeat_from!r}; the stages are {', '.join(stages)}")
        self._record = Record(sqlite_url(folder / RECORD_FILE), create=True)
        try:
            self._origin = self._fold()
            self._begin(discipline, settings, dict(stages), repeat_from, failed)
        except BaseException:
            self._record.close()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self.flush()
        finally:
            self._record.close()

    @property
    def head(self) -> str:
        """The hash of the last event that is durable."""
        return self._record.chains.head(None)

    def _fold(self) -> int:
        last = 0
        for event in self._record.events():
            try:
                self.state.apply(event, body_of(event))
            except ValueError as exc:
                raise RecordTrouble(f"{self._record.name}: event {event.seq}: {exc}") from exc
            last = event.mono_ns
        return last

    def _begin(
        self,
        discipline: str,
        settings: Json,
        stages: dict[str, str],
        repeat_from: str,
        failed: bool,
    ) -> None:
        state = self.state
        now: dict[str, Any] = {
            "program": f"loebner {version('loebner')}",
            "settings": settings,
            "stages": list(stages),
            "versions": stages,
        }
        if not state.discipline:
            self.write(RunOpened(format=FORMAT, discipline=discipline, **now))
            return
        if state.discipline != discipline:
            raise BadSettings(f"{self.folder}: its record is for discipline {state.discipline!r}")
        if (failed or not repeat_from) and canonical(settings) != canonical(plain(state.settings)):
            raise BadSettings(
                f"{self.folder}: {SETTINGS_FILE} has changed since the run began; restore it, or "
                f"give --from with the first stage that it affects: {', '.join(stages)}"
            )
        if repeat_from and failed:
            self.write(RunAgain(first=repeat_from, failed=True, **now))
            repeat_from = ""
        changed = [name for name, number in stages.items() if state.versions.get(name) != number]
        first = min(
            (each for each in (repeat_from, *changed) if each), key=list(stages).index, default=""
        )
        if first:
            self.write(RunAgain(first=first, **now))

    # Writing

    def write(self, *bodies: Body, actor: str = "server") -> None:
        """Appends events; they are durable when this returns. Any thread may call it. Raises
        RecordTrouble if they can't be written."""
        with self._writing:
            for body in bodies:
                self.note(body, actor, later=True)
            self.flush()

    def note(self, body: Body, actor: str = "server", *, later: bool = False) -> None:
        """Adds an event, which is durable after `flush`. Unless `later`, this flushes if the last
        flush was more than a second ago."""
        at = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        mono_ns = self._origin + round((time.monotonic() - self._began) * 1e9)
        # Apply the body as the record will return it, including the order of an object's names.
        plain_body = msgspec.json.decode(canonical(to_json(body)))
        event = Event(0, None, at, mono_ns, actor, body.kind, plain_body)
        self.state.apply(event, body_of(event))
        self._waiting.append(event)
        if not later and time.monotonic() - self._flushed >= FLUSH:
            self.flush()

    def flush(self) -> None:
        """Makes all events durable; raises RecordTrouble if they can't be written."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._record.append(waiting)
        self._flushed = time.monotonic()

    # Stages

    def pending(self, stage: str, items: Iterable[str]) -> list[str]:
        """The items that a stage has not processed yet, in order."""
        return [item for item in items if not self.state.has(stage, item)]

    def each(self, stage: str, items: Iterable[str], function: Callable[[str], Any]) -> None:
        """Has a stage process each pending item.

        Arguments:
            stage: its name.
            items: all items.
            function: computes an item's value, which has only integers and text; may raise
                ItemFailed.
        """
        items = list(items)
        pending = self.pending(stage, items)
        for done, item in enumerate(pending, len(items) - len(pending) + 1):
            try:
                body: Body = Measured(item, stage, function(item))
            except ItemFailed as exc:
                body = Failed(item, stage, str(exc))
            self.note(body)
            self._progress(stage, done, len(items))
        self.flush()

    def collect(
        self,
        items: Iterable[str],
        provider: Provider,
        ask: Callable[[str, Dialogue], Answer],
    ) -> None:
        """Collects the pending answers, as many at once as the provider allows. Each is durable
        before it is counted.

        Arguments:
            items: all items.
            provider: the source of the answers.
            ask: gets an item's answer in a separate dialogue; may raise ItemFailed. It is called in
                several threads.

        Raises:
            EnvironmentProblem: if the provider can't be reached; the collected answers are on
                record.
        """
        items = list(items)
        waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        for item in (pending := self.pending("collect", items)):
            waiting.put(item)
        came: queue.SimpleQueue[Body | BaseException] = queue.SimpleQueue()
        stop = threading.Event()

        def work() -> None:
            with contextlib.suppress(queue.Empty):
                while not stop.is_set():
                    body = _answer(waiting.get_nowait(), provider, ask)
                    if isinstance(body, BaseException):
                        stop.set()
                    came.put(body)

        # Daemons, so that a call that hangs can't keep a stopped run alive.
        threads = [
            threading.Thread(target=work, name="collects answers", daemon=True)
            for _ in range(min(provider.at_once, len(pending)))
        ]
        try:
            for thread in threads:
                thread.start()
            left = len(pending)
            while left:
                # Answers that arrived during the last write share a transaction.
                group = [came.get(), *(came.get() for _ in range(came.qsize()))]
                self.write(*(body for body in group if isinstance(body, Body)))
                for body in group:
                    if isinstance(body, BaseException):
                        raise body
                left -= len(group)
                self._progress("collect", len(items) - left, len(items))
        finally:
            stop.set()
            provider.close()
            end = time.monotonic() + GRACE
            for thread in threads:
                if thread.ident is not None:
                    thread.join(max(0.0, end - time.monotonic()))

    def finish(self, value: Json, files: Mapping[str, bytes]) -> None:
        """Writes the files of a result into the folder, and records the result.

        Arguments:
            value: the result, which has only integers and text.
            files: path relative to the folder, to content.

        Raises:
            EnvironmentProblem: if a file can't be written.
        """
        for name, data in files.items():
            write_file(self.folder / name, data)
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        result = RunResult(value, digests)
        if result != self.state.result:
            self.write(result)


def _answer(
    item: str, provider: Provider, ask: Callable[[str, Dialogue], Answer]
) -> Body | BaseException:
    began = time.monotonic()
    try:
        with provider.dialogue(item) as dialogue:
            answer = ask(item, dialogue)
        if len(answer.text) > LONGEST:
            raise ItemFailed(
                f"the answer has {len(answer.text):,} characters; at most {LONGEST:,} are accepted"
            )
        text = recordable(answer.text)
        return Answered(item, text, round((time.monotonic() - began) * 1000), answer.tokens)
    except ItemFailed as exc:
        return Failed(item, "collect", str(exc))
    except BaseException as exc:  # noqa: BLE001 -- raised again in the run's thread
        return exc


def recordable(text: str) -> str:
    """The text with its lone surrogates replaced, because they can't be stored."""
    return text.encode("utf-8", "replace").decode()


def write_file(file: Path, data: bytes) -> None:
    """Writes a file completely, or leaves the existing one unchanged; raises EnvironmentProblem
    if it can't be written."""
    new = file.with_name(f"{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(data)
        new.replace(file)
    except OSError as exc:
        raise EnvironmentProblem(f"{file}: can't be written ({exc.strerror or exc})") from exc
