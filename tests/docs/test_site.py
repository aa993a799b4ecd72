"""Tests the documentation site: it builds without warnings and loads nothing from other servers."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

#: A build takes half a minute. CI runs `make docs`, where a warning is an error.
pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]
#: Attributes that make a browser load something by itself, unlike `a`.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "srcset")}
LOADED |= {("iframe", "src"), ("object", "data"), ("video", "src"), ("audio", "src")}
#: Links that load nothing.
QUIET = {"canonical", "index", "search", "next", "prev", "author", "copyright"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built as by `make docs`."""
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    out = tmp_path_factory.mktemp("site")
    words = ("--quiet", "--fail-on-warning", "--keep-going", "--jobs", "auto")
    built = subprocess.run(
        # Reuses the pages that `make docs` has already parsed.
        [sys.executable, "-m", "sphinx", *words, "-d", "build/docs/.doctrees", "docs", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return out


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "link" and given.get("rel") in QUIET:
            return
        self.addresses += [value or "" for name, value in attrs if (tag, name) in LOADED]


@pytest.mark.timeout(300)
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        loads = _Loads()
        loads.feed(page.read_text(encoding="utf-8"))
        assert loads.addresses
        for address in loads.addresses:
            parts = urlsplit(address)
            assert not parts.netloc, f"{page.name} loads {address}"
            assert parts.scheme in ("", "data"), f"{page.name} loads {address}"
            if parts.path and not parts.scheme:
                assert (page.parent / parts.path).is_file(), f"{page.name}: no {address}"
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"""(url\(|@import)\s*["']?(https?:)?//""", text), sheet
    for script in site.rglob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"""(fetch|import|importScripts)\(\s*["'`](https?:)?//""", text), (
            script
        )


def test_the_site_can_be_searched_and_has_the_packages_docstrings(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for word in ("backspac", "lpp.session", "scheduler.squares", "bots.bot", "reference/lpp"):
        assert word in index
    for page, name in (
        ("lpp/lpp", "lpp.keypress.KeyPress"),
        ("scheduler/scheduler", "scheduler.tallying"),
        ("bots/bots", "bots.bot.Bot"),
    ):
        text = (site / "api" / f"{page}.html").read_text(encoding="utf-8")
        assert f'id="{name}' in text or f'id="module-{name}' in text
