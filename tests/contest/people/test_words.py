"""Words out of lines, and lines that are alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.people.words import (
    content_words,
    has_number,
    holds,
    is_noise,
    is_question,
    matter,
    near,
    shared,
    similarity,
    stem,
    tokens,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, Jim.", ["hello", "jim"]),
        ("What's up? I don't know.", ["what", "up", "i", "dont", "know"]),
        ("it\u2019s 10:30", ["it", "10:30"]),
        ("", []),
        ("?!", []),
    ],
)
def test_tokens(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cooking", "cooked"),
        ("stories", "story"),
        ("dogs", "dog"),
        ("planned", "planning"),
        ("houses", "house"),
    ],
)
def test_forms_of_one_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        ("weather", "weather", True),
        ("weather", "wether", True),
        ("weather", "weathher", True),
        ("weather", "waether", True),
        ("weather", "wezther", True),
        ("weather", "leather", True),
        ("weather", "whether", False),
        ("weather", "father", False),
        ("dog", "dig", False),
        ("dog", "dogs", False),
        ("grape", "elephant", False),
    ],
)
def test_one_slip_is_forgiven_in_longer_words(one: str, other: str, is_near: bool) -> None:
    assert near(one, other) is is_near
    assert near(other, one) is is_near


@given(st.text("abcde", max_size=8), st.text("abcde", max_size=8))
def test_nearness_is_mutual(one: str, other: str) -> None:
    assert near(one, other) == near(other, one)
    assert near(one, one)


def test_shared_content() -> None:
    assert shared("Do you keep any donkeys?", "three donkeys, yes") == 1
    assert shared("What do you do?", "you do what you do") == 0
    assert content_words("The dog and the dogs") == ["dog"]


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [("a b c", "a b c", 1.0), ("a b", "c d", 0.0), ("", "a", 0.0), ("a b", "a c", 0.5)],
)
def test_similarity(one: str, other: str, value: float) -> None:
    assert similarity(one.split(), other.split()) == value


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("what is the weather like", "weather", True),
        ("what is the wether like", "weather", True),
        ("how are you today", "how are you", True),
        ("you are how", "how are you", False),
        ("what a day", "weather", False),
        ("", "weather", False),
    ],
)
def test_patterns(text: str, pattern: str, found: bool) -> None:
    assert bool(holds(tokens(text), pattern)) is found


def test_a_word_that_says_something_outweighs_three_that_do_not() -> None:
    words = tokens("what do you do on a sunday")
    assert holds(words, "sunday") > holds(words, "what do you do")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("where are you from", True),
        ("Really?", True),
        ("I am from Ohio", False),
        ("what", False),
        ("", False),
    ],
)
def test_questions(text: str, asks: bool) -> None:
    assert is_question(text) is asks


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("sdfkjh wertzk lkjhg", True),
        ("hello there my friend", False),
        ("", False),
        ("123 456", False),
        ("rhythm is a dancer", False),
    ],
)
def test_noise(text: str, noise: bool) -> None:
    assert is_noise(text) is noise


def test_what_a_line_is_about() -> None:
    assert matter("I have a friend with three donkeys in the garden") == "garden"
    assert matter("fine") is None
    assert matter("it was a five") is None


def test_numbers() -> None:
    assert has_number("about seven")
    assert has_number("10:30")
    assert not has_number("soon")
