"""The command of an adapted program, taken apart: see `lpp.command_line`."""

from __future__ import annotations

import sys

from bots.adapters.base import BadSetting
from lpp import command_line


def split(command: str, platform: str = sys.platform) -> list[str]:
    """The words of a command.

    Arguments:
        command: a program and its arguments.
        platform: as `sys.platform`: whose rules hold.

    Returns:
        At least one word.

    Raises:
        BadSetting: if there is no word, or a quotation has no end.
    """
    try:
        words = command_line.split(command, platform)
    except ValueError as error:
        reason = str(error).lower()
        raise BadSetting(f"--command {command!r}: {reason}") from None
    if not words or not words[0]:
        raise BadSetting("--command is empty; give a program and its arguments")
    if "\0" in command:
        raise BadSetting("--command holds a character that no program's name can hold")
    return words
