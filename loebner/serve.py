"""`loebner serve`: runs the server of a contest for real people, prints events, and ends
cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import ipaddress
import shlex
import socket
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

import click

import scheduler
from contest.errors import BadSettings, JournalFailed
from contest.net import codes
from contest.net.addresses import machine_addresses, reachable_addresses
from contest.net.tls import Identity, identity
from contest.record.bodies import KINDS
from contest.record.events import Event
from contest.serving.server import Server
from contest.serving.set_up import Sockets, set_up
from contest.setup.planning import schedule_of
from contest.setup.settings import Settings, load
from contest.state import incidents
from contest.state.model import State
from contest.state.phases import Phase, in_words
from contest.tasks import cancel_on_signals
from loebner.common import time_of_day
from loebner.options import listening_options
from lpp.clock import LoopClock
from lpp.connection import format_fingerprint

#: The garbage collector's thresholds: the number of new objects before it scans the youngest
#: generation, and of such scans before it scans older ones. Scanning 100,000 objects takes a few
#: milliseconds.
GC_THRESHOLDS = (20_000, 5, 200)
#: Seconds after which a running thread gives way to a waiting one; Python's default is ten times
#: longer.
SWITCH_INTERVAL = 0.0005
#: Events that are printed as they happen, in addition to incidents.
_ANNOUNCED = {
    "round-started": "round {round}, attempt {attempt}: the interaction begins",
    "round-resumed": "round {round}, attempt {attempt}: the interaction continues",
    "round-ended": "round {round}, attempt {attempt}: the interaction is over, judges decide",
    "round-closed": "round {round}, attempt {attempt}: closed",
    "ranking-opened": "the judges are ranking",
    "seat-joined": "{seat}: a console has connected",
    "result": "the provisional result is recorded: `loebner control CONTEST reveal` shows the "
    "audience its next step, `final REASON` declares it final and closes the contest",
    "revealed": "shown to the audience: {step}",
}
assert _ANNOUNCED.keys() <= KINDS.keys()


@click.command()
@click.argument("contest", type=click.Path(path_type=Path))
@listening_options
@click.option(
    "--speed",
    type=click.FloatRange(0, 600, min_open=True),
    default=1.0,
    help="Run this many times faster than real time, for trials.  [default: 1]",
)
def serve(
    contest: Path,
    host: str,
    port: int,
    cert: Path | None,
    key: Path | None,
    database: str | None,
    speed: float,
) -> int:
    """Run the server of the contest in the folder CONTEST.

    Nothing begins automatically: each round, and the ranking, waits for
    `loebner control CONTEST start`. The codes for the seats and the organizer are in the folder's
    codes.txt, which only its owner can read. Ctrl-C ends the server; the same command continues the
    contest.
    """
    if key is not None and cert is None:
        raise click.UsageError("--key needs --cert")
    settings = load(contest).recorded_in(database)
    host = _address(host)
    shown = None if cert is None else identity(cert, key)
    with ready_for_keys():
        return asyncio.run(_run_server(contest, settings, host, port, speed, shown))


@contextlib.contextmanager
def ready_for_keys() -> Iterator[None]:
    """Configures Python, while the context is open, so that keys are never delayed.

    A contest's memory grows all day, key by key, without reference cycles. The garbage collector
    would scan all of it repeatedly, which takes half a second at a million keys; here it runs
    rarely and skips existing objects. A thread that makes a page gives way in short turns.
    """
    turn, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        sys.setswitchinterval(turn)
        gc.set_threshold(*thresholds)
        gc.unfreeze()


async def _run_server(
    folder: Path,
    settings: Settings,
    host: str,
    port: int,
    speed: float,
    shown: Identity | None,
) -> int:
    """Runs the server until the contest is over and somebody ends it; returns the exit code."""
    cancel_on_signals(_report_shutdown)
    ended = "Ended before the server was ready."
    resume = f"`loebner serve {shlex.quote(str(folder))}` continues from there"
    try:
        async with set_up(
            folder,
            settings,
            lambda: _schedule(settings, folder),
            LoopClock(speed),
            sockets=Sockets(host, port, shown, announce=not ipaddress.ip_address(host).is_loopback),
            program=f"loebner {version('loebner')} serve",
        ) as server:
            gc.freeze()  # loaded objects, maybe for a million keys, never become garbage
            server.journal.watchers.append(partial(_print_event, server.conductor.state))
            _welcome(folder, server, shown)
            try:
                head = await server.play()
            except asyncio.CancelledError:
                conductor = server.conductor
                now = in_words(conductor.status(), waits=conductor.waits)
                ended = f"Ended while {now}. Everything typed is in the record; {resume}."
                if conductor.state.final is not None:
                    ended = ""  # nothing to add; the next server closes anything still open
                raise
            except JournalFailed as exc:
                raise JournalFailed(
                    f"{exc}. Everything confirmed is in the record, and the round's clock has "
                    f"stopped; {resume}"
                ) from exc
            await server.close_consoles()
            click.echo(f"The contest is over. Head to publish: {head}")
            click.echo(f"Results: {folder / 'results.html'}")
            click.echo("The pages, with all talks that may be published, stay up until Ctrl-C.")
            sys.stdout.flush()
            ended = ""
            await asyncio.Event().wait()
            return 0
    except asyncio.CancelledError:
        if not ended:
            return 0
        click.echo(f"\n{ended}")
        return 130


def _schedule(settings: Settings, folder: Path) -> scheduler.Schedule:
    if settings.schedule.wishes() != scheduler.NO_WISHES and not settings.rules.schedule:
        click.echo("Making the schedule with the wishes of [schedule]; this may take some seconds.")
        sys.stdout.flush()
    return schedule_of(settings, folder)


def _address(host: str) -> str:
    """The address of a host, which may be given by name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except (OSError, UnicodeError) as exc:
        raise BadSettings(f"--host {host!r} is not an address of this machine ({exc})") from None


