"""Tests key names: the appendix of the rules, digits, characters beyond ASCII, and names seen in
real logs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.errors import NotAKey
from lpp.lines import Pane
from lpp.names import (
    MARK,
    NAMES,
    char_of,
    is_invisible,
    is_sendable,
    is_sent_as_itself,
    is_strict,
    keys_of,
    name_of,
    plain_text,
    shown_as,
)

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "lpp.md"

#: Names that real programs sent, each with its character.
ALIASES = (
    'apostrophe \' grave ` quotedble " quotedl " KP_Add + KP_Subtract - KP_Multiply * KP_Divide / '
    "KP_Decimal . KP_Equal = KP_0 0 KP_9 9 eacute é Eacute É egrave è ecircumflex ê adiaeresis ä "
    "Odiaeresis Ö ntilde ñ aring å ccedilla ç ydiaeresis ÿ sterling £ EuroSign € ssharp ß "
    "questiondown ¿ section § onehalf ½"
)


def test_names_of_the_appendix_are_read_and_written() -> None:
    assert len(NAMES) == 36
    for name, char in NAMES.items():
        assert name_of(char) == name
        assert char_of(name) == char
        assert is_strict(name)


def test_aliases_are_read_and_never_written() -> None:
    others = {"tab": "\t", "ISO_Left_Tab": "\t", "Linefeed": "\n", "nobreakspace": "\u00a0"}
    words = ALIASES.split()
    for name, char in (*zip(words[::2], words[1::2], strict=True), *others.items()):
        assert char_of(name) == char, name
        assert not is_strict(name)
        assert name_of(char) != name


UNSEEN = [
    *("\u00ad", "\u061c", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"),  # zero-width
    *(
        "\u200e",
        "\u200f",
        "\u202a",
        "\u202e",
        "\u2066",
        "\u2069",
    ),  # these change the direction of text
    *("\U000e0001", "\U000e0041", "\U000e007f"),  # tags
    *("\u034f", "\u115f", "\u1160", "\u17b4", "\u180b", "\u3164", "\ufe0f", "\uffa0"),
    "\U000e0100",
]


def test_invisible_characters_are_shown_as_a_mark_and_never_written() -> None:
    for name in UNSEEN:
        assert is_invisible(name)
        assert char_of(name) == MARK
        assert shown_as(name) == MARK
        assert is_sendable(name)  # earlier consoles sent some
        assert not is_sent_as_itself(name)
        with pytest.raises(NotAKey):
            name_of(name)
        assert keys_of(f"a{name}b") == ["a", "b"]


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["exclam", "!"], "exclam"),
        (["question", "?"], "question"),
        (["quoteright", "'", "apostrophe"], "quoteright"),
        (["quoteleft", "`", "grave", "\u1fef"], "quoteleft"),
        (["quotedbl", '"', "quotedble", "quotedl"], "quotedbl"),
        (["1", "KP_1"], "1"),
        (["space", " ", "KP_Space"], "space"),
        (["Return", "KP_Enter", "Linefeed"], "Return"),
        (["Tab", "tab", "KP_Tab", "ISO_Left_Tab"], "Tab"),
        (["semicolon", ";", "\u037e"], "semicolon"),
        (["é", "e\u0301", "eacute"], "é"),
        (["K", "\u212a"], "K"),
        (["\u0958"], "\u0958"),  # NFC decomposes it, and no name has two characters
        (["BackSpace"], "BackSpace"),
        ([MARK, "\x1b", "\u202e"], MARK),
        (["Ctrl_Q", "Shift_L", "", "nonsense"], None),
    ],
)
def test_the_same_key_is_shown_under_one_name(names: list[str], shown: str | None) -> None:
    assert [shown_as(name) for name in names] == [shown] * len(names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("e\u0301", ["é"]),
        ("A\u030a", ["Å"]),
        ("q\u0301", ["q", "\u0301"]),  # no such letter exists
        ("\u1112\u1161\u11ab", ["한"]),
        ("❤\ufe0f", ["❤"]),
        ("👩\u200d💻", ["👩", "💻"]),
        ("👍🏽", ["👍", "🏽"]),
        ("🇬🇧", ["🇬", "🇧"]),
        ("\u0958", ["\u0915", "\u093c"]),  # NFC itself decomposes it
    ],
)
def test_text_is_normalized_to_nfc_and_sent_by_code_points(text: str, names: list[str]) -> None:
    assert keys_of(text) == names
    assert Pane(names).text == plain_text(text)


typable = st.text(
    st.characters(
        exclude_categories=("Cs", "Cc", "Co", "Cn", "Zl", "Zp"), include_characters="\t\n"
    )
)


@given(typable)
def test_printable_text_survives_a_round_trip_through_key_names(text: str) -> None:
    names = keys_of(text)
    assert Pane(names).text == plain_text(text)
    assert all(len(name) == 1 or name in NAMES for name in names)


def test_the_names_listed_in_the_reference_are_accepted() -> None:
    text = DOCS.read_text(encoding="utf-8")
    part = text.split("## What we accept")[1].split("## If you write it yourself")[0]
    rows = [row for row in part.splitlines() if row.endswith("| the character | `2.A.b/name` |")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.partition(" | ")[0])]
    assert "apostrophe" in named
    assert "ssharp" in named
    assert [name for name in named if char_of(name) is None] == []
