"""A headless browser for tests of real pages: Debian's Chromium or Firefox, driven by Playwright.

    from tests.browser import browsing, needs_chromium, opened, violations

    @needs_chromium
    async def test_something(tmp_path: Path) -> None:
        async with browsing() as browser, opened(browser, server) as page:
            await page.goto("/")
            assert await violations(page) == []

Starting a browser takes a second or two, so one test does everything that can share a browser.
Nothing is downloaded. A test fails if a page requests anything from another server, or if its
scripts or its policy report an error.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Page,
    Request,
    WebError,
    async_playwright,
    expect,
)

from tests import firefox

#: The browser without its own windows, which are most of what it costs; else the whole one.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")

#: Without a screen, and without a word to anybody but the server under test.
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: Milliseconds that a page may take for anything: the machine may be busy.
PATIENCE = 30_000.0
#: Width and height of windows, in pixels: on a desktop, and on the narrowest phone.
WIDE, PHONE = (1280, 900), (360, 740)

Scheme = Literal["light", "dark"]
Kind = Literal["chromium", "firefox"]

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
needs_firefox = pytest.mark.skipif(FIREFOX is None, reason="there is no firefox here")
#: Values of a test's parameter for `browsing`. Firefox takes longer, so only `make soak` runs it.
BROWSERS = [
    pytest.param("chromium", marks=needs_chromium),
    pytest.param("firefox", marks=[needs_firefox, pytest.mark.soak]),
]


@asynccontextmanager
async def browsing(kind: Kind = "chromium") -> AsyncIterator[Browser]:
    """A browser while the context is open; it has to be there (`needs_chromium`).

    In Firefox only the window in front gets keys, so people who type at once need a browser each.
    """
    expect.set_options(timeout=PATIENCE)
    with TemporaryDirectory() as home:
        async with async_playwright() as playwright:
            if kind == "chromium":
                browser = await playwright.chromium.launch(
                    executable_path=CHROMIUM, args=list(ARGUMENTS), timeout=PATIENCE
                )
            else:
                # Playwright takes one file to start, and puts its own arguments first.
                start = Path(home, "start")
                command = shlex.join([sys.executable, firefox.__file__, str(FIREFOX)])
                start.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
                start.chmod(0o700)
                browser = await playwright.firefox.launch(
                    channel="moz-firefox",
                    executable_path=start,
                    env={**os.environ, "HOME": home},
                    timeout=PATIENCE,
                )
            try:
                yield browser
            finally:
                await browser.close()


@asynccontextmanager
async def opened(
    browser: Browser,
    server: str,
    *,
    size: tuple[int, int] = WIDE,
    scheme: Scheme = "light",
    scripts: bool = True,
    complaints: tuple[str, ...] = (),
) -> AsyncIterator[Page]:
    """A page of its own, with nobody's cookies; paths are those of the server.

    Arguments:
        browser: in which.
        server: as `http://HOST:PORT`.
        size: width and height in pixels.
        scheme: what the person prefers.
        scripts: whether they run.
        complaints: errors that the test causes on purpose: messages with one of these texts are
            ignored.

    Raises:
        AssertionError: at the end, if the page asked for anything from elsewhere, or a script or
            the browser complained.
    """
    context = await browser.new_context(
        base_url=server,
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        java_script_enabled=scripts,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE)
    troubles: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith((server, "data:", "blob:")):
            troubles.append(f"asked for {request.url}")

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(c in message.text for c in complaints):
            troubles.append(f"{message.type}: {message.text}")

    def failed(error: WebError) -> None:  # Firefox reports a blocked request in this way, too
        if not any(c in f"{error.error}" for c in complaints):
            troubles.append(f"{error.error}")

    context.on("request", asked)
    context.on("console", said)
    context.on("weberror", failed)
    try:
        yield await context.new_page()
    finally:
        await context.close()
    assert not troubles, troubles


async def violations(page: Page, *, schemes: tuple[Scheme, ...] = ("light", "dark")) -> list[str]:
    """What axe-core finds wrong with a page as it is, in each colour scheme; one line each. Firefox
    has only its own scheme, which is light.

    Arguments:
        page: any.
        schemes: in which to look; the last one stays.
    """
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    found = []
    browser = page.context.browser
    if browser is not None and browser.browser_type.name == "firefox":
        schemes = ("light",)
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(axe)
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    for scheme in schemes:
        await page.emulate_media(color_scheme=scheme)
        result: dict[str, Any] = await page.evaluate("options => axe.run(options)", options)
        options["runOnly"] = ["color-contrast"]  # nothing else depends on the scheme
        for violation in result["violations"]:
            for node in violation["nodes"]:
                what = " ".join(node["failureSummary"].split())
                found.append(f"{scheme}: {violation['id']}: {node['html'][:200]}: {what}")
    return found


async def overflow(page: Page) -> int:
    """By how many pixels a page is wider than its window: 0 for one that fits."""
    wide: int = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return wide
