"""Tests a console from its joining dialog to its end, with a real server and only the keyboard,
including failures."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from contest.net import limits
from contest.net.tls import identity
from judge_console.client import SeatClient
from judge_console.console import Console, LaunchOptions
from judge_console.join import JoinDialog
from judge_console.look.theme import Theme
from judge_console.model.joining import FoundServer
from judge_console.model.pages import Page
from judge_console.preferences import PreferencesFile
from judge_console.serverless import Desk, DeskPlan
from judge_console.window import ConsoleWindow
from lpp.connection import Trust, format_fingerprint
from lpp.errors import EnvironmentProblem
from lpp.wire import Role
from tests import certificates
from tests.contest_server import ContestServer, contest_server
from texts import Texts, load

WAIT = 20_000  # milliseconds, on a busy machine


class Finder:
    """A search that finds these servers at once."""

    def __init__(self, *found: FoundServer) -> None:
        self.found = found
        self.running = 0

    def __call__(self, on_found: Callable[[tuple[FoundServer, ...]], None]) -> Finder:
        self._on_found = on_found
        return self

    def start(self) -> None:
        self.running += 1
        self._on_found(self.found)

    def stop(self) -> None:
        self.running -= 1


Make = Callable[..., Console]


@pytest.fixture
def make(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Make]:
    """Creates and starts consoles, which share their preferences and end with the test."""
    made: list[Console] = []
    theme = Theme(qapp, "light")

    def make_it(
        options: LaunchOptions | None = None,
        finder: Finder | None = None,
        desk: Callable[[DeskPlan, Texts], Desk] | None = None,
    ) -> Console:
        console = Console(
            options or LaunchOptions(),
            PreferencesFile(tmp_path / "console.json"),
            theme,
            load("en"),
            tmp_path / "seats",
            cast(Any, finder or Finder()),
            desk,
        )
        made.append(console)
        console.begin()
        return console

    yield make_it
    for console in made:
        console.close()
        console.deleteLater()
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ContestServer]:
    monkeypatch.setattr(limits, "SPACING", 0.01)
    with contest_server(tmp_path) as served:
        yield served


@pytest.fixture
def closed() -> str:
    """An address without a server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


def found(*addresses: str) -> Finder:
    return Finder(*(FoundServer(one, f"Contest {n}") for n, one in enumerate(addresses, 1)))


def dialog_of(console: Console) -> JoinDialog:
    assert console.dialog is not None
    return console.dialog


