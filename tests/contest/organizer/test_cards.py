"""The sheet of codes: where the consoles find the server."""

from __future__ import annotations

from types import SimpleNamespace

import ifaddr
import pytest

from contest.organizer.cards import addresses


def adapter(*ips: object) -> SimpleNamespace:
    return SimpleNamespace(ips=[SimpleNamespace(ip=ip) for ip in ips])


@pytest.fixture(autouse=True)
def _network(monkeypatch: pytest.MonkeyPatch) -> None:
    adapters = [
        adapter("127.0.0.1"),
        adapter("192.168.1.10", ("fe80::1", 0, 2)),
        adapter("10.0.0.2"),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ("127.0.0.1:8765", ["192.168.1.10:8765", "10.0.0.2:8765", "127.0.0.1:8765"]),
        ("localhost:8765", ["192.168.1.10:8765", "10.0.0.2:8765", "localhost:8765"]),
        ("[::1]:8765", ["192.168.1.10:8765", "10.0.0.2:8765", "[::1]:8765"]),
        (
            "wss://localhost:443",
            ["wss://192.168.1.10:443", "wss://10.0.0.2:443", "wss://localhost:443"],
        ),
        ("localhost", ["192.168.1.10", "10.0.0.2", "localhost"]),
        ("10.0.0.2:8765", ["10.0.0.2:8765"]),
        ("wss://contest.example:443", ["wss://contest.example:443"]),
        ("", [""]),
    ],
)
def test_addresses_that_others_reach_come_first(own: str, found: list[str]) -> None:
    assert addresses(own) == found
