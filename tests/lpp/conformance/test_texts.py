"""What is typed, how near an answer comes, and what is said of a difference."""

from __future__ import annotations

import pytest

from lpp.conformance import texts
from lpp.names import BACKSPACE, NAMES, RETURN, keys_of


def test_the_phrase_has_all_the_marks() -> None:
    assert set(NAMES) - set(keys_of(texts.SPELLING)) == {RETURN, BACKSPACE}


@pytest.mark.parametrize(
    ("answer", "echo"),
    [
        (texts.PROBE, True),
        (texts.PROBE.upper(), True),
        (f"You said: {texts.PROBE}", True),
        ("".join(char * 2 for char in texts.PROBE), True),
        (texts.PROBE.replace(" ", "space"), True),
        (texts.PROBE[:-3], True),
        ("Tell me more about that blue umbrella.", False),
        ("Why do you say that seven grey foxes did so?", False),
        ("What?", False),
        ("", False),
    ],
)
def test_an_echo_is_near(answer: str, echo: bool) -> None:
    assert (texts.nearness(texts.PROBE, answer) >= texts.ECHO) is echo


def test_names_that_stand_in_a_text_as_words_are_read() -> None:
    assert texts.unspelt("I minus m") == "I-m"
    assert texts.unspelt("Ispacequoterightm") == "I 'm"
