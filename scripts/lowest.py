"""Runs some of the tests with the lowest version of every dependency that setup.cfg allows.

    python scripts/lowest.py

Makes a separate environment in a temporary directory, in which uv installs the lowest versions.
The exit code is 1 if a declared minimum can't be installed together with the others, or a test
fails.
"""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: These tests use the code of every extra, with real sockets, records and windows.
TESTS = (
    *("tests/bots", "tests/contest/record", "tests/contest/links/test_contract.py"),
    *("tests/contest/net/test_tls.py", "tests/contest/results", "tests/contest/serving"),
    "tests/judge_console/test_client.py",
    *("tests/disciplines/chatgpt4pcg", "tests/judge_console/views/test_window.py"),
    *("tests/loebner/test_schedule.py", "tests/loebner/test_tally.py", "tests/scheduler/planning"),
)
EXTRAS = ("bots", "console", "pcg", "scheduling", "science", "server", "test")
_MINIMUM = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9.]+)")


def minima() -> dict[str, str]:
    """Distribution to the lowest version that setup.cfg declares."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    lists = [config["options"]["install_requires"]]
    lists += [config["options.extras_require"][extra] for extra in EXTRAS]
    found = (_MINIMUM.match(line.strip()) for text in lists for line in text.splitlines())
    return {_normal(match[1]): match[2] for match in found if match is not None}


def _normal(name: str) -> str:
    """A distribution's name as all tools compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).casefold()


def _is(installed: str, declared: str) -> bool:
    """Whether two versions are the same, ignoring trailing zeros."""
    return re.sub(r"(\.0)+$", "", installed) == re.sub(r"(\.0)+$", "", declared)


def main() -> int:
    """Installs, compares and tests; returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="loebner-lowest-") as place:
        own, tool = Path(place, "lowest"), Path(place, "uv")
        for made in (own, tool):
            subprocess.run([sys.executable, "-m", "venv", str(made)], check=True)
        subprocess.run([tool / "bin" / "pip", "install", "--quiet", "uv"], check=True)
        uv, python = str(tool / "bin" / "uv"), str(own / "bin" / "python")
        what = f"{ROOT}[{','.join(EXTRAS)}]"
        options = ["--python", python, "--resolution", "lowest-direct"]
        subprocess.run([uv, "pip", "install", "--quiet", *options, what], check=True)
        listed = subprocess.run(
            [uv, "pip", "freeze", "--python", python],
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        pairs = (line.split("==") for line in listed.splitlines() if "==" in line)
        installed = {_normal(name): version for name, version in pairs}
        wrong = [
            f"{name} {declared} can't be installed with the others; got {installed.get(name)}"
            for name, declared in minima().items()
            if not _is(installed.get(name, ""), declared)
        ]
        for line in wrong:
            print(f"lowest: {line}", file=sys.stderr)
        tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *TESTS]
        failed = subprocess.run(tests, cwd=ROOT, check=False).returncode
        return int(bool(wrong or failed))


if __name__ == "__main__":
    sys.exit(main())
