"""Tests `loebner replay`: real logs through a directory to a reader, the text, and what it refuses.

The expected output is taken directly from the logs' bytes by the few lines of `Plain`, which share
no code with the package.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Set
from itertools import groupby
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from contest.record.events import canonical
from contest.state.publication import Published
from judge_console.look.theme import Theme
from judge_console.model import playback
from judge_console.preferences import Preferences, PreferencesFile, preferences_path
from judge_console.views.replay import ReplayWindow
from loebner import replay as command
from loebner.cli import main
from loebner.replay import visible
from lpp.channel import DirectoryChannel
from lpp.directory import LocalDirectory, communications_root
from lpp.keypress import Side
from lpp.lines import Pane
from lpp.names import MARK
from lpp.numbers import MemoryNumbers
from lpp.recording import RecordedKey, Recording
from tests.contest.build import brief

DATA = Path(__file__).parents[3] / "shared" / "data" / "2012"
REAL = sorted(DATA.glob("*.log"))
#: The logs of each program, the shortest first.
BY_PROGRAM = [
    sorted(files, key=lambda file: file.stat().st_size)
    for _, files in groupby(REAL, key=lambda file: file.name.split(".")[1])
]
SHORTEST = {files[0] for files in BY_PROGRAM}
LONGEST = {files[-1] for files in BY_PROGRAM}


def real_logs(usual: Set[Path]) -> pytest.MarkDecorator:
    """Some logs; the others are left to `make soak`."""
    return pytest.mark.parametrize(
        "file",
        [pytest.param(file, marks=[] if file in usual else [pytest.mark.soak]) for file in REAL],
        ids=lambda file: file.name[8:-4],
    )


LISTING = (
    "braceleft { braceright } bracketleft [ bracketright ] parenleft ( parenright ) comma , "
    "period . greater > less < slash / backslash \\ bar | quotedbl \" quoteright ' equal = "
    "underscore _ plus + minus - exclam ! at @ numbersign # dollar $ percent % asterisk * "
    "asciicircum ^ asciitilde ~ quoteleft ` ampersand & colon : semicolon ; question ?"
)
MARKS = LISTING.split()
TYPES = dict(zip(MARKS[::2], MARKS[1::2], strict=True))
TYPES |= {"space": " ", "Tab": "\t", "Return": "\n"}


class Plain:
    """A log read directly from its bytes: both authors of one side."""

    def __init__(self, file: Path, sitter: str) -> None:
        lines = file.read_bytes().decode("ascii").split("\r\n")
        left = lines[3].split("=")[1].strip()
        side = "left" if left == sitter else "right"
        fields = [line.split(" ", 4) for line in lines[4:] if line]
        here = [(who, key) for _, _, who, at, key in fields if at == side]
        self.judge = [key for who, key in here if who == "judge"]
        self.other = [key for who, key in here if who != "judge"]

    @staticmethod
    def text(keys: list[str]) -> str:
        text = ""
        for key in keys:
            text = text[:-1] if key == "BackSpace" else text + TYPES.get(key, key)
        return text


@pytest.fixture
def target() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=communications_root()) as path:
        yield Path(path)


def run_to(target: Path, file: Path, side: str) -> None:
    assert main(["replay", str(file), "--to", str(target), "--speed", "0", "--side", side]) == 0


# Real logs, with a reader at the directory


@real_logs(SHORTEST)
@pytest.mark.parametrize("side", ["program", "human"])
def test_a_late_reader_gets_a_whole_real_log(file: Path, side: str, target: Path) -> None:
    plain = Plain(file, side)
    run_to(target, file, side)
    for extension, keys in ((".other", plain.other), (".judge", plain.judge)):
        names = sorted(name for name in os.listdir(target) if name.endswith(extension))
        assert [int(name.partition(".")[0]) for name in names] == list(range(1, len(keys) + 1))
        found = [name.partition(".")[2].removesuffix(extension) for name in names]
        assert found == keys
        assert Pane(found).text == Plain.text(keys)


async def test_key_press_that_nobody_removes_is_named(
    target: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An entry never removes what the recorded program typed."""
    monkeypatch.setattr(command, "REPORTED_AFTER", 0.0)
    presses = (
        RecordedKey(0, "left", "judge", "H", 5),
        RecordedKey(1, "left", "entity", "i", 6),
    )
    recording = Recording("talk", (), {"left": "Bot"}, presses)
    typing = asyncio.create_task(command.type_into(recording, LocalDirectory(target), wait=True))
    said = ""
    for name in ("0000000001.H.judge", "0000000001.i.other"):
        while name not in said:
            await asyncio.sleep(0.001)
            said += capsys.readouterr().err
        (target / name).rmdir()
    assert (await typing)[0].total() == 2


