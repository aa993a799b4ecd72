"""watchdog's bare descriptor as a hint: what it does when its thread dies and directories come and
go, and how many threads it takes. What every hint must do is in tests/contract."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from lpp.channel import DirectoryChannel
from lpp.hints import InotifyReader, ObserverReader, SystemHint
from lpp.keypress import Side
from lpp.numbers import ForgetfulNumbers
from tests.lpp.watching import Watched, nothing_stays_open, watchdogs

Until = Callable[..., Awaitable[None]]

pytestmark = pytest.mark.skipif(not InotifyReader.available(), reason="this system has no inotify")


@pytest.fixture(autouse=True)
def _nothing_stays_open() -> Iterator[None]:
    with nothing_stays_open():
        yield


@pytest.fixture(params=["loop", "thread"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read by the test's own loop, or by watchdog's thread as on any other kind of loop."""
    if request.param == "thread":
        monkeypatch.setattr(InotifyReader, "loop", ObserverReader.loop)
    return str(request.param)


async def test_64_directories_take_no_thread_more(tmp_path: Path, until: Until) -> None:
    """Not one for waking, and of the loop's own pool a few for removing."""
    hint = SystemHint(InotifyReader)
    before = threading.active_count()
    most = 0
    async with AsyncExitStack() as stack:
        channels = []
        for number in range(64):
            path = tmp_path / str(number)
            path.mkdir()
            channel = DirectoryChannel(
                path, side=Side.JUDGE, hint=hint, numbers=ForgetfulNumbers(), sweep=1000.0
            )
            channels.append(await stack.enter_async_context(channel))
        for number in range(20):
            for channel in channels:
                os.mkdir(f"{channel.directory.path}/{number:010d}.a.other")
            for channel in channels:
                assert (await anext(channel)).press.number == number
            most = max(most, threading.active_count() - before)
        assert watchdogs() == []
    assert most <= min(32, (os.cpu_count() or 1) + 4)  # asyncio's pool


async def test_64_watches_without_a_loop_take_one_thread(
    tmp_path: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(InotifyReader, "loop", ObserverReader.loop)
    hint = SystemHint(InotifyReader)
    watched = []
    for number in range(64):
        (tmp_path / str(number)).mkdir()
        watched.append(Watched(hint, tmp_path / str(number)))
    assert len(watchdogs()) == 1
    for each in watched:
        each.key()
    await until(lambda: all(each.wakes for each in watched))
    for each in watched:
        each.end()
    assert watchdogs() == []


def test_a_loop_on_each_of_two_threads(tmp_path: Path) -> None:
    hint = SystemHint(InotifyReader)
    came: list[int] = []

    async def talk(path: Path) -> None:
        channel = DirectoryChannel(
            path, side=Side.JUDGE, hint=hint, numbers=ForgetfulNumbers(), sweep=1000.0
        )
        async with channel, asyncio.timeout(20):
            for number in range(50):
                (path / f"{number:010d}.a.other").mkdir()
                came.append((await anext(channel)).press.number)

    threads = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        threads.append(threading.Thread(target=asyncio.run, args=(talk(tmp_path / name),)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(came) == sorted([*range(50), *range(50)])


@pytest.mark.usefixtures("reader")
async def test_a_file_can_t_be_watched(room: Path) -> None:
    (room / "file").touch()
    with pytest.raises(NotADirectoryError):
        SystemHint(InotifyReader).watch(str(room / "file"), lambda: None)


@pytest.mark.usefixtures("reader")
async def test_permission_denied_is_told(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """watchdog gives a number that is none, and no exception."""
    hint = SystemHint(InotifyReader)
    monkeypatch.setattr(
        "watchdog.observers.inotify_c.inotify_add_watch", lambda *_: -1, raising=True
    )
    monkeypatch.setattr("watchdog.observers.inotify_c.ctypes.get_errno", lambda: errno.EACCES)
    monkeypatch.setattr("watchdog.observers.inotify_c.inotify_rm_watch", lambda *_: 0)
    with pytest.raises(PermissionError):
        hint.watch(str(room), lambda: None)


@pytest.mark.usefixtures("reader")
async def test_an_overflow_wakes_everybody(room: Path) -> None:
    from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, WatchDescriptor

    hint = SystemHint(InotifyReader)
    watched, other = Watched(hint, room), Watched(hint, room.parent)
    (reader,) = hint._readers.values()
    assert isinstance(reader, InotifyReader)
    reader._inotify.handle_event(
        InotifyEvent(WatchDescriptor(-1), InotifyConstants.IN_Q_OVERFLOW, 0, b"")
    )
    assert watched.wakes >= 1
    assert other.wakes >= 1
    watched.end()
    other.end()


def test_a_watch_may_end_after_its_loop(room: Path) -> None:
    hint = SystemHint(InotifyReader)

    async def watch() -> Callable[[], None]:
        return hint.watch(str(room), lambda: None)

    asyncio.run(watch())()
    assert hint.healthy()
