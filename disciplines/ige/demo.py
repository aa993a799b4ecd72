"""A small example contest, offline: two bundled games, and stored messages of two developers."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from contest.setup import folder as folders
from contest.setup.settings import FILE_NAME
from disciplines.run import has_settings

#: The default folder of `loebner ige demo`.
FOLDER = "ige-demo"
_OURS = files("disciplines.ige") / "bundled"


def make(folder: Path) -> None:
    """Makes a new contest's folder, with a commented contest.toml and the two bundled games.

    Arguments:
        folder: new or empty.

    Raises:
        UserError: if the folder is not empty.
        EnvironmentProblem: if it can't be written.
    """
    folders.make(folder, (files("disciplines.ige") / FILE_NAME).read_text("utf-8"))
    _write_games(folder)


def prepare(folder: Path) -> None:
    """Makes the demo's folder, unless it already exists and the demo can continue in it; raises the
    errors of `make`."""
    settings = (_OURS / "demo.toml").read_text("utf-8")
    if has_settings(folder, settings):
        return
    folders.refuse_unless_empty(folder)
    _write_games(folder)
    for kind in ("answers", "ratings"):
        for name, text in bundled()[kind].items():
            folders.write(folder / kind / f"{name}.txt", text)
    folders.write(folder / FILE_NAME, settings)


def bundled() -> dict[str, Any]:
    """The bundled games; and the stored messages and ratings, by file name."""
    return dict(json.loads((_OURS / "demo.json").read_text("utf-8")))


def _write_games(folder: Path) -> None:
    games = "".join(json.dumps(game) + "\n" for game in bundled()["games"])
    folders.write(folder / "games.jsonl", games)
