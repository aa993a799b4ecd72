"""Checks that what the pages name exists: links, headings, files, commands and options."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from loebner.cli import cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))

_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FILE = re.compile(
    r"`((?:tests|contest|disciplines|lpp|bots|scheduler|loebner|judge_console|benchmarks|scripts|packaging)"
    r"/[\w/.]*)`"
)
_COMMAND = re.compile(r"(?:^ {4}|^|`)(?:\.venv/bin/)?(loebner [a-z][^`\n]*)", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors of a page: its headings, as the site writes them."""
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_files_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    for link in _LINK.findall(re.sub(r"`[^`\n]*`", "", _FENCED.sub("", text))):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
    for name in _FILE.findall(text):
        assert (ROOT / name).exists() or name == "benchmarks/results/", name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_exist(page: Path) -> None:
    for line in _COMMAND.findall(page.read_text("utf-8")):
        own, _, _ = line.partition(" -- ")  # what follows is an entry's own command
        own, _, _ = own.partition("#")
        words = re.split(r"[\s|]+", re.sub(r"[\[\]….,;:)]", " ", own))[1:]
        context = click.Context(cli)
        command: click.Command = cli
        while isinstance(command, click.Group) and words and re.match(r"[a-z]", words[0]):
            found = command.get_command(context, words.pop(0))
            if found is None:  # a group such as `screen register` first takes the contest
                assert any(isinstance(each, click.Argument) for each in command.params), line
                continue
            command = found
        known = {"--help"} | {flag for each in command.params for flag in each.opts}
        known |= {flag for each in command.params for flag in each.secondary_opts}
        assert {word for word in words if re.fullmatch(r"--[a-z-]+", word)} <= known, line
