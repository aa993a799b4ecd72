"""What adapters share."""

from __future__ import annotations

import math
import threading

import pytest

from bots.adapters.base import (
    FALLBACKS,
    OVERHEARD,
    AdapterBot,
    BadSetting,
    Overheard,
    seconds,
    within,
)
from bots.runner import Outcome, in_thread
from tests.bots.talking import context


class Silent(AdapterBot):
    """Never has an answer."""

    name = "silent"

    def reply(self, line: str) -> str:
        return self.fall_back(f"nothing for\n{line}")


def test_fallback_lines_take_turns_and_the_reason_is_on_record() -> None:
    record: list[str] = []
    bot = Silent(context(), log=record.append)
    assert [bot.reply(text) for text in "abcd"] == [*FALLBACKS, FALLBACKS[0]]
    assert record[0] == "silent: nothing for a"


def test_a_fallback_line_of_ones_own() -> None:
    bot = Silent(context(), fallback="Pardon?", log=lambda text: None)
    assert {bot.reply("a"), bot.reply("b")} == {"Pardon?"}


def test_the_record_is_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    Silent(context()).reply("a")
    assert capsys.readouterr() == ("", "silent: nothing for a\n")


def test_overheard_lines_come_before_the_next_once() -> None:
    overheard = Overheard()
    overheard.add("My name is Jim.")
    overheard.add("I like trains.")
    assert overheard.before("And you?") == "My name is Jim. I like trains. And you?"
    assert overheard.before("Well?") == "Well?"
    overheard.add("x")
    overheard.forget()
    assert overheard.before("Hm?") == "Hm?"


def test_overheard_lines_are_bounded() -> None:
    overheard = Overheard()
    for _ in range(100):
        overheard.add("x" * 1000)
    assert len(overheard.before("")) <= OVERHEARD


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan, 1e9])
def test_what_is_no_time(value: float) -> None:
    with pytest.raises(BadSetting, match="--timeout"):
        seconds("--timeout", value)


def test_what_is_a_time() -> None:
    assert seconds("--timeout", 0.5) == 0.5
    assert seconds("--quiet", 0.0, zero=True) == 0.0
    with pytest.raises(BadSetting, match="0 or more"):
        seconds("--quiet", -0.1, zero=True)


def test_within_returns_raises_and_gives_up() -> None:
    assert within(5.0, lambda: 3) == 3
    with pytest.raises(KeyError):
        within(5.0, lambda: {"y": 1}["x"])
    hanging = threading.Event()
    try:
        with pytest.raises(TimeoutError):
            within(0.01, lambda: hanging.wait(20))
    finally:
        hanging.set()


async def test_within_serves_a_bots_thread() -> None:
    outcome = await in_thread(lambda: Outcome(within(5.0, lambda: "x"), None))
    assert outcome.value == "x"
