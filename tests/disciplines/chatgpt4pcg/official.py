"""The official data of ChatGPT4PCG, which are not part of the project."""

from dataclasses import replace
from pathlib import Path

import pytest

from disciplines.chatgpt4pcg.editions import Edition

DATA = Path(__file__).parents[4] / "shared" / "data" / "chatgpt4pcg"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the official data is not here")


def of(edition: Edition, letters: str, trials: int) -> Edition:
    """An edition with other letters, and another number of trials for each."""
    return replace(edition, letters=letters, trials=trials)
