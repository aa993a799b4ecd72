"""Tests the code that all adapters share."""

from __future__ import annotations

import threading

import pytest

from bots.adapters.base import run_with_timeout


def test_run_with_timeout_returns_raises_and_gives_up() -> None:
    assert run_with_timeout(5.0, lambda: 3) == 3
    with pytest.raises(KeyError):
        run_with_timeout(5.0, lambda: {"y": 1}["x"])
    hanging = threading.Event()
    try:
        with pytest.raises(TimeoutError):
            run_with_timeout(0.01, lambda: hanging.wait(20))
    finally:
        hanging.set()
