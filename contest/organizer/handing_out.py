"""The sheet of codes: a card for each seat and each link, to print and cut."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from contest.setup.settings import Settings


@dataclass(frozen=True, slots=True)
class Card:
    """What is handed to one person.

    Attributes:
        name: the seat's or entry's id.
        role: what it is.
        address: where the console, or the link, connects to.
        code: the secret.
        hint: what to do with it.
    """

    name: str
    role: str
    address: str
    code: str
    hint: str


def cards(settings: Settings, given: Mapping[str, str], address: str) -> list[Card]:
    """The cards, judges first; codes that control the contest are on none.

    Arguments:
        settings: the contest's.
        given: seat, or entry, to its code.
        address: where the server is, as others reach it.
    """
    seat = "Start the console, choose this address, type the code."
    link = "loebner link, on the machine of the program, asks for address and code."
    roles = [
        *((each.id, "judge", seat) for each in settings.judge),
        *((each.id, "confederate", seat) for each in settings.confederate),
        *((each.id, "link of an entry", link) for each in settings.entry),
    ]
    return [
        Card(name, role, address, given[name], hint) for name, role, hint in roles if name in given
    ]


def addresses(own: str) -> list[str]:
    """Addresses that the consoles may reach this machine by, the likeliest first.

    Arguments:
        own: `HOST:PORT` by which the organizer's browser has reached it, after `wss://` where TLS
            is spoken.
    """
    before, scheme, place = own.rpartition("://")
    host, colon, port = place.rpartition(":")
    if not colon or "]" in port:
        host, port = place, ""
    if not _is_this_machine(host):
        return [own]
    import ifaddr

    found = [
        ip.ip
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if isinstance(ip.ip, str) and not _is_local(ip.ip)
    ]
    ending = f":{port}" if port else ""
    return [*dict.fromkeys(f"{before}{scheme}{ip}{ending}" for ip in found), own]


def _is_this_machine(host: str) -> bool:
    return host == "localhost" or _is_local(host.strip("[]"))


def _is_local(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.is_loopback or address.is_link_local
