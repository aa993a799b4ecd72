"""Tests commands without the libraries of their extras: the message names extras that suffice.

Also tests commands with only the extras that the docs name for them.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from contest.record.store import FILE_NAME, Record, sqlite_url
from disciplines.run import Run
from loebner.cli import main
from tests.contest.build import small

ROOT = Path(__file__).resolve().parents[2]

#: Runs commands as if some modules were not installed. Arguments: the modules, then a command; or
#: the modules, then `-` to read lines from standard input, each with modules and a command, and
#: print each exit code.
PROGRAM = """
import shlex
import sys

blocked = set(sys.argv[1].split(","))


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Finder)
from loebner.cli import PACKAGES, main

if sys.argv[2:] != ["-"]:
    sys.exit(main(sys.argv[2:]))
for line in sys.stdin:
    modules, *words = shlex.split(line)
    if blocked != set(modules.split(",")):
        blocked = set(modules.split(","))
        # What has been imported so far is imported again, as far as it still can be.
        for name in list(sys.modules):
            if name.partition(".")[0] in blocked.union(PACKAGES):
                del sys.modules[name]
        from loebner.cli import main
    print(main(words), flush=True)
"""

CODE = "E1-7KQ2-M4XD-9TRA"
OPENAI = ["--endpoint", "http://127.0.0.1:1/v1", "--model", "m", "--persona", "full/x"]
PICTURES = ["--format", "pictures", "--out", "out"]
LINK = ["link", "--server", "127.0.0.1:1", "--code", CODE, "--dir", "entry"]


def distributions_of(extra: str) -> set[str]:
    """The distributions of an extra, according to setup.cfg."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = config["options.extras_require"][extra].split("\n")
    found = (re.match(r"[\w.-]+", line.strip()) for line in lines)
    return {normalized_name(match[0]) for match in found if match is not None}


@cache
def distributions_by_module() -> Mapping[str, list[str]]:
    """The distributions that contain each module of this environment, by their normalized names."""
    found = packages_distributions()
    return {module: list(map(normalized_name, names)) for module, names in found.items()}


def blocked_with(*extras: str) -> str:
    """The modules of all extras for users, except those that these extras install."""
    users = ("bots", "console", "link", "pcg", "scheduling", "science", "server")
    missing = {name for extra in users for name in distributions_of(extra)}
    missing -= {name for extra in extras for name in distributions_of(extra)}
    modules = distributions_by_module().items()
    return ",".join(module for module, names in modules if not missing.isdisjoint(names))


def blocked_except(*extras: str) -> str:
    """The modules of all distributions that `pip install '.[EXTRAS]'` doesn't install."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    lists = [config["options"]["install_requires"]]
    lists += [config["options.extras_require"][extra] for extra in extras]
    lines = [line for text in lists for line in text.splitlines() if line.strip()]
    wanted = [(Requirement(line), {""}) for line in lines]
    brought: set[tuple[str, frozenset[str]]] = set()
    while wanted:
        found, own_extras = wanted.pop()
        name = (normalized_name(found.name), frozenset(found.extras))
        marker = found.marker
        if name in brought or not (
            marker is None or any(marker.evaluate({"extra": extra}) for extra in own_extras)
        ):
            continue
        brought.add(name)
        try:
            further = requires(found.name) or []
        except PackageNotFoundError:
            continue
        wanted += [(Requirement(line), {"", *found.extras}) for line in further]
    names = {"loebner", *(name for name, _ in brought)}
    modules = distributions_by_module().items()
    return ",".join(module for module, found in modules if names.isdisjoint(found))


def normalized_name(name: str) -> str:
    """A distribution's normalized name."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def started(words: list[str], folder: Path, blocked: str) -> subprocess.Popen[str]:
    """Runs a command in a folder, as if some modules were not installed."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, blocked, *words],
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "QT_QPA_PLATFORM": "offscreen"},
        stdin=subprocess.PIPE if words == ["-"] else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a contest, an entry's directory, a file that blocks a demo, and a contest
    of prompts that has begun."""
    assert main(["new", str(tmp_path / "contest")]) == 0
    (tmp_path / "entry").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("You live by the sea.")
    (tmp_path / "prompts").mkdir()
    with Run(tmp_path / "prompts", "chatgpt4pcg", {}, {"qualify": "1"}):
        pass
    return tmp_path


