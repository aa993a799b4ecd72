"""The file by which the organizer's orders find their server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contest.errors import NotAContest, Surroundings
from contest.net import door


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("0.0.0.0:80", "http://127.0.0.1:80"),
        ("[::]:80", "http://[::1]:80"),
        ("192.0.2.7:80", "http://192.0.2.7:80"),
    ],
)
def test_it_is_there_as_long_as_the_server(tmp_path: Path, address: str, server: str) -> None:
    (tmp_path / door.FILE_NAME).write_text("left by one that was killed")
    with door.shown(tmp_path, address, "organizer-AAAA"):
        assert door.find(tmp_path) == door.Door(server, "organizer-AAAA")
        if os.name == "posix":
            assert (tmp_path / door.FILE_NAME).stat().st_mode & 0o777 == 0o600
    with pytest.raises(Surroundings, match="no server runs here"):
        door.find(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"server": "x"}', "\udcff"])
def test_what_is_no_such_file_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / door.FILE_NAME).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Surroundings, match="can't be read"):
        door.find(tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="no such folder"):
        door.find(tmp_path / "nowhere")
