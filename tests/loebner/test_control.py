"""`loebner control` at the terminal: which words are orders, and what is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contest.controls import read_order as read_document
from loebner.cli import main
from loebner.control import ACTIONS, read_order, say

Output = pytest.CaptureFixture[str]

OPERANDS = {
    "reason": "a lamp fell down",
    "minutes": "2.5",
    "what": "1.1.J1.left",
    "entry": "E1",
    "seat": "J1",
}


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_is_an_order_that_the_server_knows(action: str) -> None:
    order = read_order([action, *(OPERANDS[name] for name in ACTIONS[action][0])], anyway=False)
    document = read_document(json.dumps(order).encode())
    assert document.__struct_config__.tag == action


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a contest's folder"),
        (["contest"], "name an action: status, check"),
        (["contest", "dance"], "there is no action 'dance'"),
        (["contest", "pause"], "pause takes REASON, not 0 words"),
        (["contest", "pause", "a", "lamp"], "put a reason in quotes"),
        (["contest", "status", "now"], "status takes nothing"),
        (["contest", "extend", "five", "late"], "MINUTES is a number, not 'five'"),
        (["contest", "stop", "late", "--anyway"], "--anyway goes with start"),
        (["--server", "http://127.0.0.1:1", "status"], "needs the organizer's --code"),
        (["contest", "status", "--code", "x"], "--code goes with --server"),
        (["nowhere", "status"], "no such folder"),
    ],
)
def test_what_is_no_order_exits_2(
    words: list[str], said: str, capsys: Output, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOEBNER_ORGANIZER_CODE", raising=False)
    assert main(["control", *words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.count("\n") == 1


def test_all_actions_are_in_the_help(capsys: Output) -> None:
    assert main(["control", "--help"]) == 0
    told = capsys.readouterr().out
    for action, (operands, what) in ACTIONS.items():
        assert " ".join((action, *map(str.upper, operands))) in told
        assert what in told


def answer(**more: Any) -> dict[str, Any]:
    return {
        "done": "",
        "status": {
            "words": "the interaction of round 1 is on",
            "remaining": 754.3,
            "reason": "late",
            "seats": [
                {"seat": "J1", "role": "judge", "here": True},
                {"seat": "C1", "role": "confederate", "here": False},
            ],
            "entries": [
                {
                    "entry": "E1",
                    "name": "Sly\x1b[2J",
                    "here": True,
                    "program": "ended",
                    "keys": 17,
                    "unread": 3,
                    "oldest_unread": 9.5,
                    "delay": 0.0,
                }
            ],
            "incidents": [
                {"at": "2010-10-23T16:30:30.3Z", "who": "E1", "what": "the program ended"}
            ],
        },
        **more,
    }


def test_a_status_in_words(capsys: Output) -> None:
    say(answer(), "status")
    assert capsys.readouterr().out.splitlines() == [
        "Now the interaction of round 1 is on, 12:34 left (late).",
        "Seats: J1 here; C1 away",
        "E1 (Sly?[2J): link here, program ended, 17 keys typed, 3 unread, the oldest for 9.5 s",
        "16:30:30  E1: the program ended",
    ]


def test_a_check_in_words(capsys: Output) -> None:
    checks = [
        {"what": "seat J1", "ok": True, "words": "a console is here"},
        {"what": "seat C1", "ok": False, "words": "no console is here"},
    ]
    say(answer(checks=checks, ready=False, done="it was looked at"), "check")
    assert capsys.readouterr().out.splitlines() == [
        "Done: it was looked at.",
        "green  seat J1: a console is here",
        "RED    seat C1: no console is here",
        "Now the interaction of round 1 is on, 12:34 left (late).",
    ]
