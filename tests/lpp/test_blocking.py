"""The blocking façade, held to the same contract as the asyncio channel under it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from lpp.blocking import Talk
from lpp.channel import DirectoryChannel
from lpp.directory import Directory
from lpp.errors import BadDirectory, NotAKey, Surroundings
from lpp.hints import Hint, NoHint, ObserverReader, SystemHint
from lpp.keypress import KeyPress, Rule, Side
from lpp.names import NAMES
from lpp.numbers import ForgetfulNumbers
from lpp.pace import Pace
from lpp.session import Received
from lpp.testing import MemoryDirectory
from tests.lpp.faulty import FaultyDirectory

#: Seconds within which whatever is to come has come, on a machine that is busy with other things.
DEADLINE = 20.0
#: Seconds in which what must not come would have come.
SOON = 0.1


class Shell(Protocol):
    """What the shells around a session have in common, by calls that wait."""

    def press(self, key: str) -> KeyPress: ...

    def key(self, timeout: float) -> Received: ...

    def settled(self, timeout: float) -> None: ...


class AsyncioShell:
    """The asyncio channel, its loop run by each call."""

    def __init__(self, runner: asyncio.Runner, channel: DirectoryChannel) -> None:
        self._runner = runner
        self._channel = channel

    def press(self, key: str) -> KeyPress:
        return self._runner.run(self._channel.send(key))

    def key(self, timeout: float) -> Received:
        return self._runner.run(asyncio.wait_for(anext(self._channel), timeout))

    def settled(self, timeout: float) -> None:
        self._runner.run(asyncio.wait_for(self._channel.settled(), timeout))


@contextmanager
def asyncio_shell(place: Path | Directory, **options: Any) -> Iterator[Shell]:
    async def opened() -> DirectoryChannel:
        return await DirectoryChannel(place, **options).__aenter__()

    with asyncio.Runner() as runner:
        channel = runner.run(opened())
        try:
            yield AsyncioShell(runner, channel)
        finally:
            runner.run(channel.close())


def names(room: Path) -> list[str]:
    return sorted(os.listdir(room))


def text(shell: Shell, count: int) -> list[str]:
    return [shell.key(DEADLINE).press.key for _ in range(count)]


class ShellContract:
    """The contract: derive, and say how one is opened."""

    def open(self, place: Path | Directory, **options: Any) -> AbstractContextManager[Shell]:
        raise NotImplementedError

    @pytest.fixture(params=[NoHint, lambda: SystemHint(ObserverReader)])
    def hint(self, request: pytest.FixtureRequest) -> Hint:
        hint = request.param()
        assert isinstance(hint, Hint)
        return hint

    def test_keys_come_once_in_order_and_are_removed(self, room: Path, hint: Hint) -> None:
        with self.open(room, side=Side.OTHER, hint=hint) as shell:
            for number, key in enumerate("abcdefghij"):
                (room / f"{number:010d}.{key}.judge").mkdir()
            assert text(shell, 10) == list("abcdefghij")
            shell.settled(DEADLINE)
            assert names(room) == []
            with pytest.raises(TimeoutError):
                shell.key(SOON)

    def test_what_stood_there_before_comes_by_number(self, room: Path) -> None:
        for name in ("10.b.judge", "9.a.judge", "0000000011.c.Judge", "x.y", "0.z.other"):
            (room / name).mkdir()
        with self.open(room, side=Side.OTHER) as shell:
            received = [shell.key(DEADLINE) for _ in range(3)]
            shell.settled(DEADLINE)
        assert [item.press.key for item in received] == ["a", "b", "c"]
        assert [{v.rule for v in item.violations} for item in received] == [
            {Rule.WIDTH},
            {Rule.WIDTH, Rule.LEXICAL},
            {Rule.EXTENSION, Rule.LEXICAL},
        ]
        assert names(room) == ["0.z.other", "x.y"]

    def test_numbers_grow_over_restarts_in_an_emptied_directory(self, room: Path) -> None:
        numbers = []
        for _ in range(3):
            with self.open(room, side=Side.OTHER) as shell:
                for key in ("H", "Return"):
                    press = shell.press(key)
                    assert names(room) == [press.raw]
                    numbers.append(press.number)
                    (room / press.raw).rmdir()
        assert numbers == sorted(set(numbers))

    def test_numbers_go_on_after_what_stands_there(self, room: Path) -> None:
        (room / "0000000041.H.other").mkdir()
        with self.open(room, side=Side.OTHER, numbers=ForgetfulNumbers()) as shell:
            assert shell.press("e").raw == "0000000042.e.other"

    @pytest.mark.parametrize("key", [*NAMES, "A", "7", "é"])
    def test_each_key_travels(self, room: Path, key: str) -> None:
        directory = MemoryDirectory()
        with (
            self.open(directory, side=Side.JUDGE, hint=directory) as judge,
            self.open(directory, side=Side.OTHER, hint=directory) as entry,
        ):
            judge.press(key)
            assert entry.key(DEADLINE).press.key == key
            entry.press(key)
            assert judge.key(DEADLINE).press.key == key

    def test_a_burst(self, room: Path) -> None:
        with (
            self.open(room, side=Side.JUDGE) as judge,
            self.open(room, side=Side.OTHER) as entry,
        ):
            typed = [judge.press("a").number for _ in range(200)]
            assert [entry.key(DEADLINE).press.number for _ in range(200)] == typed

    def test_refused_removals_are_tried_again_and_the_key_comes_once(self) -> None:
        memory = MemoryDirectory()
        directory = FaultyDirectory(memory)
        directory.remove_error = PermissionError(13, "a virus scanner")
        memory.make("0000000000.H.judge")
        with self.open(directory, side=Side.OTHER, sweep=0.01) as shell:
            assert text(shell, 1) == ["H"]
            with pytest.raises(TimeoutError):
                shell.key(SOON)
            assert directory.removals > 1
            directory.remove_error = None
            shell.settled(DEADLINE)
            assert memory.names() == []
            memory.make("0000000000.H.judge")
            again = shell.key(DEADLINE)
            assert [v.rule for v in again.violations] == [Rule.UNIQUE]

    def test_a_directory_that_is_none(self, tmp_path: Path) -> None:
        with (
            pytest.raises(BadDirectory, match="no such directory"),
            self.open(tmp_path / "none", side=Side.OTHER),
        ):
            pass

    def test_a_full_disk_is_told_and_outlived(self) -> None:
        directory = FaultyDirectory(MemoryDirectory())
        with self.open(directory, side=Side.OTHER) as shell:
            directory.make_error = OSError(28, "No space left on device")
            with pytest.raises(Surroundings, match="free the disk"):
                shell.press("H")
            directory.make_error = None
            shell.press("H")

    def test_a_key_that_is_none(self, room: Path) -> None:
        with (
            self.open(room, side=Side.OTHER) as shell,
            pytest.raises(ValueError, match="can't stand"),
        ):
            shell.press("a/b")


class TestAsyncioChannel(ShellContract):
    def open(self, place: Path | Directory, **options: Any) -> AbstractContextManager[Shell]:
        return asyncio_shell(place, **options)


class TestTalk(ShellContract):
    def open(self, place: Path | Directory, **options: Any) -> AbstractContextManager[Shell]:
        return Talk(place, **options)


# What the façade has beyond the channel


@pytest.fixture
def pair() -> Iterator[tuple[Talk, Talk]]:
    """A judge and an entry in a directory in memory."""
    directory = MemoryDirectory()
    with (
        Talk(directory, side=Side.JUDGE, hint=directory) as judge,
        Talk(directory, hint=directory) as entry,
    ):
        yield judge, entry


def test_lines(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    judge.say("I'm Jim-\b.\n\nHow are you?\n")
    assert [entry.line(DEADLINE) for _ in range(3)] == ["I'm Jim.", "", "How are you?"]
    entry.say("Fine.\r\n")
    assert judge.line(DEADLINE) == "Fine."


def test_a_line_without_return(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    judge.say("Hello")
    for _ in range(5):  # what came before a time-out is kept
        with pytest.raises(TimeoutError, match="no line came within"):
            entry.line(0.02)
    judge.say(" Jim\nthere")
    assert entry.line(DEADLINE) == "Hello Jim"
    deadline = time.monotonic() + DEADLINE
    while entry.unsent != "there":
        assert time.monotonic() < deadline
        with pytest.raises(TimeoutError):
            entry.line(0)
    assert entry.take() == "there"
    assert entry.unsent == ""


def test_lines_by_iteration_until_it_is_closed(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    judge.say("one\ntwo\n")
    heard = []
    for line in entry:
        heard.append(line)
        if line == "two":
            entry.close()
    assert heard == ["one", "two"]
    with pytest.raises(EOFError):
        entry.key(DEADLINE)


def test_another_thread_ends_the_waiting(pair: tuple[Talk, Talk]) -> None:
    _, entry = pair
    timer = threading.Timer(0.05, entry.close)
    timer.start()
    assert list(entry) == []
    timer.join()


def test_a_text_that_cannot_be_typed_is_not_begun(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    for speak in (entry.say, entry.typing):
        with pytest.raises(NotAKey):
            speak("Hello\x07")
    with pytest.raises(TimeoutError):
        judge.key(SOON)


def test_typing_at_a_pace(pair: tuple[Talk, Talk]) -> None:
    judge, entry = pair
    begun = time.monotonic()
    entry.typing("Hello there.\n", Pace(gap=0.01, spread=0.1, word_pause=0, thought=0, slips=0.05))
    assert time.monotonic() - begun > 0.05
    assert judge.line(DEADLINE) == "Hello there."


def test_keys_are_removed_while_the_script_thinks(room: Path) -> None:
    with Talk(room):
        (room / "0000000000.H.judge").mkdir()
        deadline = time.monotonic() + DEADLINE
        while names(room):
            assert time.monotonic() < deadline
            time.sleep(0.005)


def test_it_is_opened_once_and_closed_as_often_as_one_likes(room: Path) -> None:
    talk = Talk(room)
    talk.close()
    with pytest.raises(RuntimeError, match="not open"):
        talk.press("H")
    with talk:
        with pytest.raises(RuntimeError, match="opened once"):
            talk.__enter__()
        talk.close()
        talk.close()
        with pytest.raises(RuntimeError, match="not open"):
            talk.say("Hello.\n")
    with pytest.raises(RuntimeError, match="opened once"):
        talk.__enter__()


def test_waiting_for_refused_removals_ends() -> None:
    directory = FaultyDirectory(MemoryDirectory())
    directory.remove_error = PermissionError(13, "a virus scanner")
    directory.make("0000000000.H.judge")
    reported: list[object] = []
    with Talk(directory, report=reported.append) as talk:
        talk.key(DEADLINE)
        with pytest.raises(TimeoutError):
            talk.settled(SOON)
        timer = threading.Timer(0.05, talk.close)
        timer.start()
        # Closing gives up what is refused still.
        with contextlib.suppress(EOFError):
            talk.settled()
        timer.join()
    assert reported == [directory.remove_error]


def test_no_thread_is_left_whatever_happens(room: Path) -> None:
    def threads() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name == "lpp talk"}

    def fail() -> None:
        with Talk(room):
            assert threads()
            raise KeyboardInterrupt

    for failing in (fail, lambda: Talk(room / "none").__enter__()):
        with pytest.raises((KeyboardInterrupt, BadDirectory)):
            failing()
        assert not threads()


ECHO = """
import sys
from lpp.blocking import Talk
try:
    with Talk(sys.argv[1]) as talk:
        print("listening", flush=True)
        {wait}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C can't be sent to one process")
@pytest.mark.parametrize(
    "wait",
    [
        "list(talk)",
        "talk.line(1000)",
        "talk.typing('a' * 10000)",
        "while True: talk.say('a' * 1000)",
    ],
)
def test_ctrl_c_ends_a_script_at_once(room: Path, wait: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ECHO.format(wait=wait), str(room)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as script:
        assert script.stdout is not None
        assert script.stdout.readline() == "listening\n"
        script.send_signal(signal.SIGINT)
        out, err = script.communicate(timeout=DEADLINE)
    assert (out, err, script.returncode) == ("interrupted\n", "", 0)


def test_the_example_of_the_module(room: Path) -> None:
    def entry(talk: Talk) -> None:
        for line in talk:
            talk.say(f"You said: {line}\n")

    with Talk(room, side=Side.JUDGE) as judge, Talk(room) as talk:
        thread = threading.Thread(target=entry, args=[talk])
        thread.start()
        judge.say("I'm here - are you?\n")
        assert judge.line(DEADLINE) == "You said: I'm here - are you?"
        talk.close()
        thread.join()
