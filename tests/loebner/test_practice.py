"""Tests `loebner practice`, with lines from a script and key by key on a terminal."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from loebner import practice
from loebner.cli import main
from loebner.practice import Practice
from lpp.blocking import Talk
from lpp.keypress import Rule
from lpp.numbers import MemoryNumbers
from lpp.testing import MemoryDirectory

Until = Callable[..., Awaitable[None]]

#: The time limit for each step on a busy machine, in seconds.
DEADLINE = 30.0

PRACTICE = [sys.executable, "-m", "loebner", "practice"]

ECHO = """
import sys
from lpp.blocking import Talk
with Talk(sys.argv[1]) as talk:
    print("ready", flush=True)
    for line in talk:
        if line == "die":
            print("as you like", flush=True)
            sys.exit(3)
        talk.say(f"You said: {line}\\n")
"""


@pytest.fixture
def echo(tmp_path: Path) -> list[str]:
    """The command of a program that echoes, with `{dir}`."""
    program = tmp_path / "echo.py"
    program.write_text(ECHO)
    return [sys.executable, str(program), "{dir}"]


class Practise(Protocol):
    """Runs the command in this process with lines as its standard input; returns its exit code and
    output."""

    def __call__(self, *words: str, lines: str = "") -> tuple[int, str, str]: ...


@pytest.fixture
def practise(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Practise]:
    before = os.dup(0)

    def run(*words: str, lines: str = "") -> tuple[int, str, str]:
        (tmp_path / "lines").write_text(lines, encoding="utf-8", newline="")
        with (tmp_path / "lines").open("rb") as file:
            os.dup2(file.fileno(), 0)
        return main(["practice", *words]), *capfd.readouterr()

    yield run
    os.dup2(before, 0)
    os.close(before)


def of(who: str, output: str) -> list[str]:
    """The texts after a prefix."""
    prefix = f"{who:7} | "
    return [line.removeprefix(prefix) for line in output.splitlines() if line.startswith(prefix)]


# By lines


def test_a_talk_line_by_line(echo: list[str], practise: Practise) -> None:
    lines = "I'm Jin\bm.\n\nno Return at the end"
    code, out, err = practise("--quiet", "1", "--", *echo, lines=lines)
    assert (code, err) == (0, "")
    assert of("you", out) == ["I'm Jin\bm.", "", "no Return at the end"]
    assert of("entity", out) == [
        "You said: I'm Jim.",
        "You said: ",
        "You said: no Return at the end",
    ]
    assert of("program", out) == ["ready"]
    wire = of("wire", out)
    assert [int(row.split()[0]) for row in wire] == list(range(1, len(wire) + 1))
    times = [float(row.split()[1]) for row in wire]
    assert times == sorted(times)
    names = [row.split(maxsplit=3)[2:] for row in wire]
    assert names[0] == [">", "0000000001.I.judge"]
    assert [mark for mark, _ in names].count(">") == len(lines) + 1
    assert [mark for mark, _ in names].count("<") == len(
        "You said: I'm Jim.\nYou said: \nYou said: no Return at the end\n"
    )
    removed = {rest.split()[0] for mark, rest in names if mark == "x"}
    assert removed == {rest for mark, rest in names if mark == ">"}
    assert "!" not in out


def test_breaches_are_marked_with_the_rule(tmp_path: Path, practise: Practise) -> None:
    program = tmp_path / "bad.py"
    program.write_text(
        "import os, sys, time\n"
        "os.mkdir(sys.argv[1] + '/7.early.Other')\n"
        "open(sys.argv[1] + '/notes.txt', 'w').close()\n"
        "print('ready', flush=True)\n"
        "while not os.path.exists(sys.argv[1] + '/0000000001.H.judge'): time.sleep(0.01)\n"
        "os.mkdir(sys.argv[1] + '/6.H.other')\n"
        "time.sleep(100)\n"
    )
    words = ["--", sys.executable, str(program), "{dir}"]
    code, out, _ = practise("--quiet", "1", *words, lines="H\n")
    assert code == 0
    wire = "\n".join(of("wire", out))
    assert "< 7.early.Other  ! 2.A.a/width: the number has 1 digits  ! 2.A.b/name:" in wire
    assert "! 2.A.c/extension: the extension is 'Other'" in wire
    assert "! 3/waits: typed before the judge's first key; not shown" in wire
    assert "! notes.txt  ! 2.A.b/name: not a key press" in wire
    assert "< 6.H.other  ! 2.A.a/width: the number has 1 digits  ! 2.A.a/numeric: 6 came" in wire
    assert of("entity", out) == ["H (without Return)"]
    told = of("note", out)
    assert [line.split(":")[0] for line in told] == ["broken"] * 5 + ["no Return"]
    assert "broken: 3/waits (1): type nothing before the judge's first key" in told
    assert told[-1].startswith("no Return: end each answer")


def test_slow_removals_and_missing_returns_are_reported(tmp_path: Path, practise: Practise) -> None:
    program = tmp_path / "late.py"
    program.write_text(
        "import os, sys, time\n"
        "place, number, seen = sys.argv[1], 0, {}\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for name in sorted(os.listdir(place)):\n"
        "        if not name.endswith('.judge'): continue\n"
        "        if name not in seen:\n"
        "            number += 1\n"
        "            os.mkdir(f'{place}/{number:010d}.x.other')\n"
        "        if time.monotonic() - seen.setdefault(name, time.monotonic()) > 1.2:\n"
        "            os.rmdir(f'{place}/{name}')\n"
        "    time.sleep(0.01)\n"
    )
    words = ["--", sys.executable, str(program), "{dir}"]
    _, out, _ = practise("--quiet", "1.6", *words, lines="a\nb\n")
    assert of("entity", out) == ["xx (no Return yet)", "xxxx (without Return)"]
    slow, bare = of("note", out)
    assert re.match(r"slow: 2\.B/prompt \(4\): the slowest key was removed after \d+\.\d s", slow)
    assert bare.startswith("no Return: ")


def test_a_running_program(room: Path, practise: Practise) -> None:
    (room / "0000000007.x.other").mkdir()
    heard: list[str] = []
    with Talk(room, numbers=MemoryNumbers()) as entry:

        def answer() -> None:
            heard.append(entry.line(DEADLINE))
            entry.say("Hi\n")

        answering = threading.Thread(target=answer)
        answering.start()
        code, out, _ = practise("--dir", str(room), "--quiet", "1", lines="Hello.\n")
        answering.join()
    assert (code, heard) == (0, ["Hello."])
    assert of("entity", out) == ["Hi"]
    assert any(
        row.endswith("* 0000000007.x.other was here before; not shown") for row in of("wire", out)
    )
    assert list(room.iterdir()) == []


def test_a_program_that_dies_is_reported(echo: list[str], practise: Practise) -> None:
    begun = time.monotonic()
    code, out, err = practise("--quiet", "20", "--", *echo, lines="Hello.\ndie\nmore\n")
    assert time.monotonic() - begun < 15
    assert code == 1
    assert of("entity", out) == ["You said: Hello."]
    assert of("program", out) == ["ready", "as you like"]
    assert err.startswith("loebner: ")
    assert err.endswith("ended by itself: exit code 3\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--bot", "nobody"], "there is no bot 'nobody'"),
        (["--", "/no/such/program", "{dir}"], "the program can't be started"),
        (["--dir", "/no/such/directory"], "no such directory"),
        (["--dir", __file__], "not a directory"),
        (["--bot", "therapist", "--dir", "."], "give only one of --bot"),
        (["--bot", "therapist", "--", "program"], "give only one of --bot"),
        (["--quiet", "0"], "0 is not a time"),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_wrong_use_is_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["practice", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.startswith("loebner: ")
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C can't be sent to one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_practice(
    echo: list[str],
    number: signal.Signals,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The practice is in this process, waits for more input, and gets the signal to end once the
    program has answered."""
    before = signal.signal(number, lambda *_: None)  # so that it can't end the tests
    theirs, ours = os.pipe()
    os.write(ours, b"Hello.\n")
    by_lines = practice.by_lines

    def on_wire(mark: str, _: str) -> None:
        if mark == "<":
            os.kill(os.getpid(), number)

    async def by_pipe(talk: Practice, _: int, quiet: float) -> None:
        talk.on_wire = on_wire
        await by_lines(talk, theirs, quiet)

    monkeypatch.setattr(practice, "by_lines", by_pipe)
    try:
        assert main(["practice", "--quiet", str(DEADLINE), "--", *echo]) == 0
    finally:
        signal.signal(number, before)
        os.close(ours)
        for thread in threading.enumerate():
            if thread.name == "standard input":
                thread.join(DEADLINE)
        os.close(theirs)
    out, err = capsys.readouterr()
    assert err == ""
    assert of("program", out) == ["ready"]


