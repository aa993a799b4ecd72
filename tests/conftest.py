"""Checks for all tests: no thread, task, window or timer outlives a test, and no test touches the
user's files."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import looptime
import pytest

from contest.net import codes
from lpp.directory import communications_root

if TYPE_CHECKING:
    from tests.database_server import Server

# Before any test module imports Qt.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Examples have no deadline, because the machine may be busy. Each run draws other examples.
hypothesis.settings.register_profile(
    "loebner",
    max_examples=50,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("loebner")

# A shell starts background jobs with Ctrl-C ignored, and their child processes inherit this.
# Programs that tests interrupt would then run forever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Seconds for threads and tasks to end by themselves, such as a server that closes its connections.
GRACE = 5.0

#: Makes an event loop whose clock jumps to the next event. By default, looptime runs 42 empty turns
#: before each jump, which only code with threads of its own needs.
virtual_loop = partial(looptime.new_event_loop, noop_cycles=0)

Until = Callable[..., Awaitable[None]]


@pytest.fixture(scope="session", autouse=True)
def _throw_away_user_directories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keeps sequence numbers, settings and caches of tests in temporary directories."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("STATE", "CONFIG", "DATA", "CACHE"):
            patch.setenv(f"XDG_{kind}_HOME", str(tmp_path_factory.mktemp(f"xdg-{kind.lower()}")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _fast_hashes_of_codes() -> Iterator[None]:
    """Hashes the codes of contests quickly: hashing those of one contest slowly takes as long as
    many tests. Servers in other processes are not affected."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codes, "SCRYPT_COST", 2)
        yield


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Gives tests with the mark `looptime` a loop with virtual time, and others the usual loop."""
    if item.get_closest_marker("looptime"):
        return {"virtual": virtual_loop}
    return {"usual": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def _nothing_outlives_the_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves behind a thread (other than another library's daemon), a visible Qt
    window or a running Qt timer. Windows and timers are ended, so that they don't disturb later
    tests. Windows given to `qtbot.addWidget` are closed before.

    Disables the garbage collector in tests with windows, so that no other thread collects Qt
    objects; the application uses `Collector` of judge_console.application. One fixture does all
    this, because each fixture takes time in each of thousands of tests.
    """
    threads = set(threading.enumerate())
    windows = {address for address, _, _ in _windows_and_timers()}
    has_windows = "qapp" in request.fixturenames
    if has_windows:
        gc.disable()
    yield
    left = [(what, end) for at, what, end in _windows_and_timers() if at not in windows]
    for _, end in left:
        end()
    deadline = time.monotonic() + GRACE
    for thread in _ours(threads):
        thread.join(max(0.0, deadline - time.monotonic()))
    if has_windows:
        gc.enable()
    leaked = [what for what, _ in left] + [f"{thread}" for thread in _ours(threads)]
    if leaked:
        pytest.fail(f"these outlive the test: {leaked}")


def _ours(before: set[threading.Thread]) -> list[threading.Thread]:
    return [
        thread
        for thread in threading.enumerate()
        if thread not in before
        and (not thread.daemon or type(thread).__module__.partition(".")[0] in ("lpp", "watchdog"))
    ]


def _windows_and_timers() -> list[tuple[int, str, Callable[[], None]]]:
    """Visible windows, and running timers of windows or of the application: the address in memory,
    a description, and a function to end it. Empty if no test has made an application."""
    if "PySide6.QtWidgets" not in sys.modules:
        return []
    from PySide6.QtCore import QCoreApplication, QEvent, QTimer
    from PySide6.QtWidgets import QApplication, QWidget
    from shiboken6 import Shiboken

    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return []

    def address(thing: QWidget | QTimer) -> int:
        return int(Shiboken.getCppPointer(thing)[0])

    def close(window: QWidget) -> None:
        # Hide instead of close, because some windows ask before they close.
        window.hide()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    # Delete the objects that are waiting for deletion, such as windows closed by qtbot.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    found: list[tuple[int, str, Callable[[], None]]] = []
    windows = app.topLevelWidgets()
    for parent in (app, *windows):
        found += [
            (address(timer), f"a timer of {parent!r} every {timer.interval()} ms", timer.stop)
            for timer in parent.findChildren(QTimer)
            if timer.isActive()
        ]
    found += [
        (address(window), f"{window!r} {window.windowTitle()!r}", partial(close, window))
        for window in windows
        if window.isVisible()
    ]
    return found


@pytest.fixture
async def _no_pending_tasks() -> AsyncIterator[None]:
    """Fails a test that leaves a task behind; every coroutine test has it."""
    yield
    pending = asyncio.all_tasks() - {asyncio.current_task()}
    if pending:
        _, pending = await asyncio.wait(pending, timeout=GRACE)
    if pending:
        pytest.fail(f"tasks outlive the test: {sorted(task.get_name() for task in pending)}")


# Nothing that is made while tests are collected becomes garbage, so the collector need not look for
# it then, nor at it later.
gc.disable()


def pytest_collection_finish() -> None:
    """Excludes everything that exists from later garbage collections."""
    gc.freeze()
    gc.enable()


#: Folders of tests that run whole programs, and wait for them for minutes in total.
WHOLE_PROGRAMS = ("end_to_end", "faults", "loebner", "mutants")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests of whole programs first, so that the others run while they wait. Adds
    `_no_pending_tasks` to coroutine tests as the first fixture in their loop, so that it ends
    last."""
    items.sort(key=lambda item: item.path.parent.name not in WHOLE_PROGRAMS)
    for item in items:
        if inspect.iscoroutinefunction(getattr(item, "obj", None)):
            names: list[str] = getattr(item, "fixturenames", [])
            names.insert(names.index("_nothing_outlives_the_test") + 1, "_no_pending_tasks")


@pytest.fixture
def room() -> Iterator[Path]:
    """A new communications directory at the usual place of contests."""
    path = Path(tempfile.mkdtemp(prefix="lpp-test-", dir=communications_root()))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A database server; each test makes its own schemas and databases in it."""
    from tests.database_server import database_server

    with database_server() as started:
        yield started


@pytest.fixture
def until() -> Until:
    """Waits for a condition, with a deadline: `await until(lambda: …)`."""

    async def wait(condition: Callable[[], object], seconds: float = 20.0) -> None:
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 -- the condition may be another process's
                await asyncio.sleep(0.002)

    return wait