def window_of(console: Console, qtbot: QtBot) -> ConsoleWindow:
    """The window, as soon as it exists."""
    qtbot.waitUntil(lambda: console.window is not None, timeout=WAIT)
    assert console.window is not None
    return console.window


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def press(*keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(focus(), key)


def type_in(text: str) -> None:
    QTest.keyClicks(focus(), text)


def join(console: Console, server: str, code: str) -> None:
    """Fills in the dialog and submits it."""
    dialog = dialog_of(console)
    dialog.server.setEditText(server)
    dialog.code.setText(code)
    dialog.submit()


# Joining


def test_a_first_time_user_gets_from_the_dialog_to_the_talk_by_keyboard(
    make: Make, server: ContestServer, closed: str, qtbot: QtBot
) -> None:
    """Uses only Tab, arrow keys, Return and typed text."""
    console = make(finder=found(closed, server.address))
    dialog = dialog_of(console)
    qtbot.waitUntil(dialog.isActiveWindow, timeout=WAIT)
    qtbot.waitUntil(lambda: dialog.server.currentText() == closed, timeout=WAIT)
    type_in(server.codes["J1"].lower().replace("-", " "))
    press(Qt.Key.Key_Return)  # the first server found, which does not answer
    qtbot.waitUntil(dialog.server_error.isVisible, timeout=WAIT)
    assert dialog.server.line.hasFocus()
    press(Qt.Key.Key_Down, Qt.Key.Key_Return)
    window = window_of(console, qtbot)
    qtbot.waitUntil(lambda: window.page is Page.TALK and window.isActiveWindow(), timeout=WAIT)
    type_in("x")
    server.until(lambda: server.keys("left") == ["x"])
    assert console.dialog is None
    assert server.clients()[0].startswith("loebner ")


def test_a_certificate_is_compared_only_once(make: Make, tmp_path: Path, qtbot: QtBot) -> None:
    shown = certificates.make(tmp_path / "certificates")
    read = identity(shown.certificate, shown.key)
    with contest_server(tmp_path, identity=read) as server:
        console = make()
        join(console, f"wss://{server.address}", server.codes["J1"])
        dialog = dialog_of(console)
        qtbot.waitUntil(dialog.trust_question.isVisible, timeout=WAIT)
        words = " ".join(dialog.trust_question.words.text().split())
        assert words.endswith(format_fingerprint(read.fingerprint))
        assert server.clients() == [], "no frame was sent to it"
        dialog.trust_question.yes.click()
        window = window_of(console, qtbot)
        qtbot.waitUntil(lambda: window.page is Page.TALK, timeout=WAIT)
        console.close()
        server.until(lambda: not server.seated("J1"))
        # The next time there is no question.
        options = LaunchOptions(server=f"wss://{server.address}", code=server.codes["J1"])
        again = make(options)
        window_of(again, qtbot)
        again.close()
        server.until(lambda: not server.seated("J1"))
        # What the command line asks for counts, not what was accepted before.
        pinned = make(replace(options, trust=Trust(fingerprint="ab" * 32)))
        pinned_dialog = dialog_of(pinned)
        qtbot.waitUntil(pinned_dialog.server_error.isVisible, timeout=WAIT)
        assert not pinned_dialog.trust_question.isVisible()
        assert len(server.clients()) == 2
    given = PreferencesFile(tmp_path / "console.json").preferences.trusted
    assert given == {f"wss://{server.address}/seat": read.fingerprint}


def test_an_endless_name_lookup_does_not_block_the_window(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name lookup can't be interrupted, so the window must not wait for it."""
    looked_up, released = threading.Event(), threading.Event()

    def wait(*_: object, **__: object) -> None:
        looked_up.set()
        released.wait(60)
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    console = make()
    join(console, "contest.invalid:8765", "J1-AAAA-BBBB-CCCC")
    try:
        qtbot.waitUntil(looked_up.is_set, timeout=WAIT)
        began = time.monotonic()
        dialog_of(console).reject()
        assert time.monotonic() - began < 1.0
    finally:
        released.set()
    console.close()
    assert not [one for one in threading.enumerate() if one.name == "seat"]


def test_a_seat_in_use_can_be_taken_over_and_back(
    make: Make, server: ContestServer, qtbot: QtBot
) -> None:
    first = make(LaunchOptions(server=server.address, code=server.codes["J1"]))
    first_window = window_of(first, qtbot)
    second = make(LaunchOptions(server=server.address, code=server.codes["J1"]))
    dialog = dialog_of(second)
    qtbot.waitUntil(dialog.take_over_question.isVisible, timeout=WAIT)
    assert second.window is None
    dialog.take_over_question.yes.click()
    window_of(second, qtbot)
    qtbot.waitUntil(lambda: first_window.page is Page.ENDED, timeout=WAIT)
    # The first console's window offers to take the seat again.
    first_window.message.button.click()
    back = dialog_of(first)
    assert first.window is None
    assert back.server.currentText() == server.address
    assert back.code.text() == server.codes["J1"]
    back.submit()
    qtbot.waitUntil(back.take_over_question.isVisible, timeout=WAIT)


# Search and preferences


def test_the_code_is_remembered_only_on_request(
    make: Make, server: ContestServer, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "console.json"
    code = server.codes["J1"]
    first = make()
    join(first, server.address, code)
    window_of(first, qtbot)
    first.close()
    assert code not in file.read_text()
    assert PreferencesFile(file).preferences.servers == [server.address]

    second = make()
    dialog = dialog_of(second)
    assert (dialog.server.currentText(), dialog.code.text()) == (server.address, "")
    dialog.remember.setChecked(True)
    join(second, server.address, code.lower())
    window_of(second, qtbot)
    second.close()
    assert PreferencesFile(file).preferences.code == code

    third = make()
    dialog = dialog_of(third)
    assert dialog.code.text() == code
    dialog.remember.setChecked(False)
    dialog.submit()
    window_of(third, qtbot)
    third.close()
    assert code not in file.read_text()


class BrokenDesk:
    """A desk whose record can't be written."""

    def __init__(self, plan: DeskPlan, texts: Texts) -> None:
        self._plan = plan

    def seat(self) -> SeatClient:
        raise EnvironmentProblem(f"{self._plan.record}: no space left")

    def end(self, phase: str) -> None: ...

    def leave(self) -> None: ...

    def close(self) -> None: ...


def test_an_unwritable_record_is_reported(
    make: Make, qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    console = make(
        LaunchOptions(plan=DeskPlan(left=str(tmp_path), record="/full")), desk=BrokenDesk
    )
    qtbot.waitUntil(lambda: console.seat_failed, timeout=WAIT)
    assert capsys.readouterr().err == "loebner: /full: no space left\n"
    assert console.window is None


@pytest.mark.parametrize(
    ("role", "chosen", "plan"),
    [
        ("judge", ["a", "b"], "judge a b 25"),
        ("judge", ["a", ""], "judge a  25"),
        ("confederate", ["a"], "confederate a  0"),
        ("judge", [""], None),
        ("judge", ["a", "none"], None),
        ("judge", ["a", "link to a"], None),
    ],
)
def test_a_talk_without_a_server_begins_from_the_dialog(
    make: Make,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    role: Role,
    chosen: list[str],
    plan: str | None,
) -> None:
    """Qt's own dialog chooses directories. If no talk can begin, the reason is shown."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "link to a").symlink_to(tmp_path / "a", target_is_directory=True)
    answers, plans = iter([each and str(tmp_path / each) for each in chosen]), list[str]()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: next(answers))

    def desk(plan: DeskPlan, texts: Texts) -> BrokenDesk:
        names = (Path(path).name for path in (plan.left, plan.right))
        plans.append(f"{plan.role} {' '.join(names)} {plan.minutes:g}")
        return BrokenDesk(plan, texts)

    dialog = make(LaunchOptions(role), desk=desk).dialog
    assert dialog is not None
    dialog.serverless_button.click()
    assert plans == ([plan] if plan is not None else [])
    if chosen != [""]:
        qtbot.waitUntil(lambda: dialog.notice.isVisible(), timeout=WAIT)
        assert dialog.serverless_button.isEnabled()


# The end


def test_a_request_to_end_saves_what_was_typed(
    make: Make, server: ContestServer, qtbot: QtBot
) -> None:
    console = make(LaunchOptions(server=server.address, code=server.codes["J1"]))
    window = window_of(console, qtbot)
    qtbot.waitUntil(lambda: window.page is Page.TALK and window.isActiveWindow(), timeout=WAIT)
    type_in("never mind")
    console.leave()
    assert len(server.keys("left")) == len("never mind")
    server.until(lambda: not server.seated("J1"))


# As a program


def command(*words: str, **environ: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "loebner", *words],
        env={**os.environ, **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="a screen is always there elsewhere")
@pytest.mark.parametrize("display", [":9999"])
def test_a_missing_display_is_reported_in_one_line(display: str) -> None:
    process = command(
        "judge",
        "--server",
        "127.0.0.1:1",
        QT_QPA_PLATFORM="xcb",
        DISPLAY=display,
        WAYLAND_DISPLAY="",
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("loebner: no window can be shown here (could not connect to display")


@pytest.mark.skipif(sys.platform == "win32", reason="a process can't be sent Ctrl-C there")
@pytest.mark.parametrize("number", [signal.SIGINT])
def test_ctrl_c_ends_the_console_cleanly(server: ContestServer, number: signal.Signals) -> None:
    process = command("judge", "--server", server.address, LOEBNER_CODE=server.codes["J1"])
    try:
        server.until(lambda: server.seated("J1") or process.poll() is not None)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out) == (0, "")
    assert [line for line in err.splitlines() if "plugin does not support" not in line] == []
    server.until(lambda: not server.seated("J1"))
