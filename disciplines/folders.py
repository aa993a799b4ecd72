"""Folders of new contests and of the demos, and other texts that are bundled with a discipline.

`bundled/new` of a discipline has the files of a new contest. A demo has these files, too, and those
in `bundled/demo`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from contest.setup import folder as folders
from contest.setup.settings import FILE_NAME


def bundled(discipline: str, name: str) -> str:
    """A bundled text: the instructions for a model that acts as the participant with this name."""
    return _bundled(discipline).joinpath(f"{name}.txt").read_text("utf-8")


def prepare(discipline: str, folder: Path, kind: str = "new", **values: str) -> None:
    """Makes a contest's folder. A demo can continue in the folder of a demo with the same settings,
    where only missing files are written.

    Arguments:
        discipline: the name of its package.
        folder: new or empty, or that of a stopped demo.
        kind: `new` or `demo`.
        values: texts that replace `{NAME}` in contest.toml.

    Raises:
        UserError: if the folder has other content.
        EnvironmentProblem: if it can't be written.
    """
    made = {
        file.relative_to(root): file.read_bytes()
        for root in (_bundled(discipline) / each for each in dict.fromkeys(("new", kind)))
        for file in sorted(root.rglob("*.*"))
    }
    settings = made.pop(Path(FILE_NAME)).decode()
    for key, value in values.items():
        settings = settings.replace(f"{{{key}}}", value)
    held = folder / FILE_NAME
    is_stopped = kind == "demo" and held.is_file()
    if not is_stopped or held.read_text("utf-8", "replace") != settings:
        folders.make(folder, settings)
    for name, data in made.items():
        if not (folder / name).exists():
            folders.write(folder / name, data)


def _bundled(discipline: str) -> Path:
    return Path(str(files("disciplines"))) / discipline / "bundled"
