"""What the judge's side types, how near an answer comes to it, and where the two differ."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable

from lpp.names import NAMES

#: The first line of a talk, typed at a person's pace.
GREETING = "Hello, my name is Jim."
#: Nobody would say this by himself: who says it back, echoes.
PROBE = "Seven grey foxes carried that blue umbrella home."
#: All marks of the appendix but Return and BackSpace.
SPELLING = "I'm \"o.k.\" - it's {a}[b](c)<d>, e/f\\g|h=i_j+k! l@m #1 $2 3% 4*5^6 ~7 `8 &9: x;\ty?"
#: A line that any program can answer, to see whether it still does.
PLAIN = "Do you like music?"
#: 199 letters and blanks, no word twice, so that a lost key can be found.
BURST = (
    "one large brown horse drew two small carts past three old mills where four young girls sold "
    "five red apples each to six tired men from seven far towns near eight deep lakes below nine "
    "high snowy hill"
)
SLOW = "Why so"
#: A line whose answer takes a while to type, and what is typed on meanwhile.
STORY = "Please tell me about your last summer."
MEANWHILE = "and what came then"
#: What is there as an earlier talk's left-overs.
LEFT_OVER = "old line"
#: 500 characters.
LONG = " ".join(f"and after {number} miles the road went on" for number in range(1, 20))[:500]

#: Names of several letters that no keyboard's reader takes for a character.
UNKNOWN = ("Shift_L", "Caps_Lock", "XF86AudioMute")
#: A letter that judges' keyboards have, and the appendix has not: sent as itself.
BEYOND_ASCII = "é"

#: What an answer's nearness to the line must exceed in each of two lines, for an echo. Different
#: sentences come to 0.4 to 0.56, an echo behind "You said:" to 0.9.
ECHO = 0.65


@functools.lru_cache(maxsize=512)  # asked again and again of the same lines
def nearness(told: str, answer: str) -> float:
    """How near an answer comes to a line: 1 minus the edit distance (insertions and deletions)
    as a share of both lengths, letters' case aside; names inserted as words count as their
    characters, doubled ones as one."""
    single = re.sub(r"(.)\1", r"\1", answer, flags=re.DOTALL)
    return max(_similarity(told, read) for read in (answer, unspelt(answer), single))


def _similarity(one: str, other: str) -> float:
    a, b = one.casefold().strip(), other.casefold().strip()
    if not a or not b:
        return 0.0
    return 2 * _common(a, b)[-1] / (len(a) + len(b))


def _common(a: str, b: str) -> list[int]:
    """How many characters `a` has in common, in their order, with each beginning of `b`."""
    row = [0] * (len(b) + 1)
    for char in a:
        before = 0
        for index, against in enumerate(b, 1):
            above = row[index]
            row[index] = before + 1 if char == against else max(above, row[index - 1])
            before = above
    return row


def so_far(told: str, answer: str) -> str:
    """The beginning of a line that an unfinished echo is nearest to."""
    row = _common(answer, told)
    best = max(range(len(row)), key=lambda end: row[end] / (len(answer) + end + 1))
    return told[:best]


_NAMES_LONGEST_FIRST = sorted((n for n in NAMES if n not in ("at", "bar")), key=len, reverse=True)
_NAME = re.compile(" ?(" + "|".join(_NAMES_LONGEST_FIRST) + ") ?", re.IGNORECASE)
_BY_LOWER = {name.lower(): char for name, char in NAMES.items()}


def unspelt(text: str) -> str:
    """A text with key names that are in it as words replaced by their characters."""
    return _NAME.sub(lambda match: _BY_LOWER[match[1].lower()], text)


def holds(answer: str, told: str, fold: bool) -> bool:
    """Whether an answer holds a line as it was typed.

    Arguments:
        answer: all that was answered.
        told: the line.
        fold: whether letters' case is aside, for an entry that changes it everywhere.
    """
    if fold:
        return told.casefold().strip() in answer.casefold()
    return told.strip() in answer


def own_part(told: str, answer: str, earlier: Iterable[str]) -> str:
    """The part of an echo that answers a line, without lines before it that answer earlier ones.

    Arguments:
        told: the line.
        answer: all that came since it was told.
        earlier: what was told before; an answer to it may have begun before `told` was whole.

    Returns:
        The part; "" if all of it belongs to earlier lines.
    """
    lines = answer.strip().split("\n")
    for index, line in enumerate(lines):
        if nearness(told, line) >= ECHO:
            return "\n".join(lines[index:])
    before = [line.casefold() for line in earlier]
    return "\n".join(
        line
        for index, line in enumerate(lines)
        if not any(nearness(old, line) >= ECHO for old in before)
        and not (index == 0 and any(old.endswith(line.strip().casefold()) for old in before))
    )


#: Keys at the end of an unfinished line that may be a slip, not yet corrected.
UNMENDED = 3


def may_become(answer: str, told: str, fold: bool, lead: int) -> bool:
    """Whether an unfinished answer is, so far, the beginning of an echo.

    Arguments:
        answer: what has come.
        told: the line.
        fold: whether letters' case is aside.
        lead: how many characters may precede the echo, as `You said:` does.
    """
    *whole, line = answer.lstrip().split("\n")
    if any(nearness(told, ended) >= ECHO for ended in whole):
        # Its end has come: what follows is another line.
        return False
    if fold:
        line, told = line.casefold(), told.casefold()
    told = told.strip()
    return any(
        told.startswith(line[start:end])
        for end in range(max(0, len(line) - UNMENDED), len(line) + 1)
        for start in range(min(lead, end) + 1)
    )


def differences(told: str, answer: str) -> list[tuple[str, str]]:
    """Where an answer departs from a line: pairs of what was typed and what came instead."""
    matcher = difflib.SequenceMatcher(None, told, answer, autojunk=False)
    return [(told[a:b], answer[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def spelling_cause(told: str, answer: str) -> str:
    """The likely cause of a line that came back otherwise, in words for an entrant."""
    for name, char in NAMES.items():
        if char in told and re.search(re.escape(name), answer, re.IGNORECASE):
            found = re.search(re.escape(name), told, re.IGNORECASE)
            if found is None and answer.count(char) < told.count(char):
                shown = {" ": "a blank", "\t": "a tab", "'": "an apostrophe"}.get(char, f"'{char}'")
                return (
                    f"the key's name `{name}` was inserted as a word: your program should type "
                    f"{shown} for it, and send `{name}` when it types {shown} itself"
                )
    if _is_doubled(told, answer):
        return "each key came twice: your program reads, or sends, every key press two times"
    lost = [gone for gone, instead in differences(told, answer) if gone and not instead]
    if lost:
        shown = ", ".join(repr(part) for part in lost[:5])
        return f"{shown} did not come back: your program drops these keys when it reads or types"
    changed = [pair for pair in differences(told, answer) if pair[0]]
    if changed:
        return f"{changed[0][0]!r} came back as {changed[0][1]!r}: compare with the appendix's list"
    extra = [instead for _, instead in differences(told, answer)]
    return f"{extra[0]!r} was added within the line" if extra else ""


def _is_doubled(told: str, answer: str) -> bool:
    return "".join(char * 2 for char in told) in answer
