"""What can be taken home from the board: exports as archives, and entries' wire logs."""

from __future__ import annotations

import io
import re
import threading
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from contest.board import wirelog
from contest.exports.export import FORMATS, files_of
from contest.history import timeline
from contest.history.publication import Published
from contest.record.logs import EventLog

#: Formats of exports, and what each is for.
EXPORTS: Mapping[str, str] = MappingProxyType(
    {
        form: words
        for form, words in {
            "html": "pages for any web server, or to look at",
            "json": "the record, event by event, to be verified by anybody; and the results",
            "csv": "tables: keys, talks, verdicts, rankings, schedule",
            "text": "transcripts as plain text",
            "lpp2012": "logs in the form of 2012",
            "pictures": "SVG and PNG of design, shares, rankings and rhythm, and a time line of "
            "each desk; takes some seconds, and needs the extra “science” on the server",
        }.items()
        if form in FORMATS
    }
)
#: Forms of a wire log: its suffix and its type.
WIRE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"text": ("txt", "text/plain; charset=utf-8"), "csv": ("csv", "text/csv; charset=utf-8")}
)
#: Held by whoever makes an export: they are heavy, and what draws the pictures is not made for
#: several threads.
_ONE_AT_A_TIME = threading.Lock()
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Download:
    """A file for a browser to keep."""

    name: str
    type: str
    content: bytes


def export(log: EventLog, form: str) -> Download:
    """An export in one archive; takes seconds, and has no place on a loop.

    Arguments:
        log: the record.
        form: one of `EXPORTS`.

    Raises:
        RecordTrouble: if the record can't be used.
        ScienceMissing: if the format needs what is not installed; says how to install it.
    """
    out = io.BytesIO()
    with _ONE_AT_A_TIME, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files_of(log, form):
            entry = zipfile.ZipInfo(name, time.localtime()[:6])
            entry.compress_type = archive.compression
            with archive.open(entry, "w", force_zip64=True) as file:
                for part in content:
                    file.write(part)
    return Download(f"contest-{form}.zip", "application/zip", out.getvalue())


def wire(log: EventLog, entry: str, form: str) -> Download:
    """An entry's wire log.

    Arguments:
        log: the record.
        entry: the entry's id.
        form: one of `WIRE`.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    view = timeline.view_of(Published(log))
    make = wirelog.as_csv if form == "csv" else wirelog.as_text
    suffix, type_ = WIRE[form]
    name = f"wire-{_UNSAFE.sub('_', entry)[:32]}.{suffix}"
    return Download(name, type_, make(view, entry).encode("utf-8", "surrogateescape"))
