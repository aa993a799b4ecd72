"""Announces the server on the local network, so that consoles find it (DNS-SD over multicast DNS,
with the zeroconf library). A failure is logged and does no harm.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from zeroconf import InterfaceChoice, IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from contest.net.addresses import machine_addresses
from contest.net.sockets import SEAT
from contest.tasks import running
from lpp import wire

log = logging.getLogger(__name__)

#: The type of service that consoles look for.
SERVICE = "_loebner._tcp.local."
#: The maximum number of bytes of a contest's name in the service's name (which has at most 63) and
#: in the TXT record.
_LABEL, _TXT = 48, 200


@asynccontextmanager
async def announce_server(
    address: str,
    contest: str,
    *,
    tls: bool = False,
    interfaces: Sequence[str] | None = None,
) -> AsyncIterator[str]:
    """Announces a server while the context is open, and withdraws the announcement at the end.

    The TXT record has `contest` (its name), `version` (of the wire protocol), `path` and, for a
    server with TLS, `tls` with the value 1. The announcement runs in the background.

    Arguments:
        address: the `HOST:PORT` that the server is bound to. A loopback address is not announced.
        contest: the contest's name.
        tls: whether the server uses TLS.
        interfaces: addresses of the interfaces to announce on, even for a server on loopback; by
            default those where the server can be reached.

    Returns:
        The machine's name in the announcement; empty if nothing is announced.
    """
    host, _, port = address.rpartition(":")
    bound = ipaddress.ip_address(host.strip("[]"))
    if bound.is_loopback and interfaces is None:
        yield ""
        return
    name = f"loebner-{secrets.token_hex(4)}.local"
    everywhere, own = bound.is_unspecified, [str(bound)]
    found = map(ipaddress.ip_address, machine_addresses())
    reachable = [str(ip) for ip in found if ip.version == bound.version]

    async def announce() -> None:
        properties = {
            "contest": _cut(contest, _TXT),
            "version": str(wire.VERSION),
            "path": SEAT.path,
        }
        info = AsyncServiceInfo(
            *(SERVICE, f"{_label(contest)}.{SERVICE}"),
            port=int(port),
            parsed_addresses=reachable if everywhere else own,
            properties=properties | ({"tls": "1"} if tls else {}),
            server=f"{name}.",
        )
        try:
            async with AsyncZeroconf(
                interfaces=list(interfaces or ()) or (InterfaceChoice.All if everywhere else own),
                ip_version=IPVersion.V4Only if bound.version == 4 else IPVersion.V6Only,
            ) as zeroconf:  # withdraws the announcement at its end
                # Two contests with the same name on one network get different service names.
                await (await zeroconf.async_register_service(info, allow_name_change=True))
                log.info("announced on the local network as %r", info.name)
                await asyncio.Event().wait()
        except Exception:
            # People can still type the address.
            log.warning("the server is not announced on the local network", exc_info=True)

    async with running(announce(), "announcement"):
        yield name


def _label(contest: str) -> str:
    """A contest's name as the first label of the service's name."""
    printable = "".join(char if char.isprintable() and char != "." else " " for char in contest)
    return _cut(" ".join(printable.split()), _LABEL) or "Contest"


def _cut(text: str, limit: int) -> str:
    """A text cut to at most this many bytes of UTF-8, between characters."""
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore").strip()
