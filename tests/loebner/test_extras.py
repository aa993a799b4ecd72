"""Commands without the libraries of their extras: the message names extras that are enough."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Runs the command as if the modules of its first argument were not installed.
PROGRAM = """
import sys

blocked = sys.argv[1].split(",")


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Finder)
from loebner.cli import main

sys.exit(main(sys.argv[2:]))
"""

CODE = "E1-7KQ2-M4XD-9TRA"
LINK = ["link", "--server", "127.0.0.1:1", "--code", CODE, "--dir", "entry"]


def brought_by(extra: str) -> set[str]:
    """The distributions of an extra, as setup.cfg has it."""
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = config["options.extras_require"][extra].split("\n")
    found = (re.match(r"[\w.-]+", line.strip()) for line in lines)
    return {match[0].casefold().replace("_", "-") for match in found if match is not None}


def blocked_with(*extras: str) -> str:
    """The modules of all extras that users install, without those that some extras bring."""
    users = ("bots", "console", "link", "scheduling", "science", "server")
    missing = {name for extra in users for name in brought_by(extra)}
    missing -= {name for extra in extras for name in brought_by(extra)}
    return ",".join(
        module
        for module, distributions in packages_distributions().items()
        if any(name.casefold().replace("_", "-") in missing for name in distributions)
    )


def started(words: list[str], folder: Path, *extras: str) -> subprocess.Popen[str]:
    """A command in a folder, as if only some extras were installed."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, blocked_with(*extras), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def answer(words: list[str], folder: Path, *extras: str) -> tuple[int, str]:
    """The exit code and all that a command prints."""
    with started(words, folder, *extras) as process:
        output, _ = process.communicate(timeout=100)
    return process.returncode, output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contest, an entry's directory, and something in the way of a demo."""
    assert answer(["new", "contest"], tmp_path)[0] == 0
    (tmp_path / "entry").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "extras", "installed"),
    [
        (["bot", "aiml", "--dir", "entry"], ["bots"], []),
        (["bot", "retrieval", "--dir", "entry"], ["bots"], []),
        (["check-bot", "--html", "out", "--dir", "entry"], ["bots"], []),
        (["check-setup", "contest"], ["server"], []),
        (["confederate"], ["console"], []),
        (["demo", "--out", "full"], ["server", "bots"], []),
        (["demo", "--out", "full"], ["server", "bots"], ["server"]),
        (["demo", "--out", "full"], ["server", "bots"], ["bots"]),
        (["demo", "--out", "full", "--windows"], ["server", "bots", "console"], []),
        (["export", "contest", "--format", "json", "--out", "out"], ["server"], []),
        (["judge"], ["console"], []),
        (LINK, ["link"], []),
        (["practice", "--bot", "aiml"], ["bots"], []),
        (["recover", "contest", "--out", "out"], ["server"], []),
        (["rehearse", "contest"], ["server"], []),
        (["replay", "contest"], ["server"], []),
        (["screen", "ask", "contest"], ["server"], []),
        (["screen", "mark", "contest"], ["server"], []),
        (["screen", "register", "contest"], ["server"], []),
        (["serve", "contest"], ["server"], []),
        (["tally", "contest"], ["server"], []),
        (["verify", "contest"], ["server"], []),
    ],
    ids=lambda words: " ".join(words[:2]) if words else "nothing",
)
def test_missing_libraries_are_named_by_their_extras(
    folder: Path, words: list[str], extras: list[str], installed: list[str]
) -> None:
    code, output = answer(words, folder, *installed)
    assert code == 2
    assert len(output.splitlines()) == 1
    assert f"'.[{','.join(extras)}]'" in output
