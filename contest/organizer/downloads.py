"""What can be taken home from the board: exports as archives, and entries' wire logs.

They are made of the whole record, in a process of their own: a round may begin meanwhile.
"""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from contest import apart
from contest.errors import ContestError, Surroundings
from contest.organizer import wirelog
from contest.record.logs import EventLog
from contest.record.store import Record
from contest.results.contest import Contest
from contest.results.exports import FORMATS, files_of

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
            "pictures": "SVG and PNG of design, shares, rankings and rhythm; needs the extra "
            "“science” on the server",
        }.items()
        if form in FORMATS
    }
)
#: Forms of a wire log: its suffix and its type.
WIRE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"text": ("txt", "text/plain; charset=utf-8"), "csv": ("csv", "text/csv; charset=utf-8")}
)
#: Seconds that one may take.
LONGEST = 1800.0
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class Download(msgspec.Struct, frozen=True):
    """A file for a browser to keep; or why there is none, in `refused`."""

    name: str = ""
    type: str = ""
    content: bytes = b""
    refused: str = ""


class Question(msgspec.Struct, frozen=True):
    """What is to be made.

    Attributes:
        url: the record's.
        form: one of `EXPORTS`; of a wire log one of `WIRE`.
        entry: whose wire log; empty for an export.
    """

    url: str
    form: str
    entry: str = ""


async def made_apart(question: Question, longest: float = LONGEST) -> Download:
    """Makes a file in a process of its own, within so many seconds of real time.

    Raises:
        Surroundings: if it can't be made, or not in that time; says why.
    """
    try:
        said = await apart.run(__name__, msgspec.msgpack.encode(question), longest)
    except TimeoutError:
        raise Surroundings(
            f"this was not made within {longest:g} seconds; `loebner export` at a terminal may "
            "take its time"
        ) from None
    made = msgspec.msgpack.decode(said, type=Download)
    if made.refused:
        raise Surroundings(made.refused)
    return made


def answered(question: bytes) -> bytes:
    """What the process does; see `contest.apart`."""
    asked = msgspec.msgpack.decode(question, type=Question)
    try:
        with Record(asked.url) as record:
            log = record.log()
            made = wire(log, asked.entry, asked.form) if asked.entry else export(log, asked.form)
    except ContestError as exc:
        made = Download(refused=str(exc))
    return msgspec.msgpack.encode(made)


def export(log: EventLog, form: str) -> Download:
    """An export, one of `EXPORTS`, in one archive.

    Raises:
        RecordTrouble: if the record can't be used.
        ScienceMissing: if the format needs what is not installed; says how to install it.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files_of(log, form):
            entry = zipfile.ZipInfo(name, time.localtime()[:6])
            entry.compress_type = archive.compression
            with archive.open(entry, "w", force_zip64=True) as file:
                for part in content:
                    file.write(part)
    return Download(f"contest-{form}.zip", "application/zip", out.getvalue())


def wire(log: EventLog, entry: str, form: str) -> Download:
    """An entry's wire log, in one of the forms `WIRE`.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    contest = Contest.of(log)
    make = wirelog.as_csv if form == "csv" else wirelog.as_text
    suffix, type_ = WIRE[form]
    name = f"wire-{_UNSAFE.sub('_', entry)[:32]}.{suffix}"
    return Download(name, type_, make(contest, entry).encode("utf-8", "surrogateescape"))
