"""What every Hint must do; a new one gets these tests with one class."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from watchdog.observers.polling import PollingObserver

from lpp import hints
from lpp.channel import DirectoryChannel
from lpp.directory import Directory, LocalDirectory
from lpp.hints import Hint, InotifyReader, NoHint, ObserverReader, SystemHint
from lpp.keypress import Side
from lpp.numbers import ForgetfulNumbers
from lpp.testing import MemoryDirectory
from tests.lpp.watching import Watched, nothing_stays_open, watchdogs

Until = Callable[..., Awaitable[None]]

#: Seconds within which whatever is to come has come, on a machine that is busy with other things.
DEADLINE = 20.0


def name(number: int) -> str:
    return f"{number:010d}.a.other"


class HintContract:
    """The contract: derive, and give a fresh `hint` and a `directory` that it can watch."""

    #: Whether a wake comes by itself, or the sweep has to do it all.
    wakes = False

    @pytest.fixture
    def hint(self) -> Hint:
        raise NotImplementedError

    @pytest.fixture
    def directory(self, room: Path) -> Directory:
        return LocalDirectory(room)

    def channel(self, directory: Directory, hint: Hint, sweep: float) -> DirectoryChannel:
        return DirectoryChannel(
            directory, side=Side.JUDGE, hint=hint, numbers=ForgetfulNumbers(), sweep=sweep
        )

    async def numbers(self, channel: DirectoryChannel, count: int) -> list[int]:
        async with asyncio.timeout(DEADLINE):
            return [(await anext(channel)).press.number for _ in range(count)]

    async def test_keys_come_once_and_in_order(self, hint: Hint, directory: Directory) -> None:
        async with self.channel(directory, hint, sweep=0.05) as channel:
            for number in range(100):
                directory.make(name(number))
                if number % 10 == 0:
                    await asyncio.sleep(0)
            assert await self.numbers(channel, 100) == list(range(100))
            await channel.settled()
            assert channel.receive_now() == []
            assert directory.names() == []

    async def test_keys_of_another_thread(self, hint: Hint, directory: Directory) -> None:
        def write() -> None:
            for number in range(2000):
                directory.make(name(number))

        writer = threading.Thread(target=write)
        async with self.channel(directory, hint, sweep=0.05) as channel:
            writer.start()
            assert await self.numbers(channel, 2000) == list(range(2000))
            await channel.settled()
            assert channel.receive_now() == []
        await asyncio.to_thread(writer.join)
        assert directory.names() == []

    async def test_what_stood_there_before(self, hint: Hint, directory: Directory) -> None:
        for number in (1, 0):
            directory.make(name(number))
        async with self.channel(directory, hint, sweep=1000.0) as channel:
            assert await self.numbers(channel, 2) == [0, 1]

    async def test_two_watch_one_path(self, hint: Hint, directory: Directory, until: Until) -> None:
        woken: list[str] = []
        end_first = hint.watch(directory.path, lambda: woken.append("first"))
        end_second = hint.watch(directory.path, lambda: woken.append("second"))
        try:
            directory.make(name(0))
            if self.wakes:
                await until(lambda: {"first", "second"} <= set(woken))
            end_first()
            woken.clear()
            directory.make(name(1))
            if self.wakes:
                await until(lambda: "second" in woken)
            assert "first" not in woken
        finally:
            end_first()
            end_second()

    async def test_a_watch_ends_once(self, hint: Hint, directory: Directory) -> None:
        end = hint.watch(directory.path, lambda: None)
        end()
        end()
        hint.watch(directory.path, lambda: None)()

    async def test_it_is_healthy(self, hint: Hint, directory: Directory) -> None:
        assert hint.healthy()
        end = hint.watch(directory.path, lambda: None)
        assert hint.healthy()
        end()
        assert hint.healthy()


class WakingHintContract(HintContract):
    """The contract of hints that wake, beyond what the sweep alone does."""

    wakes = True

    async def test_a_key_comes_without_the_sweep(self, hint: Hint, directory: Directory) -> None:
        async with self.channel(directory, hint, sweep=1000.0) as channel:
            for number in range(20):
                directory.make(name(number))
                assert await self.numbers(channel, 1) == [number]

    async def test_after_a_burst_the_hint_wakes_again(
        self, hint: Hint, directory: Directory
    ) -> None:
        async with self.channel(directory, hint, sweep=1000.0) as channel:
            for number in range(3000):
                directory.make(name(number))
            assert await self.numbers(channel, 3000) == list(range(3000))
            for number in range(3000, 3010):
                directory.make(name(number))
                assert await self.numbers(channel, 1) == [number]


class WatchingHintContract(WakingHintContract):
    """The contract of hints that watch the file system, where directories come and go."""

    @pytest.fixture
    def fast_checks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(hints, "CHECK", 0.0)

    async def test_a_path_that_can_t_be_watched(self, hint: Hint, directory: Directory) -> None:
        with pytest.raises(OSError, match="No such file"):
            hint.watch(f"{directory.path}/missing", lambda: None)
        assert watchdogs() == []

    async def test_a_wake_that_fails_ends_nobody_else_s(
        self, hint: Hint, directory: Directory, until: Until, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail() -> None:
            raise ZeroDivisionError

        end = hint.watch(directory.path, fail)
        watched = Watched(hint, Path(directory.path))
        for count in (1, 2):
            watched.key()
            await until(lambda count=count: watched.wakes >= count)
        assert "a wake failed" in caplog.text
        end()
        watched.end()

    @pytest.mark.usefixtures("fast_checks")
    @pytest.mark.parametrize("how", ["removed", "moved"])
    async def test_a_directory_that_comes_back_is_watched_again(
        self, hint: Hint, directory: Directory, until: Until, how: str
    ) -> None:
        path = Path(directory.path)
        away = path.with_name(f"{path.name} away")
        watched, other = Watched(hint, path), Watched(hint, path)
        if how == "removed":
            path.rmdir()
        else:
            path.rename(away)
        await until(lambda: not hint.healthy())
        assert not hint.healthy()
        path.mkdir()
        await until(hint.healthy)
        watched.key()
        await until(lambda: watched.wakes and other.wakes)
        watched.end()
        other.end()
        if how == "moved":
            away.rmdir()

    @pytest.mark.usefixtures("fast_checks")
    async def test_a_watch_may_end_while_its_directory_is_away(
        self, hint: Hint, directory: Directory, until: Until
    ) -> None:
        watched = Watched(hint, Path(directory.path))
        Path(directory.path).rmdir()
        await until(lambda: not hint.healthy())
        watched.end()
        assert watchdogs() == []
        assert hint.healthy()


class TestWatchdogHint(WatchingHintContract):
    @pytest.fixture
    def hint(self) -> Hint:
        return SystemHint(ObserverReader)


class TestWatchdogHintOnDisk(TestWatchdogHint):
    @pytest.fixture
    def directory(self, tmp_path: Path) -> Directory:
        return LocalDirectory(tmp_path)


class TestPollingWatchdogHint(HintContract):
    """Of keys that come and go, watchdog's polling reports many as moved, some as files, and some
    not at all: then the sweep does it."""

    @pytest.fixture
    def hint(self, monkeypatch: pytest.MonkeyPatch) -> Hint:
        monkeypatch.setattr(hints, "Observer", PollingObserver)
        return SystemHint(ObserverReader)


needs_inotify = pytest.mark.skipif(
    not InotifyReader.available(), reason="this system has no inotify"
)


@needs_inotify
class TestInotifyHint(WatchingHintContract):
    @pytest.fixture(autouse=True)
    def _nothing_stays_open(self) -> Iterator[None]:
        with nothing_stays_open():
            yield

    @pytest.fixture
    def hint(self) -> Hint:
        return SystemHint(InotifyReader)


@needs_inotify
class TestInotifyHintOnDisk(TestInotifyHint):
    @pytest.fixture
    def directory(self, tmp_path: Path) -> Directory:
        return LocalDirectory(tmp_path)


@needs_inotify
class TestInotifyHintOnAThread(TestInotifyHint):
    """As for loops that can't read a descriptor."""

    @pytest.fixture
    def hint(self, monkeypatch: pytest.MonkeyPatch) -> Hint:
        monkeypatch.setattr(InotifyReader, "loop", ObserverReader.loop)
        return SystemHint(InotifyReader)


class TestNoHint(HintContract):
    @pytest.fixture
    def hint(self) -> Hint:
        return NoHint()


class TestMemoryDirectoryAsHint(WakingHintContract):
    @pytest.fixture
    def hint(self, directory: Directory) -> Hint:
        assert isinstance(directory, MemoryDirectory)
        return directory

    @pytest.fixture
    def directory(self, room: Path) -> Directory:
        return MemoryDirectory()
