"""Tests the one-file clients of docs/clients: length, compiler warnings, conformance.

Each test copies its client into a new folder, because a client keeps its numbers beside itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from lpp.blocking import Talk
from lpp.keypress import Side
from lpp.names import NAMES

CLIENTS = Path(__file__).parents[2] / "docs" / "clients"
HOW_TO = CLIENTS.parent / "how-to" / "write-a-bot-in-any-language.md"
SOURCES = ["bot.py", "bot.c", "bot.js"]

GCC = shutil.which("gcc")
NODE = shutil.which("node")
MINGW = shutil.which("x86_64-w64-mingw32-gcc")
WINE = shutil.which("wine")
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-O2"]

#: Seconds that a client may take for anything, even on a busy machine.
DEADLINE = 20.0
#: Cases of `loebner check-bot` that take a second or two. `test_all_cases` runs the long ones, only
#: in `make soak`.
QUICK = ["2.A.a", "2.A.b", "2.A.c", "2.A.d", "2.A.e", "2.B/keys", "3/answers", "3/restart"]

LANGUAGES = [
    "python",
    pytest.param("c", marks=pytest.mark.skipif(GCC is None, reason="gcc is not installed")),
    pytest.param("node", marks=pytest.mark.skipif(NODE is None, reason="Node is not installed")),
    pytest.param(
        "windows",
        marks=pytest.mark.skipif(
            MINGW is None or WINE is None, reason="mingw and Wine are not both installed"
        ),
    ),
]


class Client(NamedTuple):
    """A client's command without the directory, and a prefix for the directory (a drive)."""

    words: list[str]
    drive: str = ""

    def line(self, directory: str) -> list[str]:
        return [*self.words, self.drive + directory]


