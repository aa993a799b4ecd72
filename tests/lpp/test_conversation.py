"""Tests the reading order of a talk: typical cases, and that no text is ever lost."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpp.conversation import SOFT_LIMIT, Author, Block, Conversation
from lpp.lines import Pane
from lpp.names import BACKSPACE_CHAR, name_of

JUDGE, ENTITY = get_args(Author)


def typed(talk: Conversation, *parts: str) -> Conversation:
    """Types `J:text` and `E:text`; `<` is BackSpace and `|` Return."""
    for part in parts:
        author: Author = JUDGE if part.startswith("J:") else ENTITY
        for char in part[2:]:
            talk.press(author, name_of({"<": BACKSPACE_CHAR, "|": "\n"}.get(char, char)))
    return talk


def shown(talk: Conversation) -> list[str]:
    def one(block: Block) -> str:
        marks = ("+" if block.continues else "") + (":" if block.ended else "…")
        return f"{block.author[0].upper()}{marks} {block.text}"

    return [one(block) for block in talk.blocks]


CASES: dict[str, tuple[list[str], list[str], str]] = {
    "turns": (["J:Hi|", "E:Hello|"], ["J: Hi", "E: Hello"], ""),
    "the user's line waits in the draft": (["J:Hi", "E:Hello|"], ["E: Hello"], "Hi"),
    "the other's open line is seen": (["J:Hi|", "E:Hel"], ["J: Hi", "E… Hel"], ""),
    "and stays below the user's line": (["E:Well I", "J:Hurry|"], ["J: Hurry", "E… Well I"], ""),
    "until it ends": (["E:Well I", "J:Go|", "E: am|"], ["J: Go", "E: Well I am"], ""),
    "no Return, but sentences": (
        ["E:Hi.", "J:And you?|", "E:Fine."],
        ["E… Hi.", "J: And you?", "E+… Fine."],
        "",
    ),
    "a sentence in quotes": (
        ["E:He said 'no.' ", "J:Ok|", "E:x"],
        ["E… He said 'no.' ", "J: Ok", "E+… x"],
        "",
    ),
    "a settled line that is ended keeps its words together": (
        ["E:Hi.", "J:Yes|", "E:|"],
        ["J: Yes", "E: Hi."],
        "",
    ),
    "empty Returns": (["J:||", "E:|"], ["J: ", "J: ", "E: "], ""),
    "BackSpace within a line": (["E:cat<r"], ["E… car"], ""),
    "BackSpace to nothing": (["E:a<", "J:b<"], [], ""),
    "BackSpace beyond the beginning": (["E:<<", "J:<"], [], ""),
    "BackSpace takes the other's newline": (["E:Hi|<"], ["E… Hi"], ""),
    "and an empty line": (["E:Hi||<<!"], ["E… Hi!"], ""),
    "the user's newline goes back into the draft": (["J:Hi|<"], [], "Hi"),
    "though the other has written since": (["J:Hi|", "E:Yo|", "J:<<"], ["E: Yo"], "H"),
    "BackSpace opens a settled line again": (
        ["E:Hi.", "J:Oh|", "E:<o"],
        ["E… Hio", "J: Oh"],
        "",
    ),
    "BackSpace over a part that went on": (
        ["E:Hi.", "J:Oh|", "E:a<<!"],
        ["E… Hi!", "J: Oh"],
        "",
    ),
    "a line ended anew stands where it was ended": (
        ["E:Hi|", "J:Oh|", "E:<!|"],
        ["J: Oh", "E: Hi!"],
        "",
    ),
}


@pytest.mark.parametrize(("parts", "blocks", "draft"), CASES.values(), ids=CASES)
def test_reading_order(parts: list[str], blocks: list[str], draft: str) -> None:
    talk = typed(Conversation(JUDGE), *parts)
    assert shown(talk) == blocks
    assert talk.draft == draft


@pytest.mark.parametrize(
    ("parts", "blocks"),
    [
        (["E:Hi.", "J:And you?|", "E:Fine."], ["E… Hi.", "J: And you?", "E+… Fine."]),
        (["E:Well I", "J:Go|", "E: am|"], ["J: Go", "E: Well I am"]),
        (["E:Well I", "J:Go|", "J:on|", "E: am"], ["J: Go", "J: on", "E… Well I am"]),
    ],
)
def test_spectators_and_judges_read_lines_in_the_same_order(
    parts: list[str], blocks: list[str]
) -> None:
    assert shown(typed(Conversation(), *parts)) == blocks
    assert shown(typed(Conversation(JUDGE), *parts)) == blocks


@pytest.mark.parametrize("author", [JUDGE, ENTITY])
def test_a_long_line_is_split_between_words(author: Author) -> None:
    text = "word " * 300
    talk = typed(Conversation(JUDGE), f"{author[0].upper()}:{text}|")
    assert len(talk.blocks) > 2
    assert all(block.text.endswith(" ") for block in talk.blocks)
    assert max(len(block.text) for block in talk.blocks) <= SOFT_LIMIT + 5
    assert talk.text(author) == text + "\n"
    typed(talk, f"{author[0].upper()}:<")
    assert talk.text(author) == text


PRESSES = st.lists(
    st.tuples(
        st.sampled_from([JUDGE, ENTITY]),
        st.sampled_from(["a", "b", "period", "space", "Return", "BackSpace", "BackSpace"]),
    ),
    max_size=60,
)


@given(PRESSES, st.sampled_from([None, JUDGE, ENTITY]))
def test_a_conversation_has_the_same_text_as_a_pane(
    presses: list[tuple[Author, str]], own: Author | None
) -> None:
    talk = Conversation(own)
    for author, key in presses:
        talk.press(author, key)
    for author in (JUDGE, ENTITY):
        assert talk.text(author) == Pane(k for a, k in presses if a == author).text
    assert all(block.text for block in talk.blocks if not block.ended)


@given(PRESSES, st.sampled_from([None, JUDGE, ENTITY]))
def test_redrawing_only_the_changes_draws_everything(
    presses: list[tuple[Author, str]], own: Author | None
) -> None:
    """A screen that redraws only the changes shows everything."""
    talk, screen = Conversation(own), list[str]()
    for number, (author, key) in enumerate(presses):
        talk.press(author, key)
        if number % 3 == 2 or number == len(presses) - 1:
            change = talk.take_change()
            if change is not None:
                start = screen[change.first][: change.kept] if change.kept else ""
                texts = [block.text for block in talk.blocks[change.first :]]
                if texts:
                    assert texts[0].startswith(start)
                screen[change.first :] = texts
    assert screen == [block.text for block in talk.blocks]
