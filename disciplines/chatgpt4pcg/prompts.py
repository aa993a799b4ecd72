"""Qualification of an entry: checks its words, characters and placeholder, like the official
program.

An entry of 2023 is a prompt in a text file. From 2024 on it is a Python program, which the
organizers inspected by hand; this module makes only those checks that need not run it.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from disciplines.chatgpt4pcg.editions import Edition

#: The placeholder for the letter in a prompt.
PLACEHOLDER = "<OBJECT>"

#: White space in JavaScript. Unlike Python's, it includes U+FEFF, the byte order mark, but not
#: U+001C to U+001F and U+0085.
WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

_ALLOWED = re.compile(
    r"[A-Za-z0-9 \n\r\t~/\\+,\-*`'\".!@#$%^&()_=\[\]{}|<>:;?\u2014\u2018\u2019\u201c\u201d]+"
)

# The rules of npm words-count 2.0.2, which the official program uses. Some signs join the words on
# both sides into one; others are words themselves.
_DELETED = re.compile(
    r"""[,.:;\[\]{}()<>$!?~'\u2019"\u201c\u201d*/\\&%@#^\uff00-\uffef\u2000-\u206f"""
    r"""\u3001\u3002\u3010\u3011\u300a\u300b]"""
)
_WORD = re.compile(
    "[0-9]+"
    # Latin, Cyrillic, Malayalam: a run of letters is a word.
    "|[A-Za-z\u00c0-\u02af\u1e00-\u1eff\u0400-\u052f\u0d00-\u0d7f]+"
    # Chinese, Japanese, Korean: each character is a word.
    "|[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3130-\u318f\u3190-\u319f\u31c0-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]"
)


class Qualification(NamedTuple):
    """Whether an entry may take part: "qualified" or "disqualified", the reason in words (empty if
    qualified), and its words as :func:`count_words` counts them."""

    status: str
    reason: str
    words: int


def count_words(text: str) -> int:
    """Counts words as the official program does.

    For example `b31` is two words, `ab_drop(x,y)` two, `Let's` one, and a lone `=` one.
    """
    text = _DELETED.sub("", text)
    # Replace only the first run of white space, as the official program does, which lacks the flag
    # for all. Words on different lines may then be in one piece, in which _WORD finds each of them.
    text = re.sub(f"[{WHITE_SPACE}]+", " ", text, count=1)
    pieces = (piece for piece in text.split(" ") if piece.strip(WHITE_SPACE))
    return sum(len(_WORD.findall(piece)) or 1 for piece in pieces)


def disallowed_characters(text: str) -> str:
    """The characters that a prompt must not contain: all except ASCII letters, digits and signs,
    the em dash and curved quotation marks.

    Returns:
        The disallowed characters, each once, in the order of their first appearance; empty if all
            are allowed. White space and the byte order mark are allowed at both ends of what
            remains when the allowed characters are removed.
    """
    return "".join(dict.fromkeys(_ALLOWED.sub("", text).strip(WHITE_SPACE)))


def qualify(text: str, edition: Edition, is_program: bool | None = None) -> Qualification:
    """Checks an entry; stops at the first fault.

    Arguments:
        text: the prompt, or the Python program.
        edition: the edition whose rules apply.
        is_program: whether the entry is a program; by default, whether the edition's entries are.
    """
    words = count_words(text)
    if bool(edition.package) if is_program is None else is_program:
        fault = _fault_of_program(text, edition.package)
    else:
        fault = _fault_of_prompt(text, words, edition)
    return Qualification("disqualified" if fault else "qualified", fault, words)


def _fault_of_prompt(text: str, words: int, edition: Edition) -> str:
    if edition.word_limit is not None and words > edition.word_limit:
        return f"{words} words; at most {edition.word_limit} are allowed"
    if found := disallowed_characters(text):
        shown = ", ".join(f"{_shown(each)} (U+{ord(each):04X})" for each in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        return f"disallowed character{'s'[: len(found) - 1]}: {shown}{more}"
    if PLACEHOLDER not in text:
        return f"the placeholder {PLACEHOLDER} is missing"
    return ""


def _fault_of_program(text: str, package: str) -> str:
    try:
        tree = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        return f"not a Python program: {getattr(exc, 'msg', None) or exc}"
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if package in {name.partition(".")[0] for name in names}:
            return ""
    return f"does not import the package {package}"


def fill(prompt: str, letter: str) -> str:
    """The message to the model: the prompt with the letter, in double quotes, instead of each
    placeholder."""
    return prompt.replace(PLACEHOLDER, f'"{letter}"')


def _shown(character: str) -> str:
    return f"'{character}'" if character.isprintable() else "invisible"
