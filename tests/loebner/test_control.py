"""Tests `loebner control` at the terminal: reading orders, and its output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from contest.organizer.orders import ORDERS
from loebner.cli import main
from loebner.common import time_of_day
from loebner.control import answer_lines, read_words, usage

#: A time in the record's format.
AT = "2010-10-23T16:30:30.3Z"

Output = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("words", "options", "order"),
    [
        (["codes"], {}, {"action": "codes"}),
        (["confirm", "3"], {}, {"action": "confirm", "number": 3}),
        (["final", "x"], {"--anyway": True}, {"action": "final", "reason": "x", "anyway": True}),
        (["reveal"], {"--all": True}, {"action": "reveal", "everything": True}),
        (
            ["log"],
            {"--kind": "trouble", "--who": None, "--last": "3"},
            {"action": "log", "kind": "trouble", "last": 3},
        ),
        (
            ["swap", "3", "J1", "J2", "x"],
            {},
            {
                "action": "swap",
                "round": 3,
                "later": False,
                "one": "J1",
                "other": "J2",
                "reason": "x",
            },
        ),
    ],
)
def test_words_and_options_become_an_order(
    words: list[str], options: dict[str, Any], order: dict[str, Any]
) -> None:
    assert read_words(words, options) == order


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give a contest folder"),
        (["contest"], "give an action: status, check"),
        (["contest", "dance"], "there is no action 'dance'"),
        (["contest", "pause"], "`pause REASON`"),
        (["contest", "pause", "a", "lamp"], "in quotes"),
        (["contest", "status", "now"], "`status`"),
        (
            ["contest", "extend", "five", "late"],
            "minutes must be above 0 and at most 240, not 'five'",
        ),
        (["contest", "stop", "late", "--anyway"], "--anyway doesn't work with stop"),
        (["contest", "status", "--all"], "--all doesn't work with status"),
        (["contest", "status", "--last", "3"], "--last doesn't work with status"),
        (["status"], "give the contest's folder before the action: loebner control CONTEST status"),
        (["--server", "h:1", "contest", "status"], "leave out the folder 'contest'"),
        (["contest", "confirm", "x"], "Number: write a number such as 5, not 'x'"),
        (["contest", "swap", "-", "J1", "J2", "x"], "Round: write the number of a round"),
        (["contest", "codes", "J1", "J2"], "`codes [SEAT]`"),
        (["--server", "http://127.0.0.1:1", "status"], "--server needs a --code"),
        (["contest", "status", "--code", "x", "--code-file", "y"], "one of --code and --code-file"),
        (["nowhere", "status"], "no such folder"),
    ],
)
def test_invalid_orders_exit_2(
    words: list[str], said: str, capsys: Output, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOEBNER_ORGANIZER_CODE", raising=False)
    assert main(["control", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_all_actions_are_in_the_help(capsys: Output) -> None:
    assert main(["control", "--help"]) == 0
    printed = capsys.readouterr().out
    for order in ORDERS.values():
        assert usage(order) in printed
        assert order.does in printed
    assert usage(ORDERS["replace"]) == "replace SEAT NAME REASON"
    assert usage(ORDERS["swap"]) == "swap ROUND[-] ONE OTHER REASON"
    assert usage(ORDERS["replan"]) == "replan FILE REASON"
    assert usage(ORDERS["codes"]) == "codes [SEAT]"
    assert "With start and final: even if something is missing." in " ".join(printed.split())


def answer(**more: Any) -> dict[str, Any]:
    return {
        "done": "",
        "status": {
            "words": "the interaction of round 1 is on",
            "remaining": 754.3,
            "reason": "late",
            "missing": [
                {"id": "C1", "role": "confederate", "what": "is not here"}
                | {"remedy": "Have the console opened again."}
            ],
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
                    "stalled": True,
                    "delay": 0.0,
                }
            ],
            "pairings": [
                {
                    "judge": "J1",
                    "entry": "E1",
                    "confederate": "C1",
                    "warning": "look",
                    "states": {
                        "judge": {"code": "typing", "words": "typing"},
                        "entry": {"code": "ended", "words": "program ended"},
                        "confederate": {"code": "away", "words": "not here"},
                    },
                    "left": {"keys": {"judge": 3, "entity": 0}},
                    "right": None,
                }
            ],
            "proposals": [
                {"number": 2, "by": "organizer", "words": "void 1.1", "reason": "a \x1bslip"}
            ],
            "incidents": [{"at": AT, "who": "E1", "what": "the program ended"}],
        },
        **more,
    }


def test_a_status_is_printed_in_words() -> None:
    assert list(answer_lines(answer(), "status")) == [
        "Now the interaction of round 1 is on, 12:34 left (late).",
        "MISSING: confederate C1 is not here. Have the console opened again.",
        "Seats: J1 here; C1 away",
        "E1 (Sly\\x1b[2J): link connected, program ended, 17 keys typed, 3 unread, the oldest for "
        "9.5 s, STALLED",
        "J1 typing; E1 program ended; C1 not here; left 3 + 0 keys in 10 s. look",
        "Order 2 awaits confirmation: void 1.1, by the organizer (a \\x1bslip)",
        f"{time_of_day(AT)}  E1: the program ended",
    ]


def test_a_check_is_printed_in_words() -> None:
    checks = [
        {"what": "seat J1", "ok": True, "level": "green", "words": "a console is here"},
        {"what": "seat C1", "ok": False, "level": "red", "words": "no console is connected"},
        {"what": "entry E1", "ok": True, "level": "yellow", "words": "restart it"},
    ]
    lines = list(answer_lines(answer(checks=checks, ready=False, done="it was looked at"), "check"))
    assert [click.unstyle(line) for line in lines] == [
        "green   seat J1: a console is here",
        "RED     seat C1: no console is connected",
        "yellow  entry E1: restart it",
        "Done: it was looked at.",
        "Now the interaction of round 1 is on, 12:34 left (late).",
    ]


def test_results_log_and_used_codes_are_printed_in_words() -> None:
    event = {"at": AT, "kind": "trouble", "actor": "server", "body": {}}
    said = answer(
        tally={"warnings": ["There is no ballot from J1"]},
        state="provisional",
        words=["E1 wins."],
        log=[{**event, "words": "no space"}, {**event, "words": "x" * 500}],
        codes=[{"name": "J1", "role": "judge", "used": True}],
    )
    assert list(answer_lines(said, "tally"))[:-1] == [
        "The results are provisional.",
        "E1 wins.",
        "Warning: There is no ballot from J1.",
        f"{time_of_day(AT)}  trouble  server: no space",
        f"{time_of_day(AT)}  trouble  server: {'x' * 200}… (500 characters; --json)",
        "J1 (judge): used",
    ]
