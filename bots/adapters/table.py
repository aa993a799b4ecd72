"""The adapters by name, with the options of each. An adapter is a bot that asks something else, and
answers within its time-out, with a fallback line if need be.

To add one: write a module with a function `prepare`, which takes what its options say and gives
what makes the bot, and give it a line in `ADAPTERS`. A module is imported only when its adapter is
asked for, so that an adapter's own dependencies bother nobody else.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bots.adapters.base import BadSetting, MakeBot


class Option(NamedTuple):
    """An option of an adapter, as the command line has it.

    Attributes:
        flag: such as `--endpoint`.
        type: what its text is made into: str, int, float or Path.
        metavar: what stands for its value in help texts.
        help: what it is, in one line.
        required: whether the adapter can't do without.
        default: what help texts say of it if it is left out.
    """

    flag: str
    type: type
    metavar: str
    help: str
    required: bool = False
    default: str = ""

    @property
    def key(self) -> str:
        """Its name as an argument of `prepare`: `--key-from` is `key_from`."""
        return self.flag.removeprefix("--").replace("-", "_")


class Adapter(NamedTuple):
    """An adapter: where its `prepare` is, what it does in one line, and its options."""

    module: str
    summary: str
    options: tuple[Option, ...]


_TIMEOUT = Option("--timeout", float, "SECONDS", "The most time for an answer.", default="10")
_FALLBACK = Option(
    "--fallback", str, "TEXT", "What to say if there is no answer.", default="one of three excuses"
)
_BOT = Option("--bot", str, "NAME", "The bot's name.", default="Alex")

ADAPTERS: dict[str, Adapter] = {
    "command": Adapter(
        "bots.adapters.command",
        "any program that reads a line and writes a line or more",
        (
            Option("--command", str, '"PROGRAM ARGS"', "The program; no shell.", required=True),
            Option(
                "--quiet",
                float,
                "SECONDS",
                "An answer ends after this long without a further line; 0: after one line.",
                default="0.3",
            ),
            _TIMEOUT,
            _FALLBACK,
        ),
    ),
    "openai": Adapter(
        "bots.adapters.openai",
        "a chat endpoint that speaks as OpenAI's does, with a persona",
        (
            Option(
                "--endpoint",
                str,
                "URL",
                "The endpoint's address, such as https://HOST/v1.",
                required=True,
            ),
            Option("--model", str, "MODEL", "The model's name.", required=True),
            Option(
                "--persona", Path, "FILE", "A UTF-8 text that says who the bot is.", required=True
            ),
            Option(
                "--key-from",
                str,
                "VARIABLE",
                "The environment variable with the key; '' sends none.",
                default="OPENAI_API_KEY",
            ),
            Option(
                "--longest", int, "CHARACTERS", "The most characters of an answer.", default="300"
            ),
            _TIMEOUT._replace(default="30"),
            _FALLBACK,
        ),
    ),
    "aiml-folder": Adapter(
        "bots.adapters.aiml_folder",
        "a folder of AIML 1.0 files",
        (
            Option("--folder", Path, "DIR", "The folder, including its subfolders.", required=True),
            _BOT,
            _FALLBACK,
        ),
    ),
    "chatscript": Adapter(
        "bots.adapters.chatscript",
        "a ChatScript server",
        (
            Option("--host", str, "HOST", "The server's machine.", default="127.0.0.1"),
            Option("--port", int, "PORT", "The server's port.", default="1024"),
            _BOT._replace(default="the server's own"),
            _TIMEOUT,
            _FALLBACK,
        ),
    ),
}


def all_options() -> dict[str, Option]:
    """The options of all adapters by their keys, each once."""
    return {option.key: option for adapter in ADAPTERS.values() for option in adapter.options}


def prepare(name: str, given: Mapping[str, Any]) -> MakeBot:
    """Makes an adapter ready: checks its options, imports its module.

    Arguments:
        name: a name of `ADAPTERS`.
        given: values by the options' keys; those that are left out, or None, have defaults.

    Returns:
        What makes the bot, as `bots.entry.run_entry` takes it.

    Raises:
        BadSetting: if an option is missing, belongs to another adapter, or has a value that can't
            be used.
        ModuleNotFoundError: if a library that this adapter stands on is not installed.
    """
    adapter = ADAPTERS[name]
    known = {option.key: option for option in adapter.options}
    values = {key: value for key, value in given.items() if value is not None}
    for key in values:
        if key not in known:
            flag = all_options()[key].flag if key in all_options() else key
            raise BadSetting(f"{name} has no option {flag}")
    missing = [o for o in adapter.options if o.required and o.key not in values]
    if missing:
        wanted = ", ".join(f"{option.flag} {option.metavar}" for option in missing)
        raise BadSetting(f"{name} needs {wanted}")
    make: MakeBot = importlib.import_module(adapter.module).prepare(**values)
    return make
