"""Tests the server's addresses, and the file with the address for the organizer's orders."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import ifaddr
import pytest

from contest.errors import EnvironmentProblem, NotAContest
from contest.net import addresses


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("0.0.0.0:80", "http://127.0.0.1:80"),
        ("[::]:80", "http://[::1]:80"),
        ("192.0.2.7:80", "http://192.0.2.7:80"),
    ],
)
def test_control_file_exists_while_the_server_runs(
    tmp_path: Path, address: str, server: str
) -> None:
    (tmp_path / addresses.CONTROL_FILE).write_text("left by a killed server")
    with addresses.control_file(tmp_path, address, "organizer-AAAA"):
        assert addresses.find_control(tmp_path) == addresses.ControlAddress(
            server, "organizer-AAAA"
        )
        if os.name == "posix":
            assert (tmp_path / addresses.CONTROL_FILE).stat().st_mode & 0o777 == 0o600
    with pytest.raises(EnvironmentProblem, match="no server runs here"):
        addresses.find_control(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"server": "x"}', "\udcff"])
def test_unusable_control_file_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / addresses.CONTROL_FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(EnvironmentProblem, match="can't be read"):
        addresses.find_control(tmp_path)


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotAContest, match="no such folder"):
        addresses.find_control(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("0.0.0.0:8765", ["192.168.1.10:8765", "169.254.7.7:8765", "venue:8765"]),
        (
            "[::]:80",
            ["192.168.1.10:80", "169.254.7.7:80", "[fd00::1]:80", "venue:80"],
        ),
        ("10.0.0.2:8765", ["10.0.0.2:8765"]),
        ("[::1]:8765", ["[::1]:8765"]),
    ],
)
def test_addresses_for_other_machines(
    address: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ips = ["127.0.0.1", "169.254.7.7", ("fe80::1", 0, 2), ("fd00::1", 0, 0), "192.168.1.10"]
    adapter = SimpleNamespace(ips=[SimpleNamespace(ip=ip) for ip in ips])
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: [adapter])
    assert addresses.reachable_addresses(address, addresses.machine_addresses(), "venue") == found
