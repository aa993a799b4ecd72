"""Providers of a run's answers: a chat endpoint, an LPP entry, a command, stored files.

Dialogues are independent of each other. If a provider can't be reached, the run stops, and can be
continued later. If there is no answer for an item, only this item fails.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bots.adapters import openai
from bots.adapters.base import BadSetting
from bots.typable import typable
from contest.errors import BadSettings, EnvironmentProblem
from disciplines.run import Answer, Dialogue, ItemFailed, Provider, SettingsTable, TooLate
from lpp.blocking import Talk
from lpp.directory import communications_root
from lpp.errors import LPPError
from lpp.keypress import Side
from lpp.lines import Pane
from lpp.program import KILL, OWN_GROUP, in_directory, signal_group, split

#: The most bytes read from a command's output or a stored answer: more than any accepted answer
#: has, so that an answer that is too long is noticed.
READ = 16_000_000
#: The most attempts while an endpoint is not ready. The first pause between two, in seconds, and
#: the longest; each pause is twice as long as the one before.
TRIES = 100
PAUSE, LONGEST_PAUSE = 1.0, 60.0
#: After this many attempts without any connection, the address is assumed to be wrong.
FIRST_TRIES = 5
#: Seconds without a key after which no more keys of an earlier dialogue are expected.
LEFT_OVER = 0.3
#: Seconds between two checks whether a program still runs.
LOOK = 0.1
_STOPPED = "stopped; to continue from here, start the run again"


#: The ways to answer.
WAYS = ("endpoint", "command", "directory", "folder")


class ProviderTable(SettingsTable, frozen=True):
    """The settings of a provider: one of `endpoint`, `command`, `directory` and `folder`.

    Attributes:
        endpoint, model, key_from, options, system: the address of an OpenAI-compatible endpoint;
            the model; the environment variable with its key ("" for no key, None for the usual
            variable); further fields of each request, such as temperature; the system message, ""
            for none.
        command: a program. If it contains `{dir}`, it is an LPP entry, started for each dialogue.
            Otherwise it reads a text from standard input and writes the answer; it may contain
            `{item}` and `{seed}`.
        directory: the directory of an LPP entry that is already running.
        folder: a folder with stored answers: for each item a file ITEM.txt at any depth.
        seconds: the time limit for an answer.
        quiet: seconds without a key press after which an LPP entry's answer is complete.
        at_once: how many dialogues may be open at the same time.
        master_seed: the seed from which each item's seed is derived; an endpoint gets that as
            `seed`. None for no seed.
    """

    endpoint: str = ""
    model: str = ""
    key_from: str | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    system: str = ""
    command: str = ""
    directory: str = ""
    folder: str = ""
    seconds: float = 120
    quiet: float = 6
    at_once: int = 1
    master_seed: int | None = None

    def __post_init__(self) -> None:
        if len(self.ways) != 1:
            found = f", not {' and '.join(self.ways)}" if self.ways else ""
            raise ValueError(f"give exactly one of {', '.join(WAYS)}{found}")
        for name in ("seconds", "quiet", "at_once"):
            if not 0 < getattr(self, name) <= 86_400:
                raise ValueError(f"{name} must be above 0 and at most 86400")

    @property
    def ways(self) -> list[str]:
        """The names of the given ways to answer; exactly one in valid settings of a provider."""
        return [name for name in WAYS if getattr(self, name)]

    @property
    def is_entry(self) -> bool:
        """Whether it is an LPP entry."""
        return bool(self.directory) or "{dir}" in self.command


def seed_of(master: int, item: str) -> int:
    """An item's seed of 31 bits, from the beginning of the SHA-256 of `MASTER ITEM`."""
    digest = hashlib.sha256(f"{master} {item}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def shortest(*limits: float | None) -> float:
    """The shortest of some time limits, in seconds; None is no limit."""
    return min((each for each in limits if each is not None), default=math.inf)


def provider(table: ProviderTable, folder: Path) -> Provider:
    """Makes the provider that the settings describe.

    Arguments:
        table: the settings.
        folder: the contest's folder, to which paths are relative.

    Raises:
        BadSettings: if it can't be used.
    """
    if table.endpoint:
        return ChatEndpoint(table)
    if table.folder:
        return _Stored(folder / table.folder)
    if table.directory:
        return _Entry(table, (), folder / table.directory)
    try:
        words = split(table.command)
    except ValueError as exc:
        raise BadSettings(f"the command can't be read ({exc}): {table.command}") from exc
    return _Entry(table, words) if table.is_entry else _Command(table, words)


# A chat endpoint


class ChatEndpoint:
    """A provider that is a chat endpoint.

    Arguments:
        table: its settings.

    Raises:
        BadSettings: if it can't be used.
    """

    def __init__(self, table: ProviderTable) -> None:
        self.table, self.at_once = table, table.at_once
        self._closed = threading.Event()
        #: Whether it has ever answered. A refusal before that means that a setting is wrong.
        self._answered = False
        variable = openai.KEY_FROM if table.key_from is None else table.key_from
        key = os.environ.get(variable, "").strip() if variable else ""
        if table.key_from and not key:
            raise BadSettings(f"key_from: the environment variable {table.key_from} has no key")
        if not table.model.strip():
            raise BadSettings("model: give the name of the model, as the endpoint knows it")
        try:
            self._endpoint = openai.Endpoint(openai.address(table.endpoint, key != ""), key)
        except BadSetting as exc:
            raise BadSettings(str(exc).replace("--", "").replace("key-from", "key_from")) from exc

    @contextlib.contextmanager
    def dialogue(self, item: str) -> Iterator[Dialogue]:
        """A dialogue that begins with the system message, if there is one."""
        yield _Chat(self, item)

    def close(self) -> None:
        """Ends a pause before a request is sent again."""
        self._closed.set()

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        item: str,
        seconds: float | None = None,
        **fields: Any,
    ) -> openai.Completed:
        """Asks for the next message, and retries while the endpoint is not ready.

        Arguments:
            messages: all messages so far.
            item: the item's id, from which the seed is derived.
            seconds: the time limit, including all pauses; None for only each request's own limit.
            fields: further fields of the request, such as `tools`.

        Raises:
            TooLate: if there is no answer within that time.
            ItemFailed: if there is no answer.
            EnvironmentProblem: if the endpoint can't answer now, but perhaps later.
        """
        table, pause = self.table, PAUSE
        seed = {} if table.master_seed is None else {"seed": seed_of(table.master_seed, item)}
        document = {"model": table.model, **table.options, **seed, "messages": messages, **fields}
        end = time.monotonic() + shortest(seconds)
        for number in range(1, TRIES + 1):
            try:
                left = end - time.monotonic()
                found = self._endpoint.complete(document, max(0.0, min(table.seconds, left)))
            except openai.TemporaryFailure as exc:
                trouble, due = str(exc), max(pause, exc.after)
                lost = isinstance(exc, openai.Unreachable) and not self._answered
                if lost and number >= FIRST_TRIES:
                    raise EnvironmentProblem(
                        f"{exc}; check the address, and start the run again"
                    ) from exc
                if time.monotonic() + due >= end:
                    raise TooLate(trouble) from exc
                if self._closed.wait(due):
                    break
                pause = min(2 * pause, LONGEST_PAUSE)
            except openai.RequestFailed as exc:
                if not self._answered:
                    raise EnvironmentProblem(f"{exc}; no request has been answered yet") from exc
                raise ItemFailed(str(exc)) from exc
            else:
                self._answered = True
                return found
        raise EnvironmentProblem(f"{trouble}; to continue from here, start the run again")


