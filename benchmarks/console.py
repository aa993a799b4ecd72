"""The judge's window while both partners type 1,000 keys a second for a minute, and the time it
takes to open, compared with two Qt text widgets in a bare window."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from statistics import median, quantiles
from typing import Any

from benchmarks.console_server import FloodServer
from benchmarks.flood import RATE
from benchmarks.report import Row, Target
from benchmarks.screens import available, screen

NAME = "console"
#: Target: milliseconds of work in a tick of 16 ms at p99, seconds until the window opens.
WORK, START = Target(8, ratio=False), Target(2, ratio=False)
#: The maximum time in seconds for typing into the bare widgets, whose work is the same all the
#: time.
BARE = 15.0
#: The maximum time for everything except the flood itself, in seconds.
PATIENCE = 60.0

_BARE_WINDOW = (
    "from PySide6.QtWidgets import QApplication, QPlainTextEdit; app = QApplication([]);"
    "pane = QPlainTextEdit(); pane.setWindowTitle('bare window'); pane.show(); app.exec()"
)


def run(
    *, seconds: float = 60.0, starts: int = 5, screens: tuple[str, ...] | None = None
) -> list[Row]:
    """Runs the benchmark.

    Arguments:
        seconds: how long the partners type, each at `RATE` keys a second.
        starts: how many times the program is started; the median counts.
        screens: names of screens, see `benchmarks.screens`; all available ones if left out.
    """
    rows = []
    for name in screens or tuple(available()):
        with screen(name) as environ:
            rows += _flood(name, environ, seconds)
            if available()[name]:
                rows.append(_starts(name, environ, starts))
    return rows


# The flood


def _flood(name: str, environ: Mapping[str, str], seconds: float) -> list[Row]:
    count, fewer = round(seconds * RATE), round(min(seconds, BARE) * RATE)
    bare = asyncio.run(_window(environ, ["bare", str(fewer)], fewer))
    ours = asyncio.run(_served(environ, count))
    note = "" if ours["right"] and bare["right"] else "the text shown is NOT what was typed"
    found = [
        Row(
            benchmark=NAME,
            what=f"{words} a tick of 16 ms, {name}, {which}",
            measured=_quantile(ours[kind], cut),
            unit="ms",
            baseline=_quantile(bare[kind], cut),
            target=WORK if which == "p99" else None,
            note=note,
        )
        for kind, words in (("computed", "computed in"), ("busy", "busy, waits included, in"))
        for which, cut in (("p50", 50), ("p99", 99))
    ]
    fifth = max(1, len(ours["computed"]) // 5)
    late = Row(
        benchmark=NAME,
        what=f"computed in a tick of 16 ms, {name}, p50 of the last fifth",
        measured=_quantile(ours["computed"][-fifth:], 50),
        unit="ms",
        baseline=_quantile(ours["computed"][:fifth], 50),
        note="compared with the first fifth of the same talk",
    )
    memory = Row(
        benchmark=NAME,
        what=f"memory growth per typed key, {name}",
        measured=ours["memory"],
        unit="bytes",
        baseline=bare["memory"],
        note=f"over {count * 2:,} keys, without the first fifth",
    )
    return [*found, late, memory]


def _quantile(values: list[float], percent: int) -> float:
    return quantiles(values, n=100)[percent - 1] if len(values) > 1 else sum(values)


async def _served(environ: Mapping[str, str], count: int) -> dict[str, Any]:
    server = FloodServer(count)
    async with server.listening() as address:
        return await _window(environ, ["ours", address, str(count)], count)


async def _window(environ: Mapping[str, str], words: list[str], count: int) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.console_window", *words),
        stdout=subprocess.PIPE,
        env=environ,
    )
    try:
        async with asyncio.timeout(count / RATE + PATIENCE):
            said, _ = await process.communicate()
    except BaseException:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        raise RuntimeError(f"the window ended with {process.returncode}: {words}")
    found: dict[str, Any] = json.loads(said)
    return found


# The start


def _starts(name: str, environ: Mapping[str, str], times: int) -> Row:
    server = FloodServer(0)
    ours: list[float] = []
    bare: list[float] = []

    async def measure() -> None:
        async with server.listening() as address:
            for _ in range(times):
                with tempfile.TemporaryDirectory() as home:
                    kept = {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "STATE", "DATA")}
                    words = ["-m", "loebner", "judge", "--server", address, "--code", _CODE]
                    ours.append(
                        await asyncio.to_thread(
                            _until_seen, words, "Benchmark", {**environ, **kept}
                        )
                    )
                bare.append(
                    await asyncio.to_thread(
                        _until_seen, ["-c", _BARE_WINDOW], "bare window", dict(environ)
                    )
                )

    asyncio.run(measure())
    return Row(
        benchmark=NAME,
        what=f"from the command to the judge's window, {name}",
        measured=median(ours),
        unit="s",
        baseline=median(bare),
        target=START,
    )


#: A code of the usual length; the server of this benchmark accepts any.
_CODE = "J1-K7QM-2XRA-9TFD"


def _until_seen(words: list[str], title: str, environ: Mapping[str, str]) -> float:
    """Seconds from the start of a Python program until its window is on the screen."""
    with ExitStack() as after:
        log = after.enter_context(tempfile.TemporaryFile())
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, *words], env=environ, stdout=log, stderr=log)
        after.callback(process.wait)
        after.callback(process.kill)
        search = ["xdotool", "search", "--onlyvisible", "--name", title]
        while subprocess.run(search, env=environ, capture_output=True).returncode:
            if process.poll() is not None or time.perf_counter() - start > PATIENCE:
                raise RuntimeError(f"no window {title!r}: {words} ended with {process.poll()}")
            time.sleep(0.005)
        return time.perf_counter() - start