def _welcome(folder: Path, server: Server, shown: Identity | None) -> None:
    name = shlex.quote(str(folder))
    conductor = server.conductor
    click.echo(f"{conductor.settings.contest.name}: the server is listening.")
    for difference in server.ignored_changes:
        click.echo(f"  note: {difference}")
    # The server has waited for this machine's links, unless it continues a contest; then they will
    # connect soon.
    here = {each.id for each in conductor.settings.entry if each.link != "remote"}
    for ready in [] if server.taken_up else server.overview.check():
        if ready.level == "red" and ready.role == "entry" and ready.id in here:
            said = ready.as_json()
            click.echo(f"  note: {said['what']}: {said['words']}")
    if conductor.status().phase is not Phase.BEFORE:
        now = in_words(conductor.status(), waits=conductor.waits)
        click.echo(f"  the contest continues: {now}")
    scheme = "" if shown is None else "wss://"
    found = reachable_addresses(server.address, machine_addresses(), socket.gethostname())
    for address in found:
        click.echo(f"  consoles connect to   {scheme}{address}")
    say_how_safe(server.address, shown)
    page = f"{'http' if shown is None else 'https'}://{found[0]}"
    click.echo(f"  the organizer's board {page}/board")
    if conductor.settings.spectators.show:
        click.echo(f"  the audience          {page}/")
    if conductor.status().phase is not Phase.OVER:
        click.echo(f"  codes for the seats   {folder / codes.FILE_NAME}")
        click.echo(f"  check if all is ready loebner control {name} check")
        click.echo(f"  begin the next step   loebner control {name} start")
    click.echo("Ctrl-C ends the server; the same command then continues the contest.")
    sys.stdout.flush()


def say_how_safe(address: str, shown: Identity | None) -> None:
    """Prints what the organizer must know about TLS."""
    host = address.rpartition(":")[0].strip("[]")
    if shown is None and not ipaddress.ip_address(host).is_loopback:
        click.echo("  without TLS           others on this network can read everything; see --cert")
    if shown is not None:
        click.echo(f"  its certificate       {format_fingerprint(shown.fingerprint)}")
        if shown.names:
            click.echo(f"  which is for          {', '.join(shown.names)}")
        for warning in shown.warnings:
            click.echo(f"  note: {warning}")


def _print_event(state: State, event: Event) -> None:
    """Prints an event in one line; an incident only once."""
    if event.talk is not None:
        return
    incident = next((i for i in reversed(state.incidents) if i.event.seq == event.seq), None)
    words = _ANNOUNCED.get(event.kind, "").format(**event.body)
    if incident is not None:
        words = f"{incident.who}: {incidents.in_words(incident.event, incident.count)}"
    if words:
        # People choose names and reasons, so control characters must not reach the terminal.
        said = "".join(c if c.isprintable() else "?" for c in words)
        # If the output's disk is full or the terminal is gone, this must not stop the journal.
        with contextlib.suppress(OSError):
            click.echo(f"{time_of_day(event.at)}  {said}")
            sys.stdout.flush()


def _report_shutdown() -> None:
    click.echo("\nEnding links and entries, and closing the record. Please wait.")
