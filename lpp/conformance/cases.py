"""The table of cases: what an entry must, should, or may do, and the sentence that says so.

Sentences are those of section 2, 3 or the appendix of the rules of the Loebner Prize 2010.
"""

from __future__ import annotations

from typing import NamedTuple

from lpp.conformance.outcome import Level
from lpp.errors import YoursToFix

_SEQUENCE = (
    "Where sequence_number is unique and monotonically increasing both lexically and numerically."
)
_DETECT = (
    "To detect a key press by the judge, the program must detect, within the communications "
    "directory a sub-directory with the same format, but extension “.judge” and then must remove "
    "or delete the judge’s sub-directory from the communications directory."
)
_ASYNCHRONOUS = "The LPP is a character by character asynchronous communications protocol."
_WAIT = "The both human and entry program must wait until the judge starts the interaction."


class Case(NamedTuple):
    """One case.

    Attributes:
        id: its identifier, a contract.
        level: how binding it is.
        rule: the rules' sentence.
        expected: what is expected, in words.
        acts: the scripts that it is judged by (`lpp.conformance.acts`).
    """

    id: str
    level: Level
    rule: str
    expected: str
    acts: tuple[str, ...]


MUST, SHOULD, INFO = Level.MUST, Level.SHOULD, Level.INFO
_TALK = ("greet",)

CASES: tuple[Case, ...] = (
    Case("2.A.a/unique", MUST, _SEQUENCE, "each number is used once", _TALK),
    Case("2.A.a/lexical", MUST, _SEQUENCE, "numbers grow as text, so that names sort", _TALK),
    Case("2.A.a/numeric", MUST, _SEQUENCE, "numbers grow", _TALK),
    Case(
        "2.A.a/width",
        SHOULD,
        "There are no restrictions on the sequence numbers except that they be monotonically "
        "increasing lexically and numerically.",
        "numbers are digits only, and all of one width",
        _TALK,
    ),
    Case(
        "2.A.b/name",
        MUST,
        "“keypress-name” is either a single letter (case sensitive) or the name of the special "
        "character, as appended to these rules.",
        "each key name is a single letter or digit, or a name of the appendix",
        ("greet", "spelling"),
    ),
    Case(
        "2.A.c/extension",
        MUST,
        "The extension is “.other”",
        "each name that the entry makes ends in .other, in small letters",
        _TALK,
    ),
    Case(
        "2.A.d/directory",
        MUST,
        "To simulate a key press the entry program must create a sub-directory within the "
        "communications directory",
        "each key press is an empty directory",
        _TALK,
    ),
    Case(
        "2.A.e/spelling",
        MUST,
        "Names for special characters in LPP.",
        "an entry that echoes gives a phrase with all the marks of the appendix back as typed",
        ("greet", "probe", "spelling"),
    ),
    Case(
        "2.B/removes",
        MUST,
        _DETECT,
        "each .judge directory is removed whose key is in the appendix, a letter or a digit",
        _TALK,
    ),
    Case(
        "2.B/unknown",
        INFO,
        _DETECT,
        "told, not judged: what is done with other key names, one at a time; they type nothing",
        ("greet", "alone"),
    ),
    Case(
        "2.B/while-typing",
        SHOULD,
        _ASYNCHRONOUS,
        "19 of 20 .judge directories that come at 10 a second while it types its answer are "
        "removed within a second",
        ("greet", "while-typing"),
    ),
    Case(
        "2.B/prompt",
        SHOULD,
        "that is as quickly as the operating system and program permit.",
        "19 of 20 .judge directories are removed within a second, when typed at up to 16 a second",
        # The first line says nothing of one who reads late, or was loading: a second has to come.
        ("greet", "silence"),
    ),
    Case(
        "2.B/only",
        MUST,
        _DETECT,
        "nothing but .judge directories is removed",
        ("greet", "waits-beside", "beside"),
    ),
    Case(
        "2.B/keys",
        MUST,
        _DETECT,
        "all 36 names, letters, digits and unknown names are survived and the talk goes on; an "
        "unknown name of several letters leaves the line unchanged",
        ("greet", "probe", "unknown", "keys"),
    ),
    Case(
        "2.B/backspace",
        SHOULD,
        'BackSpace "BackSpace"',
        "an entry that echoes answers the corrected line",
        ("greet", "probe", "backspace"),
    ),
    Case(
        "2.B/burst",
        SHOULD,
        _ASYNCHRONOUS,
        "200 keys at once are all read, and answered",
        ("greet", "probe", "burst"),
    ),
    Case(
        "2.B/slow",
        SHOULD,
        "Sequence numbers themselves do not indicate more than the sequence of characters, not "
        "the inter-character timing.",
        "a line typed at one key a second is read as one line, and answered",
        ("greet", "probe", "slow"),
    ),
    Case(
        "2/browse",
        MUST,
        "Each program, upon startup, must provide a “browse” function to select a directory.",
        "the program offers a browse function when it starts",
        (),
    ),
    Case(
        "3/waits",
        MUST,
        _WAIT,
        "nothing is typed before the judge's first key, in an empty directory and beside old "
        ".other directories",
        ("waits-empty", "waits-beside"),
    ),
    Case(
        "3/leftovers",
        INFO,
        _WAIT,
        "told, not judged: what is done with .judge directories left from an earlier talk",
        ("greet", "leftovers"),
    ),
    Case(
        "3/answers",
        MUST,
        "Entries will be expected to respond to the judges' initial comment or question.",
        "an answer to the first line begins within 30 seconds",
        _TALK,
    ),
    Case(
        "3/lives",
        SHOULD,
        "Judges will continue interacting with the entities for 25 minutes.",
        "lines are still answered after a silence, after empty lines, after a line of 500 "
        "characters",
        ("greet", "silence", "empties", "long"),
    ),
    Case(
        "3/restart",
        SHOULD,
        _SEQUENCE,
        "after a restart in the same directory, emptied or not, numbers go on above all those "
        "issued there before",
        ("greet", "restart"),
    ),
    Case(
        "3/rhythm",
        INFO,
        "Entrants may wish to incorporate a time delay between creating subdirectories (ie "
        "indicating key presses) to mimic typing.",
        "told, not judged: rate, variation and share of BackSpace of the typing",
        _TALK,
    ),
)


class UnknownCase(YoursToFix):
    """An identifier that no case has."""


def choose(wanted: tuple[str, ...]) -> tuple[Case, ...]:
    """Cases by identifiers or their beginnings, in the table's order.

    Arguments:
        wanted: such as `2.B/burst`, or `2.A` for all of that part; none means all cases.

    Raises:
        UnknownCase: if one of them fits no case.
    """
    for text in wanted:
        if not any(_fits(case, text) for case in CASES):
            raise UnknownCase(f"there is no case {text!r}; `check-bot --list` shows them all")
    return tuple(c for c in CASES if not wanted or any(_fits(c, text) for text in wanted))


def _fits(case: Case, text: str) -> bool:
    # A beginning ends where a part ends: `2.A` is `2.A.a/unique`, but `2.A.a/u` is nothing.
    begins = text != "" and case.id.startswith(text) and case.id[len(text) :][:1] in ("", ".", "/")
    return begins or (text.endswith("/") and case.id.startswith(text))
