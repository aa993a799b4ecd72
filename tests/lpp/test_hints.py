"""watchdog's observer as a hint: what it does when threads die and directories come and go. What
every hint must do is in tests/contract."""

from __future__ import annotations

import errno
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lpp import hints
from lpp.hints import WatchdogHint

Until = Callable[..., Awaitable[None]]


@pytest.fixture
def fast_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "CHECK", 0.0)


class Watched:
    """A watch that counts its wakes."""

    def __init__(self, hint: WatchdogHint, path: Path) -> None:
        self.wakes = 0
        self.path = path
        self._number = 0
        self.end = hint.watch(str(path), self.wake)

    def wake(self) -> None:
        self.wakes += 1

    def key(self) -> None:
        self._number += 1
        (self.path / f"{self._number:010d}.a.other").mkdir()


def watchdogs() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if type(each).__module__.startswith("watchdog")]


async def test_threads_live_as_long_as_a_watch(room: Path) -> None:
    hint = WatchdogHint()
    assert watchdogs() == []
    first, second = Watched(hint, room), Watched(hint, room.parent)
    assert watchdogs()
    first.end()
    assert watchdogs()
    second.end()
    assert watchdogs() == []


async def test_a_path_that_can_t_be_watched(room: Path) -> None:
    hint = WatchdogHint()
    with pytest.raises(OSError, match="No such file"):
        hint.watch(str(room / "missing"), lambda: None)
    assert watchdogs() == []


async def test_a_wake_that_fails_ends_nobody_else_s(
    room: Path, until: Until, caplog: pytest.LogCaptureFixture
) -> None:
    hint = WatchdogHint()

    def fail() -> None:
        raise ZeroDivisionError

    end = hint.watch(str(room), fail)
    watched = Watched(hint, room)
    for count in (1, 2):
        watched.key()
        await until(lambda count=count: watched.wakes >= count)
    assert "a wake failed" in caplog.text
    end()
    watched.end()


@pytest.mark.usefixtures("fast_checks")
async def test_a_dead_observer_is_replaced(room: Path, until: Until) -> None:
    hint = WatchdogHint()
    watched = Watched(hint, room)
    assert hint._observer is not None
    hint._observer.stop()
    hint._observer.join()
    assert not hint.healthy()
    assert hint.healthy()
    watched.key()
    await until(lambda: watched.wakes)
    watched.end()


@pytest.mark.usefixtures("fast_checks")
async def test_an_observer_that_can_t_be_replaced_is_tried_again(
    room: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = WatchdogHint()
    watched = Watched(hint, room)
    assert hint._observer is not None
    hint._observer.stop()
    hint._observer.join()

    def refuse(**_: float) -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    with monkeypatch.context() as patch:
        patch.setattr(hints, "Observer", refuse)
        assert not hint.healthy()
    assert not hint.healthy()
    assert hint.healthy()
    watched.key()
    await until(lambda: watched.wakes)
    watched.end()


@pytest.mark.usefixtures("fast_checks")
@pytest.mark.parametrize("how", ["removed", "moved"])
async def test_a_directory_that_comes_back_is_watched_again(
    room: Path, until: Until, how: str
) -> None:
    hint = WatchdogHint()
    watched, other = Watched(hint, room), Watched(hint, room)
    if how == "removed":
        room.rmdir()
    else:
        room.rename(room.with_name(f"{room.name} away"))
    await until(lambda: not hint.healthy())
    assert not hint.healthy()
    room.mkdir()
    await until(hint.healthy)
    watched.key()
    await until(lambda: watched.wakes and other.wakes)
    watched.end()
    other.end()
    if how == "moved":
        room.with_name(f"{room.name} away").rmdir()


@pytest.mark.usefixtures("fast_checks")
async def test_a_watch_may_end_while_its_directory_is_away(room: Path, until: Until) -> None:
    hint = WatchdogHint()
    watched = Watched(hint, room)
    room.rmdir()
    await until(lambda: not hint.healthy())
    watched.end()
    assert watchdogs() == []


async def test_health_is_looked_at_once_a_second_at_most(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = WatchdogHint()
    watched = Watched(hint, room)
    checks: list[str] = []
    monkeypatch.setattr(hints, "identity_of", lambda path: checks.append(path))
    for _ in range(100):
        hint.healthy()
    assert len(checks) <= 2  # one look, and the mending of what it found
    watched.end()
