"""The adapters by name, with their options. An adapter is a bot that gets its answers from another
program or server. It answers within its timeout, with a fallback line if necessary.

To add one, write a module with a function `prepare`, which takes the values of its options and
returns a function that creates the bot, and add an item to `ADAPTERS`. A module is imported only
when its adapter is used, so that other adapters don't need its dependencies.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bots.adapters.base import BadSetting, MakeBot


class Option(NamedTuple):
    """A command-line option of an adapter.

    Attributes:
        flag: its name, such as `--endpoint`.
        type: the type of its value: str, int, float or Path.
        metavar: the placeholder for its value in help texts.
        help: its description in one line.
        required: whether the adapter needs it.
        default: its default, as shown in help texts.
    """

    flag: str
    type: type
    metavar: str
    help: str
    required: bool = False
    default: str = ""

    @property
    def key(self) -> str:
        """Its name as an argument of `prepare`: `--key-from` becomes `key_from`."""
        return self.flag.removeprefix("--").replace("-", "_")


class Adapter(NamedTuple):
    """An adapter: the module of its `prepare`, a summary in one line, and its options."""

    module: str
    summary: str
    options: tuple[Option, ...]


_TIMEOUT = Option("--timeout", float, "SECONDS", "The time limit for an answer.", default="10")
_FALLBACK = Option(
    "--fallback", str, "TEXT", "What to say if there is no answer.", default="one of three excuses"
)
_BOT = Option("--bot", str, "NAME", "The bot's name.", default="Alex")

ADAPTERS: dict[str, Adapter] = {
    "command": Adapter(
        "bots.adapters.command",
        "any program that reads a line and writes one or more lines",
        (
            Option("--command", str, '"PROGRAM ARGS"', "The program (no shell).", required=True),
            Option(
                "--quiet",
                float,
                "SECONDS",
                "End an answer after this long without another line; 0: after one line.",
                default="0.3",
            ),
            _TIMEOUT,
            _FALLBACK,
        ),
    ),
    "openai": Adapter(
        "bots.adapters.openai",
        "an OpenAI-compatible chat endpoint, with a persona",
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
                "--persona", Path, "FILE", "A UTF-8 file that describes the bot.", required=True
            ),
            Option(
                "--key-from",
                str,
                "VARIABLE",
                "The environment variable that holds the key; '' sends no key.",
                default="OPENAI_API_KEY",
            ),
            Option(
                "--longest", int, "CHARACTERS", "The maximum length of an answer.", default="300"
            ),
            _TIMEOUT._replace(default="30"),
            _FALLBACK,
        ),
    ),
    "aiml-folder": Adapter(
        "bots.adapters.aiml_folder",
        "a folder of AIML 1.0 files",
        (
            Option("--folder", Path, "DIR", "The folder (with its subfolders).", required=True),
            _BOT,
            _FALLBACK,
        ),
    ),
    "chatscript": Adapter(
        "bots.adapters.chatscript",
        "a ChatScript server",
        (
            Option("--host", str, "HOST", "The server's host name.", default="127.0.0.1"),
            Option("--port", int, "PORT", "The server's port.", default="1024"),
            _BOT._replace(default="the server's default"),
            _TIMEOUT,
            _FALLBACK,
        ),
    ),
}


def all_options() -> dict[str, Option]:
    """The options of all adapters by key, without duplicates."""
    return {option.key: option for adapter in ADAPTERS.values() for option in adapter.options}


def prepare(name: str, given: Mapping[str, Any]) -> MakeBot:
    """Checks an adapter's options and imports its module.

    Arguments:
        name: a name in `ADAPTERS`.
        given: values by the options' keys; missing ones, and None, mean the default.

    Returns:
        A function that creates the bot, for `bots.entry.run_entry`.

    Raises:
        BadSetting: if an option is missing, belongs to another adapter, or has an unusable value.
        ModuleNotFoundError: if a library that this adapter needs is not installed.
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
