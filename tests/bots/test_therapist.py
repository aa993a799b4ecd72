"""Tests the therapist: decomposition, reflection, rotation and memory; and talks that follow its
script."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from typing import Any

import pytest

from tests.bots.talking import last_reply, new_bot

# The script


def script() -> dict[str, Any]:
    text = resources.files("bots.therapist").joinpath("script.toml").read_text("utf-8")
    return tomllib.loads(text)


def test_the_script_is_consistent() -> None:
    whole = script()
    assert len(whole["keyword"]) >= 40
    known = {word for keyword in whole["keyword"] for word in keyword["words"]}
    assert all(word == word.lower() for word in known)
    for rule in (rule for keyword in whole["keyword"] for rule in keyword["rules"]):
        pattern = rule.get("match", "*").split()
        captures = sum(part == "*" or part.startswith("@") for part in pattern)
        assert all(part[1:] in whole["synonyms"] for part in pattern if part.startswith("@"))
        for template in (*rule["say"], *rule.get("remember", ())):
            if template.startswith("="):
                assert template[1:] in known, template
            slots = [int(slot) for slot in re.findall(r"\{(\d)[}<]", template)]
            assert all(1 <= slot <= captures for slot in slots), (rule, template)
            assert len(template) < 100


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Hello"], r"^(Hello|Good to meet you)"),
        (["Hi, how are you today?"], r"[Ww]ell"),
        (["I am very sad."], r"\bsad\b"),
        (["My mother hates cats."], r"mother|cats|family|hate|Hate|hurt"),
        (["My name is Jim."], r"Jim"),
        (["What's your name?"], r"[Nn]ames|Doctor"),
        (["Are you a computer?"], r"\bI am\b|what I am|if you knew|talk about"),
        (["I want to go home."], r"go home|keeps you"),
        (["I can't sleep."], r"sleep|tried|awake|rested"),
        (["You don't listen to me."], r"listen|like me to"),
        (["I dreamt of a snake."], r"dream|awake|felt|feel"),
        (["Everybody laughs at me."], r"[Ww]ho|person|everyone|mind"),
        (["Because I like it."], r"reason|behind"),
        # Two keywords refer to each other if a capture is too long to be repeated.
        (["could you can you one two three four five six seven eight nine ten"], "."),
        (["goodbye"], r"[Gg]oodbye|go already"),
        (["My brother is ill.", "xyzzy"], r"brother"),
        (["I'm from Leeds", "I'm from Leeds"], r"said that|repeat|coming back|here a moment"),
    ],
)
def test_talks(lines: list[str], expected: str) -> None:
    for seed in range(4):
        assert re.search(expected, last_reply(new_bot("therapist", seed), *lines))
