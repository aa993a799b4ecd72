"""What adapters share."""

from __future__ import annotations

import threading

import pytest

from bots.adapters.base import (
    AdapterBot,
    within,
)
from tests.bots.talking import context


class Silent(AdapterBot):
    """Never has an answer."""

    name = "silent"

    def reply(self, line: str) -> str:
        return self.fall_back(f"nothing for\n{line}")


def test_overheard_lines_come_before_the_next_once() -> None:
    bot = Silent(context())
    bot.overhear("My name is Jim.")
    bot.overhear("I like trains.")
    assert bot.with_overheard("And you?") == "My name is Jim. I like trains. And you?"
    assert bot.with_overheard("Well?") == "Well?"
    bot.overhear("x")
    bot.begin()
    assert bot.with_overheard("Hm?") == "Hm?"


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
