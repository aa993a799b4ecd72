"""Finds servers on the local network, by multicast DNS (RFC 6762) and service discovery (RFC 6763).

A server announces itself as `_loebner._tcp.local.`, and says in its TXT record which contest it
holds, where its seats are, and whether it speaks TLS. Anybody can announce anything: what is
announced is offered to the person, and proves nothing. `Discovery` listens for such announcements
in a separate thread. Where the network refuses, nothing is found, and that is all: the person can
type the address.
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
from judge_console.model.joining import Found
from lpp.errors import YoursToFix

log = logging.getLogger(__name__)

SERVICE = "_loebner._tcp.local."
#: Where a server's seats are unless it says something else.
USUAL_PATH = "/seat"
#: Milliseconds for a server's answer to the question where it is.
ASKING = 3000
#: Characters of a contest's name that are shown.
NAME_LIMIT = 80
#: Servers that are listed at most: anybody on a network can announce more.
MOST = 50
#: Seconds that the thread has to end before it is left alone.
LEAVING = 3.0

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface


class Discovery:
    """Listens for announcements from `start` to `stop`.

    Arguments:
        on_found: called with all servers that are there, in a separate thread, at each change.
        interfaces: addresses of the network interfaces to listen at; all if left out.
    """

    def __init__(
        self,
        on_found: Callable[[tuple[Found, ...]], None],
        interfaces: Sequence[str] | None = None,
    ) -> None:
        self._on_found = on_found
        self._interfaces = InterfaceChoice.All if interfaces is None else list(interfaces)
        self._found: dict[str, Found] = {}
        self._leave = threading.Event()
        # A network may hold up its opening and closing.
        self._thread = threading.Thread(target=self._run, name="discovery", daemon=True)

    def start(self) -> None:
        """Begins to listen; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Ends; `on_found` is not called after it. A thread that the network holds up for longer
        than `LEAVING` seconds is left alone."""
        self._leave.set()
        if self._thread.is_alive():
            self._thread.join(LEAVING)

    def _run(self) -> None:
        try:
            with Zeroconf(interfaces=self._interfaces) as network:
                ServiceBrowser(network, SERVICE, handlers=[self._heard])
                self._leave.wait()
        except Exception as exc:  # noqa: BLE001 -- whatever a network can think of
            log.info("servers on the local network are not looked for: %s", exc)

    def _heard(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        """A server announces itself or says goodbye; called in the browser's thread."""
        before = self._found.get(name)
        if state_change is ServiceStateChange.Removed:
            self._found.pop(name, None)
        elif before is not None or len(self._found) < MOST:
            with contextlib.suppress(OSError, Error):
                info = zeroconf.get_service_info(service_type, name, ASKING)
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
) -> Found | None:
    """A server, from what it announces.

    Arguments:
        addresses, port: where it is.
        said: its TXT record.
        own: this machine's addresses, with their networks.

    Returns:
        The server; None if it can't be connected to. Its text is only text: one line of printable
        characters, not too long.
    """
    networks = list(own)
    # An address of IPv6 that holds on one link only says nothing without that link's name.
    usable = (one for one in addresses if one.version == 4 or not one.is_link_local)
    best = min(usable, key=lambda one: _distance(one, networks), default=None)
    if best is None or not port:
        return None
    host = f"[{best}]" if isinstance(best, ipaddress.IPv6Address) else str(best)
    path = said.get("path") or USUAL_PATH
    scheme = "wss://" if said.get("tls") == "1" else ""
    address = f"{scheme}{host}:{port}" + ("" if path == USUAL_PATH else path)
    try:
        seat_url(address)
    except YoursToFix:
        return None
    if not path.startswith("/") or not address.isprintable() or " " in address:
        return None
    name = "".join(char if char.isprintable() else " " for char in said.get("contest") or "")
    return Found(address, " ".join(name.split())[:NAME_LIMIT])


def _distance(address: _Address, own: Sequence[_Interface]) -> tuple[int, bool, int]:
    """Which of a server's addresses to take: one in a network of ours first; a machine with
    several networks, or with virtual ones, announces them all."""
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