# The talk itself


async def test_unremoved_keys_are_a_breach(until: Until, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "OVERDUE", 0.2)
    directory = MemoryDirectory()
    rows: list[tuple[str, str]] = []
    async with Practice(directory, numbers=MemoryNumbers()).opened() as talk:
        talk.on_wire = lambda mark, row: rows.append((mark, row))
        await talk.type("Hi")
        assert talk.unread == 2
        await until(lambda: talk.breaches)
        assert talk.breaches == {Rule.REMOVES.value: 1}
        assert rows[-1][1].endswith("! 2.B/removes: not removed after 0.2 s, 2 unread in total")
        directory.entries.clear()
        await until(lambda: not talk.unread)
    assert [mark for mark, _ in rows] == [">", ">", "!", "x", "x"]


# On a terminal

if sys.platform != "win32":
    import fcntl
    import pty
    import struct
    import termios

    class Terminal:
        """The command on its own terminal, and the contents of the screen."""

        def __init__(self, words: list[str], columns: int) -> None:
            try:
                self._ours, self._theirs = pty.openpty()
            except OSError as exc:  # a minimal container has none
                pytest.skip(f"no terminal can be had here: {exc}")
            size = struct.pack("HHHH", 40, columns, 0, 0)
            fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, size)
            self._before = termios.tcgetattr(self._theirs)
            os.set_blocking(self._ours, False)
            self.seen = ""
            self.process = subprocess.Popen(
                [*PRACTICE, *words],
                stdin=self._theirs,
                stdout=self._theirs,
                stderr=self._theirs,
                start_new_session=True,
                env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "", "LINES": ""},
            )

        def type(self, text: str) -> None:
            os.write(self._ours, text.encode())

        def until(self, condition: Callable[[str], object]) -> None:
            """Reads the screen until it shows a text."""
            deadline = time.monotonic() + DEADLINE
            while not condition(self.seen):
                assert time.monotonic() < deadline, self.seen
                with contextlib.suppress(BlockingIOError):
                    self.seen += os.read(self._ours, 65536).decode("utf-8", "replace")
                time.sleep(0.005)

        def ended(self) -> int:
            """Waits for the end, and returns the exit code."""
            self.until(lambda _: self.process.poll() is not None)
            with contextlib.suppress(BlockingIOError):
                self.seen += os.read(self._ours, 65536).decode("utf-8", "replace")
            assert termios.tcgetattr(self._theirs) == self._before
            return self.process.wait()

        def close(self) -> None:
            self.process.kill()
            self.process.wait()
            os.close(self._ours)
            os.close(self._theirs)

    @pytest.fixture
    def terminal() -> Iterator[Callable[..., Terminal]]:
        opened = []

        def start(*words: str, columns: int = 120) -> Terminal:
            opened.append(Terminal(list(words), columns))
            return opened[-1]

        yield start
        for each in opened:
            each.close()

    def test_a_talk_key_by_key(terminal: Callable[..., Terminal], room: Path) -> None:
        with Talk(room, numbers=MemoryNumbers()) as entry:
            person = terminal("--dir", str(room))
            person.until(lambda seen: "Ctrl-D ends" in seen)
            person.type(
                "\x1b[A\x1bOP\x1b[3~\x01"
            )  # arrows, function keys and control characters are not keys of the protocol
            for typed, key in [("H", "H"), ("\x7f", "BackSpace"), ("\t", "Tab"), ("\r", "Return")]:
                person.type(typed)
                # Each key is sent at once, before any Return.
                assert entry.key(DEADLINE).press.key == key
            before = len(person.seen)
            entry.say("Hey!")
            # The terminal gets only differences, in several pieces.
            person.until(lambda seen: re.search("H.*e.*y.*!", seen[before:], re.DOTALL))
            entry.say("\b\b\b\borning")
            entry.press("NoSuchName")
            person.until(lambda _: not any(name.endswith(".other") for name in os.listdir(room)))
            person.type("\x04")
            assert person.ended() == 0
        assert "entity  | orning" in person.seen
        assert "note    | broken: 2.A.b/name (1)" in person.seen

    @pytest.mark.soak
    def test_a_program_dies_on_a_terminal(
        terminal: Callable[..., Terminal], echo: list[str]
    ) -> None:
        person = terminal("--", *echo)
        person.until(lambda seen: "Ctrl-D ends" in seen)
        person.type("die\r")
        assert person.ended() == 1
        assert "program | as you like" in person.seen
        assert "ended by itself: exit code 3" in person.seen
