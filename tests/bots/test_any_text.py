"""Tests that the bundled bots give a short, typable answer to any line."""

from __future__ import annotations

import functools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bots.bot import Bot
from bots.registry import BOTS
from bots.typable import typable, typable_lines
from lpp.names import keys_of
from tests.bots.talking import new_bot

#: The longest answer in characters: two sentences, with words of the judge.
LONGEST = 700

# Words that the bots know, so that the code for them is tested, too.
_WORDS = (
    "what which who where when how many is are was does do did the a my your i you he she it they"
    " of in on than older taller bigger john mary sarah hammer cat dog round time name friend named"
    " harry likes to play tennis and or but not , . ? ! ' if because more most opposite from with"
    " put table always remember hello dream mother am think 3 seven times yes no why"
)
_SENTENCES = st.lists(st.sampled_from(_WORDS.split()), max_size=25).map(" ".join)


@functools.cache
def _bot(name: str) -> Bot:
    return new_bot(name)


@pytest.mark.parametrize("name", BOTS)
@settings(max_examples=20, deadline=None)
@given(line=st.one_of(st.text(min_size=1, max_size=300), _SENTENCES))
@example(line="?")
@example(line="'")
@example(line="who " * 500)
@example(line="my " * 700)
@example(line="John is older than " * 100 + "?")
@example(line="\u0130\u00df\u0149 I\u0307s \ufb01t?")
def test_any_line_gets_a_short_typable_answer(name: str, line: str) -> None:
    bot = _bot(name)
    answer = bot.reply(line)
    assert answer
    keys_of(typable(answer))
    assert typable_lines(answer)
    assert len(answer) <= LONGEST
