"""Tests the options of `loebner judge` and `loebner confederate`, and their refusals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from judge_console import console
from judge_console.console import LaunchOptions
from judge_console.look.theme import CHOICES, ZOOMS
from judge_console.serverless import DeskPlan
from loebner import cli
from loebner import judge as judge_command

CODE = "J1-7KQ2-M4XD-9TRA"
SERVER = "192.168.1.10:8765"


class Ran:
    """The arguments with which the windows would have been run."""

    def __init__(self) -> None:
        self.options: LaunchOptions | None = None
        self.desk: Any = None
        self.returns = 0

    def __call__(self, options: LaunchOptions, desk: Any = None) -> int:
        self.options, self.desk = options, desk
        return self.returns


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    ran = Ran()
    monkeypatch.setattr(console, "run", ran)
    monkeypatch.delenv("LOEBNER_CODE", raising=False)
    return ran


@pytest.fixture
def directories(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    return tmp_path / "one", tmp_path / "two"


def test_without_options_a_dialog_asks(ran: Ran) -> None:
    assert cli.main(["judge"]) == 0
    assert ran.options == LaunchOptions("judge")
    assert cli.main(["confederate"]) == 0
    assert ran.options == LaunchOptions("confederate")


def test_the_exit_code_is_that_of_the_windows(ran: Ran) -> None:
    ran.returns = 1
    assert cli.main(["judge"]) == 1


def test_server_code_and_appearance_are_passed_on(ran: Ran) -> None:
    words = ["--server", SERVER, "--code", "j1 7kq2 m4xd 9tra", "--full-screen"]
    looks = ["--theme", "high-contrast", "--language", "de", "--text-size", "150"]
    assert cli.main(["judge", *words, *looks]) == 0
    looked = {"theme": "high-contrast", "text_size": 150, "language": "de"}
    assert ran.options == LaunchOptions("judge", SERVER, CODE, None, True, **looked)  # type: ignore[arg-type]
    assert cli.main(["confederate", "--no-full-screen"]) == 0
    assert ran.options == LaunchOptions("confederate", full_screen=False)


# Sources of the code


def test_the_code_can_be_in_the_environment(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOEBNER_CODE", f" {CODE}\n")
    assert cli.main(["judge", "--server", SERVER]) == 0
    assert ran.options == LaunchOptions("judge", SERVER, CODE)
    assert (
        cli.main(["judge", "--code", "C2-7KQ2-M4XD-9TRA"]) == 0
    )  # the option overrides the variable
    assert ran.options == LaunchOptions("judge", code="C2-7KQ2-M4XD-9TRA")


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"{CODE.lower()}\r\n",
        f"\ufeff{CODE}\n",
        f"# the code of J1\n\nJ1\t{CODE}\n",
    ],
)
def test_the_code_can_be_in_a_file(ran: Ran, tmp_path: Path, text: str) -> None:
    file = tmp_path / "code.txt"
    file.write_bytes(text.encode())
    assert cli.main(["judge", "--code-file", str(file)]) == 0
    assert ran.options == LaunchOptions("judge", code=CODE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no codes"),
        ("# nothing\n", "no codes"),
        (f"J1\t{CODE}\nJ2\tJ2-7KQ2-M4XD-9TRA\n", "2 codes"),
        ("J1-7KQ2", "something is missing"),
        ("\0" * 70_000, "no code"),
        (f"\udcff\udcfe{CODE}", "not text in UTF-8"),
    ],
)
def test_a_file_without_a_code_is_refused(
    ran: Ran, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    file = tmp_path / "code.txt"
    file.write_text(text, "utf-8", "surrogateescape")
    assert_refused(capsys, ["judge", "--code-file", str(file)], words, "code.txt")
    assert ran.options is None


# Refusals


def assert_refused(capsys: pytest.CaptureFixture[str], args: list[str], *words: str) -> None:
    assert cli.main(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--server", "ftp://h"], "--server: 'ftp://h' is not a server's address"),
        (["--server", ""], "--server: '' is not a server's address"),
        (["--code", "J1"], "--code: something is missing"),
        (["--code", ""], "--code: there is no code"),
        (["--code", CODE, "--code-file", "x"], "one of --code and --code-file"),
        (["--code-file", "/none/such"], "No such file"),
        (["--right", "."], "--right needs --left"),
        (["--left", "/none/such"], "no such directory"),
        (["--left", ".", "--right", "/none/such"], "no such directory"),
        (["--left", ".", "--right", "./."], "two different directories"),
        (["--left", ".", "--code", CODE], "--code is only for a contest"),
        (["--left", ".", "--server", SERVER], "--server is only for a contest"),
        (["--minutes", "3"], "--minutes: only for a talk without a server; give --left"),
        (["--server", SERVER, "--record", "x"], "--record: only for"),
        (["--sides", "random"], "--sides: only for"),
        (["--human", "left"], "--human: only for"),
        (["--left", ".", "--minutes", "-1"], "--minutes"),
        (["--left", ".", "--minutes", "nan"], "nan"),
        (["--theme", "pink"], "pink"),
        (["--language", "tlh"], "tlh"),
        (["--text-size", "5"], "5"),
        (["--nonsense"], "--nonsense"),
        (["here"], "here"),
    ],
)
def test_unusable_options_are_refused(
    ran: Ran, capsys: pytest.CaptureFixture[str], args: list[str], words: str
) -> None:
    assert_refused(capsys, ["judge", *args], words)
    assert ran.options is None


@pytest.mark.parametrize("command", ["judge", "confederate"])
def test_without_qt_the_extra_is_named(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PySide6", None)
    for name in [name for name in sys.modules if name.startswith("PySide6.")]:
        monkeypatch.delitem(sys.modules, name)
    assert_refused(capsys, [command], "extra 'console'", "PySide6")
    assert cli.main([command, "--help"]) == 0


# Without a server


def test_practice_and_two_directories(
    ran: Ran, directories: tuple[Path, Path], tmp_path: Path
) -> None:
    left, right = directories
    assert cli.main(["judge", "--left", str(left)]) == 0
    assert ran.options == LaunchOptions("judge", plan=DeskPlan(left=str(left)))
    more = ["--sides", "random", "--human", "left", "--minutes", "2.5"]
    record = ["--record", str(tmp_path / "talks")]
    assert cli.main(["judge", "--left", str(left), "--right", str(right), *more, *record]) == 0
    assert ran.options is not None
    assert ran.options.plan == DeskPlan(
        "judge", str(left), str(right), 2.5, "random", "left", str(tmp_path / "talks")
    )


def test_a_confederate_without_a_server(ran: Ran, directories: tuple[Path, Path]) -> None:
    assert cli.main(["confederate", "--dir", str(directories[0])]) == 0
    plan = DeskPlan("confederate", str(directories[0]), minutes=0.0)
    assert ran.options == LaunchOptions("confederate", plan=plan)


# Options that the windows define, too


def test_the_options_offer_the_same_choices_as_the_windows() -> None:
    assert judge_command.THEMES == CHOICES
    assert (ZOOMS[0], ZOOMS[-1]) == (judge_command.SMALLEST_TEXT, judge_command.LARGEST_TEXT)
