"""Builds the terminal's folder with `loebner` and `loebner-terminal`, which need no Python.

    python scripts/build_terminal.py [--out DIR] [--zip]

PyInstaller builds for the system on which it runs, so build for Windows on Windows, preferably with
Python 3.12 or later (docs/how-to/build-for-windows.md). After the build, the script starts both
programs once as a test.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SPEC = ROOT / "packaging" / "loebner.spec"
READ_ME = ROOT / "packaging" / "read-me-first.txt"
#: The extras whose libraries the programs include.
EXTRAS = ("console", "server", "bots")
#: The time limit in seconds until a built program answers.
PATIENCE = 120.0


class BuildError(Exception):
    """A problem that the user of this script has to fix, in one line."""


def build(out: Path, work: Path) -> Path:
    """Builds the folder.

    Arguments:
        out: where to put it; the folder of an earlier build is replaced.
        work: a directory for PyInstaller's own files.

    Returns:
        The folder.

    Raises:
        BuildError: if something is not installed, or a step fails.
    """
    if find_spec("PyInstaller") is None:
        raise BuildError(
            "PyInstaller is not installed; install it with: pip install '.[all,build]'"
        )
    words = [sys.executable, "-m", "PyInstaller", str(SPEC), "--noconfirm", "--log-level", "WARN"]
    words += ["--distpath", str(out), "--workpath", str(work)]
    if subprocess.run(words, cwd=ROOT, check=False).returncode != 0:
        raise BuildError("PyInstaller failed; see its output above")
    folder = out / "loebner"
    shutil.copy(READ_ME, folder)
    shutil.copy(ROOT / "LICENSE", folder / "LICENSE.txt")
    _copy_licences(folder / "licences")
    return folder


def try_out(folder: Path) -> str:
    """Starts both programs.

    Arguments:
        folder: the built folder.

    Returns:
        The output of `loebner --version`.

    Raises:
        BuildError: if one does not start.
    """
    # The build machine may have no display.
    screen = {} if sys.platform == "win32" else {"QT_QPA_PLATFORM": "offscreen"}
    _answer(folder, screen, "loebner-terminal", "--try-out")
    return _answer(folder, screen, "loebner", "--version").strip()


def _answer(folder: Path, screen: dict[str, str], program: str, *words: str) -> str:
    path = folder / (f"{program}.exe" if sys.platform == "win32" else program)
    done = subprocess.run(
        [str(path), *words],
        env={**os.environ, **screen},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode != 0:
        raise BuildError(f"{program} was built but does not run: {done.stderr.strip()}")
    return done.stdout


def archive(folder: Path) -> Path:
    """Makes the archive for distribution, and a file with its SHA-256.

    Arguments:
        folder: the built folder.

    Returns:
        The archive, beside the folder.
    """
    system = f"{platform.system()}-{platform.machine()}".lower()
    stem = folder.parent / f"loebner-terminal-{distribution('loebner').version}-{system}"
    made = Path(shutil.make_archive(str(stem), "zip", folder.parent, folder.name))
    with made.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    made.with_name(f"{made.name}.sha256").write_text(f"{digest}  {made.name}\n", encoding="ascii")
    return made


def distributions() -> list[Distribution]:
    """The distributions that the programs include: ours and its requirements with EXTRAS, sorted by
    name."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, Distribution] = {}
    todo: list[tuple[str, tuple[str, ...]]] = [("loebner", EXTRAS)]
    done: set[tuple[str, tuple[str, ...]]] = set()
    while todo:
        name, extras = todo.pop()
        if (name, extras) in done:
            continue
        done.add((name, extras))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError as exc:
            raise BuildError(
                f"{name} is not installed; install: pip install '.[all,build]'"
            ) from exc
        for line in found[name].requires or ():
            its = Requirement(line)
            if its.marker is None or any(
                its.marker.evaluate({"extra": extra}) for extra in ("", *extras)
            ):
                todo.append((canonicalize_name(its.name), tuple(sorted(its.extras))))
    return [found[name] for name in sorted(found)]


def licences(dist: Distribution) -> Iterator[Path]:
    """The licence files of a distribution."""
    for file in dist.files or ():
        if file.parts[0].endswith(".dist-info") and file.name.upper().startswith(
            ("LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS")
        ):
            yield Path(str(dist.locate_file(file)))


def _copy_licences(place: Path) -> None:
    place.mkdir()
    lines = []
    for dist in distributions():
        about = dist.metadata
        name = about["Name"]
        said = [about[key].strip() for key in ("License-Expression", "License") if key in about]
        terms = next((text.splitlines()[0] for text in said if text), "see its licence files")
        lines.append(f"{name} {dist.version}: {terms}")
        for file in licences(dist):
            (place / name).mkdir(exist_ok=True)
            shutil.copy(file, place / name / file.name)
    python = Path(sys.base_prefix) / "LICENSE.txt"
    if python.is_file():
        shutil.copy(python, place / "Python.txt")
    lines.append(f"Python {platform.python_version()}: Python Software Foundation License")
    (place / "index.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Runs the script; returns its exit code."""
    parser = argparse.ArgumentParser(description="Build the terminal's folder.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="output directory [dist]")
    parser.add_argument("--zip", action="store_true", help="also make an archive for distribution")
    options = parser.parse_args()
    try:
        folder = build(options.out.resolve(), ROOT / "build" / "terminal")
        print(f"{try_out(folder)}: {folder}")
        if options.zip:
            print(archive(folder))
    except BuildError as exc:
        print(f"build_terminal: {exc}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
