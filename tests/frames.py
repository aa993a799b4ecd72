"""Frames of msgspec against the pages that describe them."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
from msgspec import NODEFAULT


def defaults(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields that a frame may leave out, each with its default, as JSON has them."""
    found = {}
    for field in msgspec.structs.fields(kind):
        if field.default is not NODEFAULT:
            found[field.encode_name] = field.default
        elif field.default_factory is not NODEFAULT:
            found[field.encode_name] = field.default_factory()
    return dict(json.loads(msgspec.json.encode(found)))


def defaults_said(section: str) -> dict[str, Any]:
    """The same by the tables of a section of a page: those whose last column is headed `default`.
    A default stands there as JSON; a field that is always there has none."""
    found = {}
    for table in re.findall(r"(?:^\|.*\|$\n)+", section, re.MULTILINE):
        head, _, *rows = (
            [cell.strip() for cell in row.split("|")[1:-1]] for row in table.split("\n")[:-1]
        )
        if head[-1] == "default":
            for first, *_, default in rows:
                for field in re.findall(r"`(\w+)`", first):
                    if default:
                        found[field] = json.loads(default.strip("`"))
    return found
