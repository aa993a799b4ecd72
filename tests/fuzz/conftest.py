"""The attacked server, one for each file of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.besieged import Besieged, besieged


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    with besieged(tmp_path_factory.mktemp("besieged") / "contest") as made:
        yield made


@pytest.fixture(params=[30, pytest.param(1000, marks=pytest.mark.soak)], ids=["short", "long"])
def examples(request: pytest.FixtureRequest) -> int:
    """The number of attacks of each kind."""
    count: int = request.param
    return count
