"""What a console remembers from one start to the next, in the user's own settings directory.

The file is for its owner's eyes alone, since it holds the seat's code if the person has asked for
that. (Windows keeps a user's directory from others by its own rights.) It is written as a whole or
not at all; one that can't be read is put aside, for somebody may want to look into it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
from pathlib import Path
from typing import Annotated

import msgspec
import platformdirs
from msgspec import Meta

from judge_console.model.joining import REMEMBERED
from lpp.private import open_private

log = logging.getLogger(__name__)

FILE_NAME = "console.json"
#: Bytes that are read at most; ours has some hundreds.
LIMIT = 256 * 1024

#: What decoding a file that is none of ours ends by.
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_Text = Annotated[str, Meta(max_length=4096)]


class Answers(msgspec.Struct, omit_defaults=True):
    """What was answered. Each has a default, and what is unknown is left out.

    Attributes:
        servers: where somebody sat down, the last one first.
        trusted: fingerprints of certificates that somebody has compared and accepted, by the
            server's address.
        code: the seat's code; empty unless the person wanted it remembered.
        theme, text_size: as judge_console.look.theme has them; percent for the text size.
    """

    servers: Annotated[list[_Text], Meta(max_length=REMEMBERED)] = []
    trusted: Annotated[dict[_Text, _Text], Meta(max_length=REMEMBERED)] = {}
    code: _Text = ""
    theme: _Text = "system"
    text_size: Annotated[int, Meta(ge=10, le=1000)] = 100


def answers_path() -> Path:
    """Where the answers are kept."""
    return platformdirs.user_config_path("loebner") / FILE_NAME


class Remembered:
    """The answers and their file.

    Arguments:
        file: where they are; see `answers_path`.

    Attributes:
        answers: what is remembered; see `change`.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.answers = Answers()
        try:
            self.answers = self._read()
        except FileNotFoundError:
            pass
        except OSError as exc:
            log.warning("%s: can't be read (%s); starts empty", file, exc.strerror)
        except _BROKEN as exc:
            self._put_aside(str(exc))

    def refresh(self) -> None:
        """Takes what is in the file now, for another window may have written it; where it can't be
        read, the answers stay as they are."""
        with contextlib.suppress(OSError, *_BROKEN):
            self.answers = self._read()

    def _read(self) -> Answers:
        with self._file.open("rb") as opened:
            raw = opened.read(LIMIT + 1)
        if len(raw) > LIMIT:
            raise msgspec.DecodeError("it is too large")
        return msgspec.json.decode(raw, type=Answers)

    def _put_aside(self, why: str) -> None:
        aside = self._file.with_suffix(".broken.json")
        try:
            os.replace(self._file, aside)
        except OSError as exc:
            log.warning("%s: can't be read (%s), nor put aside (%s)", self._file, why, exc.strerror)
        else:
            log.warning("%s: can't be read (%s); it is %s now", self._file, why, aside.name)

    def change(self, **answers: object) -> None:
        """Remembers answers, beside what another window of this computer has remembered meanwhile;
        a disk that refuses is reported in the log only.

        Arguments:
            answers: by the names that `Answers` has for them.
        """
        self.refresh()
        for name, answer in answers.items():
            setattr(self.answers, name, answer)
        if why := self._write():
            log.warning("what was answered is not remembered: %s", why)

    def _write(self) -> str:
        """Writes the answers; gives why they could not be written, empty if they were."""
        new = self._file.with_name(f"{self._file.name}.{secrets.token_hex(4)}.new")
        try:
            raw = msgspec.json.format(msgspec.json.encode(self.answers))
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle = open_private(new, os.O_EXCL)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(raw)
                    out.flush()
                    os.fsync(out.fileno())
                os.replace(new, self._file)
            except OSError:
                with contextlib.suppress(OSError):
                    new.unlink()
                raise
        except UnicodeEncodeError:
            return "a path among the answers is no text"
        except OSError as exc:
            return exc.strerror or str(exc)
        return ""
