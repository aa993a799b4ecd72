"""The official data of ChatGPT4PCG, which are not part of the project."""

from pathlib import Path

import pytest

DATA = Path(__file__).parents[4] / "shared" / "data" / "chatgpt4pcg"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the official data is not here")
