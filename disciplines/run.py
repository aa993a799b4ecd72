"""A discipline's run: its folder, its record, and the state folded from the events.

Stages go over items. What a stage gave for an item is on record, so a run that was killed goes on
with the first item that is missing. An item that fails has a reason on record and holds up nothing
else.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import queue
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from contest.errors import BadSettings, NotAContest, RecordTrouble, Surroundings
from contest.record.events import Body, Event, Json, canonical, read, to_json
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.record.store import Record, sqlite_url
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from disciplines.events import (
    FORMAT,
    KINDS,
    Answered,
    Failed,
    Measured,
    Rated,
    RunAgain,
    RunOpened,
    RunResult,
)

#: Characters of an answer that is taken: as many as a chat endpoint may send.
LONGEST = 1_000_000
#: Seconds after which what was noted is made durable.
FLUSH = 1.0
#: Seconds that a provider's threads have to end after the run was stopped.
GRACE = 5.0
#: Settings that change how fast a run goes, not what comes out.
_OPERATIONAL = frozenset({"at_once"})
#: Hears of each item that is done: the stage, how many of its items are, and of how many.
Progress = Callable[[str, int, int], None]

_T = TypeVar("_T", bound=msgspec.Struct)


class ItemFailed(Exception):
    """A stage has no value for an item; the text says why, in one line."""


class Answer(NamedTuple):
    """An answer, and how many tokens its call took, if the provider counts them."""

    text: str
    tokens: int | None = None


class Dialogue(Protocol):
    """A dialogue with somebody who answers, and remembers it."""

    def ask(self, text: str, item: str) -> Answer:
        """The answer to a text.

        Arguments:
            text: what is asked.
            item: whose answer it is: stored answers are found by it.

        Raises:
            ItemFailed: if there is no answer.
            Surroundings: if there may be one later.
        """


class Provider(Protocol):
    """Where answers come from; `at_once` dialogues may be open at the same time, each in a thread
    of its own."""

    at_once: int

    def dialogue(self, item: str) -> AbstractContextManager[Dialogue]:
        """A fresh dialogue for an item."""

    def close(self) -> None:
        """Ends waiting, and all that was started."""


@dataclass
class State:
    """A run so far.

    Attributes:
        discipline: its name; empty before the first event.
        settings, versions: those that hold by the record; stages: in their order.
        answers: by item.
        values, failures: stage to item to its value, or the reason why there is none.
        ratings: item, rater and metric to the rating.
        result: the last one; None before.
    """

    discipline: str = ""
    settings: Json = field(default_factory=dict)
    stages: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answered] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, dict[str, str]] = field(default_factory=dict)
    ratings: dict[tuple[str, str, str], str] = field(default_factory=dict)
    result: RunResult | None = None

    def apply(self, event: Event, body: Body) -> None:
        """Takes the next event."""
        match body:
            case RunOpened() | RunAgain():
                self.settings, self.versions = body.settings, body.versions
                self.stages = tuple(body.stages)
                if isinstance(body, RunOpened):
                    self.discipline = body.discipline
                else:
                    self._forget(body.first, body.failed)
            case Answered():
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
            if not failed:
                self.values.pop(stage, None)
            if not failed and stage == "collect":
                self.answers.clear()
            if stage == "rate":
                self.ratings.clear()

    def has(self, stage: str, item: str) -> bool:
        """Whether a stage has done with an item, well or not."""
        found = self.answers if stage == "collect" else self.values.get(stage, {})
        return item in found or item in self.failures.get(stage, {})


def body_of(event: Event) -> Body:
    """The body of a run's event; raises ValueError if it is of no form of ours."""
    return read(event.kind, event.body, KINDS)


# Settings


