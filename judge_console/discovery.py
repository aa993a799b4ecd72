"""Finds servers on the local network, by multicast DNS (RFC 6762) and service discovery (RFC 6763).

A server announces itself as `_loebner._tcp.local.` Its TXT record names the contest, the path of
the seats, and whether it speaks TLS. Anybody can announce anything, so announcements prove
nothing and are only offered to the person. `Discovery` listens for them in a separate thread. If
the network does not allow that, no server is found, and the person must type the address.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

import ifaddr
from zeroconf import (
    Error,
    InterfaceChoice,
    ServiceBrowser,
    ServiceStateChange,
    Zeroconf,
)

from judge_console.client import seat_url
from judge_console.model.joining import FoundServer
from lpp.errors import UserError

log = logging.getLogger(__name__)

SERVICE = "_loebner._tcp.local."
#: The default path of a server's seats.
DEFAULT_PATH = "/seat"
#: Milliseconds to wait for a server to answer with its address.
QUERY_TIMEOUT = 3000
#: The longest contest name that is shown, in characters.
NAME_LIMIT = 80
#: The most servers that are listed, because anybody on a network can announce many.
MAX_SERVERS = 50
#: Seconds to wait for the thread to end.
LEAVE_TIMEOUT = 3.0

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface


class Discovery:
    """Listens for announcements from `start` to `stop`.

    Arguments:
        on_found: called in a separate thread, at each change, with all servers known at present.
        interfaces: addresses of the network interfaces to listen on; by default all.
    """

    def __init__(
        self,
        on_found: Callable[[tuple[FoundServer, ...]], None],
        interfaces: Sequence[str] | None = None,
    ) -> None:
        self._on_found = on_found
        self._interfaces = InterfaceChoice.All if interfaces is None else list(interfaces)
        self._found: dict[str, FoundServer] = {}
        self._leave = threading.Event()
        # The network can delay opening and closing.
        self._thread = threading.Thread(target=self._run, name="discovery", daemon=True)

    def start(self) -> None:
        """Begins to listen; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stops; `on_found` is not called any more. Waits at most `LEAVE_TIMEOUT` seconds for the
        thread."""
        self._leave.set()
        if self._thread.is_alive():
            self._thread.join(LEAVE_TIMEOUT)

    def _run(self) -> None:
        try:
            with Zeroconf(interfaces=self._interfaces) as network:
                ServiceBrowser(network, SERVICE, handlers=[self._heard])
                self._leave.wait()
        except Exception as exc:  # noqa: BLE001 -- networks fail in many ways
            log.info("the local network can't be searched for servers: %s", exc)

    def _heard(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        """A server announces itself or says goodbye; called in the browser's thread."""
        before = self._found.get(name)
        if state_change is ServiceStateChange.Removed:
            self._found.pop(name, None)
        elif before is not None or len(self._found) < MAX_SERVERS:
            with contextlib.suppress(OSError, Error):
                info = zeroconf.get_service_info(service_type, name, QUERY_TIMEOUT)
                if info is not None:
                    addresses = [ipaddress.ip_address(one) for one in info.parsed_addresses()]
                    said, own = info.decoded_properties, own_interfaces()
                    if (found := server_of(addresses, info.port, said, own)) is not None:
                        self._found[name] = found
        if self._found.get(name) != before and not self._leave.is_set():
            self._on_found(tuple(self._found.values()))


def server_of(
    addresses: Iterable[_Address],
    port: int | None,
    said: Mapping[str, str | None],
    own: Iterable[_Interface],
) -> FoundServer | None:
    """The server that an announcement describes.

    Arguments:
        addresses, port: the server's.
        said: the properties of its TXT record.
        own: this machine's addresses, with their networks.

    Returns:
        The server; None if nothing can connect to it. The contest's name is cleaned: one line of
        printable characters, cut to `NAME_LIMIT`.
    """
    networks = list(own)
    # A link-local IPv6 address is useless without the name of its link.
    usable = (one for one in addresses if one.version == 4 or not one.is_link_local)
    best = min(usable, key=lambda one: _distance(one, networks), default=None)
    if best is None or not port:
        return None
    host = f"[{best}]" if isinstance(best, ipaddress.IPv6Address) else str(best)
    path = said.get("path") or DEFAULT_PATH
    scheme = "wss://" if said.get("tls") == "1" else ""
    address = f"{scheme}{host}:{port}" + ("" if path == DEFAULT_PATH else path)
    try:
        seat_url(address)
    except UserError:
        return None
    if not path.startswith("/") or not address.isprintable() or " " in address:
        return None
    name = "".join(char if char.isprintable() else " " for char in said.get("contest") or "")
    return FoundServer(address, " ".join(name.split())[:NAME_LIMIT])


def _distance(address: _Address, own: Sequence[_Interface]) -> tuple[int, bool, int]:
    """The sort key of a server's addresses: those in one of our networks come first. A machine with
    several or virtual networks announces all of its addresses."""
    if any(address in interface.network and address != interface.ip for interface in own):
        nearness = 0
    elif any(address == interface.ip for interface in own):
        nearness = 1
    else:
        nearness = 2
    return (nearness + 3 * address.is_link_local, address.version == 6, int(address))


def own_interfaces() -> list[_Interface]:
    """This machine's addresses, with their networks."""
    interfaces: list[_Interface] = []
    for adapter in ifaddr.get_adapters():
        for one in adapter.ips:
            ip = one.ip if isinstance(one.ip, str) else one.ip[0]
            with contextlib.suppress(ValueError):
                interfaces.append(ipaddress.ip_interface(f"{ip}/{one.network_prefix}"))
    return interfaces
