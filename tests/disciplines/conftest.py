"""A browser for all tests of this folder, because starting one takes a second of processor time."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.browser import browsing


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """A running Chromium, for tests with the marks `needs_chromium` and
    `asyncio(loop_scope="session")`; each opens its own pages."""
    async with browsing() as browser:
        yield browser