#: Commands, and the extras that each names if their modules are missing.
NAMED: dict[tuple[str, ...], list[tuple[list[str], list[str]]]] = {
    (): [
        (["bot", "aiml", "--dir", "entry"], ["bots"]),
        (["bot", "openai", "--dir", "entry", *OPENAI], ["bots"]),
        (["bot", "retrieval", "--dir", "entry"], ["bots"]),
        (["check-bot", "--html", "out", "--dir", "entry"], ["bots"]),
        (["check-setup", "contest"], ["server"]),
        (["confederate"], ["console"]),
        (["demo", "--out", "full"], ["server", "bots"]),
        (["demo", "--out", "full", "--windows"], ["server", "bots", "console"]),
        (["export", "contest", "--format", "json", "--out", "out"], ["server"]),
        (["judge"], ["console"]),
        (LINK, ["link"]),
        (["pcg", "picture", "level.xml", "--out", "out.png"], ["server", "bots", "pcg"]),
        (["practice", "--bot", "aiml"], ["bots"]),
        (["rater", "http://h/r/x"], ["console"]),
        (["recover", "contest", "--out", "out"], ["server"]),
        (["rehearse", "contest"], ["server"]),
        (["replay", "contest"], ["server"]),
        (["screen", "ask", "contest"], ["server"]),
        (["screen", "mark", "contest"], ["server"]),
        (["screen", "register", "contest"], ["server"]),
        (["serve", "contest"], ["server"]),
        (["tally", "contest"], ["server"]),
        (["verify", "contest"], ["server"]),
    ],
    ("server",): [
        (["demo", "--out", "full"], ["server", "bots"]),
        (["verify", "prompts"], ["server", "bots", "pcg"]),
    ],
    ("server", "pcg"): [
        (["verify", "prompts"], ["server", "bots"]),
    ],
    ("bots",): [
        (["demo", "--out", "full"], ["server", "bots"]),
    ],
}


def test_missing_libraries_are_named_by_their_extras(folder: Path) -> None:
    """All commands in one process, because a start takes long; each prints one line."""
    rows = [(blocked_with(*installed), *row) for installed in NAMED for row in NAMED[installed]]
    lines = "\n".join(shlex.join([blocked, *words]) for blocked, words, _ in rows)
    with started(["-"], folder, rows[0][0]) as process:
        output, _ = process.communicate(lines, timeout=100)
    assert process.returncode == 0, output
    said = output.splitlines()
    assert len(said) == 2 * len(rows), output
    for (blocked, words, extras), line, code in zip(rows, said[::2], said[1::2], strict=True):
        assert code == "2", words
        assert f"'.[{','.join(extras)}]'" in line, (words, blocked)


THERAPIST = [sys.executable, "-m", "loebner", "bot", "therapist", "--dir", "{dir}"]
SCHEDULE = ["schedule", "make", "--judges", "4", "--entries", "4", "--confederates", "3"]
#: Commands that run until they are interrupted.
LASTING = ("bot", "check-setup", "confederate", "demo", "link", "practice", "rehearse", "serve")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("extras", "words", "said"),
    [
        ([], ["bot", "therapist", "--dir", "entry"], "listening in"),
        ([], ["check-bot", "--only", "2.A.a/unique", "--", *THERAPIST], "pass"),
        (["server"], ["control", "contest", "status"], "no server runs here"),
        ([], ["practice", "--bot", "therapist"], "listening in"),
        ([], ["schedule", "check", "plan.txt"], "not valid"),
        (["server"], ["screen", "questions"], "20."),
        ([], ["tally", "verdicts.csv"], "E1"),
        (["bots"], ["bot", "aiml", "--dir", "entry"], "listening in"),
        (["bots"], ["bot", "openai", "--dir", "entry", *OPENAI], "listening in"),
        (["bots"], ["bot", "retrieval", "--dir", "entry"], "listening in"),
        # Qt's message about a window without a screen.
        (["console"], ["confederate"], "propagateSizeHints"),
        (["link"], LINK, "no connection"),
        ([], ["pcg", "level", "program.txt", "--out", "out.xml"], "1 block"),
        (["pcg"], ["pcg", "picture", "level.xml", "--out", "out.png"], "1024"),
        (["scheduling"], SCHEDULE, "Round 4"),
        (["server"], ["check-setup", "contest"], "green"),
        (["server"], ["export", "contest", "--format", "html", "--out", "out"], "files written"),
        (["server"], ["recover", "contest", "--out", "out"], "with 14 events"),
        (["server"], ["rehearse", "contest"], "0:0"),
        (["server"], ["screen", "rank", "contest"], "marking has not begun"),
        (["server"], ["serve", "contest", "--port", "0"], "Ctrl-C ends the server"),
        (["server"], ["tally", "contest"], "E1"),
        (["server"], ["verify", "contest"], "verified"),
        (["server", "bots"], ["demo", "--out", "out"], "the interaction begins"),
        (["server", "science"], ["export", "contest", *PICTURES], "files written"),
    ],
    ids=lambda value: " ".join(map(str, value[:2])) if isinstance(value, list) else "",
)
def test_the_documented_extras_are_enough(
    folder: Path, extras: list[str], words: list[str], said: str
) -> None:
    (folder / "program.txt").write_text("ab_drop('b11', 4)")
    assert (
        main(["pcg", "level", str(folder / "program.txt"), "--out", str(folder / "level.xml")]) == 0
    )
    (folder / "plan.txt").write_text("Round 1 J1E1C1 J2E2C2\nRound 2 J1E1C2 J2E2C1\n")
    (folder / "verdicts.csv").write_text(
        "round,judge,entry,confederate,verdict\n1,J1,E1,C1,entry\n"
    )
    if words[0] in ("export", "recover", "tally", "verify"):
        with Record(sqlite_url(folder / "contest" / FILE_NAME), create=True) as record:
            record.append_placed(small().events)
    output = ""
    with started(words, folder, blocked_except(*extras)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            output += line
            if said in line and words[0] in LASTING:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=100)
                break
    assert said in output
    assert "Traceback" not in output
