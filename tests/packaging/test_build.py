"""Tests the terminal's folder, built and started here: its programs must run without any other
software."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from bots.registry import BOTS
from loebner.cli import COMMANDS
from scripts import build_terminal

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(find_spec("PyInstaller") is None, reason="PyInstaller is not installed"),
]

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "lpp",
    "scheduler",
    "bots",
    "judge_console",
    "contest",
    "disciplines",
    "loebner",
    "texts",
)
EXE = ".exe" if sys.platform == "win32" else ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built folder, shared by all workers of a run."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    place /= "terminal"
    try:
        place.mkdir()
    except FileExistsError:
        return _built_by_another(place)
    try:
        built = build_terminal.build(place / "dist", place / "work")
    except BaseException as exc:
        (place / "failed").write_text(repr(exc))
        raise
    (place / "built").write_text(str(built))
    return built


def _built_by_another(place: Path) -> Path:
    while True:
        if (place / "failed").exists():
            pytest.fail(f"the build failed in another worker: {(place / 'failed').read_text()}")
        with contextlib.suppress(FileNotFoundError):
            if built := (place / "built").read_text():
                return Path(built)
        time.sleep(0.1)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine without Python, a screen, or files of the project."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}
    return {
        **kept,
        "PATH": "",
        "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "LOCALAPPDATA": str(tmp_path / "local"),
        "QT_QPA_PLATFORM": "offscreen",
    }


def run(
    folder: Path, environment: dict[str, str], program: str, *words: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(folder / (program + EXE)), *words],
        cwd=folder.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def test_the_program_prints_its_version(folder: Path, environment: dict[str, str]) -> None:
    done = run(folder, environment, "loebner", "--version")
    assert (done.returncode, done.stdout) == (0, f"loebner {version('loebner')}\n"), done.stderr
    assert build_terminal.try_out(folder) == f"loebner {version('loebner')}"


@pytest.mark.parametrize("command", COMMANDS)
def test_all_commands_are_included(folder: Path, environment: dict[str, str], command: str) -> None:
    done = run(folder, environment, "loebner", command, "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Usage: loebner {command}")


def test_the_program_makes_a_schedule(
    folder: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    four = ("--judges", "4", "--entries", "4", "--confederates", "4")
    made = run(folder, environment, "loebner", "schedule", "make", *four)
    assert made.returncode == 0, made.stderr
    plan = tmp_path / "plan.txt"
    plan.write_text(made.stdout, encoding="utf-8")
    checked = run(folder, environment, "loebner", "schedule", "check", str(plan), "--json")
    assert json.loads(checked.stdout)["valid"] is True


@pytest.mark.parametrize("bot", BOTS)
def test_bots_find_their_tables(
    folder: Path, environment: dict[str, str], room: Path, bot: str
) -> None:
    # check-bot starts the bot by the command `loebner`, which here is the built program.
    words = ("--only", "3/answers", "--json", "--dir", str(room))
    done = run(
        folder, environment, "loebner", "check-bot", *words, "--", "loebner", "bot", bot, "--dir",
        "{dir}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr or done.stdout
    assert [case["outcome"] for case in json.loads(done.stdout)["cases"]] == ["pass"]


def test_the_program_plays_a_whole_contest(
    folder: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "contest"
    done = run(folder, environment, "loebner", "demo", "--speed", "200", "--out", str(out))
    assert done.returncode == 0, done.stderr
    verified = run(folder, environment, "loebner", "verify", str(out))
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_the_directory_dialog_is_included(folder: Path, environment: dict[str, str]) -> None:
    # As far as possible without a person: up to the choice of the toolkit.
    done = run(folder, environment, "loebner", "-m", "bots.dialog", "none", "Choose", ".")
    assert "KeyError: 'none'" in done.stderr


def test_data_and_texts_are_included(folder: Path) -> None:
    inside = folder / "_internal"
    assert (folder / "read-me-first.txt").is_file()
    assert (folder / "LICENSE.txt").is_file()
    missing = [
        file.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.is_file()
        and file.suffix not in (".py", ".pyc")
        and not (inside / file.relative_to(ROOT)).is_file()
    ]
    assert missing == []


def test_the_included_libraries_are_listed(folder: Path) -> None:
    index = (folder / "licences" / "index.txt").read_text(encoding="utf-8")
    for name in ("PySide6_Essentials", "websockets", "zeroconf", "SQLAlchemy", "Python "):
        assert name in index
    assert "pytest" not in index
    assert any((folder / "licences" / "websockets").iterdir())


def test_unneeded_libraries_are_left_out(folder: Path) -> None:
    names = {path.name.lower() for path in folder.rglob("*")}
    assert not {name for name in names if "qt6quick" in name or "qt6qml" in name}
    assert not names & {"pytest", "hypothesis", "mypy", "_pytest", "tcl8.6"}
    # Don't count symbolic links to libraries, which take no space.
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < 250e6


def test_the_archive_has_the_folder_and_a_checksum(folder: Path, tmp_path: Path) -> None:
    made = build_terminal.archive(folder)
    with zipfile.ZipFile(made) as archive:
        names = archive.namelist()
    assert f"loebner/loebner-terminal{EXE}" in names
    digest, name = made.with_name(f"{made.name}.sha256").read_text(encoding="ascii").split()
    assert name == made.name
    assert len(digest) == 64


@contextlib.contextmanager
def x_server() -> Iterator[str]:
    """Starts a virtual screen, and yields its name."""
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(words, pass_fds=[writing], stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        try:
            with os.fdopen(reading) as file:
                yield f":{file.readline().strip()}"
        finally:
            process.terminate()


@pytest.mark.skipif(
    shutil.which("Xvfb") is None or shutil.which("xdotool") is None,
    reason="needs Xvfb and xdotool",
)
def test_the_window_opens(folder: Path, environment: dict[str, str]) -> None:
    del environment["QT_QPA_PLATFORM"]
    with x_server() as display:
        environment["DISPLAY"] = display
        with subprocess.Popen(
            [str(folder / "loebner-terminal")], env=environment, stderr=subprocess.PIPE, text=True
        ) as program:
            try:
                assert _window_of(program, display), "no window after 30 s"
            finally:
                program.terminate()


def _window_of(program: subprocess.Popen[str], display: str) -> str:
    words = [
        "xdotool",
        "search",
        "--all",
        "--onlyvisible",
        "--pid",
        str(program.pid),
        "--name",
        ".",
    ]
    environment = {**os.environ, "DISPLAY": display}
    for _ in range(300):
        if program.poll() is not None:
            pytest.fail(f"it ended with {program.returncode}: {program.communicate()[1]}")
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.stdout:
            return done.stdout
        time.sleep(0.1)
    return ""
