"""Tests the discovery of servers on the local network: reading announcements, and receiving real
ones, on the loopback interface only."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
import zeroconf
from zeroconf import ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from contest.net.announce import announce_server
from judge_console import discovery
from judge_console.discovery import SERVICE, Discovery, server_of
from judge_console.model.joining import FoundServer

LOOPBACK = "127.0.0.1"
#: Longest wait for an announcement, in seconds, even on a busy machine.
PATIENCE = 20.0

SAID = {"contest": "A contest", "version": "1", "path": "/seat"}
OURS = [ipaddress.ip_interface("192.168.1.20/24"), ipaddress.ip_interface("fd00::20/64")]


HERE = "192.168.1.10:8765"


def server(*addresses: str, port: int | None = 8765, **said: str | None) -> FoundServer | None:
    return server_of([ipaddress.ip_address(one) for one in addresses], port, {**SAID, **said}, OURS)


# Reading announcements


def test_announcements_are_read() -> None:
    assert server("192.168.1.10") == FoundServer("192.168.1.10:8765", "A contest")
    assert server("fd00::10") == FoundServer("[fd00::10]:8765", "A contest")
    assert server("192.168.1.10", path="/b/seat") == FoundServer(
        "192.168.1.10:8765/b/seat", "A contest"
    )


@pytest.mark.parametrize(
    ("addresses", "best"),
    [
        (["10.8.0.1", "192.168.1.10", "172.17.0.1"], "192.168.1.10"),
        (["192.168.1.20", "192.168.1.10"], "192.168.1.10"),
        (["10.8.0.1", "192.168.1.20"], "192.168.1.20"),  # this machine
        (["fd00::10", "192.168.1.10"], "192.168.1.10"),
        (["10.8.0.1", "fd00::10"], "[fd00::10]"),
        (["169.254.3.4", "10.8.0.1"], "10.8.0.1"),
        (["fe80::1", "10.8.0.1"], "10.8.0.1"),
        (["169.254.3.4"], "169.254.3.4"),
    ],
)
def test_the_nearest_address_is_chosen(addresses: list[str], best: str) -> None:
    for order in (addresses, addresses[::-1]):
        found = server(*order)
        assert found is not None
        assert found.address == f"{best}:8765"


def test_unreachable_announcements_are_ignored() -> None:
    assert server() is None
    assert server("192.168.1.10", port=None) is None
    assert server("192.168.1.10", port=0) is None
    assert server("fe80::1") is None  # without the name of the link
    for path in ("seat", "/a b", "/a\n", "@evil.example/", "/\u202eabc", "/\ud800"):
        assert server("192.168.1.10", path=path) is None, path


# Over the loopback interface


class FoundServers:
    """The servers that a discovery has reported, in the test's loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._told: asyncio.Queue[tuple[FoundServer, ...]] = asyncio.Queue()

    def __call__(self, found: tuple[FoundServer, ...]) -> None:
        self._loop.call_soon_threadsafe(self._told.put_nowait, found)

    async def until(self, *there: FoundServer, gone: str = "") -> None:
        """Waits until these servers were found and one has gone. Other tests may announce others
        meanwhile."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await self._told.get()
                if set(there) <= set(found) and gone not in {one.address for one in found}:
                    return


def announcement(name: str, port: int, **said: str) -> ServiceInfo:
    return ServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        addresses=[socket.inet_aton(LOOPBACK)],
        port=port,
        properties={**SAID, **said},
        server=f"test-{port}.local.",
    )


@pytest.fixture
async def announcer() -> AsyncIterator[AsyncZeroconf]:
    """Announces servers on the loopback interface; skips the test if that is impossible."""
    try:
        network = AsyncZeroconf(interfaces=[LOOPBACK])
    except OSError as exc:
        pytest.skip(f"no multicast over the loopback interface here: {exc}")
    yield network
    await network.async_close()


async def announce(network: AsyncZeroconf, info: ServiceInfo) -> None:
    # The name is unique on the loopback interface, so there is no need to ask three times.
    await (await network.async_register_service(info, cooperating_responders=True))


async def test_servers_are_found_and_removed_again(announcer: AsyncZeroconf) -> None:
    heard = FoundServers()
    finder = Discovery(heard, [LOOPBACK])
    finder.start()
    try:
        info = announcement("One", 8765, contest="Pr\u00fcfung \u201ceins\u201d")
        try:
            await announce(announcer, info)
        except OSError as exc:
            pytest.skip(f"no multicast over the loopback interface here: {exc}")
        one = FoundServer("127.0.0.1:8765", "Pr\u00fcfung \u201ceins\u201d")
        two = FoundServer("127.0.0.1:8766", "A contest")
        await heard.until(one)
        await announce(announcer, announcement("Two", 8766))
        await heard.until(one, two)
        await (await announcer.async_unregister_service(info))
        await heard.until(two, gone=one.address)
    finally:
        await asyncio.to_thread(finder.stop)


@pytest.mark.parametrize("tls", [False, True])
async def test_the_announcement_of_our_server_is_understood(
    announcer: AsyncZeroconf, tls: bool
) -> None:
    """The two packages share only the announcement; this test uses both."""
    heard = FoundServers()
    finder = Discovery(heard, [LOOPBACK])
    finder.start()
    try:
        place, name = f"127.0.0.1:{8767 + tls}", f"Our <b>contest</b> {tls}."
        address = f"{'wss://' * tls}{place}"
        async with announce_server(place, name, tls=tls, interfaces=[LOOPBACK]):
            await heard.until(FoundServer(address, name))
        await heard.until(gone=address)  # it said goodbye
    finally:
        await asyncio.to_thread(finder.stop)


@pytest.mark.parametrize(
    "trouble", [OSError(101, "Network is unreachable"), zeroconf.NotRunningException()]
)
def test_a_network_that_cannot_be_searched_does_no_harm(
    trouble: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(**_: Any) -> None:
        raise trouble

    monkeypatch.setattr(discovery, "Zeroconf", refuse)
    told: list[tuple[FoundServer, ...]] = []
    finder = Discovery(told.append)
    with caplog.at_level("INFO", logger="judge_console.discovery"):
        finder.start()
        finder._thread.join(PATIENCE)
    finder.stop()
    assert told == []
    assert caplog.text
