"""Sam: what is found, and that it is not said over and over."""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from importlib import resources

import pytest

from bots.english import expand, words_of
from bots.retrieval.bot import Index, Pair, read_pairs
from tests.bots.talking import last_reply, new_bot


def lines() -> list[Pair]:
    return read_pairs(resources.files("bots.retrieval").joinpath("lines.toml").read_text("utf-8"))


def test_what_answers_something_said_before_names_something_that_is_said() -> None:
    pairs = lines()
    evasions = resources.files("bots.retrieval").joinpath("evasions.toml").read_text("utf-8")
    said = [reply for pair in pairs for reply in pair.replies]
    said += tomllib.loads(evasions)["openings"]
    for after in {pair.after for pair in pairs if pair.after}:
        words = set(after.split())
        assert any(words <= set(words_of(expand(text))) for text in said), after


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["Hello!"], "Hi!|Hello|Hey"),
        (["What's your name?"], "Sam"),
        (["Where do you come from?"], "Bristol"),
        (["do you rdie a bike"], "orange|three|bath"),
        (["What do you do for a living?"], "repair|mechanic|fix"),
        (["Are you a robot?"], "sound like|spanner|spell"),
        (["Have you got any brothers or sisters?"], "sister"),
        (["wats your favourite food"], "[Cc]heese|hot"),
        (["Tell me a joke"], "tired|flat|cyclist"),
        (["ask me a question", "Tea."], None),
    ],
)
def test_talks(said: list[str], expected: str | None) -> None:
    for seed in range(4):
        answer = last_reply(new_bot("retrieval", seed), *said)
        assert answer
        if expected is not None:
            assert re.search(expected, answer), (seed, answer)


def test_what_was_said_before_tells_what_a_short_answer_means() -> None:
    pairs = [
        Pair("a", "yes", ("Good.",)),
        Pair("b", "yes", ("Which model?",), "do you ride a bike"),
    ]
    index = Index(pairs, random.Random(1))
    after = index.best("yes", "By the way, do you ride a bike?", "", Counter())
    other = index.best("yes", "Do you like tea?", "", Counter())
    assert after is not None
    assert other is not None
    assert (after.reply, other.reply) == ("Which model?", "Good.")


def test_it_does_not_repeat_itself() -> None:
    bot = new_bot("retrieval")
    said = [bot.reply("Are you a computer?") for _ in range(4)]
    assert len(set(said)) == 4
    said = [bot.reply("xyzzy plugh") for _ in range(8)]
    assert len(set(said)) == 8


def test_a_question_that_nothing_fits_is_evaded_as_a_question() -> None:
    evasions = tomllib.loads(
        resources.files("bots.retrieval").joinpath("evasions.toml").read_text("utf-8")
    )
    assert new_bot("retrieval").reply("Zork frotz gnusto?") in evasions["questions"]
    assert new_bot("retrieval").reply("Zork frotz gnusto.") in evasions["statements"]
