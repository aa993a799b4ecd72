"""The lines that the judge's side types, and comparisons of answers with them."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable

from lpp.names import NAMES

#: The first line of a talk, typed at a person's pace.
GREETING = "Hello, my name is Jim."
#: Nobody would say this unprompted, so an entry that says it is echoing.
PROBE = "Seven grey foxes carried that blue umbrella home."
#: All punctuation of the appendix, the blank and the tab.
SPELLING = "I'm \"o.k.\" - it's {a}[b](c)<d>, e/f\\g|h=i_j+k! l@m #1 $2 3% 4*5^6 ~7 `8 &9: x;\ty?"
#: A line that any program can answer, to check whether it still answers.
PLAIN = "Do you like music?"
#: 199 letters and blanks, no word twice, so that a lost key can be found.
BURST = (
    "one large brown horse drew two small carts past three old mills where four young girls sold "
    "five red apples each to six tired men from seven far towns near eight deep lakes below nine "
    "high snowy hill"
)
SLOW = "Why so"
#: A line whose answer takes a while to type, and the line typed during that time.
STORY = "Please tell me about your last summer."
MEANWHILE = "and what came then"
#: The line used as leftovers of an earlier talk.
LEFT_OVER = "old line"
#: 500 characters.
LONG = " ".join(f"and after {number} miles the road went on" for number in range(1, 20))[:500]

#: Key names of several letters that type no character.
UNKNOWN = ("Shift_L", "Caps_Lock", "XF86AudioMute")
#: A letter on judges' keyboards that is not in the appendix: sent as itself.
NON_ASCII = "é"

#: The least similarity of an answer to the line, in each of two lines, that counts as an echo.
#: Different sentences reach 0.4 to 0.56, an echo after "You said:" 0.9.
ECHO = 0.65


@functools.lru_cache(maxsize=512)  # called repeatedly with the same lines
def similarity(typed: str, answer: str) -> float:
    """The similarity of an answer to a line: 1 minus the edit distance (insertions and deletions)
    divided by the sum of both lengths. Case is ignored; key names inserted as words count as their
    characters, and doubled characters as one."""
    single = re.sub(r"(.)\1", r"\1", answer, flags=re.DOTALL)
    return max(_ratio(typed, read) for read in (answer, names_to_chars(answer), single))


def _ratio(one: str, other: str) -> float:
    a, b = one.casefold().strip(), other.casefold().strip()
    if not a or not b:
        return 0.0
    return 2 * _common(a, b)[-1] / (len(a) + len(b))


def _common(a: str, b: str) -> list[int]:
    """The length of the longest common subsequence of `a` with each prefix of `b`."""
    row = [0] * (len(b) + 1)
    for char in a:
        before = 0
        for index, against in enumerate(b, 1):
            above = row[index]
            row[index] = before + 1 if char == against else max(above, row[index - 1])
            before = above
    return row


def nearest_prefix(typed: str, answer: str) -> str:
    """The prefix of a line that is most similar to an unfinished echo."""
    row = _common(answer, typed)
    best = max(range(len(row)), key=lambda end: row[end] / (len(answer) + end + 1))
    return typed[:best]


_NAMES_LONGEST_FIRST = sorted((n for n in NAMES if n not in ("at", "bar")), key=len, reverse=True)
_NAME = re.compile(" ?(" + "|".join(_NAMES_LONGEST_FIRST) + ") ?", re.IGNORECASE)
_BY_LOWER = {name.lower(): char for name, char in NAMES.items()}


def names_to_chars(text: str) -> str:
    """A text in which key names that occur as words are replaced by their characters."""
    return _NAME.sub(lambda match: _BY_LOWER[match[1].lower()], text)


def contains_line(answer: str, typed: str, fold: bool) -> bool:
    """Whether an answer contains a line as it was typed.

    Arguments:
        answer: the whole answer.
        typed: the line.
        fold: whether to ignore case, for an entry that changes it everywhere.
    """
    if fold:
        return typed.casefold().strip() in answer.casefold()
    return typed.strip() in answer


def answering_part(typed: str, answer: str, earlier: Iterable[str]) -> str:
    """The part of an echo that answers a line, without preceding lines that answer earlier ones.

    Arguments:
        typed: the line.
        answer: everything that the entry typed after the line.
        earlier: earlier lines; an answer to one may have begun before `typed` was complete.

    Returns:
        The part; "" if the whole answer belongs to earlier lines.
    """
    lines = answer.strip().split("\n")
    for index, line in enumerate(lines):
        if similarity(typed, line) >= ECHO:
            return "\n".join(lines[index:])
    before = [line.casefold() for line in earlier]
    return "\n".join(
        line
        for index, line in enumerate(lines)
        if not any(similarity(old, line) >= ECHO for old in before)
        and not (index == 0 and any(old.endswith(line.strip().casefold()) for old in before))
    )


#: Keys at the end of an unfinished line that may be a slip not yet corrected.
UNCORRECTED = 3


def may_become(answer: str, typed: str, fold: bool, lead: int) -> bool:
    """Whether an unfinished answer can still become an echo.

    Arguments:
        answer: the answer so far.
        typed: the line.
        fold: whether to ignore case.
        lead: how many characters may precede the echo, such as `You said:`.
    """
    *whole, line = answer.lstrip().split("\n")
    if any(similarity(typed, ended) >= ECHO for ended in whole):
        # The echo is complete: what follows is another line.
        return False
    if fold:
        line, typed = line.casefold(), typed.casefold()
    typed = typed.strip()
    return any(
        typed.startswith(line[start:end])
        for end in range(max(0, len(line) - UNCORRECTED), len(line) + 1)
        for start in range(min(lead, end) + 1)
    )


def differences(typed: str, answer: str) -> list[tuple[str, str]]:
    """The differences between a line and an answer: pairs of typed text and what came instead."""
    matcher = difflib.SequenceMatcher(None, typed, answer, autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return [(typed[a:b], answer[c:d]) for _, a, b, c, d in changes]


def spelling_cause(typed: str, answer: str) -> str:
    """The likely cause of a line that came back changed, in words for an entrant."""
    for name, char in NAMES.items():
        if char in typed and re.search(re.escape(name), answer, re.IGNORECASE):
            found = re.search(re.escape(name), typed, re.IGNORECASE)
            if found is None and answer.count(char) < typed.count(char):
                shown = {" ": "a blank", "\t": "a tab", "'": "an apostrophe"}.get(char, f"'{char}'")
                return (
                    f"the key's name `{name}` was inserted as a word: your program should read "
                    f"it as {shown}, and send `{name}` when it types {shown} itself"
                )
    if _is_doubled(typed, answer):
        return "each key came twice: your program reads or sends every key press twice"
    lost = [gone for gone, instead in differences(typed, answer) if gone and not instead]
    if lost:
        shown = ", ".join(repr(part) for part in lost[:5])
        return f"{shown} did not come back: your program loses these keys when it reads or types"
    changed = [pair for pair in differences(typed, answer) if pair[0]]
    if changed:
        return f"{changed[0][0]!r} came back as {changed[0][1]!r}: compare the list in the appendix"
    extra = [instead for _, instead in differences(typed, answer)]
    return f"{extra[0]!r} was added to the line" if extra else ""


def _is_doubled(typed: str, answer: str) -> bool:
    return "".join(char * 2 for char in typed) in answer
