"""How Python is set while it serves keys: what else it does must not make them wait.

What a contest holds in memory grows all day, key by key, and none of it goes in circles. Left to
itself the collector of garbage looks at all of it again and again, each time for longer (half a
second at a million keys), and nobody's key is served meanwhile. And a thread that makes a page
gives way only after a while, again and again on the way of each key.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: New objects before the youngest are looked at; rounds of that before the older ones are. Up to
#: 100,000 objects are looked at together, which takes some milliseconds.
THRESHOLDS = (20_000, 5, 200)
#: Seconds after which a thread that computes gives way to another that waits; Python's own are ten
#: times as many.
TURN = 0.0005


@contextmanager
def short_turns() -> Iterator[None]:
    """Has threads take short turns while the context is open."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def seldom() -> Iterator[None]:
    """Has the collector look seldom while the context is open, and never at what is there now."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