class _Chat:
    def __init__(self, owner: ChatEndpoint, item: str) -> None:
        self._owner, self._item, system = owner, item, owner.table.system
        self._messages = [{"role": "system", "content": system}] if system else []

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        self._messages.append({"role": "user", "content": text})
        said = self._owner.complete(self._messages, self._item, seconds)
        self._messages.append({"role": "assistant", "content": said.text})
        return Answer(said.text, said.tokens)

    def resume(self, before: Sequence[tuple[str, str]]) -> None:
        for text, answer in before:
            self._messages.append({"role": "user", "content": text})
            self._messages.append({"role": "assistant", "content": answer})


# Programs


@contextlib.contextmanager
def _started(words: Sequence[str], **how: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a program in its own process group, and kills the group when the context ends."""
    try:
        process = subprocess.Popen(words, **how, **OWN_GROUP)
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        raise EnvironmentProblem(f"the program {words[0]!r} can't be started: {reason}") from exc
    try:
        yield process
    finally:
        signal_group(process.pid, KILL)
        process.kill()
        process.wait()


class _Command:
    """A program that reads a text from standard input, and writes the answer."""

    def __init__(self, table: ProviderTable, words: Sequence[str]) -> None:
        self._table, self._words, self.at_once = table, words, table.at_once
        self._closed = threading.Event()

    @contextlib.contextmanager
    def dialogue(self, item: str) -> Iterator[Dialogue]:
        yield self

    def close(self) -> None:
        self._closed.set()

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        seed = seed_of(self._table.master_seed or 0, item)
        words = [
            word.replace("{item}", item).replace("{seed}", str(seed))
            for word in in_directory(self._words, "")
        ]
        limit = shortest(self._table.seconds, seconds)
        # In files, so that a program that doesn't read or write as expected blocks nothing.
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out:
            given.write(text.encode("utf-8", "replace"))
            given.seek(0)
            environment = {**os.environ, "PYTHONUTF8": "1"}
            end = time.monotonic() + limit
            with _started(words, stdin=given, stdout=out, env=environment) as process:
                while process.returncode is None and os.fstat(out.fileno()).st_size < READ:
                    if self._closed.is_set():
                        raise EnvironmentProblem(_STOPPED)
                    if time.monotonic() >= end:
                        raise TooLate(f"the program did not answer within {limit:g} seconds")
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(min(LOOK, max(0, end - time.monotonic())))
                code = process.returncode
            if code:
                raise ItemFailed(f"the program ended with exit code {code}")
            out.seek(0)
            return Answer(out.read(READ).decode("utf-8", "replace"))


class _Entry:
    """An LPP entry. A text is typed to it as one line; its answer is everything that it types until
    it is quiet."""

    def __init__(
        self, table: ProviderTable, words: Sequence[str], directory: Path | None = None
    ) -> None:
        self._table, self._words, self._directory = table, words, directory
        self.at_once = 1 if directory is not None else table.at_once
        self._closed = threading.Event()

    def close(self) -> None:
        self._closed.set()

    @contextlib.contextmanager
    def dialogue(self, item: str) -> Iterator[Dialogue]:
        with contextlib.ExitStack() as stack:
            running: Callable[[], bool] = lambda: True  # noqa: E731
            place = self._directory
            if place is None:
                place = Path(tempfile.mkdtemp(prefix="loebner-entry-", dir=communications_root()))
                stack.callback(shutil.rmtree, place, ignore_errors=True)
            try:
                talk = stack.enter_context(Talk(place, side=Side.JUDGE))
                with contextlib.suppress(TimeoutError):
                    while self._directory is not None:
                        talk.key(LEFT_OVER)
                if self._words:
                    words = in_directory(self._words, str(place))
                    out = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
                    process = stack.enter_context(_started(words, **out))
                    running = lambda: process.poll() is None  # noqa: E731
                yield _Typed(talk, self._table, running, self._closed)
            except LPPError as exc:
                raise EnvironmentProblem(str(exc)) from exc


class _Typed:
    def __init__(
        self,
        talk: Talk,
        table: ProviderTable,
        running: Callable[[], bool],
        closed: threading.Event,
    ) -> None:
        self._talk, self._table, self._running, self._closed = talk, table, running, closed

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        # A Return would end the judge's comment, so the text is typed as one line.
        self._talk.say(typable(" ".join(text.split())) + "\n")
        limit, quiet = shortest(self._table.seconds, seconds), self._table.quiet
        pane, asked = Pane(), time.monotonic()
        last = asked
        while True:
            now = time.monotonic()
            answered = bool(pane.text.strip())
            end = asked + limit if not answered else min(asked + limit, last + quiet)
            died = not self._running()
            if self._closed.is_set():
                raise EnvironmentProblem(_STOPPED)
            try:
                # If the program has died, read the rest of the keys that it typed.
                pane.press(self._talk.key(LOOK if died else min(LOOK, max(0, end - now))).press.key)
                last = time.monotonic()
            except TimeoutError:
                if died or now >= end:
                    break
        if not pane.text.strip():
            if died:
                raise ItemFailed("the entry ended without an answer")
            raise TooLate(f"the entry did not answer within {limit:g} seconds")
        return Answer(pane.text)

    def resume(self, before: Sequence[tuple[str, str]]) -> None:
        # A restarted program must get the texts again. Its new answers are dropped, because others
        # have already seen the old ones.
        for text, _ in () if self._table.directory else before:
            self.ask(text, "")


# Stored answers


class _Stored:
    at_once = 1

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BadSettings(f"folder: there is no folder {folder}; name one with stored answers")
        self._folder = folder
        # In an official folder tree of ChatGPT4PCG, programs and raw answers have the same file
        # names. The raw answers come last, so they are used.
        self._files = {file.stem: file for file in sorted(folder.rglob("*.txt"))}

    @contextlib.contextmanager
    def dialogue(self, item: str) -> Iterator[Dialogue]:
        yield self

    def close(self) -> None:
        pass

    def ask(self, text: str, item: str, seconds: float | None = None) -> Answer:
        if item not in self._files:
            raise ItemFailed(f"there is no stored answer {item}.txt")
        try:
            with self._files[item].open("rb") as file:
                return Answer(file.read(READ).decode("utf-8", "replace"))
        except OSError as exc:
            raise ItemFailed(f"the stored answer can't be read ({exc.strerror or exc})") from exc
