"""Tests the host names under which a server can be used, and which pages may send it data: DNS
rebinding gives no access to any page or socket."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from contest.net.web import Hosts
from contest.serving.server import Server
from tests.contest.organizer.board_server import staged

MACHINE = socket.gethostname()


@pytest.mark.parametrize(
    ("host", "local", "known"),
    [
        ("localhost:8765", "127.0.0.1", True),
        (MACHINE.upper(), "10.0.0.9", True),
        (f"{MACHINE.partition('.')[0]}.local:8765", "10.0.0.9", True),
        ("10.0.0.9:8765", "10.0.0.9", True),
        ("10.0.0.9", "::ffff:10.0.0.9", True),
        ("[fd00::1]:8765", "fd00:0::1", True),
        ("[fe80::1]:8765", "fe80::1%eth0", True),
        ("10.0.0.8", "10.0.0.9", False),
        ("contest.example:8765", "10.0.0.9", True),
        ("CONTEST.example.", "10.0.0.9", True),
        ("a.contest.example", "10.0.0.9", False),
        ("one.star.example", "10.0.0.9", True),
        ("one.two.star.example", "10.0.0.9", False),
        ("star.example", "10.0.0.9", False),
        ("[fd00::2]:1", "10.0.0.9", True),
        ("evil.example", "10.0.0.9", False),
        ("evil.example", "", False),
        ("", "", False),
        ("[", "10.0.0.9", False),
        ("localhost.evil.example", "127.0.0.1", False),
    ],
)
def test_known_host_names(host: str, local: str, known: bool) -> None:
    hosts = Hosts(["Contest.example", "*.star.example", "fd00::2"])
    assert hosts.knows(host, local) is known


@pytest.mark.parametrize(
    ("origin", "trusted"),
    [
        ("http://localhost:8765", True),
        ("http://localhost", False),
        ("http://localhost:3000", False),
        ("https://contest.example", True),
        ("https://contest.example:8443", False),
        ("http://[fd00::2]", True),
        ("null", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_trusted_origins(origin: str, trusted: bool) -> None:
    hosts = Hosts(["contest.example", "fd00::2"])
    assert hosts.trusts(origin, "localhost:8765") is trusted


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Server]:
    async with staged(tmp_path / "contest") as made:
        yield made


async def test_rebound_name_is_refused_on_every_page_and_socket(stage: Server) -> None:
    """`Host` and `Origin` agree, as in a browser after DNS rebinding."""
    port = stage.address.rpartition(":")[2]
    strange = f"rebound.example:{port}"
    headers = {"Host": strange, "Origin": f"http://{strange}"}
    async with httpx.AsyncClient(
        verify=False, base_url=f"http://{stage.address}", headers=headers
    ) as browser:
        for page in ("/", "/watch", "/board", "/board/login", "/archive/", "/static/style.css"):
            answer = await browser.get(page)
            assert answer.status_code == 403
            assert strange in answer.json()["error"]
            assert "names in [server] of contest.toml" in answer.json()["error"]
        for page in ("/board/login", "/control", "/board/order"):
            assert (await browser.post(page)).status_code == 403
    for path in ("/sit/seat", "/seat", "/link", "/board/live", "/watch/live"):
        for said, reached in ((strange, strange), (strange, stage.address)):
            with pytest.raises(InvalidStatus) as refused:
                await socket_at(stage.address, path, reached, f"http://{said}")
            assert refused.value.response.status_code == 403
            assert strange in refused.value.response.body.decode()
    # Consoles and links send no origin, so they may use any host name.
    await socket_at(stage.address, "/seat", strange, None)
    await socket_at(stage.address, "/sit/seat", stage.address, f"http://{stage.address}")


async def socket_at(address: str, path: str, host: str, origin: str | None) -> None:
    """Opens a socket like a browser in which `host` is the server's name."""
    ip, _, port = address.rpartition(":")
    more = {} if origin is None else {"Origin": origin}
    url = f"ws://{host}{path}"
    async with connect(url, host=ip, port=int(port), proxy=None, additional_headers=more):
        pass
