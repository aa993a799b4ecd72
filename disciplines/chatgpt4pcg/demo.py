"""A small example contest, offline, with bundled prompts and a bundled program that answers
them."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path

from contest.setup import folder as folders
from contest.setup.settings import FILE_NAME

#: The default folder of `loebner pcg demo`.
FOLDER = "pcg-demo"

_SETTINGS = """\
discipline = "chatgpt4pcg"

[contest]
name = "Demo: prompts that build letters"
edition = "2023"
letters = "HILOTU"
trials = 3

# A program stands in for a language model.
[[answers]]
command = {command}
at_once = 2
master_seed = 2023

[[entry]]
name = "baseline"
status = "baseline"
reason = "the shortest prompt that asks for a code block"
"""


def template() -> str:
    """The commented contest.toml of a new contest."""
    return (files("disciplines.chatgpt4pcg") / FILE_NAME).read_text(encoding="utf-8")


def make(folder: Path, settings: str, names: tuple[str, ...]) -> None:
    """Makes a contest's folder.

    Arguments:
        folder: new or empty.
        settings: the text of its contest.toml.
        names: the names of the bundled prompts to put there.

    Raises:
        YoursToFix: if the folder is not empty.
        Surroundings: if it can't be written.
    """
    folders.make(folder, settings)
    for name in names:
        text = (
            files("disciplines.chatgpt4pcg").joinpath("bundled", f"{name}.txt").read_text("utf-8")
        )
        folders.write(folder / "prompts" / f"{name}.txt", text)


def prepare(folder: Path) -> None:
    """Makes the demo's folder, unless it already exists and the demo can continue in it; raises the
    errors of `make`."""
    program = (folder / "answering.py").resolve()
    words = f'"{Path(sys.executable).as_posix()}" -I "{program.as_posix()}" {{seed}}'
    settings = _SETTINGS.format(command=json.dumps(words, ensure_ascii=False))
    file = folder / FILE_NAME
    if file.is_file() and file.read_text("utf-8", "replace") == settings:
        return
    source = files("disciplines.chatgpt4pcg").joinpath("answering.py").read_text("utf-8")
    folders.refuse_unless_empty(folder)
    make(folder, settings, ("plans", "rules", "short", "baseline", "lost"))
    folders.write(program, source)
