"""Announces the server on the local network, so that consoles find it by themselves (DNS-SD over
multicast DNS, by the zeroconf library).

A help and no more: what goes wrong here is logged, and hinders no contest.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import ifaddr
from zeroconf import InterfaceChoice, IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from lpp import wire

log = logging.getLogger(__name__)

#: The type of service that consoles look for.
SERVICE = "_loebner._tcp.local."
#: Where seats are at the server; the TXT record says so.
PATH = "/seat"

#: Bytes of a contest's name in the service's name, of at most 63, and in the TXT record.
_LABEL, _TXT = 48, 200


@asynccontextmanager
async def announced(
    address: str,
    contest: str,
    *,
    tls: bool = False,
    interfaces: Sequence[str] | None = None,
) -> AsyncIterator[str]:
    """Announces a server while the context is open; a goodbye is said at its end.

    The TXT record has `contest` (its name), `version` (of the wire) and `path`, and `tls` with the
    value 1 where TLS is spoken. Announcing goes on in the background: nobody waits for it.

    Arguments:
        address: where the server listens, as `HOST:PORT` with the address it is bound to. One that
            only this machine can reach is not announced.
        contest: its name.
        tls: whether it speaks TLS.
        interfaces: addresses of the interfaces to announce on, also of a server on loopback; left
            out: those where the server can be reached.

    Returns:
        The machine's name in the announcement; empty if nothing is announced.
    """
    host, _, port = address.rpartition(":")
    bound = ipaddress.ip_address(host.strip("[]"))
    if bound.is_loopback and interfaces is None:
        yield ""
        return
    name = f"loebner-{secrets.token_hex(4)}.local"
    holding = asyncio.create_task(
        _hold(bound, int(port), contest, tls, name, interfaces),
        name="announcement on the local network",
    )
    try:
        yield name
    finally:
        holding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await holding


async def _hold(
    bound: ipaddress.IPv4Address | ipaddress.IPv6Address,
    port: int,
    contest: str,
    tls: bool,
    name: str,
    interfaces: Sequence[str] | None,
) -> None:
    try:
        await _announce(bound, port, contest, tls, name, interfaces)
    except Exception:
        # Whatever it is: without the announcement the address is typed in.
        log.warning("the server is not announced on the local network", exc_info=True)


async def _announce(
    bound: ipaddress.IPv4Address | ipaddress.IPv6Address,
    port: int,
    contest: str,
    tls: bool,
    name: str,
    interfaces: Sequence[str] | None,
) -> None:
    everywhere = bound.is_unspecified
    addresses = _addresses(bound.version) if everywhere else [str(bound)]
    zeroconf = AsyncZeroconf(
        interfaces=list(interfaces)
        if interfaces is not None
        else (InterfaceChoice.All if everywhere else [str(bound)]),
        ip_version=IPVersion.V4Only if bound.version == 4 else IPVersion.V6Only,
    )
    try:
        info = AsyncServiceInfo(
            SERVICE,
            f"{_label(contest)}.{SERVICE}",
            port=port,
            parsed_addresses=addresses,
            properties={
                "contest": _cut(contest, _TXT),
                "version": str(wire.VERSION),
                "path": PATH,
                **({"tls": "1"} if tls else {}),
            },
            server=f"{name}.",
        )
        # Two contests of one name in one network get different names of service.
        await (await zeroconf.async_register_service(info, allow_name_change=True))
        log.info("announced on the local network as %r", info.name)
        await asyncio.Event().wait()
    finally:
        await zeroconf.async_close()  # which says goodbye


def _addresses(version: int) -> list[str]:
    """The addresses of this machine that others can reach."""
    found = []
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            text = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            address = ipaddress.ip_address(text)
            if address.version == version and not address.is_loopback:
                found.append(text)
    return found


def _label(contest: str) -> str:
    """A contest's name as the first label of a service's name."""
    printable = "".join(char if char.isprintable() and char != "." else " " for char in contest)
    return _cut(" ".join(printable.split()), _LABEL) or "Contest"


def _cut(text: str, limit: int) -> str:
    """A text cut to so many bytes of UTF-8, between characters."""
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore").strip()
