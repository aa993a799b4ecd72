"""Tests a folder of AIML files as an entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.adapters.aiml_folder import NAME, prepare
from bots.adapters.base import BadSetting
from bots.bot import Bot
from tests.bots.talking import context


def write(file: Path, *categories: tuple[str, str]) -> None:
    body = "".join(
        f"<category><pattern>{pattern}</pattern><template>{template}</template></category>"
        for pattern, template in categories
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'<aiml version="1.0">{body}</aiml>', encoding="utf-8")


def bot_of(folder: Path, **more: str) -> Bot:
    bot = prepare(folder, **more)(context())
    bot.begin()
    return bot


def test_files_in_the_folder_and_its_subfolders_are_loaded(tmp_path: Path) -> None:
    write(tmp_path / "a [1].aiml", ("HELLO", "Hi there."))
    write(tmp_path / "more" / "B.AIML", ("WHO ARE YOU", 'I am <bot name="name"/>.'))
    (tmp_path / "notes.txt").write_text("none", encoding="utf-8")
    bot = bot_of(tmp_path)
    assert bot.reply("Hello!") == "Hi there."
    assert bot.reply("Who are you?") == f"I am {NAME}."
    assert bot_of(tmp_path, bot="Kim").reply("Who are you?") == "I am Kim."


def test_system_commands_are_not_run(tmp_path: Path) -> None:
    write(tmp_path / "a.aiml", ("RUN *", f"Done.<system>touch {tmp_path}/ran</system>"))
    assert bot_of(tmp_path).reply("Run it") == "Done."
    assert not (tmp_path / "ran").exists()


def test_an_invalid_or_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="there is no such folder"):
        prepare(tmp_path / "none")
    file = tmp_path / "file.aiml"
    file.touch()
    with pytest.raises(BadSetting, match="there is no such folder"):
        prepare(file)
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "x.aiml").mkdir()
    with pytest.raises(BadSetting, match=r"ends in \.aiml"):
        prepare(folder)
