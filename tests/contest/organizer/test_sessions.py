"""Tests sessions: who is logged in, and for how long."""

from __future__ import annotations

from contest.net.login import IDLE, Sessions
from texts import load


class Now:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_a_session_is_found_only_by_its_token() -> None:
    sessions = Sessions(Now())
    one, other = sessions.open("organizer", load()), sessions.open("witness", load())
    found = sessions.find(one)
    assert found is not None
    assert found.who == "organizer"
    assert sessions.find(one) is found
    assert sessions.find(other) is not found
    assert sessions.find("") is None
    assert sessions.find(found.form) is None
    assert sessions.find("\udcff") is None


def test_tokens_are_not_stored() -> None:
    sessions = Sessions(Now())
    token = sessions.open("organizer", load())
    assert token not in repr(vars(sessions))


def test_unused_sessions_end() -> None:
    now = Now()
    sessions = Sessions(now)
    token = sessions.open("organizer", load())
    now.time += IDLE - 1
    used = sessions.find(token)
    assert used is not None
    now.time += IDLE - 1
    # Viewing does not prolong a session, so an open page ends, too.
    assert sessions.find(token, use=False) is used
    assert sessions.is_open(used)
    now.time += 1
    assert sessions.find(token) is None
    assert not sessions.is_open(used)


def test_sessions_end_singly_or_with_their_code() -> None:
    sessions = Sessions(Now())
    tokens = [sessions.open(who, load()) for who in ("organizer", "organizer", "witness")]
    found = sessions.find(tokens[0])
    assert found is not None
    sessions.close(found)
    assert [sessions.find(token) is None for token in tokens] == [True, False, False]
    sessions.close_all("organizer")
    assert [sessions.find(token) is None for token in tokens] == [True, True, False]
