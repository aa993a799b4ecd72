"""The names by which browsers may ask for this server, and whose pages may send something to it.

The owner of a strange name can have it resolve to this machine (DNS rebinding). A browser then
takes his pages for pages of this server; what gives them away is the name, which the browser tells.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit


class Hosts:
    """This server's names: `localhost`, the machine's, the address that a connection came to, and
    those that are given.

    Arguments:
        given: further names and addresses, each with a port or without. `*.example` stands for
            all names of one more part.
        machine: the machine's own name; the system's if left out.

    Attributes:
        names: all names and addresses but those that a connection comes to.
    """

    def __init__(self, given: Iterable[str] = (), machine: str = "") -> None:
        own = (machine or socket.gethostname()).lower()
        self._origins = frozenset(_origin(each) for each in given)
        self.names = {"localhost", own, f"{own.partition('.')[0]}.local"}
        self.names |= {host_of(each) for each in self._origins}

    def add(self, name: str) -> None:
        """Takes another name."""
        self.names.add(host_of(name))

    def knows(self, host: str, local: str) -> bool:
        """Whether a server is asked for by one of its names.

        Arguments:
            host: as the header `Host` has it, with a port or without.
            local: the address of this machine to which the connection came; empty if unknown.
        """
        name = host_of(host)
        above = name.partition(".")[2]
        known = {*self.names, host_of(_origin(local))} - {""}
        return name in known or f"*.{above}" in known

    def trusts(self, origin: str, host: str) -> bool:
        """Whether a page may send something here: one of this server, or of a name that is given,
        as it is where a proxy passes on another `Host`.

        Arguments:
            origin: as the header `Origin` has it.
            host: as the header `Host` has it.
        """
        try:
            place = urlsplit(origin).netloc.lower()
        except ValueError:
            return False
        return bool(place) and (place == host.lower() or place in self._origins)


def host_of(place: str) -> str:
    """The name or address of `HOST` or `HOST:PORT`, in small letters; empty if it is none."""
    try:
        name = urlsplit(f"//{place}").hostname or ""
    except ValueError:
        return ""
    name = name.rstrip(".").partition("%")[0]
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name
    return str(getattr(address, "ipv4_mapped", None) or address)


def _origin(given: str) -> str:
    """A name or address as browsers write it where a page comes from."""
    try:
        address = ipaddress.ip_address(given.partition("%")[0])
    except ValueError:
        return given.lower()
    return f"[{address}]" if address.version == 6 else str(address)
