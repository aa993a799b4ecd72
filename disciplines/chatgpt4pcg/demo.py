"""A small example contest, offline, with bundled prompts and a bundled program that answers
them."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

from contest.setup import folder as folders
from contest.setup.settings import FILE_NAME
from disciplines.run import has_settings

#: The default folder of `loebner pcg demo`.
FOLDER = "pcg-demo"

_OURS = files("disciplines.chatgpt4pcg")


def template() -> str:
    """The commented contest.toml of a new contest."""
    return (_OURS / FILE_NAME).read_text("utf-8")


def make(folder: Path, settings: str, names: tuple[str, ...]) -> None:
    """Makes a contest's folder.

    Arguments:
        folder: new or empty.
        settings: the text of its contest.toml.
        names: the names of the bundled prompts to put there.

    Raises:
        UserError: if the folder is not empty.
        EnvironmentProblem: if it can't be written.
    """
    folders.make(folder, settings)
    for name in names:
        text = (_OURS / "bundled" / f"{name}.txt").read_text("utf-8")
        folders.write(folder / "prompts" / f"{name}.txt", text)


def prepare(folder: Path) -> None:
    """Makes the demo's folder, unless it already exists and the demo can continue in it; raises the
    errors of `make`."""
    program = (folder / "answering.py").resolve()
    words = f'"{Path(sys.executable).as_posix()}" -I "{program.as_posix()}" {{seed}}'
    settings = (_OURS / "bundled" / "demo.toml").read_text("utf-8")
    settings = settings.format(command=json.dumps(words, ensure_ascii=False))
    if has_settings(folder, settings):
        return
    folders.refuse_unless_empty(folder)
    make(folder, settings, ("plans", "rules", "short", "baseline", "lost"))
    folders.write(program, (_OURS / "answering.py").read_text("utf-8"))
