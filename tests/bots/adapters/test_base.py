"""Tests the code that all adapters share."""

from __future__ import annotations

import threading

import pytest

from bots.adapters.base import within


def test_within_returns_raises_and_gives_up() -> None:
    assert within(5.0, lambda: 3) == 3
    with pytest.raises(KeyError):
        within(5.0, lambda: {"y": 1}["x"])
    hanging = threading.Event()
    try:
        with pytest.raises(TimeoutError):
            within(0.01, lambda: hanging.wait(20))
    finally:
        hanging.set()
