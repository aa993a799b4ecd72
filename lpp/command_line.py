"""A command line taken apart without a shell: by POSIX's rules, or by those of Windows' C library.

Nothing is expanded: no variables, no wildcards, no redirection; `|` and `&` are plain text.
"""

from __future__ import annotations

import shlex
import sys


def split(command: str, platform: str = sys.platform) -> list[str]:
    """The words of a command, by the rules of `platform`, as `sys.platform` names it.

    Raises:
        ValueError: if a quotation has no end.
    """
    return split_windows(command) if platform == "win32" else shlex.split(command)


def split_windows(command: str) -> list[str]:
    """The words of a command by the rules of Windows' C library.

    Backslashes are plain, for paths are full of them, but before a double quote: 2n of them are n
    and the quote quotes, 2n + 1 are n and the quote is text. Single quotes quote nothing.

    Raises:
        ValueError: if a quotation has no end.
    """
    words: list[str] = []
    word: list[str] | None = None
    quoted = False
    slashes = 0
    for char in command:
        if char == "\\":
            slashes += 1
            word = word if word is not None else []
            continue
        if char == '"':
            word = [*(word or []), "\\" * (slashes // 2)]
            if slashes % 2:
                word.append('"')
            else:
                quoted = not quoted
        else:
            if slashes and word is not None:
                word.append("\\" * slashes)
            if char in " \t" and not quoted:
                if word is not None:
                    words.append("".join(word))
                word = None
            else:
                word = [*(word or []), char]
        slashes = 0
    if quoted:
        raise ValueError("No closing quotation")
    if word is not None:
        words.append("".join(word) + "\\" * slashes)
    return words
