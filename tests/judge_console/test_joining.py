"""Tests the joining form: codes as people type them, the errors and their fields, and the choice of
a server."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contest.net import codes
from judge_console.client import seat_url
from judge_console.model.joining import (
    CODE_LETTERS,
    FormProblem,
    FoundServer,
    JoinAttempt,
    JoinForm,
    seat_code,
)

CODE = "J1-7KQ2-M4XD-9TRA"
HERE = "192.168.1.10:8765"

#: The ids that contest/setup/settings.py accepts.
SEATS = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,15}", fullmatch=True)
DASHES = ["-", "\u2010", "\u2011", "\u2013", "\u2014", "\uff0d", " - ", "-\n"]


def form(server: str = "", code: str = "") -> JoinForm:
    return JoinForm(seat_url, server=server, code=code)


def filled() -> JoinForm:
    return form(server=HERE, code=CODE)


# Codes


@settings(max_examples=30)
@given(
    seat=SEATS,
    secret=st.text(sorted(CODE_LETTERS), min_size=12, max_size=12),
    dash=st.sampled_from(DASHES),
    lower=st.booleans(),
    data=st.data(),
)
def test_codes_are_understood_however_they_are_typed(
    seat: str, secret: str, dash: str, lower: bool, data: st.DataObject
) -> None:
    """The server gets the code exactly as it was issued."""
    issued = f"{seat}-{secret[:4]}-{secret[4:8]}-{secret[8:]}"
    between = data.draw(st.sampled_from([dash, "", " ", "."]))
    typed = f" {seat}{dash}" + between.join([secret[:4], secret[4:8], secret[8:]]) + "\t"
    understood = seat_code(typed.lower() if lower else typed)
    assert understood == issued.upper()
    assert seat_code(understood) == understood


def test_the_servers_codes_open_their_seats() -> None:
    """Both packages define the form of a code; this test uses both."""
    letters: set[str] = set()
    for seat in ["J1", "C-2", "a_b"] * 50:
        code = codes.issue([seat])[seat]
        table = codes.CodeTable({seat: code})
        letters |= set(code.removeprefix(seat).replace("-", ""))
        for typed in (code, code.lower(), f"{seat} {code[len(seat) :].replace('-', ' ')}"):
            assert seat_code(typed) == code.upper()
            assert table.find(seat_code(typed)) == seat
    assert letters == CODE_LETTERS


# Errors before anything is sent


@pytest.mark.parametrize(
    ("server", "code", "problem"),
    [
        ("", "", FormProblem("code", "errors.code_missing")),
        (HERE, "", FormProblem("code", "errors.code_missing")),
        ("", CODE, FormProblem("server", "errors.server_missing")),
        ("  ", CODE, FormProblem("server", "errors.server_missing")),
        ("h:port", CODE, FormProblem("server", "errors.bad_address", {"server": "h:port"})),
        ("ftp://h:1", CODE, FormProblem("server", "errors.bad_address", {"server": "ftp://h:1"})),
        ("[::1", CODE, FormProblem("server", "errors.bad_address", {"server": "[::1"})),
    ],
)
def test_errors_are_reported_before_anything_is_sent(
    server: str, code: str, problem: FormProblem
) -> None:
    joining = form(server=server, code=code)
    assert joining.submit() is None
    assert (joining.state, joining.problem) == ("asking", problem)
    assert (joining.server, joining.code) == (server, code)  # nothing typed is lost


# Attempts


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("unreachable", "errors.unreachable"),
        ("unknown-host", "errors.unknown_host"),
        ("not-a-contest", "errors.no_contest"),
        ("cut", "errors.no_contest"),
    ],
)
def test_a_failed_connection_is_reported_at_its_field(kind: str, key: str) -> None:
    joining = filled()
    joining.submit()
    joining.failed(kind)
    assert joining.state == "asking"
    assert joining.problem is not None
    assert (joining.problem.about, joining.problem.key) == ("server", key)
    assert joining.problem.fields["server"] == HERE


SECURE, SHOWN = f"wss://{HERE}/seat", "ab" * 32


def test_an_unknown_certificate_leads_to_a_question() -> None:
    joining = form(server=f"wss://{HERE}", code=CODE)
    first = joining.submit()
    assert first is not None
    assert (first.url, first.fingerprint) == (SECURE, "")
    joining.failed("untrusted", fingerprint=SHOWN)
    assert (joining.state, joining.fingerprint, joining.changed) == ("untrusted", SHOWN, False)
    # After a refusal, the question appears again.
    joining.give_up()
    again = joining.submit()
    assert again is not None
    assert again.fingerprint == ""
    joining.failed("untrusted", fingerprint=SHOWN)
    accepted = joining.submit(trust=True)
    assert accepted is not None
    assert accepted.fingerprint == SHOWN
    joining.failed("seat-taken", "")
    taken = joining.submit(take_over=True)
    assert taken is not None
    assert (taken.fingerprint, taken.take_over) == (SHOWN, True)


def test_a_changed_certificate_leads_to_a_question() -> None:
    joining = JoinForm(seat_url, server=f"wss://{HERE}", code=CODE, trusted={SECURE: SHOWN})
    attempt = joining.submit()
    assert attempt is not None
    assert attempt.fingerprint == SHOWN
    joining.failed("untrusted", fingerprint="cd" * 32)
    assert (joining.state, joining.changed) == ("untrusted", True)
    accepted = joining.submit(trust=True)
    assert accepted is not None
    assert accepted.fingerprint == "cd" * 32


def test_a_certificate_other_than_the_given_one_is_refused() -> None:
    """With --ca or --fingerprint nobody is asked, and no remembered certificate counts."""
    joining = JoinForm(seat_url, server=f"wss://{HERE}", code=CODE, trusted=None)
    attempt = joining.submit()
    assert attempt is not None
    assert attempt.fingerprint == ""
    joining.failed("untrusted", "it has expired", fingerprint=SHOWN)
    assert joining.state == "asking"
    assert joining.problem == FormProblem(
        *("server", "errors.untrusted"), {"server": f"wss://{HERE}", "reason": "it has expired"}
    )


def test_a_seat_in_use_is_taken_over_only_on_request() -> None:
    joining = filled()
    first = joining.submit()
    assert first is not None
    assert not first.take_over
    joining.failed("seat-taken", "another console sits there")
    assert (joining.state, joining.problem) == ("taken", None)
    second = joining.submit(take_over=True)
    assert second == JoinAttempt(first.url, first.server, first.code, take_over=True)


# Servers to choose from

FOUND = FoundServer(HERE, "A contest")
OTHER = FoundServer("192.168.1.77:8765", "Another")


def test_what_a_person_typed_is_never_replaced() -> None:
    joining = JoinForm(seat_url, ["old:1"])
    joining.type_server("mine:1")
    joining.set_found([FOUND])
    assert joining.server == "mine:1"
    joining.type_server("")
    joining.set_found([FOUND, OTHER])
    assert joining.server == ""
