"""The collector of garbage, held back while a server has little garbage and much to keep.

What a contest holds in memory grows all day, key by key, and none of it goes in circles. Left to
itself the collector looks at all of it again and again, each time for longer, and nobody's key is
served meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: New objects before the youngest are looked at; rounds of that before the older ones are.
THRESHOLDS = (20_000, 20, 50)


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
