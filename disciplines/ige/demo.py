"""A small contest to look at, offline: two games of ours, and what two developers of ours say."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from contest.setup import folder as folders
from contest.setup.settings import FILE_NAME

#: What `loebner ige demo` makes, unless told otherwise.
FOLDER = "ige-demo"

_SETTINGS = """\
discipline = "ige"

[contest]
name = "Demo: games developed in dialogue"

# Stored messages stand in for language models: one developer makes no mistake, one makes several.
[[developer]]
name = "careful"
folder = "answers"

[[developer]]
name = "careless"
folder = "answers"

# Stored ratings, made up for the demo.
[rating]
who = "model"
folder = "ratings"
"""


def make(folder: Path) -> None:
    """Makes a new contest's folder, with a commented contest.toml and our two games.

    Arguments:
        folder: new or empty.

    Raises:
        YoursToFix: if the folder is not empty.
        Surroundings: if it can't be written.
    """
    folders.make(folder, (files("disciplines.ige") / FILE_NAME).read_text(encoding="utf-8"))
    _write_games(folder)


def prepare(folder: Path) -> None:
    """Makes the demo's folder, or finds that it is there already, to go on in it; raises as
    `make`."""
    file = folder / FILE_NAME
    if file.is_file() and file.read_text("utf-8", "replace") == _SETTINGS:
        return
    folders.refuse_unless_empty(folder)
    _write_games(folder)
    for kind in ("answers", "ratings"):
        for name, text in bundled()[kind].items():
            folders.write(folder / kind / f"{name}.txt", text)
    folders.write(file, _SETTINGS)


def bundled() -> dict[str, Any]:
    """The games, and the stored messages and ratings by the name of their file."""
    text = (files("disciplines.ige") / "bundled" / "demo.json").read_text("utf-8")
    return dict(json.loads(text))


def _write_games(folder: Path) -> None:
    games = "".join(json.dumps(game) + "\n" for game in bundled()["games"])
    folders.write(folder / "games.jsonl", games)
