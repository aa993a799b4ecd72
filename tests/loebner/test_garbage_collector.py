"""Tests that the garbage collector is restricted while a server serves keys, and restored
afterwards."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest

from loebner.serve import GC_THRESHOLDS, SWITCH_INTERVAL, ready_for_keys


class Ring:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.itself = self


def test_settings_of_python_are_changed_and_restored() -> None:
    before = gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()

    def fail() -> None:
        assert gc.get_threshold() == GC_THRESHOLDS
        assert gc.get_freeze_count() > before[1]
        assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL)
        gone = weakref.ref(Ring())
        gc.collect()
        assert gone() is None, "new garbage is still found"
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"), ready_for_keys():
        fail()
    assert (gc.get_threshold(), 0, sys.getswitchinterval()) == (before[0], 0, before[2])
