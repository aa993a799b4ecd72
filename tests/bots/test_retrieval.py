"""Tests Sam: it finds the right lines, and doesn't repeat itself."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from bots.retrieval.bot import Index, Pair
from tests.bots.talking import last_reply, shared_bot


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
        answer = last_reply(shared_bot("retrieval", seed), *said)
        assert answer
        if expected is not None:
            assert re.search(expected, answer), (seed, answer)


def test_a_short_answer_is_understood_from_what_was_said_before() -> None:
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
