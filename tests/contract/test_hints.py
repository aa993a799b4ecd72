"""Tests that every Hint must pass; a new one needs only a row in a table here."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from watchdog.observers.polling import PollingObserver

from lpp import hints
from lpp.channel import DirectoryChannel
from lpp.directory import Directory, LocalDirectory
from lpp.hints import Hint, InotifyHint, NoHint, ObserverHint, ObserverWatch
from lpp.keypress import Side
from lpp.numbers import MemoryNumbers
from lpp.testing import MemoryDirectory

Until = Callable[..., Awaitable[None]]

#: Seconds within which all keys arrive, even on a busy machine.
DEADLINE = 20.0

WATCHING = ["observer", "inotify"]
#: watchdog's polling reports many short-lived keys as moved, some as files, and some not at all;
#: the sweep finds these.
ALL = [*WATCHING, "polling", "none", "in memory"]


@pytest.fixture
def directory(room: Path, kind: str) -> Directory:
    return MemoryDirectory() if kind == "in memory" else LocalDirectory(room)


@pytest.fixture
def hint(kind: str, directory: Directory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hint]:
    """A new hint; checks afterwards that it leaves no thread and no file descriptor."""
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    if kind.startswith("inotify"):
        if not InotifyHint.available():
            pytest.skip("this system has no inotify")
        yield InotifyHint()
    elif kind == "in memory":
        assert isinstance(directory, MemoryDirectory)
        yield directory
    elif kind == "none":
        yield NoHint()
    else:
        if kind == "polling":
            monkeypatch.setattr(hints, "Observer", PollingObserver)
        yield ObserverHint()
    assert watchdogs() == []
    if before:
        assert len(os.listdir("/proc/self/fd")) <= len(before)


def watchdogs() -> list[threading.Thread]:
    """watchdog's running threads."""
    return [each for each in threading.enumerate() if type(each).__module__.startswith("watchdog")]


def name(number: int) -> str:
    return f"{number:010d}.a.other"


def channel(directory: Directory | Path, hint: Hint, sweep: float) -> DirectoryChannel:
    return DirectoryChannel(
        directory, side=Side.JUDGE, hint=hint, numbers=MemoryNumbers(), sweep=sweep
    )


async def numbers(channel: DirectoryChannel, count: int) -> list[int]:
    async with asyncio.timeout(DEADLINE):
        return [(await anext(channel)).press.number for _ in range(count)]


class Watched:
    """A watch that counts how often it woke us."""

    def __init__(self, hint: Hint, directory: Directory) -> None:
        self.wakes = 0
        self.watch = hint.watch(directory.path, self.wake)

    def wake(self) -> None:
        self.wakes += 1


@pytest.mark.parametrize("kind", ALL)
async def test_keys_arrive_once_and_in_order(hint: Hint, directory: Directory, kind: str) -> None:
    """Keys that were there before, single keys, and bursts from another thread."""

    def write() -> None:
        for number in range(10, 1000):
            directory.make(name(number))

    directory.make(name(1))
    directory.make(name(0))
    sweep = 0.05 if kind in ("polling", "none") else 1000.0
    async with channel(directory, hint, sweep) as here:
        assert await numbers(here, 2) == [0, 1]
        for number in range(2, 10):
            directory.make(name(number))
            assert await numbers(here, 1) == [number]
        writer = threading.Thread(target=write)
        writer.start()
        assert await numbers(here, 990) == list(range(10, 1000))
        await here.settled()
        directory.make(name(1000))  # the hint still works after a burst
        assert await numbers(here, 1) == [1000]
        await here.settled()
        assert here.receive_now() == []
    await asyncio.to_thread(writer.join)
    assert directory.names() == []


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        *((how, kind) for how in ("removed", "moved") for kind in WATCHING),
        ("thread died", "observer"),
    ],
)
async def test_dead_watch_can_be_replaced(
    hint: Hint, directory: Directory, until: Until, how: str, kind: str
) -> None:
    path = Path(directory.path)
    away = path.with_name(f"{path.name} away")
    watched, other = Watched(hint, directory), Watched(hint, directory)
    if how == "thread died":
        for each in (watched.watch, other.watch):
            assert isinstance(each, ObserverWatch)
            each.emitter.stop()
    elif how == "removed":
        path.rmdir()
    else:
        path.rename(away)
    await until(lambda: not watched.watch.alive() and not other.watch.alive())
    path.mkdir(exist_ok=True)
    watched.watch.end()
    again = Watched(hint, directory)
    other.watch.end()
    assert again.watch.alive()
    path.joinpath(name(0)).mkdir()
    await until(lambda: again.wakes)
    again.watch.end()
    if how == "moved":
        away.rmdir()


@pytest.mark.parametrize("kind", WATCHING[1:])
async def test_unwatchable_path_is_reported(hint: Hint, room: Path) -> None:
    (room / "file").touch()
    with pytest.raises(NotADirectoryError):
        hint.watch(str(room / "file"), lambda: None)


@pytest.mark.parametrize(("kind", "threads"), [("inotify", 0), ("observer", 64 + 2)])
async def test_64_directories_need_few_threads(hint: Hint, tmp_path: Path, threads: int) -> None:
    """A hint needs no thread, or one for each directory and two for the observer. Removing uses the
    threads of the loop's pool."""
    before = threading.active_count()
    async with AsyncExitStack() as stack:
        channels = []
        for number in range(64):
            path = tmp_path / str(number)
            path.mkdir()
            channels.append(await stack.enter_async_context(channel(path, hint, sweep=1000.0)))
        for number in range(5):
            for each in channels:
                os.mkdir(f"{each.directory.path}/{number:010d}.a.other")
            for each in channels:
                assert await numbers(each, 1) == [number]
            pool = min(32, (os.cpu_count() or 1) + 4)
            assert threading.active_count() - before <= threads + pool
        assert len(watchdogs()) <= threads
