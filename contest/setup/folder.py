"""Making a contest's folder, and writing files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from contest.errors import EnvironmentProblem, UserError
from contest.setup.settings import FILE_NAME


def template() -> str:
    """The commented contest.toml of a new contest: the contest of 2010 with the bundled bots."""
    return (resources.files("contest.setup") / FILE_NAME).read_text(encoding="utf-8")


def make(folder: Path, settings: str | None = None) -> Path:
    """Makes a contest's folder.

    Arguments:
        folder: its path; it may exist if it is empty.
        settings: the text of its contest.toml; by default the template.

    Returns:
        The path of contest.toml.

    Raises:
        UserError: if the folder is not empty, or is a file.
        EnvironmentProblem: if it can't be written.
    """
    refuse_unless_empty(folder)
    file = folder / FILE_NAME
    try:
        # Private, because it will hold sides, keys and the programs' output.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(template() if settings is None else settings, encoding="utf-8")
    except OSError as exc:
        raise EnvironmentProblem(f"{folder}: can't be written ({exc.strerror or exc})") from exc
    return file


def write(file: Path, content: str | bytes, encoding: str = "utf-8") -> None:
    """Writes bytes or a text unchanged, including line ends, to a file whose folder is made if
    necessary. Raises EnvironmentProblem if it can't be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode(encoding) if isinstance(content, str) else content)
    except OSError as exc:
        raise EnvironmentProblem(f"{file}: can't be written ({exc.strerror or exc})") from exc


def write_whole(file: Path, parts: Iterable[str]) -> None:
    """Writes a text in parts, replacing a file only by the whole text: a program that is killed
    leaves the earlier file, or none. Raises EnvironmentProblem if it can't be written."""
    beside = file.with_name(f"{file.name}.new")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as opened:
            opened.writelines(parts)
        os.replace(beside, file)
    except OSError as exc:
        raise EnvironmentProblem(f"{file}: can't be written ({exc.strerror or exc})") from exc


def refuse_unless_empty(folder: Path) -> None:
    """Refuses a folder in which something could be overwritten.

    Raises:
        UserError: if the folder is not empty, or is a file.
    """
    if folder.is_dir():
        if any(folder.iterdir()):
            raise UserError(f"{folder}: this folder is not empty; name a new or empty one")
    elif folder.exists() or folder.is_symlink():
        raise UserError(f"{folder}: this is not a folder; name a new or empty one")
