"""Tests that all callers set up a contest by the same function, and use the same kind of link."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from contest.links import process
from contest.links.directory import LinkedDirectory
from contest.links.link import Link
from contest.serving.server import Server
from contest.serving.set_up import set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from tests.contest import linked

ROOT = Path(__file__).parents[3]
#: The modules and packages that run a contest.
PLAYERS = ("loebner/demo_play.py", "loebner/serve.py", "loebner/desk.py", "contest/rehearse")
#: Classes and functions that are called in one place only: name to the module under `contest/` or
#: `loebner/`.
MADE = {
    "Conductor": "contest/serving/set_up.py",
    "Overview": "contest/serving/set_up.py",
    "Controls": "contest/serving/set_up.py",
    "Server": "contest/serving/set_up.py",
    "open_record": "contest/serving/set_up.py",
    Link.__name__: "contest/serving/set_up.py",
}


def calls(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.asname: alias.name for node in imported for alias in node.names if alias.asname}
    found = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return {names.get(name, name) for name in found}


@pytest.mark.parametrize("player", PLAYERS)
def test_every_caller_uses_set_up(player: str) -> None:
    where = ROOT / player
    files = [where] if where.is_file() else [*where.glob("*.py")]
    assert any("set_up" in calls(file) for file in files)


def test_server_is_built_in_one_place() -> None:
    for package in ("contest", "loebner"):
        for file in (ROOT / package).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            for call in calls(file) & MADE.keys():
                if call == "Server" and name.startswith("contest/rehearse/"):
                    continue  # another class of this name
                assert name == MADE[call], (name, call)


def test_every_entry_uses_the_same_link() -> None:
    """In a separate process, by `loebner link`, in a rehearsal, and at the desk."""
    users = {
        file.relative_to(ROOT).as_posix()
        for package in ("contest", "loebner")
        for file in (ROOT / package).rglob("*.py")
        if LinkedDirectory.__name__ in calls(file)
    }
    assert users >= {"contest/links/process.py", "contest/links/link.py", "loebner/link.py"}
    assert process.LinkedDirectory is LinkedDirectory  # type: ignore[attr-defined]


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