@pytest.fixture(scope="session")
def making_windows(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[subprocess.Popen[bytes] | None]:
    """Sets up a temporary Wine prefix in ten seconds, while other tests run."""
    if WINE is None or MINGW is None:
        yield None
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINEPREFIX", str(tmp_path_factory.mktemp("wine") / "prefix"))
        patch.setenv("WINEDEBUG", "-all")
        patch.setenv("WINEDLLOVERRIDES", "mscoree,mshtml=")
        quiet = subprocess.DEVNULL
        with subprocess.Popen([WINE, "wineboot", "-i"], stdout=quiet, stderr=quiet) as making:
            yield making
            making.wait(100)
        # Wine's server would go on running for some seconds.
        server = shutil.which("wineserver") or "/usr/lib/wine/wineserver"
        with contextlib.suppress(OSError):
            subprocess.run([server, "-k"], check=False, capture_output=True, timeout=20)


@pytest.fixture
def wine(making_windows: subprocess.Popen[bytes]) -> str:
    """The path of Wine, once its prefix is set up."""
    assert making_windows.wait(100) == 0
    return str(WINE)


def build(language: str, place: Path, wine: str = "") -> Client:
    """Copies or compiles a client into the folder `place`."""
    if language in ("python", "node"):
        program, source = (sys.executable, "bot.py") if language == "python" else (NODE, "bot.js")
        return Client([str(program), str(shutil.copy(CLIENTS / source, place / source))])
    compiler, name = (GCC, "bot") if language == "c" else (MINGW, "bot.exe")
    built = str(place / name)
    subprocess.run([str(compiler), *WARNINGS, "-o", built, str(CLIENTS / "bot.c")], check=True)
    return Client([built] if not wine else [wine, built], "Z:" if wine else "")


Make = Callable[[str], Client]


@pytest.fixture
def make(tmp_path: Path, request: pytest.FixtureRequest) -> Make:
    """A function that builds a client for this test; Wine runs `windows`."""

    def ready(language: str) -> Client:
        wine = request.getfixturevalue("wine") if language == "windows" else ""
        return build(language, tmp_path, wine)

    return ready


@contextlib.contextmanager
def running(client: Client, room: Path) -> Iterator[subprocess.Popen[str]]:
    """A running client that has printed that it listens; it must still run at the end."""
    with subprocess.Popen(
        client.line(str(room)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("listening in")
            yield process
            assert process.poll() is None, "the client has ended"
        finally:
            process.kill()


@pytest.mark.parametrize("source", SOURCES)
def test_it_is_short(source: str) -> None:
    lines = (CLIENTS / source).read_text(encoding="utf-8").splitlines()
    assert len(lines) < 80
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("source", SOURCES)
def test_the_page_links_to_it(source: str) -> None:
    assert f"../clients/{source}" in HOW_TO.read_text(encoding="utf-8")


@pytest.mark.skipif(GCC is None, reason="gcc is not installed")
def test_c_compiles_as_strict_c99(tmp_path: Path) -> None:
    strict = ["-std=c99", "-D_DEFAULT_SOURCE", "-pedantic", *WARNINGS]
    subprocess.run(
        [str(GCC), *strict, "-o", str(tmp_path / "bot"), str(CLIENTS / "bot.c")], check=True
    )


@pytest.mark.skipif(MINGW is None, reason="mingw is not installed")
def test_c_compiles_for_windows(tmp_path: Path) -> None:
    assert Path(build("windows", tmp_path).words[0]).stat().st_size > 0


def test_python_needs_nothing_installed(make: Make, room: Path) -> None:
    client = make("python")
    with running(Client([client.words[0], "-I", "-S", *client.words[1:]]), room):
        pass


# A scripted judge


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_scripted_judge(language: str, make: Make, room: Path, quick_checks: object) -> None:
    client = make(language)
    old = room / "0000000077.x.other"
    old.mkdir()
    strangers = [room / "Thumbs.db", room / "12.x.other", room / "no key"]
    for stranger in strangers:
        stranger.mkdir()
    with Talk(room, side=Side.JUDGE) as judge:
        assert {judge.key(DEADLINE).press.raw for _ in range(2)} == {old.name, "12.x.other"}

        def hears(said: str) -> None:
            assert judge.line(DEADLINE) == said

        with running(client, room):
            marks = "".join(char for char in NAMES.values() if char not in "\b\n")
            judge.say(f"I'm {marks}!\n")
            hears(f"I'm {marks}!")
            judge.say("\bHellu\bo\n\n \n")
            hears("Hello")
            for name in ("Shift_L", "eacutes", "NoSuchName", "apostrophe", "grave", "s", "Return"):
                judge.press(name)
            hears("'`s")
            judge.say("a" * 200 + "\n" + "b" * 500 + "\n")
            hears("a" * 200)
            hears("b" * 500)
            judge.say("no Return comes")
            hears("no Return comes")
            wait_for(lambda: not list(room.glob("*.judge")))
        highest = 0
        for _ in range(2):  # killed, the directory emptied, started again
            with running(client, room):
                judge.say("again\n")
                received = [judge.key(DEADLINE) for _ in range(6)]
            assert [item.press.key for item in received] == [*"again", "Return"]
            assert all(not item.violations for item in received)
            assert received[0].press.number > highest
            highest = received[-1].press.number
    assert sorted(os.listdir(room)) == ["Thumbs.db", "no key"]


@pytest.mark.parametrize("language", ["python", *LANGUAGES[1:3]])
def test_keys_of_the_official_judge_program(language: str, make: Make, room: Path) -> None:
    """Numbers of 18 digits, then a second judge who writes unpadded numbers and `.Judge`."""
    with Talk(room, side=Side.JUDGE) as judge, running(make(language), room):
        for number, key in enumerate(["H", "o", "Return"]):
            (room / f"01337004004039141{number}.{key}.judge").mkdir()
        assert judge.line(DEADLINE) == "Ho"
        for key in ("9.H", "10.i", "11.Return"):
            (room / f"{key}.Judge").mkdir()
        assert judge.line(DEADLINE) == "Hi"


# The conformance test


Outcomes = dict[str, str]


def checking(client: Client, *options: str) -> subprocess.Popen[str]:
    """Starts `loebner check-bot` on a client."""
    command = [sys.executable, "-m", "loebner", "check-bot", "--json", *options, "--"]
    return subprocess.Popen([*command, *client.line("{dir}")], stdout=subprocess.PIPE, text=True)


def outcomes_of(check: subprocess.Popen[str]) -> Outcomes:
    """Waits for a check and returns the outcome of each case; none may be `fail`."""
    out, _ = check.communicate(timeout=200)
    document = json.loads(out)
    assert document["passed"] is True, document
    assert check.returncode == 0
    return {case["id"]: case["outcome"] for case in document["cases"]}


@pytest.fixture(scope="module")
def quick_checks(
    tmp_path_factory: pytest.TempPathFactory, making_windows: object
) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Checks of all clients, run in parallel because they mostly wait."""
    only = [word for case in QUICK for word in ("--only", case)]
    there = {"python": True, "c": GCC is not None, "node": NODE is not None}
    with contextlib.ExitStack() as stack:
        checks = {}
        for language in (each for each, is_there in there.items() if is_there):
            client = build(language, tmp_path_factory.mktemp(language))
            check = stack.enter_context(checking(client, *only))
            stack.callback(check.kill)
            checks[language] = check
        yield checks


@pytest.mark.parametrize("language", LANGUAGES[:3])
def test_quick_cases(language: str, quick_checks: dict[str, subprocess.Popen[str]]) -> None:
    outcomes = outcomes_of(quick_checks[language])
    assert set(outcomes.values()) == {"pass"}, outcomes


@pytest.mark.soak
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_cases(language: str, make: Make) -> None:
    with checking(make(language)) as check:
        outcomes = outcomes_of(check)
    assert outcomes.pop("2/browse") == "not-tested"  # only a person can see it
    assert set(outcomes.values()) == {"pass", "info"}, outcomes


# The browse function

TKINTER = """
class filedialog:
    askdirectory = staticmethod(lambda **_: {chosen!r})
"""


@pytest.mark.skipif(os.name == "nt", reason="stands in for zenity by a shell script")
@pytest.mark.parametrize("language", LANGUAGES[:3])
@pytest.mark.parametrize("cancelled", [False, True])
def test_browse(language: str, cancelled: bool, make: Make, tmp_path: Path, room: Path) -> None:
    """Without an argument the client opens a dialog, which a stub replaces here."""
    chosen = "" if cancelled else str(room)
    dialogs = tmp_path / "dialogs"
    dialogs.mkdir()
    (dialogs / "tkinter.py").write_text(TKINTER.format(chosen=chosen))
    zenity = dialogs / "zenity"
    answer = "exit 1" if cancelled else f"echo '{chosen}'"
    zenity.write_text(f'#!/bin/sh\n[ "$*" = "--file-selection --directory" ] && {answer}\n')
    zenity.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{dialogs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(dialogs),
    }
    client = make(language)
    with subprocess.Popen(
        client.words,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            if cancelled:
                assert said == ""
                assert process.wait(DEADLINE) in (1, 2)
            else:
                assert said == f"listening in {room}\n"
        finally:
            process.kill()
