"""Real keys of real keyboards under X11, in `loebner judge` and at a seat in Firefox, up to the
record of a real server.

X11's names of keys, and the effects of layouts, have caused faults in judges' programs before: the
appendix of the rules has `quoteright` and `quoteleft`, but X11 says `apostrophe` and `grave`;
characters of AltGr come with modifiers; and dead keys come through an input method.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser import FIREFOX, needs_firefox
from tests.contest_server import ContestServer, contest_server
from tests.xvfb import PATIENCE, Screen, screen

__all__ = ["screen"]  # a fixture

#: Firefox shows nothing of its own before the page.
PREFERENCES = """
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.preonboarding.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
"""
#: Ends a test's typing, and appears nowhere else in it: once it has arrived, earlier keys have
#: arrived or are lost.
LAST = "x"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContestServer]:
    with contest_server(tmp_path_factory.mktemp("contest")) as served:
        yield served


def start(screen: Screen, home: Path, *words: str, **environ: str) -> subprocess.Popen[str]:
    """Starts a command without stored settings."""
    places = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "STATE")}
    return subprocess.Popen(
        [sys.executable, "-m", "loebner", *words],
        env=screen.environ(LC_ALL="C.UTF-8", **places, **environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def console(screen: Screen, home: Path, server: ContestServer) -> Iterator[str]:
    """The console at a judge's seat; the number of its window."""
    code = server.codes["J1"]
    process = start(screen, home, "judge", "--server", server.address, LOEBNER_CODE=code)
    try:
        yield screen.window("judge J1")
    finally:
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")


