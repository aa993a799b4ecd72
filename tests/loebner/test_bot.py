"""Tests `loebner bot`: its list, refusals, and options."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

import loebner.bot as command
from bots.registry import BOTS, find
from loebner.cli import main


@pytest.fixture
def passed_options(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, dict[str, Any]]]:
    calls: list[tuple[Any, dict[str, Any]]] = []
    monkeypatch.setattr(command, "run_entry", lambda bot, **options: calls.append((bot, options)))
    return calls


def test_the_list_shows_all_bots(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, place in BOTS.items():
        assert any(line.split()[:1] == [name] and line.endswith(place.summary) for line in lines)


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["bots"] == [
        {"name": name, "summary": place.summary} for name, place in BOTS.items()
    ]


def test_options_are_passed_to_the_bot(
    passed_options: list[tuple[Any, dict[str, Any]]], tmp_path: Path
) -> None:
    words = ["--dir", str(tmp_path), "--speed", "2.5", "--seed", "7"]
    assert main(["bot", "therapist", *words, "--clock", "2010-10-23T09:30"]) == 0
    start = datetime.datetime(2010, 10, 23, 9, 30)
    options = {"directory": tmp_path, "speed": 2.5, "seed": 7, "start": start}
    ((bot, given),) = passed_options
    assert bot is find("therapist")
    assert given.items() >= options.items()


def test_defaults_are_used_without_options(
    passed_options: list[tuple[Any, dict[str, Any]]],
) -> None:
    assert main(["bot", "aiml"]) == 0
    options = {"directory": None, "speed": 1.0, "seed": None, "start": None}
    ((bot, given),) = passed_options
    assert bot is find("aiml")
    assert given.items() >= options.items()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["hal"], "there is no bot 'hal'; choose one of therapist, aiml"),
        ([__file__], "run your own program directly (python "),
        ([], "give a bot's name; --list"),
        (["therapist", "--json"], "--json needs --list"),
        (["therapist", "--dir", "/nowhere/at/all"], "/nowhere/at/all: no such directory"),
        (["therapist", "--dir", ".", "--speed", "-1"], "-1 is out of range"),
        (["therapist", "--dir", ".", "--clock", "noon"], "'noon' is not a date and time"),
        (["therapist", "--dir", ".", "--seed", "x"], "'x' is not a valid integer"),
        (["therapist", "--colour", "red"], "No such option"),
    ],
)
def test_a_usage_error_is_one_line_with_exit_code_2(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bot", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert complaint in captured.err
    assert captured.err.count("\n") == 1


def test_without_a_screen_a_directory_is_required(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert main(["bot", "therapist"]) == 2
    captured = capsys.readouterr()
    assert "--dir DIR" in captured.err
    assert captured.err.count("\n") == 1


def test_a_missing_library_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'aiml'", name="aiml")

    monkeypatch.setattr(command, "find", missing)
    assert main(["bot", "aiml"]) == 2
    assert "pip install '.[bots]'" in capsys.readouterr().err
