"""Tests real directories: which are suitable, and which entries can be removed.
Requirements for every Directory are in tests/contract."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lpp.directory import PATH_LIMIT, LocalDirectory
from lpp.errors import BadDirectory

NAME = "0000000000.a.other"


@pytest.fixture(params=["in memory", "on disk"])
def place(request: pytest.FixtureRequest, room: Path, tmp_path: Path) -> Path:
    return room if request.param == "in memory" else tmp_path


# Suitable directories


def _a_file(path: Path) -> Path:
    (path / "file").touch()
    return path / "file"


def _a_long_path(path: Path) -> Path:
    long = path / ("x" * PATH_LIMIT)
    long.mkdir()
    return long


def _a_link_to_nowhere(path: Path) -> Path:
    (path / "link").symlink_to(path / "nowhere")
    return path / "link"


def _a_link_to_itself(path: Path) -> Path:
    (path / "loop").symlink_to(path / "loop")
    return path / "loop"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path / "missing", "no such directory; create it first"),
        (_a_file, "not a directory"),
        (lambda path: _a_file(path) / "below", "no such directory"),
        (_a_long_path, f"more than {PATH_LIMIT}"),
        (_a_link_to_nowhere, "no such directory"),
        (_a_link_to_itself, "directory"),
        (lambda path: path / "nul\0", "no such directory"),
    ],
)
def test_unsuitable_directories_are_refused(
    tmp_path: Path, make: Callable[[Path], Path], said: str
) -> None:
    with pytest.raises(BadDirectory, match=said) as caught:
        LocalDirectory(make(tmp_path)).check()
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


# Removing entries


def _file(path: Path) -> str:
    path.write_text("not a directory")
    return "a plain file"


def _full(path: Path) -> str:
    (path / "in it" / "deeper").mkdir(parents=True)
    (path / "in it" / "file").write_text("text")
    return "a directory with something in it"


def _link(to: str) -> Callable[[Path], str]:
    def make(path: Path) -> str:
        path.symlink_to(path.parent / to)
        return "a symbolic link"

    return make


def _full_of_links(path: Path) -> str:
    path.mkdir()
    (path / "to directory").symlink_to(path.parent / "kept")
    (path / "to file").symlink_to(path.parent / "kept" / "file")
    return "a directory with something in it"


@pytest.mark.parametrize(
    "make",
    [_file, _full, _link("kept"), _link("kept/file"), _link("nowhere"), _full_of_links],
    ids=["file", "full", "link to directory", "link to file", "link to nowhere", "full of links"],
)
def test_remove_removes_entries_of_any_kind(place: Path, make: Callable[[Path], str]) -> None:
    (place / "kept").mkdir()
    (place / "kept" / "file").write_text("kept")
    directory = LocalDirectory(place)
    kind = make(place / NAME)
    assert not directory.remove_at_once(NAME)
    assert os.path.lexists(place / NAME)
    assert directory.remove(NAME) == kind
    assert os.listdir(place) == ["kept"]
    assert (place / "kept" / "file").read_text() == "kept"


@pytest.mark.parametrize("was", ["directory", "file"])
def test_a_name_is_not_gone_if_the_whole_directory_is_missing(
    place: Path, was: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = place / "room"
    room.mkdir()
    directory = LocalDirectory(room)
    if was == "directory":
        directory.make(NAME)
    else:
        (room / NAME).touch()
    away = place / "away"
    room.rename(away)
    with pytest.raises(FileNotFoundError, match="directory is missing"):
        directory.remove(NAME)
    assert not directory.remove_at_once(NAME)
    away.rename(room)
    directory.remove(NAME)
    assert directory.names() == []
