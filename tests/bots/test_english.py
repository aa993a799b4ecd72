"""Contractions, sentences, persons, articles."""

from __future__ import annotations

import pytest

from bots.english import (
    as_sentence,
    expand,
    joined,
    sentences,
    to_listener,
    with_article,
    words_of,
)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("I'm here, you're there", "I am here, you are there"),
        ("im sure you dont know", "I am sure you do not know"),
        ("What's that? IT\u2019S John's.", "What is that? It is John's."),
        ("Can't we? won't they", "Can not we? will not they"),
        ("well, we were ill in hell", "well, we were ill in hell"),
        ("3 o'clock", "3 o'clock"),
    ],
)
def test_contractions_are_written_out(short: str, full: str) -> None:
    assert expand(short) == full


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hello. How are you?", [("Hello", False), ("How are you", True)]),
        ("Mr. Smith paid 3.50 at 5 p.m. Why?!", [("Mr. Smith paid 3.50 at 5 p.m. Why", True)]),
        ("Well... yes", [("Well", False), ("yes", False)]),
        ("J. S. Bach wrote it.", [("J. S. Bach wrote it", False)]),
        ("?! ...", []),
        ("", []),
    ],
)
def test_sentences(text: str, found: list[tuple[str, bool]]) -> None:
    assert [tuple(sentence) for sentence in sentences(text)] == found


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("I lost my key", "You lost your key"),
        ("my dog likes me", "your dog likes you"),
        ("you are late", "I am late"),
        ("I told you that you were late", "You told me that I was late"),
        ("we are going with our son", "you are going with your son"),
        ("Tom hit himself", "Tom hit himself"),
        ("I was born", "You were born"),
    ],
)
def test_persons_change_for_the_listener(said: str, back: str) -> None:
    assert to_listener(said) == back


@pytest.mark.parametrize(
    ("noun", "named"),
    [
        ("apple", "an apple"),
        ("hour", "an hour"),
        ("uniform", "a uniform"),
        ("umbrella", "an umbrella"),
        ("dog", "a dog"),
        ("the sun", "the sun"),
        ("", ""),
    ],
)
def test_articles(noun: str, named: str) -> None:
    assert with_article(noun) == named


def test_small_things() -> None:
    assert joined([]) == ""
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"
    assert joined(["a", "b"], "or") == "a or b"
    assert as_sentence(" tennis ") == "Tennis."
    assert as_sentence("really?") == "Really?"
    assert as_sentence("") == ""
    assert words_of("It's 3, isn't it?") == ["it's", "3", "isn't", "it"]
