"""`loebner control` at the terminal: which words are orders, and what is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from contest.errors import BadOrder
from contest.organizer.orders import Order
from contest.organizer.orders import read_order as read_document
from loebner.cli import main
from loebner.control import ACTIONS, read_order, say, usage
from loebner.moments import time_of_day

#: A moment, as the record has it.
AT = "2010-10-23T16:30:30.3Z"

Output = pytest.CaptureFixture[str]

OPERANDS = {
    "reason": "a lamp fell down",
    "minutes": "2.5",
    "what": "1.1.J1.left",
    "entry": "E1",
    "seat": "J1",
    "name": "Walter",
    "rounds": "3-",
    "one": "C1",
    "other": "C2",
    "number": "7",
    "file": "2010",
}


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_is_an_order_that_the_server_knows(action: str) -> None:
    names = [name.removesuffix("?") for name in ACTIONS[action][0]]
    order = read_order([action, *(OPERANDS[name] for name in names)])
    document = read_document(json.dumps(order).encode())
    assert document.__struct_config__.tag == action


def test_every_order_of_the_server_can_be_given_at_the_terminal() -> None:
    assert {str(order.__struct_config__.tag) for order in get_args(Order)} == set(ACTIONS)


@pytest.mark.parametrize(
    ("words", "options", "order"),
    [
        (["codes"], {}, {"action": "codes"}),
        (["confirm", "3"], {}, {"action": "confirm", "number": 3}),
        (["final", "x"], {"anyway": True}, {"action": "final", "reason": "x", "anyway": True}),
        (["reveal"], {"everything": True}, {"action": "reveal", "everything": True}),
        (
            ["log"],
            {"kind": "trouble", "who": None, "last": 3},
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
    assert read_order(words, **options) == order


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
        (["contest", "stop", "late", "--anyway"], "--anyway goes with start and final"),
        (["contest", "status", "--all"], "--all goes with reveal"),
        (["contest", "status", "--last", "3"], "--last goes with log"),
        (["contest", "extend", "nan", "late"], "MINUTES is a number, not 'nan'"),
        (["status"], "name the contest's folder before the action: loebner control CONTEST status"),
        (["--server", "h:1", "contest", "status"], "no folder is named: leave out 'contest'"),
        (["contest", "confirm", "x"], "NUMBER is a number, not 'x'"),
        (["contest", "swap", "-", "J1", "J2", "x"], "ROUNDS is a number, not ''"),
        (["contest", "codes", "J1", "J2"], "codes takes [SEAT], not 2 words"),
        (["--server", "http://127.0.0.1:1", "status"], "--server needs a --code"),
        (["contest", "status", "--code", "x", "--code-file", "y"], "one of --code and --code-file"),
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
    for action, (_, what) in ACTIONS.items():
        assert usage(action) in told
        assert what in told
    assert usage("replace") == "replace SEAT NAME REASON"
    assert usage("codes") == "codes [SEAT]"


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
                        "judge": {"code": "typing", "words": "types"},
                        "entry": {"code": "ended", "words": "its program has ended"},
                        "confederate": {"code": "away", "words": "no console is here"},
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


def test_a_status_in_words(capsys: Output) -> None:
    say(answer(), "status")
    assert capsys.readouterr().out.splitlines() == [
        "Now the interaction of round 1 is on, 12:34 left (late).",
        "Seats: J1 here; C1 away",
        "E1 (Sly?[2J): link here, program ended, 17 keys typed, 3 unread, the oldest for 9.5 s, "
        "STALLED",
        "J1 types; E1 its program has ended; C1 no console is here; left 3 + 0 keys in 10 s. look",
        "Order 2 waits to be confirmed: void 1.1, by the organizer (a ?slip)",
        f"{time_of_day(AT)}  E1: the program ended",
    ]


def test_a_check_in_words(capsys: Output) -> None:
    checks = [
        {"what": "seat J1", "ok": True, "level": "green", "words": "a console is here"},
        {"what": "seat C1", "ok": False, "level": "red", "words": "no console is here"},
        {"what": "entry E1", "ok": True, "level": "yellow", "words": "restart it"},
    ]
    say(answer(checks=checks, ready=False, done="it was looked at"), "check")
    assert capsys.readouterr().out.splitlines() == [
        "Done: it was looked at.",
        "green   seat J1: a console is here",
        "RED     seat C1: no console is here",
        "yellow  entry E1: restart it",
        "Now the interaction of round 1 is on, 12:34 left (late).",
    ]


def test_results_a_log_and_used_codes_in_words(capsys: Output) -> None:
    event = {"at": AT, "kind": "trouble", "actor": "server", "body": {"a": 1}}
    long = {**event, "words": "", "body": {"a": "x" * 500}}
    say(
        answer(
            tally={"warnings": ["There is no ballot of J1"]},
            state="provisional",
            words=["E1 wins."],
            log=[{**event, "words": ""}, {**event, "words": "no space"}, long],
            codes=[{"name": "J1", "role": "judge", "used": True}],
        ),
        "tally",
    )
    assert capsys.readouterr().out.splitlines()[:-1] == [
        "The results are provisional.",
        "E1 wins.",
        "Warning: There is no ballot of J1.",
        f'{time_of_day(AT)}  trouble  server: {{"a": 1}}',
        f"{time_of_day(AT)}  trouble  server: no space",
        f'{time_of_day(AT)}  trouble  server: {{"a": "{"x" * 193}… (509 characters; --json)',
        "J1 (judge): used",
    ]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"action": "pause", "reason": ""}, "a reason has 1 to 500 characters"),
        ({"action": "pause", "reason": " "}, "give a reason"),
        ({"action": "extend", "minutes": -5, "reason": "x"}, "minutes are a number above 0"),
        ({"action": "replace", "seat": "J1", "name": "", "reason": "x"}, "has 1 to 100 characters"),
        ({"action": "pause"}, "this is no order: .*reason"),
    ],
)
def test_a_field_that_is_not_as_it_has_to_be_is_said_in_words(
    document: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadOrder, match=said):
        read_document(json.dumps(document).encode())
