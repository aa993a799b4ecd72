"""What the pre-flight asks of this machine, in one class, so that tests can answer in its place.

Nothing is changed by asking. What a system does not tell is None.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psutil

from contest.net.door import machine_addresses
from lpp.hints import OBSERVER
from lpp.mounts import network_kind


class Machine:
    """This machine."""

    platform = sys.platform

    def free(self, place: Path) -> int:
        """Bytes that can still be written to the disk of a directory; OSError if there is none."""
        return shutil.disk_usage(place).free

    def disk(self, place: Path) -> int:
        """A number that is the same for all places on one disk; OSError if there is no place."""
        return os.stat(place).st_dev

    def network_kind(self, place: Path) -> str | None:
        """What network mount a path lies on; see lpp.mounts."""
        return network_kind(str(place))

    def program(self, word: str) -> str | None:
        """Where the program of a command is, or None if there is none that may be run."""
        return shutil.which(word)

    def watch(self, place: Path) -> None:
        """Has the system watch a directory for a moment; OSError if it does not."""
        OBSERVER.watch(str(place), lambda: None).end()

    def most_watches(self) -> int | None:
        """How many directories this user may watch, where Linux says it."""
        try:
            return int(Path("/proc/sys/fs/inotify/max_user_watches").read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def now(self) -> dt.datetime:
        """The machine's time, with its zone."""
        return dt.datetime.now().astimezone()

    def synchronised(self) -> bool | None:
        """Whether network time (NTP) keeps the wall clock right."""
        words = ["timedatectl", "show", "--property", "NTPSynchronized", "--value"]
        try:
            told = subprocess.run(words, capture_output=True, text=True, check=True, timeout=5)
        except (OSError, subprocess.SubprocessError):
            return None
        return {"yes": True, "no": False}.get(told.stdout.strip())

    def open_files(self) -> int | None:
        """How many files this user's process may have open."""
        try:
            import resource
        except ImportError:  # Windows, whose sockets are no files
            return None
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return None if soft == resource.RLIM_INFINITY else soft

    def memory(self) -> int:
        """Bytes of memory that programs can still have."""
        return psutil.virtual_memory().available

    def on_mains(self) -> bool | None:
        """Whether the machine is plugged in, where it has a battery."""
        battery = psutil.sensors_battery()
        return None if battery is None else battery.power_plugged

    def listen(self, host: str, port: int) -> None:
        """Listens at an address for a moment; OSError if that can't be had."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            # Binding is not enough: two sockets that reuse a port may both be bound to it.
            listener.listen(1)

    def addresses(self) -> list[str]:
        """The addresses by which other machines may reach this one."""
        return machine_addresses()

    def host_name(self) -> str:
        """What this machine is called."""
        return socket.gethostname()