@pytest.mark.parametrize("file", REAL[:1], ids=lambda file: file.name[8:-4])
async def test_running_readers_get_a_real_log_even_after_a_stop(file: Path, target: Path) -> None:
    plain = Plain(file, "program")
    async with (
        DirectoryChannel(target, side=Side.JUDGE, numbers=MemoryNumbers()) as judge,
        DirectoryChannel(target, side=Side.OTHER, numbers=MemoryNumbers()) as entry,
        asyncio.timeout(30),
    ):
        replaying = asyncio.create_task(asyncio.to_thread(run_to, target, file, "program"))
        stops = len(plain.judge) // 2
        first = [await anext(entry) for _ in range(stops)]
        for channel, keys, before in (
            (judge, plain.other, []),
            (entry, plain.judge, first),
        ):
            received = before + [await anext(channel) for _ in keys[len(before) :]]
            assert [item.press.key for item in received] == keys
            assert [item.press.number for item in received] == list(range(1, len(keys) + 1))
        await replaying
    assert os.listdir(target) == []


@real_logs(LONGEST)
def test_a_real_log_as_text(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(file)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    # Lines that no BackSpace reopened are the same in the transcript and in the panes.
    for sitter in ("program", "human"):
        plain = Plain(file, sitter)
        for who, keys in (("judge", plain.judge), (sitter, plain.other)):
            *finished, last = Plain.text(keys).split("\n")
            for line in finished:
                assert was_printed(line.replace("\t", "\\t"), printed(out, who)), line
            if last:
                assert was_printed(last, printed(out, who))


def printed(out: str, who: str) -> set[str]:
    """The printed lines of an author."""
    form = re.compile(rf"[0-9:.]+ +(?:left|right) +{who}(?: \([a-z]+\))?: (.*)")
    return {match[1] for line in out.splitlines() if (match := form.fullmatch(line))}


def was_printed(line: str, parts: set[str]) -> bool:
    """Whether a pane's line was printed, in one or several parts."""
    if line in parts:
        return True
    ends = [part for part in parts if part and line.endswith(part)]
    return any(was_printed(line.removesuffix(part), parts) for part in ends)


# A small log of our own

HEADER = "A title\r\nA notice\r\nTranscripts of judge 2 program prog round 3\r\nLeft =program \r\n"


def line(seconds: float, who: str, side: str, key: str) -> str:
    whole, micro = divmod(round(seconds * 1_000_000), 1_000_000)
    return f"J2 {whole:011d}{micro:07d} {who} {side} {key}\r\n"


def log(*keys: tuple[float, str, str, str]) -> bytes:
    return (HEADER + "".join(line(*key) for key in keys)).encode()


def said(who: str, side: str, text: str, start: float = 0.0) -> list[tuple[float, str, str, str]]:
    names = {char: name for name, char in TYPES.items()} | {"\b": "BackSpace"}
    return [(start + n / 10, who, side, names.get(c, c)) for n, c in enumerate(text)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.log"
    keys = [
        *said("judge", "left", "Hi\n", 5.0),
        *said("judge", "right", "Yo\n", 6.0),
        *said("prog", "left", "Hex\bllo\n", 8.0),
        *said("prog", "right", "well", 9.0),
    ]
    path.write_bytes(log(*keys))
    return path


SMALL_TEXT = """\
A title
A notice
judge 2, program prog, round 3; left: program, right: human

00:00.2  left   judge: Hi
00:01.2  right  judge: Yo
00:03.7  left   program: Hello
00:04.3  right  human (unfinished): well
"""


def test_text_is_printed_line_by_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr() == (SMALL_TEXT, "")


def test_a_removed_return_reopens_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(log(*said("judge", "left", "one\n\btwo\n\b")))
    assert main(["replay", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[4:] == [
        "00:00.3  left   judge: one",
        "00:00.8  left   judge (again): onetwo",
        "00:00.9  left   judge (unfinished): onetwo",
    ]


def test_a_program_that_never_presses_return(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.log"
    keys = [
        *said("judge", "left", "Hi\n"),
        *said("prog", "left", "Hello. ", 1),
        *said("judge", "left", "Who?\n", 3),
        *said("prog", "left", "I am", 4),
        *said("judge", "left", "Yes\n", 5),
        *said("prog", "left", " Ed!", 6),
        *said("judge", "left", "Ah\n", 7),
        *said("prog", "left", "\b?", 8),
        *said("judge", "left", "Oh\n", 9),
        *said("prog", "left", "well " * 170, 10),
    ]
    file.write_bytes(log(*keys))
    assert main(["replay", str(file)]) == 0
    lines = [line[16:] for line in capsys.readouterr().out.splitlines()[4:]]
    assert lines[:-3] == [
        "judge: Hi",
        "program: Hello. ",
        "judge: Who?",
        "judge: Yes",
        "program (continued): I am Ed!",
        "judge: Ah",
        "judge: Oh",
    ]
    # A BackSpace reopened the settled line, which continues at its place.
    assert lines[-3].startswith("program (again): I am Ed?well ")
    assert "".join(line.split(": ", 1)[1] for line in lines[-3:]) == "I am Ed?" + "well " * 170


def test_text_is_printed_without_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.log"
    marks = ["[bold red]"[n] for n in range(10)]
    keys = [*marks, "\x1b", "\u202e", "\x9b", "🙂", "é", "\u200d", "Tab", "nonsense", "Return"]
    shown = f"[bold red]{MARK * 3}🙂é{MARK}\\t"  # an invisible character is shown as a mark
    file.write_bytes(
        log(*((0, "prog", "left", key) for key in keys)).replace(b"A title", b"A \x1b[31mtitle\xff")
    )
    assert main(["replay", str(file)]) == 0
    out = capsys.readouterr().out
    assert "A \\x1b[31mtitle\\udcff\n" in out
    assert f"left   program: {shown}\n" in out
    assert "\x1b" not in out


def test_both_sides_of_a_pairing_into_a_directory(
    file: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(file), "--to", str(target), "--speed", "0"]) == 0
    assert capsys.readouterr() == (
        f"11 key presses written to {target}: 3 .judge, 8 .other\n",
        "",
    )
    assert sorted(os.listdir(target)) == sorted(
        [
            *("0000000001.H.judge", "0000000002.i.judge", "0000000003.Return.judge"),
            *("0000000001.H.other", "0000000002.e.other", "0000000003.x.other"),
            *("0000000004.BackSpace.other", "0000000005.l.other", "0000000006.l.other"),
            *("0000000007.o.other", "0000000008.Return.other"),
        ]
    )


# Truncated logs, and keys that can't be played


def test_key_names_that_can_not_be_directories_are_reported_as_lost(
    tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(log(*((0, "prog", "left", key) for key in ("a", "/", " ", "b/c", "d"))))
    assert main(["replay", str(file), "--to", str(target), "--speed", "0"]) == 0
    assert sorted(os.listdir(target)) == [f"{n:010d}.{k}.other" for n, k in enumerate("a d", 1)]
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 2
    assert "line 6: the key name '/' can't be" in err[0]


def test_only_the_first_losses_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(HEADER.encode() + b"nonsense \x1b[2J\r\n" * 50)
    assert main(["replay", str(file)]) == 0
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 21
    assert err.splitlines()[-1].endswith("30 more lines")
    assert "\x1b" not in err


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert err.startswith("loebner: ")
    return err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"Dear diary,\n\nnothing today.\n\n", "line 3"),
        (bytes(range(256)) * 20, "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b'{"rounds": []}', "line 1: this is not an event"),
        (HEADER[:60].encode(), "line 3"),
        (b"judge,participant,rank\nJ1,E1,1\nJ1,E2,2\n\n", "line 3"),
    ],
)
@pytest.mark.parametrize("with_directory", [True, False])
def test_malformed_logs_are_refused(
    content: bytes,
    says: str,
    with_directory: bool,
    tmp_path: Path,
    target: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "no.log"
    file.write_bytes(content)
    to = ["--to", str(target)] if with_directory else []
    assert main(["replay", str(file), *to]) == 2
    assert says in one_line(capsys)
    assert os.listdir(target) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--speed", "-1"], "--speed must be 0 or more"),
        (["--speed", "nan"], "--speed must be 0 or more"),
        (["--speed", "inf"], "--speed must be 0 or more"),
        (["--speed", "fast"], "'fast' is not a valid float"),
        (["--side", "middle"], "--side"),
        (["--wait"], "--wait needs --to"),
        (["--talk", "1.1.J1.left"], "leave out --talk"),
        (["--windows"], "--windows"),
        (["--window", "--to", "."], "--window shows a talk, --to types it"),
        (["--window", "--speed", "61"], "must be 0, or from 0.25 to 60, not 61"),
        (["--window", "--speed", "0.1"], "not 0.1"),
    ],
)
def test_wrong_use_is_refused(
    options: list[str], says: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(file), *options]) == 2
    assert says in one_line(capsys)


# Speed


class StoppedClock:
    def __init__(self, speed: float) -> None:
        self.speed, self.time = speed, 0.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.time += seconds
        await asyncio.sleep(0)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> list[StoppedClock]:
    made: list[StoppedClock] = []

    def make(speed: float) -> StoppedClock:
        made.append(StoppedClock(speed))
        return made[-1]

    monkeypatch.setattr(command, "LoopClock", make)
    return made


def test_gaps_between_keys_are_kept(file: Path, target: Path, clocks: list[StoppedClock]) -> None:
    assert (
        main(["replay", str(file), "--to", str(target), "--speed", "2.5", "--side", "human"]) == 0
    )
    (clock,) = clocks
    assert clock.speed == 2.5  # the clock's seconds are those of the log; the clock itself is fast
    assert clock.slept == [0, 0.1, 0.1, 2.8, 0.1, 0.1, 0.1]


# Our own records


def event(talk: str, author: str, key: str, at: float, **more: str) -> bytes:
    body = {"author": author, "side": talk.rpartition(".")[2], "key": key, "n": 1, **more}
    return json.dumps(
        {"seq": 1, "talk": talk, "at": "", "mono_ns": round(at * 1e9), "actor": "x", "kind": "key"}
        | {"body": body, "prev": "", "hash": ""}
    ).encode()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    path.write_bytes(
        b"\n".join(
            [
                event("1.1.J1.left", "entity", "x", 1, out_of_phase="3/waits"),
                event("1.1.J1.left", "judge", "H", 2),
                event("1.1.J1.right", "judge", "Q", 2.5),
                event("1.1.J1.left", "judge", "Return", 3),
                event("1.1.J1.left", "entity", "W", 4.5),
            ]
        )
    )
    return path


def test_a_talk_of_a_record(record: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(record), "--talk", "1.1.J1.left"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "00:01.0  left   judge: H",
        "00:02.5  left   entity (unfinished): W",
    ]
    to = ["--to", str(target), "--speed", "0"]
    assert main(["replay", str(record), "--talk", "1.1.J1.left", *to]) == 0
    assert sorted(os.listdir(target)) == [
        "0000000001.H.judge",
        "0000000001.W.other",
        "0000000002.Return.judge",
    ]


# Small parts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 🙂 한", "plain é 🙂 한"),
        ("👩\u200d💻", "👩\\u200d💻"),
        ("a" + "\u0301" * 9, "a" + "\u0301" * 4),
        ("a\tb\n", "a\\tb\\n"),
        ("\x00\x07\x1b[31m\x7f\x9b", "\\x00\\x07\\x1b[31m\\x7f\\x9b"),
        ("\u202eabc\u2066\ufeff", "\\u202eabc\\u2066\\ufeff"),
        ("\u2028\ud800\udce9", "\\u2028\\ud800\\udce9"),
    ],
)
def test_untrusted_text_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


