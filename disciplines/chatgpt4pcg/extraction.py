"""The program in a model's response: the calls in its last code block."""

from __future__ import annotations

import re
from typing import NamedTuple

from disciplines.chatgpt4pcg.editions import Edition

_BLOCK = re.compile("```[^`]+```")


class Extraction(NamedTuple):
    """The calls, one per line, in lower case, with a newline after the last; None if there are
    none, with the reason in words."""

    code: str | None
    reason: str = ""


def extract(response: str, edition: Edition) -> Extraction:
    """Extracts the program from a response, exactly as the official program does.

    Only the last code block counts: text between two runs of three backticks, without a backtick
    inside. In it, only calls with a literal block and a literal number count, wherever they are: a
    call in a comment counts, and a call in a loop counts once.

    Arguments:
        response: the language model's response.
        edition: the edition, which names the function.
    """
    blocks = _BLOCK.findall(response)
    if not blocks:
        closed = response.count("```") > 1
        reason = "each code block is empty or contains a backtick" if closed else "no code block"
        return Extraction(None, reason)
    # `|` is in both classes of the original's pattern.
    pattern = rf"{edition.function}\(['|\"]b[1|3][1|3]['|\"], *[0-9]*\)"
    calls = re.findall(pattern, blocks[-1])
    if not calls:
        if edition.function not in blocks[-1]:
            return Extraction(None, f"no call of {edition.function} in the last code block")
        return Extraction(
            None, f"no call such as {edition.function}('b11', 4) in the last code block"
        )
    return Extraction("".join(f"{call}\n" for call in calls).replace('"', "'").lower())
