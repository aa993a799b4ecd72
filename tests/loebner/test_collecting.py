"""The collector is held back for a while, and is as it was afterwards."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest

from loebner.collecting import THRESHOLDS, TURN, seldom, short_turns


class Ring:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_there_is_not_looked_at_and_all_is_as_before_afterwards() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()

    def fail() -> None:
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > frozen
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"), seldom():
        fail()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_new_garbage_is_still_found() -> None:
    with seldom():
        gone = weakref.ref(Ring())
        gc.collect()
        assert gone() is None


def test_threads_take_short_turns_only_while_it_serves() -> None:
    before = sys.getswitchinterval()
    with short_turns():
        assert sys.getswitchinterval() == pytest.approx(TURN)
    assert sys.getswitchinterval() == before
