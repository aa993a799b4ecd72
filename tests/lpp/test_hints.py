"""watchdog's observer as a hint: what it does when threads die and directories come and go. What
every hint must do is in tests/contract."""

from __future__ import annotations

import errno
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lpp import hints
from lpp.hints import WatchdogHint
from tests.lpp.watching import Watched, watchdogs

Until = Callable[..., Awaitable[None]]


@pytest.fixture
def fast_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "CHECK", 0.0)


async def test_threads_live_as_long_as_a_watch(room: Path) -> None:
    hint = WatchdogHint()
    assert watchdogs() == []
    first, second = Watched(hint, room), Watched(hint, room.parent)
    assert watchdogs()
    first.end()
    assert watchdogs()
    second.end()
    assert watchdogs() == []


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
