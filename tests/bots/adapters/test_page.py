"""Checks the how-to "adapt a program" against the code."""

from __future__ import annotations

import re
from pathlib import Path

from bots import runner
from bots.adapters import aiml_folder as kernel
from bots.adapters import command, openai
from bots.adapters.table import ADAPTERS
from tests.bots.adapters.programs import script
from tests.bots.talking import context

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "how-to" / "adapt-a-program.md"
TEXT = " ".join(PAGE.read_text("utf-8").split())


def test_the_program_on_the_page_works_as_an_entry(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    words = script(tmp_path, code)
    bot = command.CommandBot(context(), words, timeout=20.0, quiet=0.1)
    try:
        bot.begin()
        # Its first prompt may appear after the first line.
        bot.reply("Hi")
        assert bot.reply("Hello.") == "You said: Hello."
    finally:
        bot.close()


def test_the_page_names_every_adapter_and_only_existing_options() -> None:
    for name, adapter in ADAPTERS.items():
        usage = f"loebner bot {'--' if name == 'command' else ''}{name} "
        assert usage in TEXT
        needed = [option.flag for option in adapter.options if option.required]
        assert all(flag in TEXT[TEXT.index(usage) :][:100] for flag in needed), name
    known = {option.flag for adapter in ADAPTERS.values() for option in adapter.options}
    assert set(re.findall(r"`(--[a-z-]+)", TEXT)) <= known


def test_the_numbers_on_the_page_match_the_code() -> None:
    for words in (
        f"`--quiet` seconds ({command.QUIET:g})",
        f"{runner.ANSWER_LIMIT:,} characters",
        f"{openai.MESSAGES} messages, at most {openai.CHARACTERS:,} characters",
        f"environment variable `{openai.KEY_FROM}`",
    ):
        assert words in TEXT, words
    # Numbers that the page gives in words.
    assert (command.MAX_LINES, command.HANG_LIMIT, openai.TRIES) == (10, 3, 4)
    assert (kernel.SENTENCES, len(runner.EXCUSES)) == (2, 3)
