"""The contest.toml of a contest that is recovered into a new folder.

It says what the old one said, but for where the record is and where its copy: the new folder has a
record of its own, and must not write over what is left of the old ones. Where no contest.toml is
left, one is written from the settings on record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from contest.errors import BadSettings
from contest.record.bodies import ContestOpened
from contest.record.events import Event
from contest.setup.settings import Settings, parse


class Moved(NamedTuple):
    """Settings for a new folder: their text, what it says, and what was changed, in words."""

    text: str
    settings: Settings
    notes: list[str]


def moved(text: str) -> Moved:
    """Settings with the places of record and copy taken out, and passwords with them.

    Arguments:
        text: of a contest.toml; comments stay as they are.

    Raises:
        BadSettings: if it can't be used.
    """
    before = parse(text)
    if not (before.record.database or before.record.copy_to):
        return Moved(text, before, [])
    try:
        document = tomlkit.parse(text)
        record: Any = document["record"]
        for name in ("database", "copy_to"):
            if name in record:
                record[name] = ""
    except TOMLKitError as exc:
        raise BadSettings(f"database and copy_to can't be taken out of it: {exc}") from exc
    notes = ["its contest.toml names no [record] database: the record is record.db in the folder"]
    if before.record.copy_to:
        notes.append("it names no copy_to either; name a new file for a second copy")
    text = tomlkit.dumps(document)
    return Moved(text, parse(text), notes)


def of_record(opened: Event) -> str:
    """The text of a contest.toml by what the record says; empty if that can't be used.

    Arguments:
        opened: an event, `contest-opened` or another.
    """
    if opened.kind != ContestOpened.kind:
        return ""
    try:
        # Minutes and dates are text there.
        settings = msgspec.convert(opened.body.get("settings"), Settings, strict=False)
    except msgspec.ValidationError:
        return ""
    return tomlkit.dumps(_plain(settings))


def _plain(value: Any) -> Any:
    """A value as TOML can have it: tables without what is None."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value
