"""Tests how a scripted person reads the screen; whole contests are in tests/contest/rehearse."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from contest.scripted import SeatInterface
from contest.scripted.person import PAUSE, Transcript
from judge_console.client import SeatClient
from lpp.names import keys_of
from lpp.wire import Author


def test_a_line_ends_with_return_or_a_pause() -> None:
    transcript = Transcript()
    shown: list[tuple[Author, str]] = []
    for now, author, text in (
        (0.0, "judge", "hellp\bo\n"),
        (1.0, "entity", "well, "),
        (2.0, "judge", "?\n\n"),
        (1.0 + PAUSE, "judge", ""),
        (20.0, "entity", "yes"),
    ):
        shown += [(author, key) for key in keys_of(text)]  # type: ignore[misc]
        transcript.read(shown, now)
    assert transcript.lines == [("judge", "hello"), ("judge", "?"), ("entity", "well, ")]
    assert transcript.editors["entity"].unsent == "yes"
    transcript.read([], 21.0)  # after a reconnect, the screen is empty at first
    transcript.read(shown, 22.0)
    assert transcript.editors["entity"].unsent == "yes"


@given(st.lists(st.tuples(st.sampled_from(("judge", "entity")), st.text(max_size=12))))
def test_any_keys_can_be_read(shown: list[tuple[Author, str]]) -> None:
    transcript = Transcript()
    transcript.read(shown, 1.0)
    transcript.read(shown, 2.0 + PAUSE)
    assert all(text.strip() for _, text in transcript.lines)
    assert transcript.editors["entity"].unsent == ""


def test_seat_client_implements_seat() -> None:
    # mypy compares each signature.
    seat: SeatInterface = SeatClient("ws://127.0.0.1:1/seat", "secret")
    assert isinstance(seat, SeatInterface)
