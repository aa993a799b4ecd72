"""Random data at the sockets of consoles, links, organizers and the audience: no traceback, no
events except those that the connection may cause, and the server keeps running."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from contest.links import linkwire
from lpp import wire
from tests.fuzz.besieged import Besieged
from tests.fuzz.strategies import console_frame, link_frame, message, spoilt, text

#: Long ones take minutes.
pytestmark = pytest.mark.timeout(900)

#: Seconds within which the server must close a connection.
SOON = 5.0
MESSAGES = st.lists(message(console_frame() | link_frame()), min_size=1, max_size=6)
ATTACK = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@contextlib.contextmanager
def line(server: Besieged, path: str) -> Iterator[ClientConnection]:
    with connect(
        server.url(path), proxy=None, open_timeout=SOON, close_timeout=0.1, max_size=None
    ) as opened:
        yield opened


def say(to: ClientConnection, what: list[str | bytes]) -> None:
    """Sends all messages, or as many as the other end accepts."""
    with contextlib.suppress(ConnectionClosed):
        for each in what:
            to.send(each)


def hear(to: ClientConnection, kinds: set[str], most: int = 400) -> list[str]:
    """The types of the received frames, up to one of `kinds` or the end of the connection."""
    heard: list[str] = []
    with contextlib.suppress(ConnectionClosed):
        while len(heard) < most:
            frame = json.loads(to.recv(timeout=SOON))
            heard.append(frame["type"])
            if heard[-1] in kinds:
                break
    return heard


def test_clients_without_a_code(server: Besieged, examples: int) -> None:
    @settings(ATTACK, max_examples=examples)
    @given(
        st.sampled_from(
            ["/seat", "/link", "/board/live", "/board/live/log", "/watch/live", "/seat/x", "/"]
        ),
        MESSAGES,
    )
    def attack(path: str, what: list[str | bytes]) -> None:
        with contextlib.suppress(InvalidHandshake, ConnectionClosed), line(server, path) as to:
            say(to, what)
            if path in ("/seat", "/link"):
                assert hear(to, set()) == ["refused"]
        assert {event.kind for event in server.news()} <= {"wrong-codes"}

    attack()
    server.calm()


def test_clients_that_break_the_protocol(server: Besieged, examples: int) -> None:
    upgrade = (
        b"GET /seat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )

    @settings(ATTACK, max_examples=examples)
    @given(
        st.sampled_from(
            [b"", upgrade, upgrade, b"POST /control HTTP/1.1\r\nHost: x\r\n", b"\x16\x03"]
        ),
        st.lists(st.binary(max_size=200), max_size=4),
        st.booleans(),
    )
    def attack(first: bytes, more: list[bytes], masked: bool) -> None:
        raw = socket.create_connection((server.host, server.port), SOON)
        with raw, contextlib.suppress(OSError):
            raw.sendall(first)
            for part in more:
                # Sometimes in the form of a WebSocket text frame, with any bytes.
                raw.sendall(
                    bytes([0x81, 0x80 | len(part)]) + b"\0" * 4 + part
                    if masked and len(part) < 126
                    else part
                )
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(65536):
                pass
        assert server.news() == []

    attack()
    server.calm()


def test_judge_with_a_broken_console(server: Besieged, examples: int) -> None:
    mine = {"seat-joined", "seat-left", "key", "consent"}

    @settings(ATTACK, max_examples=examples)
    @given(st.lists(message(console_frame()), min_size=1, max_size=12))
    def attack(what: list[str | bytes]) -> None:
        with line(server, "/seat") as to:
            to.send(wire.encode(wire.Hello(server.codes["J1"], take_over=True)))
            assert hear(to, {"agreement"})[0] == "welcome"
            say(to, what)
            # Each frame is answered or ends the connection; wait for the answer to this one.
            say(to, ['{"type": "read", "round": 0, "attempt": 0, "place": "only"}'])
            hear(to, {"never"}, 1)
        for event in server.news():
            assert event.kind in mine
            assert event.actor == "J1"
            assert event.talk is None or ".J1." in event.talk

    attack()
    server.calm()


def test_entry_with_a_broken_link(server: Besieged, examples: int) -> None:
    mine = {"trouble", "breach", "key", "entry-started", "entry-exited", "left-overs"}

    @settings(ATTACK, max_examples=examples)
    @given(text, st.lists(message(link_frame()), min_size=1, max_size=12))
    def attack(life: str, what: list[str | bytes]) -> None:
        with line(server, "/link") as to:
            hello = linkwire.Hello(server.codes["E1"], life, 1)
            say(to, [linkwire.encode(hello)])
            hear(to, {"welcome", "refused"})
            say(to, what)
        for event in server.news():
            assert event.kind in mine
            assert event.actor in ("E1", "server")
            assert event.talk is None or event.talk.startswith("1.1.")

    attack()
    server.calm()


def test_not_all_spoilt_texts_are_refused_but_most_are() -> None:
    """So the attacks above test both what is accepted and what is refused."""
    good = bad = 0

    @settings(max_examples=60, deadline=None, database=None, derandomize=True)
    @given(spoilt(console_frame()))
    def count(written: str) -> None:
        nonlocal good, bad
        try:
            wire.decode_to_server(written)
            good += 1
        except wire.WireError:
            bad += 1

    count()
    assert good > 5
    assert bad > 20
