"""What a console remembers from one start to the next, in the user's own settings directory.

Only its owner can read the file, because it holds the seat's code if the person asked for that. (On
Windows, a user's directory is private anyway.) It is written completely or not at all. An
unreadable file is renamed and kept, in case somebody wants to inspect it.
"""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path
from typing import Annotated

import msgspec
import platformdirs
from msgspec import Meta

from judge_console.model.joining import REMEMBERED
from lpp.private import replace_private

log = logging.getLogger(__name__)

FILE_NAME = "console.json"
#: The largest file that is read, in bytes; a normal one has a few hundred.
LIMIT = 256 * 1024

#: Exceptions raised when decoding a broken file.
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

_Text = Annotated[str, Meta(max_length=4096)]


class Preferences(msgspec.Struct, omit_defaults=True):
    """The preferences. Each has a default; unknown ones in the file are ignored.

    Attributes:
        servers: the servers used before, the most recent first.
        trusted: maps the address of each server to the fingerprint of the certificate that the
            person has accepted.
        code: the seat's code; empty unless the person wanted it remembered.
        theme, text_size: see judge_console.look.theme; the text size is in percent.
    """

    servers: Annotated[list[_Text], Meta(max_length=REMEMBERED)] = []
    trusted: Annotated[dict[_Text, _Text], Meta(max_length=REMEMBERED)] = {}
    code: _Text = ""
    theme: _Text = "system"
    text_size: Annotated[int, Meta(ge=10, le=1000)] = 100


def preferences_path() -> Path:
    """The path of the preferences file of this user."""
    return platformdirs.user_config_path("loebner") / FILE_NAME


class PreferencesFile:
    """The preferences and their file.

    Arguments:
        file: see `preferences_path`.

    Attributes:
        preferences: the current preferences; see `change`.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.preferences = Preferences()
        try:
            self.preferences = self._read()
        except FileNotFoundError:
            pass
        except OSError as exc:
            log.warning("%s: can't be read (%s); using the defaults", file, exc.strerror)
        except _BROKEN as exc:
            self._set_aside(str(exc))

    def refresh(self) -> None:
        """Reads the file again, because another window may have written it. If it can't be read,
        the preferences stay unchanged."""
        with contextlib.suppress(OSError, *_BROKEN):
            self.preferences = self._read()

    def _read(self) -> Preferences:
        with self._file.open("rb") as opened:
            raw = opened.read(LIMIT + 1)
        if len(raw) > LIMIT:
            raise msgspec.DecodeError("it is too large")
        return msgspec.json.decode(raw, type=Preferences)

    def _set_aside(self, why: str) -> None:
        aside = self._file.with_suffix(".broken.json")
        try:
            os.replace(self._file, aside)
        except OSError as exc:
            log.warning(
                "%s: can't be read (%s), and can't be renamed (%s)", self._file, why, exc.strerror
            )
        else:
            log.warning("%s: can't be read (%s); renamed to %s", self._file, why, aside.name)

    def change(self, **changes: object) -> None:
        """Saves preferences, and keeps those that another window has saved since. Errors of
        the disk are only logged.

        Arguments:
            changes: new values by their names in `Preferences`.
        """
        self.refresh()
        for name, value in changes.items():
            setattr(self.preferences, name, value)
        if why := self._write():
            log.warning("the preferences can't be saved: %s", why)

    def _write(self) -> str:
        """Writes the preferences. Returns the reason if that fails, otherwise an empty text."""
        try:
            raw = msgspec.json.format(msgspec.json.encode(self.preferences))
            self._file.parent.mkdir(parents=True, exist_ok=True)
            replace_private(self._file, raw)
        except UnicodeEncodeError:
            return "a path in the preferences is not valid text"
        except OSError as exc:
            return exc.strerror or str(exc)
        return ""
