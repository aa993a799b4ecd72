"""Tests the options of `loebner link`, and its refusals."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from loebner import cli, link
from lpp.connection import Trust
from lpp.errors import UserError

CODE = "E1-7KQ2-M4XD-9TRA"
SERVER = "192.168.1.10:8765"


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, Path, float, list[str]]]:
    """The arguments with which the link would have been run."""
    calls: list[tuple[str, str, Path, float, list[str]]] = []

    async def run(
        url: str, code: str, trust: Trust, directory: Path, patience: float, words: list[str]
    ) -> None:
        assert trust == Trust()
        calls.append((url, code, directory, patience, words))

    monkeypatch.setattr(link, "_run", run)
    monkeypatch.delenv("LOEBNER_CODE", raising=False)
    return calls


def test_a_link_and_a_program(
    ran: list[tuple[str, str, Path, float, list[str]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["link", "--server", SERVER, "--dir", str(tmp_path)]
    assert cli.main([*words, "--code", CODE.lower()]) == 0
    monkeypatch.setenv("LOEBNER_CODE", CODE)
    program = ["loebner", "bot", "therapist", "--dir", "{dir}"]
    assert cli.main([*words, "--minutes-without-server", "30", "--", *program]) == 0
    url = f"ws://{SERVER}/link"
    bot = [sys.executable, "-m", "loebner", "bot", "therapist", "--dir", str(tmp_path)]
    assert ran == [(url, CODE, tmp_path, 600, []), (url, CODE, tmp_path, 1800, bot)]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--dir", "x", "--code", CODE], "--server"),
        (["--server", SERVER, "--code", CODE], "--dir"),
        (["--server", SERVER, "--dir", "x"], "give the code"),
        (["--server", SERVER, "--dir", "x", "--code", "E1"], "--code"),
        (["--server", SERVER, "--dir", "x", "--minutes-without-server", "0"], "--minutes"),
        (["--server", "http://", "--dir", "x", "--code", CODE], "not a server's address"),
        (["--server", SERVER, "--dir", "x", "--code", CODE, "--", "bot"], "needs {dir}"),
        (["--server", SERVER, "--dir", "x", "--code", CODE, "--code-file", "f"], "only one of"),
    ],
)
def test_unusable_options_are_refused(
    ran: list[tuple[str, str, Path, float, list[str]]],
    words: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["link", *words]) == 2
    assert complaint in capsys.readouterr().err
    assert ran == []


@pytest.mark.parametrize("end", [KeyboardInterrupt, asyncio.CancelledError])
def test_link_is_ended_by_a_person(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: type[BaseException]
) -> None:
    async def run(*_: object) -> None:
        raise end

    monkeypatch.setattr(link, "_run", run)
    assert cli.main(["link", "--server", SERVER, "--dir", str(tmp_path), "--code", CODE]) == 0


def test_a_missing_directory_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["link", "--server", SERVER, "--code", CODE, "--dir", str(tmp_path / "none")]
    assert cli.main(words) == 2
    assert "no such directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("server", "url"),
    [
        ("host:1", "ws://host:1/link"),
        ("https://host", "wss://host/link"),
        ("ws://host:1/contest/link", "ws://host:1/contest/link"),
    ],
)
def test_valid_addresses(server: str, url: str) -> None:
    assert link.link_url(server) == url


def test_invalid_addresses_are_refused() -> None:
    with pytest.raises(UserError, match="not a server's address"):
        link.link_url("host:99999")
