"""Files, turns and scripts are read as described, and nothing in them is executed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disciplines.ige.games import Game, Message, Turn, read_games, scripts_of, turn_of
from disciplines.ige.interaction import scripted
from scheduler.errors import BadInput


@pytest.mark.parametrize(
    ("content", "turn"),
    [
        ("<script>\na\n</script>\n<code>\nb\n</code>\n<utter>\nc\n</utter>", ("a", "b", "c")),
        ("<utter>c</utter>", ("", "", "c")),
        ("<code>one</code> <code>two</code>", ("", "one", "")),
        ("<code>never closed", ("", "", "")),
        ("<code>\n    indented\n\n    twice\n</code>", ("", "    indented\n\n    twice", "")),
        ("", ("", "", "")),
    ],
)
def test_blocks_of_a_turn(content: str, turn: tuple[str, str, str]) -> None:
    assert turn_of(content) == turn


@pytest.mark.parametrize("text", ["<script>", "</script><script>", "word ", "word? "])
def test_a_long_message_is_read_quickly(text: str) -> None:
    message = Message("assistant", "<utter>" + text * 100_000 + "</utter>")
    speak = scripted(Game("Phase:\n    a: b\n    c: d", ""))
    assert speak([message]).text == "The phase a: b"


def test_the_script_follows_the_turns() -> None:
    blocks = [
        "script['Config']['Min bet'] = 2\nscript['Phase']['blind'] = 'two players'",
        "",
        "script['Config']['Min bet'] = 4\nscript['Flow'] = ['show']\nscript['New'] = {'a': 1}",
    ]
    states = [each.state for each in scripts_of([Turn(block, "", "") for block in blocks])]
    assert states[0]["Config"] == {"Min bet": 2}
    assert states[1] == states[0]
    assert states[2]["Config"] == {"Min bet": 4}
    assert states[2]["Flow"] == ["show"]
    assert states[2]["New"] == {"a": 1}


@pytest.mark.parametrize(
    "block",
    [
        "script['Config']['x'] = __import__('os').getcwd()",
        "other['Config'] = 1",
        "script = 5",
        "script[f()]['x'] = 1",
        "script['Flow']['x'] = 1",
        "print('hi')",
        "script['a'] =",
        *("script['a'] = " + "[" * 500 + "]" * 500, "script['a'] = " + "-" * 100_000 + "1"),
        *("script" + "['a']" * 100_000 + " = 1", "script['a'] = 1" + " + 1" * 100_000),
        "script['a'] = 0x" + "f" * 100_000,
        "a\0b",
    ],
)
def test_a_line_without_an_assignment_is_a_fault_and_changes_nothing(block: str) -> None:
    first, second = scripts_of([Turn("script['Flow'] = ['start']", "", ""), Turn(block, "", "")])
    assert second.state == first.state
    assert second.faults


@given(st.text())
def test_any_block_is_read(block: str) -> None:
    assert len(list(scripts_of([Turn(block, "", "")]))) == 1
    turn_of(block)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", ""),
        ("{}\n", "1"),
        ('{"script": "", "code": ""}\nnot JSON\n', "2"),
        ('{"script": "", "code": "", "history": [{"role": "judge", "content": ""}]}\n', "1"),
    ],
)
def test_a_file_without_games_is_refused(tmp_path: Path, text: str, place: str) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(text)
    with pytest.raises(BadInput) as refused:
        read_games(file)
    assert str(file) in str(refused.value)
    assert place in str(refused.value)


def test_games_are_read(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    game = {"script": "s", "code": "c", "history": [{"role": "user", "content": "x"}], "more": 1}
    file.write_text(json.dumps(game) + "\n\n")
    assert [each.code for each in read_games(file)] == ["c"]
