"""Tests the table of bots."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bots.bot import Bot
from bots.registry import BOTS, UnknownBot, find


@pytest.mark.parametrize("name", BOTS)
def test_the_table_matches_the_classes(name: str) -> None:
    found = find(name)
    assert issubclass(found, Bot)
    assert found.name == name
    assert found.summary == BOTS[name].summary
    assert found.__doc__


def test_an_unknown_bot_is_refused_by_name() -> None:
    with pytest.raises(UnknownBot, match=r"there is no bot 'hal'.*therapist") as caught:
        find("hal")
    assert caught.value.exit_code == 2


def test_bots_are_imported_only_when_used() -> None:
    code = (
        "import sys, bots.registry, bots.entry, bots.browse\n"
        "heavy = {'aiml', 'rapidfuzz', 'PySide6', 'tkinter', 'bots.screening', 'bots.therapist'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
