"""The contest.toml of a contest that is recovered into a new folder.

It says what the old one said, but for where the record is and where its copy: the new folder has a
record of its own, and what is left of the old ones is not to be written over. Where no contest.toml
is left, one is written by what the record says of its settings.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any, NamedTuple

import msgspec

from contest.errors import BadSettings
from contest.record.bodies import ContestOpened
from contest.record.events import Event
from contest.setup.settings import Settings, parse

_TABLE = re.compile(r"\s*\[")
_RECORD = re.compile(r"\s*\[\s*record\s*\]\s*(#.*)?")
_PLACE = re.compile(r"(\s*(?:database|copy_to)\s*=\s*)(\"[^\"\\\\]*\"|'[^']*')(?!['\"])")


class Resettled(NamedTuple):
    """Settings for a new folder: their text, what it says, and what was changed, in words."""

    text: str
    settings: Settings
    notes: list[str]


def resettled(text: str) -> Resettled:
    """Settings with the places of record and copy taken out, and passwords with them.

    Arguments:
        text: of a contest.toml.

    Raises:
        BadSettings: if it can't be used, or names those places in a way that can't be taken out.
    """
    before = parse(text)
    here = msgspec.structs.replace(before.record, database="", copy_to="")
    wanted = msgspec.structs.replace(before, record=here)
    if wanted == before:
        return Resettled(text, before, [])
    lines, within = [], False
    for line in text.splitlines(keepends=True):
        if _TABLE.match(line):
            within = _RECORD.fullmatch(line.rstrip("\r\n")) is not None
        lines.append(_PLACE.sub(r'\1""', line, count=1) if within else line)
    changed = "".join(lines)
    # What looks like such a line may stand within a text of several lines, or in another form.
    try:
        after = parse(changed)
    except BadSettings:
        after = before
    if after != wanted:
        raise BadSettings("database and copy_to can't be taken out of its [record] by lines")
    notes = ["its contest.toml names no [record] database: the record is record.db in the folder"]
    if before.record.copy_to:
        notes.append("it names no copy_to either; name a new file for a second copy")
    return Resettled(changed, wanted, notes)


def of_record(opened: Event) -> str:
    """The text of a contest.toml by what the record says; empty if that can't be used.

    Arguments:
        opened: the first event of a record.
    """
    if opened.kind != ContestOpened.kind:
        return ""
    try:
        # Minutes and dates stand there as text.
        settings = msgspec.convert(opened.body.get("settings"), Settings, strict=False)
    except msgspec.ValidationError:
        return ""
    blocks = []
    for name in settings.__struct_fields__:
        value = getattr(settings, name)
        many = isinstance(value, tuple)
        head = f"[[{name}]]" if many else f"[{name}]"
        for table in value if many else (value,):
            rows = (
                f"{key} = {_toml(getattr(table, key))}"
                for key in table.__struct_fields__
                if getattr(table, key) is not None
            )
            blocks.append("\n".join([head, *rows, ""]))
    return "\n".join(blocks)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        rows = (f"{_toml(key)} = {_toml(each)}" for key, each in value.items())
        return f"{{ {', '.join(rows)} }}" if value else "{}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
