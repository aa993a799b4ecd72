"""The sheet of codes: a card for each seat and each link, to print and cut."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

from contest.setup.settings import Settings


def cards(settings: Settings, given: Mapping[str, str]) -> list[dict[str, str]]:
    """The cards, judges first, of `name`, `role`, `code` and `hint` each; codes that control the
    contest are on none.

    Arguments:
        settings: the contest's.
        given: seat, or entry, to its code.
    """
    seat = "Start the console, choose this address, type the code."
    link = "loebner link, on the machine of the program, asks for address and code."
    tables = (
        *((each.id, "judge", seat) for each in settings.judge),
        *((each.id, "confederate", seat) for each in settings.confederate),
        *((each.id, "link of an entry", link) for each in settings.entry),
    )
    return [
        {"name": name, "role": role, "code": given[name], "hint": hint}
        for name, role, hint in tables
        if name in given
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
    if host != "localhost" and not _is_local(host.strip("[]")):
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


def _is_local(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.is_loopback or address.is_link_local
