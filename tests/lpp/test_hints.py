"""The system's hints: what they do when threads die and directories come and go. What every hint
must do is in tests/contract."""

from __future__ import annotations

import errno
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lpp import hints
from lpp.hints import InotifyReader, ObserverReader, SystemHint
from tests.lpp.watching import Watched, watchdogs

Until = Callable[..., Awaitable[None]]


@pytest.fixture
def fast_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "CHECK", 0.0)


@pytest.fixture(params=[ObserverReader, InotifyReader])
def hint(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SystemHint:
    """Each reader with threads of watchdog's."""
    if request.param is InotifyReader and not InotifyReader.available():
        pytest.skip("this system has no inotify")
    monkeypatch.setattr(InotifyReader, "loop", ObserverReader.loop)
    return SystemHint(request.param)


async def test_threads_live_as_long_as_a_watch(hint: SystemHint, room: Path) -> None:
    assert watchdogs() == []
    first, second = Watched(hint, room), Watched(hint, room.parent)
    assert watchdogs()
    first.end()
    assert watchdogs()
    second.end()
    assert watchdogs() == []


@pytest.mark.usefixtures("fast_checks")
@pytest.mark.parametrize("refused", [False, True])
async def test_a_dead_thread_is_replaced(
    hint: SystemHint, room: Path, until: Until, monkeypatch: pytest.MonkeyPatch, refused: bool
) -> None:
    watched = Watched(hint, room)
    hint._readers[None].end()

    def refuse(*_: object) -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    if refused:
        with monkeypatch.context() as patch:
            patch.setattr(type(hint._readers[None]), "__init__", refuse)
            assert not hint.healthy()
    assert not hint.healthy()
    assert hint.healthy()
    watched.key()
    await until(lambda: watched.wakes)
    watched.end()


async def test_health_is_looked_at_once_a_second_at_most(
    hint: SystemHint, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(hint, room)
    checks: list[str] = []
    monkeypatch.setattr(hints, "identity_of", lambda path: checks.append(path))
    for _ in range(100):
        hint.healthy()
    assert len(checks) <= 2  # one look, and the mending of what it found
    watched.end()
