"""Lines out of what a program writes."""

from __future__ import annotations

import threading

from bots.adapters.output import UNREAD, Output


def fed(*pieces: bytes) -> Output:
    output = Output()
    for piece in pieces:
        output.feed(piece)
    return output


def test_lines_in_any_pieces() -> None:
    output = fed(b"Hel", b"lo\r\nJi", b"m\n\n")
    assert [output.line(0) for _ in range(4)] == ["Hello", "Jim", "", None]


def test_characters_cut_in_two_and_bytes_that_are_no_text() -> None:
    encoded = "né\n".encode()
    output = fed(encoded[:2], encoded[2:], b"\xff\n", b"\xc3", b"")
    assert [output.line(0) for _ in range(3)] == ["né", "\ufffd", "\ufffd"]


def test_an_unfinished_line_waits_for_its_end() -> None:
    output = fed(b"> ")
    assert output.line(0) is None
    assert output.rest() == "> "
    assert output.rest() == ""


def test_the_end_ends_the_last_line() -> None:
    output = fed(b"a\nb", b"")
    assert not output.ended
    assert [output.line(20), output.line(20), output.line(20)] == ["a", "b", None]
    assert output.ended


def test_a_line_without_end_is_cut_and_its_writer_held_up() -> None:
    output = fed(b"x" * UNREAD)
    wanted: list[bool] = []
    writer = threading.Thread(target=lambda: wanted.append(output.feed(b"y\n")))
    writer.start()
    line = output.line(20)
    assert line == "x" * UNREAD
    writer.join(20)
    assert wanted == [True]
    assert output.line(0) == "y"


def test_a_writer_that_is_held_up_is_let_go_at_the_end() -> None:
    output = fed(b"x" * UNREAD)
    wanted: list[bool] = []
    writer = threading.Thread(target=lambda: wanted.append(output.feed(b"y\n")))
    writer.start()
    output.stop()
    writer.join(20)
    assert wanted == [False]
    assert output.rest() == "x" * UNREAD


def test_a_line_is_waited_for() -> None:
    output = Output()
    writer = threading.Thread(target=lambda: output.feed(b"late\n"))
    writer.start()
    assert output.line(20) == "late"
    writer.join()
