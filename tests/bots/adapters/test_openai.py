"""Tests a chat endpoint as an entry, with a local server and without pauses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bots.adapters.base import BadSetting
from bots.adapters.openai import (
    PAUSE,
    TRIES,
    Completed,
    Endpoint,
    OpenAIBot,
    prepare,
    shortened,
)
from bots.runner import EXCUSES
from tests.bots.adapters.servers import ChatEndpoint, Reply, chat_endpoint, said
from tests.bots.talking import context

KEY = "sk-secret-0123456789"


class Recorded(OpenAIBot):
    """Keeps what it records in `lines`, and its pauses, which take no time, in `pauses`."""

    lines: list[str]
    pauses: list[float]
    closed = False

    def record(self, text: str) -> None:
        self.lines.append(text)

    def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return self.closed


class LoggingBot:
    """A bot at the beginning of a talk.

    Attributes:
        record: the lines that it logged.
        pauses: its pauses, in seconds.
    """

    def __init__(self, endpoint: ChatEndpoint, **settings: Any) -> None:
        self.record: list[str] = []
        self.pauses: list[float] = []
        self.bot = Recorded(
            context(),
            Endpoint(endpoint.url, KEY),
            "m",
            "You are Alex.",
            **settings,
        )
        self.bot.lines, self.bot.pauses = self.record, self.pauses
        self.bot.begin()


def test_persona_and_talk_are_sent() -> None:
    with chat_endpoint(said("Hi."), said("Fine.")) as endpoint:
        told = LoggingBot(endpoint)
        assert told.bot.reply("Hello.") == "Hi."
        assert told.bot.reply("How are you?") == "Fine."
    assert endpoint.messages == [
        {"role": "system", "content": "You are Alex."},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "How are you?"},
    ]
    assert endpoint.asked[0].document["model"] == "m"
    assert told.record == []


def test_model_knows_what_was_typed() -> None:
    with chat_endpoint(said("A\0B\u202eC\n\u2019tis"), said("Fine.")) as endpoint:
        told = LoggingBot(endpoint)
        assert told.bot.reply("Hello.") == "A BC 'tis"
        told.bot.reply("How are you?")
    assert endpoint.messages[2] == {"role": "assistant", "content": "A BC 'tis"}


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("<think>A plan.</think>Hi.", "Hi."),
        ("A plan.</think>Hi.", "Hi."),
        ("A plan.</think>Hi.<think>Again?</think>", "Hi."),
        ("<think>A plan that never", EXCUSES[0]),
        ("A plan.</think>", EXCUSES[0]),
        ("", EXCUSES[0]),
        (" \n\0", EXCUSES[0]),
    ],
)
def test_thoughts_are_not_typed(written: str, typed: str) -> None:
    with chat_endpoint(said(written)) as endpoint:
        told = LoggingBot(endpoint)
        assert told.bot.reply("Hello.") == typed
    assert ["empty answer" in line for line in told.record] == [True] * (typed != "Hi.")


def test_one_request_may_take_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow model that is asked again starts over, and doesn't answer in time either."""
    with chat_endpoint(said("Hi.")) as endpoint:
        told = LoggingBot(endpoint, timeout=50.0)
        asked: list[float] = []

        def complete(_self: Endpoint, _document: object, seconds: float) -> Completed:
            asked.append(seconds)
            return Completed("Hi.")

        monkeypatch.setattr(Endpoint, "complete", complete)
        told.bot.reply("Hello.")
    assert 40 < asked[0] <= 50


def test_it_retries_with_growing_pauses() -> None:
    with chat_endpoint(Reply(500), Reply(503), Reply(502), said("Hi.")) as endpoint:
        told = LoggingBot(endpoint)
        assert told.bot.reply("Hello.") == "Hi."
    assert told.pauses == [PAUSE, 2 * PAUSE, 4 * PAUSE]
    assert len(told.record) == 3
    assert len(endpoint.asked) == TRIES


def test_the_key_is_only_in_the_request() -> None:
    echo = Reply(400, f'{{"error": {{"message": "Bearer {KEY}"}}}}'.encode())
    with chat_endpoint(Reply(401), echo, Reply(500), said(KEY)) as endpoint:
        told = LoggingBot(endpoint)
        told.bot.reply("Hello.")
        told.bot.reply("Hello.")
        told.bot.reply("Hello.")
        assert all(KEY in asked.headers["authorization"] for asked in endpoint.asked)
    assert told.record
    assert not any(KEY in line for line in told.record)
    assert KEY not in repr([told.bot, told.bot._endpoint])


# prepare


@pytest.fixture
def persona(tmp_path: Path) -> Path:
    file = tmp_path / "persona.txt"
    file.write_text("\ufeffYou are Álex.\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"endpoint": "https://host.example", "key": ""}, "OPENAI_API_KEY contains no key"),
        ({"key_from": "MINE"}, "--key-from MINE: this environment variable is empty"),
        ({"key": f"{KEY}\nx"}, "characters that a key can't contain"),
        ({"key": f"{KEY}é"}, "characters that a key can't contain"),
        ({"endpoint": "http://host.example"}, "plain http address"),
        ({"model": " "}, "--model is empty"),
        ({"longest": 0}, "--longest 0"),
        ({"timeout": -1.0}, "--timeout -1"),
        ({"persona": Path("/nowhere/at/all")}, "--persona /nowhere/at/all: No such file"),
        ({"persona": Path("/")}, "--persona /: "),
    ],
)
def test_invalid_settings_are_refused(
    persona: Path,
    changes: dict[str, object],
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings: dict[str, object] = {
        "endpoint": "http://127.0.0.1:1",
        "model": "m",
        "persona": persona,
        "key": KEY,
        **changes,
    }
    monkeypatch.setenv("OPENAI_API_KEY", str(settings.pop("key")))
    with pytest.raises(BadSetting, match=complaint) as caught:
        prepare(**settings)  # type: ignore[arg-type]
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "longest", "short"),
    [
        ("One. Two. Three.", 100, "One. Two. Three."),
        ("One. Two. Three.", 10, "One. Two."),
        ("One. Two. Three.", 9, "One. Two."),
        ("One. Two. Three.", 8, "One."),
        ("Pi is 3.14159 or so", 12, "Pi is"),
        ("one two three", 7, "one two"),
        ("abcdefghij", 4, "abcd"),
        ("Really?! Yes", 8, "Really?!"),
    ],
)
def test_answers_are_cut_after_a_sentence_or_a_word(text: str, longest: int, short: str) -> None:
    assert shortened(text, longest) == short
    assert len(shortened(text, longest)) <= longest


def test_retries_stop_before_the_timeout_of_an_answer() -> None:
    with chat_endpoint(Reply(429, headers={"Retry-After": "60"})) as endpoint:
        told = LoggingBot(endpoint)
        assert told.bot.reply("Hello.") == EXCUSES[0]
    assert told.pauses == []
    assert "gave up after 1 of 4 tries" in told.record[0]


def test_closing_interrupts_a_pause() -> None:
    with chat_endpoint(Reply(500)) as endpoint:
        told = LoggingBot(endpoint)
        told.bot.closed = True
        assert told.bot.reply("Hello.") == EXCUSES[0]
        assert len(endpoint.asked) == 1
        bot = OpenAIBot(context(), Endpoint(endpoint.url), "m", "p")
        bot.close()
        assert bot.reply("Hello.") == EXCUSES[0]
