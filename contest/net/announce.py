"""Announces the server on the local network, so that consoles find it by themselves (DNS-SD over
multicast DNS, by the zeroconf library). A failure is logged, and hinders no contest.
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

from contest.net.door import machine_addresses
from contest.net.sockets import SEAT
from contest.tasks import running
from lpp import wire

log = logging.getLogger(__name__)

#: The type of service that consoles look for.
SERVICE = "_loebner._tcp.local."
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
    value 1 where the server speaks TLS. Announcing goes on in the background: nobody waits for it.

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
            ) as zeroconf:  # which says goodbye at its end
                # Two contests of one name in one network get different names of service.
                await (await zeroconf.async_register_service(info, allow_name_change=True))
                log.info("announced on the local network as %r", info.name)
                await asyncio.Event().wait()
        except Exception:
            # Without the announcement the address is typed in.
            log.warning("the server is not announced on the local network", exc_info=True)

    async with running(announce(), "announcement"):
        yield name


def _label(contest: str) -> str:
    """A contest's name as the first label of a service's name."""
    printable = "".join(char if char.isprintable() and char != "." else " " for char in contest)
    return _cut(" ".join(printable.split()), _LABEL) or "Contest"


def _cut(text: str, limit: int) -> str:
    """A text cut to so many bytes of UTF-8, between characters."""
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore").strip()
