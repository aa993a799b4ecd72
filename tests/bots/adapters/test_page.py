"""The how-to "adapt a program" says what is so."""

from __future__ import annotations

import re
from pathlib import Path

from bots import runner
from bots.adapters import aiml_folder as kernel
from bots.adapters import chatscript, command, openai
from bots.adapters.table import ADAPTERS
from tests.bots.adapters.programs import script
from tests.bots.talking import context

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "how-to" / "adapt-a-program.md"
TEXT = " ".join(PAGE.read_text("utf-8").split())


def test_the_program_of_the_page_is_an_entry(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    words = script(tmp_path, code)
    bot = command.CommandBot(context(), words, timeout=20.0, quiet=0.1, log=lambda text: None)
    try:
        bot.begin()
        # Its first prompt may come after the first line.
        bot.reply("Hi")
        assert bot.reply("Hello.") == "You said: Hello."
    finally:
        bot.close()


def test_every_adapter_and_option_is_there() -> None:
    for name, adapter in ADAPTERS.items():
        assert f"`{name}`" in TEXT or f"`--{name}`" in TEXT
        usage = TEXT[TEXT.index(f"loebner bot {'--' if name == 'command' else ''}{name} ") :]
        for option in adapter.options:
            assert f"{option.flag} {option.metavar}" in usage[:260], option.flag
    for option in re.findall(r"`(--[a-z-]+)", TEXT):
        known = {o.flag for adapter in ADAPTERS.values() for o in adapter.options}
        others = {"--dir", "--keys-per-minute", "--speed", "--seed", "--clock"}
        assert option in known | others | {"--command"}, option


def test_numbers_are_the_codes_own() -> None:
    for words in (
        f"no line has come for `--quiet` seconds ({command.QUIET:g})",
        f"At most {runner.ANSWER_LIMIT:,} characters",
        f"the last {openai.MESSAGES} messages, at most {openai.CHARACTERS:,} characters",
        f"`--longest` ({openai.LONGEST} characters)",
        f"`--timeout` ({openai.TIMEOUT:g})",
        f"`--host` {chatscript.HOST}, `--port` {chatscript.PORT}",
        f"environment variable `{openai.KEY_FROM}`",
    ):
        assert words in TEXT, words
    # Numbers that the page has in words.
    assert (command.LINES, command.HUNG, runner.WAITING, openai.TRIES) == (10, 3, 3, 4)
    assert (kernel.WORDS, kernel.SENTENCES, len(runner.EXCUSES)) == (40, 2, 3)
    assert (openai.PAUSE, runner.NEW_TALK) == (1.0, 120.0)
