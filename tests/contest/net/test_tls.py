"""Tests TLS: the server's certificate, which servers consoles, links and orders trust, and that no
code is sent to any other."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import hashlib
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from contest.errors import BadSettings, EnvironmentProblem
from contest.links.client import keep_linked
from contest.links.directory import Checkpoint, LinkedDirectory
from contest.net import addresses
from contest.net.addresses import ControlAddress
from contest.net.tls import Identity, identity
from contest.serving.server import Server
from contest.serving.set_up import Sockets, set_up
from contest.setup import folder, settings
from contest.setup.planning import schedule_of
from judge_console.client import ConnectionLost, SeatClient
from loebner.common import send
from lpp import wire
from lpp.connection import (
    Trust,
    Untrusted,
    format_fingerprint,
    read_fingerprint,
)
from lpp.errors import UserError
from tests.certificates import Shown, make
from tests.contest.serving.test_server import with_remote_entry

LONG_AGO, YESTERDAY = (dt.datetime.now(dt.UTC) - dt.timedelta(days=n) for n in (90, 1))
TOMORROW = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
OTHER = "ab" * 32


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return make(tmp_path_factory.mktemp("certificates"))


# A server's certificate


def test_certificate_is_read(shown: Shown) -> None:
    read = identity(shown.certificate, shown.key)
    assert read.names == ("127.0.0.1",)
    assert read.warnings == ()
    assert read.context.minimum_version == ssl.TLSVersion.TLSv1_2
    der = ssl.PEM_cert_to_DER_cert(shown.certificate.read_text("ascii").partition("\n\n")[0])
    assert read.fingerprint == hashlib.sha256(der).hexdigest()


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [(LONG_AGO, YESTERDAY, "has expired"), (TOMORROW, None, "is not valid yet")],
)
def test_wrong_validity_period_is_only_a_warning(
    tmp_path: Path, since: dt.datetime, until: dt.datetime | None, words: str
) -> None:
    late = make(tmp_path / "late", since=since, until=until)
    [warning] = identity(late.certificate, late.key).warnings
    assert words in warning


def _no_file(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    return place / "none.pem", shown.key


def _no_certificate(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    return shown.key, shown.key


def _cut_certificate(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    file = place / "cut.pem"
    lines = shown.certificate.read_text("ascii").splitlines()
    file.write_text("\n".join([*lines[:3], lines[lines.index("-----END CERTIFICATE-----")]]))
    return file, shown.key


def _no_key(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    return shown.certificate, None


def _other_key(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    return shown.certificate, make(place / "other").key


def _missing_key(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    return shown.certificate, place / "none.key"


def _empty_key(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    file = place / "empty.key"
    file.touch(0o600)
    return shown.certificate, file


def _protected_key(shown: Shown, place: Path) -> tuple[Path, Path | None]:
    from cryptography.hazmat.primitives import serialization as forms

    key = forms.load_pem_private_key(shown.key.read_bytes(), None)
    file = place / "protected.key"
    file.write_bytes(
        key.private_bytes(
            forms.Encoding.PEM,
            forms.PrivateFormat.PKCS8,
            forms.BestAvailableEncryption(b"open sesame"),
        )
    )
    return shown.certificate, file


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (_no_file, "--cert .*none.pem: can't be read \\(No such file"),
        (_no_certificate, "--cert .*server.key: has no certificate in PEM"),
        (_cut_certificate, "--cert .*cut.pem: its certificate is broken"),
        (_no_key, "--cert .*server.pem: has no private key in PEM"),
        (_other_key, "--key .*: does not belong to the certificate in .*server.pem"),
        (_missing_key, "--key .*none.key: can't be read"),
        (_empty_key, "--key .*empty.key: has no private key in PEM"),
        (_protected_key, "--key .*protected.key: the key has a password"),
    ],
)
def test_unusable_certificate_or_key_is_refused_with_the_reason(
    shown: Shown,
    tmp_path: Path,
    broken: Callable[[Shown, Path], tuple[Path, Path | None]],
    words: str,
) -> None:
    with pytest.raises(BadSettings, match=words) as caught:
        identity(*broken(shown, tmp_path))
    assert "\n" not in str(caught.value)


# Fingerprints


def test_fingerprint_is_read_in_any_spelling() -> None:
    plain = "0123456789abcdef" * 4
    pairs = ":".join(plain[n : n + 2] for n in range(0, 64, 2)).upper()
    for typed in (plain, plain.upper(), format_fingerprint(plain), pairs, f"sha256={pairs}"):
        assert read_fingerprint(f" {typed}\n") == plain


@pytest.mark.parametrize("typed", ["", "ab", "g" * 64, "a" * 63, "a" * 65])
def test_bad_fingerprint_is_refused(typed: str) -> None:
    with pytest.raises(UserError, match="64 hex digits"):
        read_fingerprint(typed)


# Consoles, links and orders over TLS


@pytest.fixture(scope="module")
def read(shown: Shown) -> Identity:
    return identity(shown.certificate, shown.key)


@pytest.fixture
async def stage(tmp_path: Path, read: Identity) -> AsyncIterator[Server]:
    place = tmp_path / "contest"
    folder.make(place, with_remote_entry())
    own = settings.load(place)
    async with set_up(place, own, schedule_of(own, place), sockets=Sockets(identity=read)) as made:
        play = asyncio.create_task(made.play())
        yield made
        play.cancel()
        await asyncio.wait([play])


async def first_event(client: SeatClient) -> Any:
    async with client:
        async for event in client:
            return event
    raise AssertionError


def good(shown: Shown, read: Identity) -> list[Trust]:
    return [Trust(str(shown.authority)), Trust(fingerprint=read.fingerprint)]


async def test_consoles_links_and_orders_over_tls(
    stage: Server, shown: Shown, read: Identity, room: Path, tmp_path: Path
) -> None:
    for trust in good(shown, read):
        url = f"wss://{stage.address}"
        welcome = await first_event(SeatClient(url, stage.codes["J1"], trust=trust))
        assert isinstance(welcome, wire.Welcome)
        assert welcome.seat == "J1"
        secret = addresses.find_control(stage.folder).code
        answer = await asyncio.to_thread(
            send, ControlAddress(f"https://{stage.address}", secret, trust), {"action": "status"}
        )
        assert answer["status"]["phase"] == "before"
        said: asyncio.Queue[str] = asyncio.Queue()
        async with LinkedDirectory(
            str(room), Checkpoint(tmp_path / "m"), stage.link_codes["E1"]
        ) as beside:
            linking = asyncio.create_task(
                keep_linked(beside, partial(pair, f"{url}/link", trust), said.put_nowait)
            )
            assert await said.get() == "linked as E1"
            linking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await linking
    # In the contest's folder, orders need no option for the certificate.
    found = addresses.find_control(stage.folder)
    assert found.trust == Trust(fingerprint=read.fingerprint)
    assert found.server.startswith("https://")
    assert (await asyncio.to_thread(send, found, {"action": "status"}))["done"] == ""


async def test_server_with_tls_refuses_plain_connections(stage: Server) -> None:
    lost = await first_event(SeatClient(f"ws://{stage.address}", stage.codes["J1"]))
    assert isinstance(lost, ConnectionLost)
    found = addresses.find_control(stage.folder)
    with pytest.raises(EnvironmentProblem, match="can't be reached"):
        await asyncio.to_thread(
            send, ControlAddress(f"http://{stage.address}", found.code), {"action": "status"}
        )


# The wrong server


@asynccontextmanager
async def thief(read: Identity | None) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that accepts everything; yields its address and the messages that it got."""
    told: list[str] = []

    async def listen(connection: ServerConnection) -> None:
        async for message in connection:
            told.append(str(message))

    context = None if read is None else read.context
    async with serve(listen, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"127.0.0.1:{port}", told


@pytest.mark.parametrize("kind", ["system", "authority", "fingerprint", "name", "time"])
async def test_no_code_is_sent_to_an_untrusted_server(
    shown: Shown, tmp_path: Path, room: Path, kind: str
) -> None:
    false = make(
        tmp_path / "false",
        *(["another.example"] if kind == "name" else []),
        since=LONG_AGO if kind == "time" else None,
        until=YESTERDAY if kind == "time" else None,
    )
    trust = {
        "system": Trust(),
        "authority": Trust(str(shown.authority)),
        "fingerprint": Trust(fingerprint=OTHER),
    }.get(kind, Trust(str(false.authority)))
    read = identity(false.certificate, false.key)
    async with thief(read) as (address, told):
        lost = await first_event(SeatClient(f"wss://{address}", "J1-SECRET", trust=trust))
        assert isinstance(lost, ConnectionLost)
        assert (lost.kind, lost.fingerprint) == ("untrusted", read.fingerprint)
        async with LinkedDirectory(str(room), Checkpoint(tmp_path / "m"), "E1-SECRET") as beside:
            with pytest.raises(Untrusted) as refused:
                await keep_linked(beside, lambda: (f"wss://{address}/link", trust), lambda _: None)
        assert refused.value.fingerprint == read.fingerprint
        with pytest.raises(Untrusted, match=format_fingerprint(read.fingerprint)):
            await asyncio.to_thread(
                send,
                ControlAddress(f"https://{address}", "organizer-SECRET", trust),
                {"action": "status"},
            )
        assert told == []


def pair(url: str, trust: Trust) -> tuple[str, Trust]:
    return url, trust
