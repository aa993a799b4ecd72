"""The server's addresses: for the organizer's orders, and for other machines.

While a server runs, the address for orders is in the file organizer.json in the contest's folder,
so that `loebner control CONTEST` needs neither an address nor a code. Only the owner can read the
file.
"""

from __future__ import annotations

import ipaddress
import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from contest.errors import EnvironmentProblem
from contest.net.tls import Identity
from contest.setup.settings import require_folder
from lpp.connection import Trust
from lpp.private import replace_private

CONTROL_FILE = "organizer.json"
#: Wildcard address to the loopback address.
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}


@dataclass(frozen=True, slots=True)
class ControlAddress:
    """The address for orders: the server as `http://HOST:PORT` or `https://HOST:PORT`, the
    organizer's code, and the TLS server to trust."""

    server: str
    code: str
    trust: Trust = field(default_factory=Trust)


def loopback_address(address: str) -> str:
    """The address at which programs on the same machine reach a server that listens at
    `HOST:PORT`."""
    host, _, port = address.rpartition(":")
    return f"{_LOOPBACK.get(host, host)}:{port}"


def machine_addresses() -> list[str]:
    """The addresses at which other machines may reach this one, the most likely first."""
    import ifaddr

    found = [
        ipaddress.ip_address(ip.ip if isinstance(ip.ip, str) else ip.ip[0])
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
    ]
    # Two machines on one cable have only link-local addresses. In IPv6 these need a scope.
    fit = {ip for ip in found if not ip.is_loopback and (ip.version == 4 or not ip.is_link_local)}
    order = sorted(fit, key=lambda ip: (ip.version, ip.is_link_local, int(ip)))
    return [str(ip) for ip in order]


def reachable_addresses(address: str, own: Sequence[str], name: str) -> list[str]:
    """The addresses, as `HOST:PORT`, at which other machines reach a server bound to an address. If
    it listens on all of the machine's addresses (`own`), the machine's `name` comes last."""
    host, _, port = address.rpartition(":")
    bound = ipaddress.ip_address(host.strip("[]"))
    if not bound.is_unspecified:
        return [address]
    fit = [each for each in own if bound.version == 6 or ":" not in each]
    hosts = [f"[{each}]" if ":" in each else each for each in fit]
    return [f"{each}:{port}" for each in [*hosts, name]]


@contextmanager
def control_file(
    folder: Path, address: str, code: str, identity: Identity | None = None
) -> Iterator[None]:
    """Keeps the file with a server's address (`HOST:PORT`) and the organizer's code while the
    context is open; `identity` is the server's, if it uses TLS.

    Raises:
        EnvironmentProblem: if the folder can't be written.
    """
    file = folder / CONTROL_FILE
    plain = {"server": f"http://{loopback_address(address)}", "code": code}
    if identity is not None:
        plain["server"] = f"https://{loopback_address(address)}"
        plain["fingerprint"] = identity.fingerprint
    try:
        # Replaces a file that a killed server left; we hold the folder's lock.
        replace_private(file, json.dumps(plain).encode() + b"\n")
    except OSError as exc:
        raise EnvironmentProblem(f"{file}: can't be written ({exc.strerror or exc})") from exc
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def rewrite_code(folder: Path, code: str) -> None:
    """Replaces the organizer's code in the file.

    Raises:
        OSError: if there is no file, or it can't be written; it is unchanged then.
    """
    file = folder / CONTROL_FILE
    plain = json.loads(file.read_text(encoding="utf-8"))
    replace_private(file, json.dumps({**plain, "code": code}).encode() + b"\n")


def find_control(folder: Path) -> ControlAddress:
    """Reads the address of the server that runs in a contest's folder.

    Raises:
        NotAContest: if there is no such folder.
        EnvironmentProblem: if no server runs there, or the file can't be read.
    """
    require_folder(folder)
    file = folder / CONTROL_FILE
    try:
        plain = json.loads(file.read_text(encoding="utf-8"))
        server, code = str(plain["server"]), str(plain["code"])
        shown = str(plain["fingerprint"]) if "fingerprint" in plain else ""
        return ControlAddress(server, code, Trust(fingerprint=shown))
    except FileNotFoundError:
        raise EnvironmentProblem(
            f"{folder}: no server runs here; start one with "
            f"`loebner serve {shlex.quote(str(folder))}`"
        ) from None
    except (OSError, ValueError, LookupError, TypeError) as exc:
        raise EnvironmentProblem(f"{file}: can't be read ({exc})") from exc