def load(folder: Path, discipline: str, kind: type[_T]) -> _T:
    """Reads a discipline's `contest.toml`.

    Arguments:
        folder: the contest's.
        discipline: what its key `discipline` must say.
        kind: a struct with its tables, without that key; its unknown fields are forbidden.

    Raises:
        NotAContest: if there is no such file.
        BadSettings: if it can't be used; the text says where and what to do.
    """
    file = folder / SETTINGS_FILE
    if not file.is_file():
        raise NotAContest(f"{folder}: there is no {SETTINGS_FILE} in it; name a contest's folder")
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as exc:
        raise BadSettings(f"{file}: can't be read ({exc})") from exc
    found = raw.pop("discipline", None)
    if found != discipline:
        raise BadSettings(
            f"{file}: this is not a contest of this kind; its first line says discipline = "
            f'"{discipline}"'
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
    """Settings as the record holds them: floats and dates as text, and without what changes only
    how fast a run goes."""
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
        folder: the contest's.
        discipline: its name.
        settings: as `plain` gives them.
        stages: name to version, in their order. What a stage of another version gave is computed
            again.
        again: the stage from which all is done again; empty to go on.
        progress: hears of each item that is done.
        failed: whether only what failed is done again, from `again` on.

    Attributes:
        state: up to the last event.

    Raises:
        BadSettings: if the settings differ from those on record, and `again` does not say from
            where they hold; or if `again` is not a stage.
        InUse, LaterRecord, RecordTrouble: if the record can't be used.
    """

    def __init__(
        self,
        folder: Path,
        discipline: str,
        settings: Json,
        stages: Mapping[str, str],
        again: str = "",
        progress: Progress = lambda stage, done, of: None,
        failed: bool = False,
    ) -> None:
        self.folder, self.state = folder, State()
        self._progress = progress
        self._waiting: list[Event] = []
        self._began = self._flushed = time.monotonic()
        if again and again not in stages:
            raise BadSettings(f"there is no stage {again!r}; there are {', '.join(stages)}")
        self._record = Record(sqlite_url(folder / RECORD_FILE), create=True)
        try:
            self._origin = self._fold()
            self._begin(discipline, settings, dict(stages), again, failed)
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
        self, discipline: str, settings: Json, stages: dict[str, str], again: str, failed: bool
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
            raise BadSettings(f"{self.folder}: its record is one of {state.discipline!r}")
        if (failed or not again) and canonical(settings) != canonical(state.settings):
            raise BadSettings(
                f"{self.folder}: {SETTINGS_FILE} has changed since the run began; say from which "
                f"stage it holds, as in --from {next(iter(stages))}"
            )
        if again and failed:
            self.write(RunAgain(first=again, failed=True, **now))
            again = ""
        changed = [name for name, number in stages.items() if state.versions.get(name) != number]
        first = min(
            (each for each in (again, *changed) if each), key=list(stages).index, default=""
        )
        if first:
            self.write(RunAgain(first=first, **now))

    # Writing

    def write(self, *bodies: Body, actor: str = "server") -> None:
        """Appends events; they are durable when this returns. Raises RecordTrouble if not."""
        for body in bodies:
            self.note(body, actor, later=True)
        self.flush()

    def note(self, body: Body, actor: str = "server", *, later: bool = False) -> None:
        """Takes an event; it is durable within a second of the next one, or after `flush`."""
        at = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        mono_ns = self._origin + round((time.monotonic() - self._began) * 1e9)
        # As it will be read again: also the order of names in an object is the record's.
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
        """The items that a stage has not done with yet, in their order."""
        return [item for item in items if not self.state.has(stage, item)]

    def each(self, stage: str, items: Iterable[str], function: Callable[[str], Any]) -> None:
        """Has a stage do with each item that is pending.

        Arguments:
            stage: its name.
            items: all of them.
            function: gives an item's value, of whole numbers and text; raises ItemFailed.
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
        """Collects the answers that are pending, as many at once as the provider takes. Each is
        durable before it is counted.

        Arguments:
            items: all of them.
            provider: where the answers come from.
            ask: gives an item's answer in a dialogue of its own; raises ItemFailed. It runs in
                several threads.

        Raises:
            Surroundings: if the provider can't be reached; what was collected is on record.
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

        # Daemons: a call that hangs must not keep a run alive that was stopped.
        threads = [
            threading.Thread(target=work, name="collects answers", daemon=True)
            for _ in range(min(provider.at_once, len(pending)))
        ]
        try:
            for thread in threads:
                thread.start()
            left = len(pending)
            while left:
                # Those that came while the last ones were written share a transaction.
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
        """Writes the files of a result below the folder, and the result on record.

        Arguments:
            value: the result, of whole numbers and text.
            files: path below the folder to content.

        Raises:
            Surroundings: if a file can't be written.
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
                f"the answer has {len(answer.text):,} characters; {LONGEST:,} are taken at most"
            )
        # What is no Unicode can be stored nowhere.
        text = answer.text.encode("utf-8", "replace").decode()
        return Answered(item, text, round((time.monotonic() - began) * 1000), answer.tokens)
    except ItemFailed as exc:
        return Failed(item, "collect", str(exc))
    except BaseException as exc:  # noqa: BLE001 -- raised where the run is
        return exc


def write_file(file: Path, data: bytes) -> None:
    """Writes a file whole, or leaves what is there; raises Surroundings if it can't be written."""
    new = file.with_name(f"{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(data)
        new.replace(file)
    except OSError as exc:
        raise Surroundings(f"{file}: can't be written ({exc.strerror or exc})") from exc