@contextmanager
def page(screen: Screen, home: Path, server: ContestServer) -> Iterator[str]:
    """Firefox at a judge's seat; the number of its window."""
    profile = home / "profile"
    profile.mkdir()
    (profile / "user.js").write_text(PREFERENCES, encoding="utf-8")
    link = f"http://{server.address}/sit#{server.codes['J1']}"
    process = subprocess.Popen(
        [str(FIREFOX), "--no-remote", "--profile", str(profile), link],
        env=screen.environ(LC_ALL="C.UTF-8", HOME=str(home)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield screen.window("judge J1")
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.fixture(
    scope="module",
    params=[console, pytest.param(page, marks=[needs_firefox, pytest.mark.soak])],
)
def judge(
    request: pytest.FixtureRequest,
    screen: Screen,
    server: ContestServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """The number of a judge's window. All tests share it; each types its own line."""
    with request.param(screen, tmp_path_factory.mktemp("home"), server) as window:
        screen.focus(window)
        yield window


class Line:
    """The line that a test types on the left."""

    def __init__(self, screen: Screen, server: ContestServer) -> None:
        self._screen = screen
        self._server = server
        self._before = len(server.keys("left"))

    def names(self) -> list[str]:
        """The names of all recorded keys since the beginning of this line.

        The layout stays until they are recorded: a program that is behind reads the layout of the
        moment, not that of the key press.
        """
        self._screen.keys(LAST)
        self._server.until(lambda: self._server.keys("left")[self._before :][-1:] == [LAST])
        return self._server.keys("left")[self._before : -1]


@pytest.fixture
def line(screen: Screen, server: ContestServer, judge: str) -> Line:
    screen.focus(judge)
    return Line(screen, server)


def press(screen: Screen, layout: Sequence[str], *keys: str) -> None:
    screen.layout(*layout)
    screen.keys(*keys)


def test_quotes_on_a_us_keyboard(screen: Screen, line: Line) -> None:
    press(screen, ["us"], "apostrophe", "grave", "shift+apostrophe", "shift+grave")
    assert line.names() == ["quoteright", "quoteleft", "quotedbl", "asciitilde"]


def test_letters_digits_and_punctuation(screen: Screen, line: Line) -> None:
    press(screen, ["us"], "H", "i", "space", "3", "comma", "shift+1", "minus", "slash", "Return")
    assert line.names() == ["H", "i", "space", "3", "comma", "exclam", "minus", "slash", "Return"]


def test_altgr_on_a_german_keyboard(screen: Screen, line: Line) -> None:
    screen.layout("de")
    screen.held("ISO_Level3_Shift", "q", "e", "7", "8", "9", "0", "ssharp", "plus", "less")
    assert line.names() == [
        *("at", "\u20ac", "braceleft", "bracketleft", "bracketright", "braceright"),
        *("backslash", "asciitilde", "bar"),
    ]


def test_letters_on_a_german_keyboard(screen: Screen, line: Line) -> None:
    press(screen, ["de"], "adiaeresis", "odiaeresis", "udiaeresis", "ssharp", "z", "y")
    assert line.names() == ["\u00e4", "\u00f6", "\u00fc", "\u00df", "z", "y"]


def test_a_dead_key_and_a_letter_are_one_key_press(screen: Screen, line: Line) -> None:
    """A dead key and a letter are one key press, that of the letter; BackSpace then removes it."""
    press(screen, ["de"], "dead_acute", "e", "dead_circumflex", "o", "dead_acute", "space")
    press(screen, ["de"], "dead_grave", "a", "BackSpace")
    names = line.names()
    assert names[:2] == ["\u00e9", "\u00f4"]
    assert names[2] in ("quoteright", "\u00b4")  # the character that the system composes
    assert names[3:] == ["\u00e0", "BackSpace"]


def test_the_compose_key(screen: Screen, line: Line) -> None:
    layout = ["us", "-option", "compose:ralt"]
    press(screen, layout, "Multi_key", "o", "slash", "Multi_key", "e", "equal")
    names = line.names()
    screen.layout("us", "-option", "")
    assert names == ["\u00f8", "\u20ac"]


def test_f6_goes_to_the_other_side(screen: Screen, server: ContestServer, line: Line) -> None:
    before = len(server.keys("right"))
    press(screen, ["us"], "a", "F6", "b", "F6", "c")
    assert line.names() == ["a", "c"]
    assert server.keys("right")[before:] == ["b"]


def test_keys_without_a_character_are_not_sent(screen: Screen, line: Line) -> None:
    press(screen, ["us"], "Shift_L", "Control_L", "Left", "Up", "Home", "Delete", "F2", "Caps_Lock")
    # Ctrl+M has no effect on the text in a browser either: it mutes the tab.
    press(screen, ["us"], "Caps_Lock", "ctrl+m", "a")
    assert line.names() == ["a"]


def test_editing_keys(screen: Screen, line: Line) -> None:
    press(screen, ["us"], "a", "b", "BackSpace", "Tab", "Return", "KP_Enter", "KP_5", "KP_Add")
    names = line.names()
    assert names[:6] == ["a", "b", "BackSpace", "Tab", "Return", "Return"]
    assert names[6:] in (["5", "plus"], ["plus"])  # the 5 only with NumLock


def test_a_held_key_repeats(screen: Screen, line: Line) -> None:
    screen.layout("us")
    screen.xdotool("keydown", "a")
    time.sleep(1.2)  # the keyboard begins to repeat after 0.66 s
    screen.xdotool("keyup", "a")
    names = line.names()
    assert len(names) > 3
    assert set(names) == {"a"}


def test_a_pasted_text_is_typed_at_a_persons_pace(
    screen: Screen, server: ContestServer, judge: str
) -> None:
    words = [sys.executable, "-c", _OWNER, "don't [\u00e9]"]
    owner = subprocess.Popen(words, env=screen.environ(), stdout=subprocess.PIPE, text=True)
    before = len(server.keys("left"))
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        screen.focus(judge)
        screen.keys("ctrl+v")
        expected = [*"don", "quoteright", "t", "space", "bracketleft", "\u00e9", "bracketright"]
        server.until(lambda: after_backspaces(server.keys("left")[before:]) == expected)
    finally:
        owner.terminate()
        owner.communicate(timeout=PATIENCE)


def after_backspaces(names: Sequence[str]) -> list[str]:
    """The keys that remain after applying each BackSpace, because a person's typing has slips."""
    shown: list[str] = []
    for name in names:
        if name == "BackSpace":
            shown.pop()
        else:
            shown.append(name)
    return shown


#: Owns the clipboard until it is terminated.
_OWNER = """
import sys
from PySide6.QtGui import QGuiApplication

application = QGuiApplication(["owner"])
application.clipboard().setText(sys.argv[1])
print("ready", flush=True)
application.exec()
"""


# The first time


@pytest.mark.soak
def test_a_first_time_user_reaches_the_talk(screen: Screen, tmp_path: Path) -> None:
    """There are no stored settings; the address comes from the shortcut, and the code from a card.
    It is first typed without its last letter, and corrected after the message; then Tab leads to
    the button."""
    with contest_server(tmp_path) as server:
        process = start(screen, tmp_path, "judge", "--server", server.address)
        try:
            screen.focus(screen.window("Take your seat"))
            code = server.codes["J1"].lower().replace("-", " ")
            screen.xdotool("type", code[:-1])
            screen.keys("Return")
            screen.xdotool("type", code[-1])
            screen.keys("Tab", "Tab", "Tab", "Tab", "Return")
            server.until(lambda: server.seated("J1"))
            server.until(lambda: screen.windows("judge J1") and not screen.windows("your seat"))
            screen.focus(screen.window("judge J1"))
            screen.keys("H", "i", "F6", "x")
            server.until(lambda: server.keys("right") == ["x"])
            assert server.keys("left") == ["H", "i"]
        finally:
            process.terminate()
            _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "")
