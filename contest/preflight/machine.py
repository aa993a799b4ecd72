"""What the pre-flight asks of this machine, in one place, so that tests can answer in its stead.

All of it is asked without changing anything. What a system does not tell is None.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import ipaddress
import os
import shutil
import socket
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lpp.hints import OBSERVER
from lpp.mounts import network_kind

#: Looks at both clocks, and seconds of real time that they take together.
_TICKS, _TICKING = 40, 0.2
#: Of Linux's adjtimex: the clock is not held right by anything.
_UNSYNCHRONISED = 0x40
_POWER = Path("/sys/class/power_supply")


class Machine:
    """This machine."""

    platform = sys.platform

    # Files

    def free(self, place: Path) -> int:
        """Bytes that can still be written to the disk of a directory.

        Raises:
            OSError: if there is no such directory.
        """
        return shutil.disk_usage(place).free

    def disk(self, place: Path) -> int:
        """A number that is the same for all that lies on one disk.

        Raises:
            OSError: if there is no such place.
        """
        return os.stat(place).st_dev

    def network_kind(self, place: Path) -> str | None:
        """What network mount a path lies on; see lpp.mounts."""
        return network_kind(str(place), self.platform)

    def program(self, word: str) -> str | None:
        """Where the program of a command is, or None if there is none that may be run."""
        return shutil.which(word)

    def text(self, file: str) -> str | None:
        """What stands in a file of the system."""
        try:
            return Path(file).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def watch(self, place: Path) -> None:
        """Has the system watch a directory for a moment.

        Raises:
            OSError: if it does not.
        """
        OBSERVER.watch(str(place), lambda: None).end()

    # Clocks

    def now(self) -> dt.datetime:
        """The machine's time, with its zone."""
        return dt.datetime.now().astimezone()

    def ticks(self) -> list[tuple[float, float]]:
        """The monotonic clock and the wall clock, in seconds, some times in a fifth of a second."""
        seen = []
        for _ in range(_TICKS):
            seen.append((time.monotonic(), time.time()))
            time.sleep(_TICKING / _TICKS)
        return seen

    def synchronised(self) -> bool | None:
        """Whether something (NTP) holds the wall clock right."""
        if not self.platform.startswith("linux"):
            return None
        try:
            kernel = ctypes.CDLL(None, use_errno=True)
            state = _Timex()
            if kernel.adjtimex(ctypes.byref(state)) < 0:
                return None
        except (OSError, AttributeError):
            return None
        return not state.status & _UNSYNCHRONISED

    # Room

    def open_files(self) -> int | None:
        """How many files this user's process may have open."""
        try:
            import resource
        except ImportError:  # Windows, whose sockets are no files
            return None
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return None if soft == resource.RLIM_INFINITY else soft

    def memory(self) -> int | None:
        """Bytes of memory that programs can still have."""
        for line in (self.text("/proc/meminfo") or "").splitlines():
            name, _, value = line.partition(":")
            if name == "MemAvailable":
                return int(value.split()[0]) * 1024
        return None

    def on_mains(self) -> bool | None:
        """Whether the machine is plugged in, where it has a battery."""
        try:
            supplies = sorted(_POWER.iterdir())
        except OSError:
            return None
        batteries = [
            self.text(f"{supply}/status")
            for supply in supplies
            if self.text(f"{supply}/type") == "Battery"
            # A mouse has one too, and says that it is a device's.
            and self.text(f"{supply}/scope") != "Device"
        ]
        return None if not batteries else "Discharging" not in batteries

    # Network

    def listen(self, host: str, port: int) -> None:
        """Listens at an address for a moment.

        Raises:
            OSError: if that can't be had.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            # Bound is not enough: two may be bound to one port that both reuse.
            listener.listen(1)

    def addresses(self) -> list[str]:
        """The addresses of this machine that others may reach it by."""
        import ifaddr

        found = [
            ipaddress.ip_address(ip.ip if isinstance(ip.ip, str) else ip.ip[0])
            for adapter in ifaddr.get_adapters()
            for ip in adapter.ips
        ]
        return [str(ip) for ip in found if not ip.is_loopback and not ip.is_link_local]

    def host_name(self) -> str:
        """What this machine is called."""
        return socket.gethostname()

    # Programs

    def version(self, package: str) -> str | None:
        """Which version of a package is installed."""
        try:
            return version(package)
        except PackageNotFoundError:
            return None


class _Timex(ctypes.Structure):
    """The beginning of Linux's `struct timex`, and room for the rest of it."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("frequency", ctypes.c_long),
        ("maximal_error", ctypes.c_long),
        ("estimated_error", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 256),
    )