# The folder of a contest


def test_a_talk_of_a_contest_folder(
    folder: Path, tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(folder)]) == 2
    talks = one_line(capsys).partition("--talk: ")[2].strip().split(", ")
    assert "1.1.J1.left" in talks
    # As an export writes it.
    published = Published(brief().log()).events()
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"".join(canonical(event.as_json()) + b"\n" for event in published))
    said = []
    for place in (folder, file):
        assert main(["replay", str(place), "--talk", "1.1.J1.left"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert "judge: " in said[0]
    to = ["--to", str(target), "--speed", "0"]
    assert main(["replay", str(folder), "--talk", "1.1.J1.left", *to]) == 0
    assert any(name.endswith(".judge") for name in os.listdir(target))


def test_a_withheld_talk_is_not_replayed(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.loads(line) for line in record.read_bytes().split(b"\n")]
    for line in lines[:2]:
        line.update(redacted=True, body={}, actor="withheld")
    record.write_text("\n".join(json.dumps(line) for line in lines))
    assert main(["replay", str(record), "--talk", "1.1.J1.left"]) == 0
    out, err = capsys.readouterr()
    assert "judge: \n" in out
    assert err.splitlines() == [
        f"loebner: lost: {record}, line 1: 2 events of this talk are not published: "
        "a participant withheld them"
    ]


# In a window


def text_of_window(app: QApplication, *words: str) -> list[str]:
    """Opens the command's window, closes it, and returns its text."""
    seen: list[str] = []

    def look() -> None:
        shown = [w for w in app.topLevelWidgets() if w.isVisible()]
        (window,) = [w for w in shown if isinstance(w, ReplayWindow)]
        playback = window.view.playback
        seen.append(window.windowTitle())
        seen.append(f"{playback.speed:g}, {'plays' if playback.playing else 'stands'}")
        seen.extend(pane.toPlainText() for pane in window.view.panes.values())
        window.close()

    QTimer.singleShot(0, look)
    assert main(["replay", *words, "--window"]) == 0
    for theme in app.findChildren(Theme):
        theme.deleteLater()
    return seen


def test_a_talk_is_replayed_in_a_window(file: Path, qapp: QApplication) -> None:
    seen = text_of_window(qapp, str(file), "--speed", "30")
    assert seen == ["Replay – small.log", "30, plays", "", ""]


def test_the_window_uses_the_consoles_appearance_and_stores_changes(
    file: Path, qapp: QApplication
) -> None:
    """Settings that another window has stored meanwhile are kept."""
    remembered = PreferencesFile(preferences_path())
    remembered.change(theme="dark", text_size=150, code="J1-OLD")
    seen: list[object] = []

    def look() -> None:
        shown = [w for w in qapp.topLevelWidgets() if w.isVisible()]
        (window,) = [w for w in shown if isinstance(w, ReplayWindow)]
        try:
            (theme,) = qapp.findChildren(Theme)
            seen.extend((window.windowTitle(), theme.choice, theme.zoom))
            remembered.change(code="J1-NEW")
            theme.larger()
            actions = {action.text(): action for action in window.findChildren(QAction)}
            actions["&Light"].trigger()
        finally:
            window.close()

    QTimer.singleShot(0, look)
    assert main(["replay", str(file), "--window"]) == 0
    for theme in qapp.findChildren(Theme):
        theme.deleteLater()
    assert seen == ["Replay – small.log", "dark", 150]
    assert PreferencesFile(preferences_path()).preferences == Preferences(
        theme="light", text_size=175, code="J1-NEW"
    )


def test_the_speed_limits_are_those_of_the_window() -> None:
    assert (command.SLOWEST, command.FASTEST) == (playback.SLOWEST, playback.FASTEST)


def test_text_needs_no_qt(file: Path) -> None:
    script = (
        "import sys; from loebner.cli import main; code = main(sys.argv[1:]);"
        "sys.exit(code or any(m.partition('.')[0] in ('PySide6', 'judge_console', 'contest')"
        " for m in sys.modules))"
    )
    words = [sys.executable, "-c", script, "replay", str(file), "--text"]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout == SMALL_TEXT
