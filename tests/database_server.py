"""A database server for tests: PostgreSQL as installed by Debian, with a temporary cluster.

It listens on a socket in its own folder and on a free port of localhost, asks for a password, and
makes everything durable as it would in a contest.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

#: Must not appear in any output; in addresses its punctuation is escaped.
PASSWORD = "s3cr3t@word/%"
USER = "organizer"

_OPTIONS = "-c fsync=on -c shared_buffers=16MB -c max_connections=50 -c autovacuum=off"


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = found[-1] if found else shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def _account() -> str | None:
    """The user who runs the server; None for the current one. PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return ""


class Server:
    """A server that can be stopped and started again.

    Attributes:
        folder: the folder of its cluster and socket.
        port: its port on 127.0.0.1.
    """

    def __init__(self, folder: Path, programs: Path, account: str | None) -> None:
        self.folder = folder
        self._data = folder / "data"
        self._programs = programs
        self._account = account
        self._numbers = itertools.count(1)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]

    def make(self) -> None:
        """Makes the cluster."""
        word = self.folder / "word"
        word.write_text(PASSWORD, encoding="utf-8")
        if self._account:
            shutil.chown(self.folder, self._account)
            shutil.chown(word, self._account)
        # -N: initdb doesn't sync the files of this short-lived cluster; the server syncs later
        # writes.
        self._run(
            *("initdb", "-D", str(self._data), "-U", USER, "-A", "scram-sha-256", "-N"),
            *("-E", "UTF8", "--locale=C.UTF-8", f"--pwfile={word}", "--data-checksums"),
        )

    def start(self) -> None:
        """Starts the server, and waits until it answers."""
        options = f"{_OPTIONS} -k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1"
        log = str(self.folder / "log")
        self._run("pg_ctl", "start", "-w", "-D", str(self._data), "-l", log, "-o", options)

    def stop(self, mode: str = "fast") -> None:
        """Stops the server; `immediate` simulates a crash."""
        self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self._data))

    def url(self, database: str, **query: str) -> str:
        """The address of a database, with the password."""
        asked = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
        place = f"{USER}:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/{database}"
        return f"postgresql://{place}{'?' if asked else ''}{asked}"

    def fresh(self, encoding: str = "UTF8") -> str:
        """The address of a new, empty database."""
        name = f"contest{next(self._numbers)}"
        self.query(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
        return self.url(name)

    def schema(self) -> str:
        """The address of a new, empty schema, which is faster to make than a database."""
        name = f"contest{next(self._numbers)}"
        self.query(f"CREATE SCHEMA {name}")
        return self.url("postgres", options=f"-csearch_path={name}")

    def query(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Executes a statement on a new connection; returns its rows, if any."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def hang_up(self) -> int:
        """Ends all other sessions, like a network failure; returns their number."""
        ended = self.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return len(ended)

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [str(self._programs / program), *words],
            stdin=subprocess.DEVNULL,
            # Files, because a started server inherits them, and a pipe would never end.
            stdout=(out := (self.folder / "said").open("ab")),
            stderr=out,
            user=self._account,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            timeout=120,
            check=False,
        )
        out.close()
        if done.returncode:
            said = [(self.folder / name) for name in ("said", "log")]
            pytest.fail("\n".join(each.read_text() for each in said if each.exists()))


@contextmanager
def database_server() -> Iterator[Server]:
    """A running server; skips the test, with a reason, if PostgreSQL is not available."""
    programs, account = _programs(), _account()
    if programs is None:
        pytest.skip("no PostgreSQL is installed here (Debian: postgresql)")
    if account == "":
        pytest.skip("PostgreSQL refuses to run as root, and there is no user postgres")
    # Not below pytest's folders, which only root can enter; and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="loebner-pg-"))
    try:
        server = Server(folder, programs, account)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
