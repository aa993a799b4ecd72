"""Tests a ChatScript server as an entry, with a test server that speaks its protocol."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from bots.adapters.base import BadSetting
from bots.adapters.chatscript import ChatScriptBot, answer_text, prepare, without_commands
from tests.bots.adapters.servers import ChatScript, chatscript
from tests.bots.talking import context


def echo(user: str, bot: str, message: str) -> bytes:
    return f"You said: {message}".encode() if message else b"Welcome!"


def talking(server: ChatScript, **more: Any) -> ChatScriptBot:
    """A bot at the beginning of a talk."""
    bot = ChatScriptBot(context(), port=server.port, **more)
    bot.begin()
    return bot


def test_the_answer_to_the_empty_first_message_is_dropped() -> None:
    with chatscript(echo) as server:
        bot = talking(server, bot="harry")
        assert bot.reply("Hello.") == "You said: Hello."
        assert bot.reply("Grüße, 你好") == "You said: Grüße, 你好"
    (user,) = {user for user, _, _ in server.heard}
    assert user.isalnum()
    assert [heard[1:] for heard in server.heard] == [
        ("harry", ""),
        ("harry", "Hello."),
        ("harry", "Grüße, 你好"),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (":quit", "quit"),
        ("  :quit", "quit"),
        ("Well :quit now", "Well : quit now"),
        ("Hello. :quit", "Hello. : quit"),
        ("[ :quit ] [x]", "quit ] [x]"),
        ("[callback]", "callback]"),
        ("It is 10:30 :-)", "It is 10:30 :-)"),
        (":", "."),
        ("a\0b", "a b"),
    ],
)
def test_a_judges_line_is_never_a_command(line: str, message: str) -> None:
    assert without_commands(line) == message


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"Hi.", "Hi."),
        (b" Hi. \r\n", "Hi."),
        (b"Hi.\0why ~topic\0\xfe\xff", "Hi."),
        (b"[callback=3000] [a [b] c] Hi [there].", "Hi [there]."),
        (b"[never closed", "[never closed"),
        (b"[callback=3000]", ""),
        (b"", ""),
        (b"\xff", "\ufffd"),
    ],
)
def test_the_part_of_an_answer_that_is_said(data: bytes, text: str) -> None:
    assert answer_text(data) == text


def test_a_hanging_server_causes_a_fallback_line(capsys: pytest.CaptureFixture[str]) -> None:
    go_on = threading.Event()

    def hang(user: str, bot: str, message: str) -> bytes:
        if message:
            go_on.wait(20)
        return b""

    with chatscript(hang) as server:
        bot = talking(server, timeout=0.1, fallback="Pardon?")
        assert bot.reply("Hello.") == "Pardon?"
        go_on.set()
    assert capsys.readouterr().err.startswith(f"chatscript: 127.0.0.1:{server.port}: ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"port": 0}, "--port 0"),
        ({"port": 65536}, "--port 65536"),
        ({"host": " "}, "--host is empty"),
        ({"bot": "a\0b"}, "--bot"),
        ({"timeout": 0.0}, "--timeout 0"),
    ],
)
def test_invalid_settings_are_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadSetting, match=complaint):
        prepare(**options)  # type: ignore[arg-type]
