"""Tests Robin: the categories, and the functions that don't suit an entry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bots.aiml_bot
from bots.adapters.aiml_folder import AimlFolderBot
from bots.adapters.base import BadSetting
from tests.bots.talking import context, last_reply, shared_bot

FOLDER = Path(bots.aiml_bot.__file__).parent


def bot_of(tmp_path: Path, categories: str, root: str = "aiml") -> AimlFolderBot:
    # Brackets in a path are not a pattern.
    folder = tmp_path / "a [b]"
    folder.mkdir()
    file = folder / "set.aiml"
    file.write_text(f'<{root} version="1.0.1">{categories}</aiml>', encoding="utf-8")
    return AimlFolderBot(context(), [file])


def test_every_category_in_the_files_is_loaded(capfd: pytest.CaptureFixture[str]) -> None:
    files = sorted(FOLDER.glob("*.aiml"))
    bot = AimlFolderBot(context(), files)
    text = "".join(file.read_text("utf-8") for file in files)
    keys = re.findall(
        r"<pattern>(.*?)</pattern>\s*(?:<that>(.*?)</that>)?\s*<template>", text, re.DOTALL
    )
    assert bot.categories >= 150
    # Only categories of different topics may have the same pattern.
    assert bot.categories == text.count("<category>")
    assert len(keys) == text.count("<category>")
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_every_srai_matches_a_category() -> None:
    # An srai that matches nothing, or only the catch-all category, is misspelt.
    text = "".join(file.read_text("utf-8") for file in FOLDER.glob("*.aiml"))
    patterns = set(re.findall(r"<pattern>(.*?)</pattern>", text))
    for target in set(re.findall(r"<srai>([A-Z ]+)</srai>", text)):
        fits = target in patterns or any(
            pattern.endswith(" *") and target.startswith(pattern[:-1]) for pattern in patterns
        )
        assert fits, target


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Hello!"], "[Hh]ow are you"),
        (["Hello!", "I'm fine, thanks."], "weekend|Thursday"),
        (["How are you?", "good"], "Good to hear|weekend"),
        (["What's your name?"], "Robin"),
        (["What's your name?", "Jim", "What is my name?"], "Jim"),
        (["My name is Jim.", "Do you know my name?"], "Jim"),
        (["What is my name?"], "not told me"),
        (["I am from Boston.", "Where am I from?"], "Boston"),
        (["Where are you from?", "from Boston", "Where do I live?"], "Boston"),
        (["I like old trains.", "What do I like?"], "old trains"),
        (["I hate mice.", "What do I hate?"], "[Mm]ice"),
        (["I am a teacher.", "What is my job?"], "teacher"),
        (["I have a dog named Rex."], "Rex.*dog"),
        (
            [
                "I have a friend named Harry who likes to play tennis.",
                "What is the name of the friend I just told you about?",
            ],
            "Harry",
        ),
        (["What time is it?"], r"Saturday, October 23, 10:17 AM"),
        (["Are you a computer?"], "mud|mower|prune|asking"),
        (["Do you like music?", "yes"], "Which one"),
        (["Do you like music?", "no"], "aunt"),
        (["Tell me a joke."], "gardener|flower|beans"),
        (["Let's talk about trains."], "trains"),
        (["I was in the garden all day."], "garden|Plants|roses|tool"),
        (["Well, how old are you?"], "34|Thirty"),
        (["Hi. What's your job?"], "garden"),
        (["Goodbye!"], "bye|Bye"),
    ],
)
def test_talks(lines: list[str], expected: str) -> None:
    for seed in range(2):
        assert re.search(expected, last_reply(shared_bot("aiml", seed), *lines))


def test_a_talk_cannot_reach_the_shell_or_files(tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    bot = bot_of(
        tmp_path,
        f"<category><pattern>RUN</pattern><template>a<system>touch {touched}</system>b"
        "<learn>/etc/passwd</learn></template></category>",
    )
    assert bot.reply("run") == "ab"
    assert not touched.exists()


@pytest.mark.parametrize("root", ["aiml", 'aiml xmlns="http://alicebot.org/2001/AIML-1.0.1"'])
def test_random_items_and_the_date_with_and_without_a_namespace(tmp_path: Path, root: str) -> None:
    items = "".join(
        f"<li>{word} <random><li>!</li></random></li>" for word in ["one", "two", "three"]
    )
    bot = bot_of(
        tmp_path,
        f"<category><pattern>NEXT</pattern><template><random>{items}</random></template></category>"
        "<category><pattern>WHEN</pattern><template><date/></template></category>",
        root,
    )
    bot.begin()
    replies = [bot.reply("next") for _ in range(12)]
    # Each item is used once before any is repeated.
    for start in range(0, 12, 3):
        assert sorted(replies[start : start + 3]) == ["one !", "three !", "two !"]
    assert bot.reply("when") == "Saturday, October 23, 10:17 AM"
    bot.begin()
    assert bot.reply("next") in replies


def test_a_file_without_categories_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="no readable AIML categories"):
        bot_of(tmp_path, "")
    broken = tmp_path / "broken.aiml"
    broken.write_text("<aiml>\n<category>\n</aiml>", encoding="utf-8")
    for file, why in ((broken, "line 3"), (tmp_path / "missing.aiml", "No such file")):
        with pytest.raises(BadSetting, match=f"{file.name}.*{why}"):
            AimlFolderBot(context(), [file])
