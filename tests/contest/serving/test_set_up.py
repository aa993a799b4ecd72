"""Tests that all callers set up a contest by the same function, and use the same kind of link."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from tests.contest import linked

ROOT = Path(__file__).parents[3]
#: The modules and packages that run a contest.
PLAYERS = ("loebner/demo_play.py", "loebner/serve.py", "loebner/desk.py", "contest/rehearse")
#: Classes and functions that only `set_up` uses.
MADE = ("Conductor", "Overview", "Controls", "open_record", "Link")


@functools.cache
def callers(name: str) -> set[str]:
    """The modules of `contest` and `loebner` that call a function or make an object of a class."""
    call = re.compile(rf"(?<!class )\b{name}\(")
    return {
        file.relative_to(ROOT).as_posix()
        for package in ("contest", "loebner")
        for file in (ROOT / package).rglob("*.py")
        if call.search(file.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("player", PLAYERS)
def test_every_caller_uses_set_up(player: str) -> None:
    assert any(module.startswith(player) for module in callers("set_up"))


@pytest.mark.parametrize("name", MADE)
def test_server_is_built_in_one_place(name: str) -> None:
    assert callers(name) == {"contest/serving/set_up.py"}


def test_every_entry_uses_the_same_link() -> None:
    """In a separate process, by `loebner link`, in a rehearsal, and at the desk."""
    assert callers("LinkedDirectory") == {
        *("contest/links/process.py", "contest/links/link.py", "loebner/link.py")
    }


async def test_server_without_sockets_is_the_same(tmp_path: Path) -> None:
    place = tmp_path / "contest"
    folder.make(place, linked.remote(folder.template()))
    own = settings.load(place)
    async with set_up(place, own, schedule_of(own, place), sockets=None) as server:
        assert isinstance(server, Server)
        assert (server.address, server.codes) == ("", {})
        assert server.overview.status()["phase"] == "before"
        async with linked.entries(server) as entries:
            assert set(entries) == {entry.id for entry in own.entry} == set(server.links)
            assert all(link.here for link in server.links.values())
            assert not server.conductor.all_connected(), "no seat has a console"
