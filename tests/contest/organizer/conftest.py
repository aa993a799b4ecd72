"""A fixture for the tests of the board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contest import worker


@pytest.fixture
def work_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans and exports in this process, because a new one takes a second to start.
    test_replan.py and tests/end_to_end/test_board.py use real processes."""

    async def here(work: Callable[..., Any], longest: float, late: str, *given: Any) -> Any:
        return work(*given)

    monkeypatch.setattr(worker, "call", here)
