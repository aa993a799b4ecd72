"""Tests the announcement on the local network, over the loopback interface."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from zeroconf import ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from contest.net import announce
from contest.net.announce import SERVICE, announce_server
from lpp import wire
from tests.conftest import Until

LOOPBACK = "127.0.0.1"
#: A multicast group for tests, in the block that is never routed beyond a site.
GROUP = "239.255.77.77"


def multicast_over_loopback() -> bool:
    """Whether a datagram to a multicast group arrives over the loopback interface."""
    try:
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hears,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as says,
        ):
            hears.bind(("", 0))
            member = struct.pack("4s4s", socket.inet_aton(GROUP), socket.inet_aton(LOOPBACK))
            hears.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
            hears.settimeout(1.0)
            says.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(LOOPBACK))
            says.sendto(b"here", (GROUP, hears.getsockname()[1]))
            return hears.recv(16) == b"here"
    except OSError:
        return False


multicast = pytest.mark.skipif(
    not multicast_over_loopback(), reason="no multicast over the loopback interface here"
)


class ServiceListener:
    """Listens for services that appear and disappear."""

    def __init__(self, zeroconf: AsyncZeroconf) -> None:
        self.zeroconf = zeroconf
        self.present: set[str] = set()
        self.gone: set[str] = set()
        self.browser = AsyncServiceBrowser(
            zeroconf.zeroconf, SERVICE, handlers=[self._state_changed]
        )

    def _state_changed(
        self,
        zeroconf: Zeroconf,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        if state_change is ServiceStateChange.Removed:
            self.gone.add(name)
        else:
            self.present.add(name)

    async def info(self, name: str) -> AsyncServiceInfo:
        info = AsyncServiceInfo(SERVICE, name)
        assert await info.async_request(self.zeroconf.zeroconf, 5000)
        return info


@asynccontextmanager
async def listening() -> AsyncIterator[ServiceListener]:
    zeroconf = AsyncZeroconf(interfaces=[LOOPBACK])
    listener = ServiceListener(zeroconf)
    try:
        yield listener
    finally:
        await listener.browser.async_cancel()
        await zeroconf.async_close()


@multicast
async def test_announced_server_is_found_and_its_withdrawal_noticed(until: Until) -> None:
    async with listening() as listener:
        async with announce_server("127.0.0.1:8765", "Loebner Prize 2010", interfaces=[LOOPBACK]):
            name = f"Loebner Prize 2010.{SERVICE}"
            await until(lambda: name in listener.present)
            info = await listener.info(name)
            assert (info.port, info.parsed_addresses()) == (8765, [LOOPBACK])
            assert info.decoded_properties == {
                "contest": "Loebner Prize 2010",
                "version": str(wire.VERSION),
                "path": "/seat",
            }
        await until(lambda: name in listener.gone)


@pytest.mark.parametrize(
    ("contest", "label"), [("a.b", "a b"), ("ž" * 300, "ž" * 24), (".\n.", "Contest")]
)
def test_any_contest_name_becomes_a_label(contest: str, label: str) -> None:
    assert announce._label(contest) == label


async def test_server_on_loopback_is_not_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(announce, "AsyncZeroconf", None)
    for address in ("127.0.0.1:8765", "[::1]:8765"):
        before = asyncio.all_tasks()
        async with announce_server(address, "Prize"):
            assert asyncio.all_tasks() == before


async def test_network_errors_are_logged_and_do_no_harm(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, until: Until
) -> None:
    def refuses(**_: object) -> None:
        raise OSError("no such device")

    monkeypatch.setattr(announce, "AsyncZeroconf", refuses)
    with caplog.at_level(logging.WARNING):
        async with announce_server("192.0.2.1:8765", "Prize"):
            await until(lambda: caplog.records)
    assert "not announced" in caplog.text
    assert "no such device" in caplog.text
