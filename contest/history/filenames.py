"""Names of files about talks: made of rounds, attempts and ids, and of nothing that a person or a
program has typed or is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from contest.history.views import TalkView

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
#: Of an id in a file's name: whole paths have to stay under 260 characters on Windows.
_ID_LENGTH = 32


def file_name(talk: TalkView, end: str) -> str:
    """The name of a file about a talk, without its ending.

    Arguments:
        talk: which; its round, attempt and judge stand in the name.
        end: what tells it from others of the same desk, such as its side.
    """
    ids = "-".join(_UNSAFE.sub("_", part)[:_ID_LENGTH] for part in (talk.judge, end))
    return f"round{talk.round}-attempt{talk.attempt}-{ids}"


def own_names(names: Iterable[str]) -> Iterator[str]:
    """The same names, each used once, also where capitals do not count."""
    taken: set[str] = set()
    for name in names:
        own, count = name, 1
        while own.casefold() in taken:
            count += 1
            stem, dot, ending = name.rpartition(".")
            own = f"{stem}-{count}{dot}{ending}"
        taken.add(own.casefold())
        yield own
