"""The keys that two partners type in the console's benchmark, for sender and checker alike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lpp.names import BACKSPACE, RETURN, name_of

#: Keys that each partner presses per second.
RATE = 1000
#: Keys from one Return to the next, and from one correction to the next.
_LINE, _CORRECTION = 61, 17
_TEXT = "Nothing in the world is quite as curious as a conversation that goes on, they say; is it? "


def keys(count: int) -> list[str]:
    """A partner's first `count` key names: words, with Returns and corrections."""

    def endless() -> Iterator[str]:
        number = 0
        while True:
            number += 1
            if number % _LINE == 0:
                yield RETURN
            elif number % _CORRECTION == 0:
                yield from ("x", BACKSPACE)
            else:
                yield name_of(_TEXT[number % len(_TEXT)])

    return list(islice(endless(), count))
