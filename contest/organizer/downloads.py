"""Downloads from the board: exports as archives, and the entries' wire logs.

They are made from the whole record, in a separate process, because a round may begin meanwhile.

A wire log helps entrants to find faults. It has every key of an entry's own talks: the entry's keys
with the directory's full name, the time and the rules that were broken, and the judge's keys as the
entry saw them. Talks that a participant withholds from publication are left out.
"""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Iterator

import msgspec

from contest.record.reading import EventLog
from contest.record.store import Record
from contest.results.contest import Contest, Key
from contest.results.exports import FORMATS, files_of
from contest.state.incidents import WITHHELD, in_words
from contest.state.model import Talk
from lpp.names import legible, shown_as
from scheduler.texts import plain
from texts import Sentence

#: The formats of exports; `board.files` in texts/ describes each.
EXPORTS = tuple(
    form for form in ("html", "json", "csv", "text", "lpp2012", "pictures") if form in FORMATS
)
#: The time limit in seconds, and the message if it is exceeded.
TIME_LIMIT = 1800.0
TIMEOUT_MESSAGE = Sentence("board.files.late")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


class Download(msgspec.Struct, frozen=True):
    """A file for a browser to keep."""

    name: str
    type: str
    content: bytes


def make(url: str, form: str, entry: str) -> Download:
    """Makes a file; called in a separate process, see `contest.worker`.

    Arguments:
        url: the record's database.
        form: the format of an export, one of `EXPORTS`; empty for a wire log.
        entry: the entry whose wire log to make.

    Raises:
        ContestError: if it can't be made; says why.
    """
    with Record(url) as record:
        return export(record.log(), form) if form else wire_log(record.log(), entry)


def export(log: EventLog, form: str) -> Download:
    """An export, one of `EXPORTS`, in one archive.

    Raises:
        RecordTrouble: if the record can't be used.
        ScienceMissing: if a package that the format needs is not installed; says how to install it.
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


def wire_log(log: EventLog, entry: str) -> Download:
    """An entry's wire log: one line per key, talk by talk, and then the incidents.

    Raises:
        RecordTrouble: if the record can't be used.
    """
    text = "".join(f"{line}\n" for line in _lines(Contest.of(log), entry))
    name = f"wire-{_UNSAFE.sub('_', entry)[:32]}.txt"
    content = text.encode("utf-8", "surrogateescape")
    return Download(name, "text/plain; charset=utf-8", content)


def _lines(contest: Contest, entry: str) -> Iterator[str]:
    yield plain(f"Wire log of {entry} ({contest.name(entry)})")
    yield "Times are UTC; the second column is seconds from the start of the interaction."
    yield "Judge: the key as named in the directory, with the time when the server received it."
    for talk in contest.talks:
        if talk.entity != entry:
            continue
        attempt = f", attempt {talk.attempt}" if talk.attempt > 1 else ""
        void = "" if (voided := contest.voided(talk)) is None else f" (voided: {plain(voided)})"
        yield from ("", f"Round {talk.round}{attempt}{void}")
        if contest.withheld(talk):
            yield f"  {WITHHELD}"
        elif not contest.keys(talk.id):
            yield "  no key was pressed"
        for key in contest.keys(talk.id):
            yield _line(contest, talk, key)
    told = [each for each in contest.incidents if each.who == entry]
    yield from ("", "Incidents") if told else ()
    for each in told:
        what = plain(in_words(each.event, each.count))
        yield f"  {contest.wall(each.event.mono_ns):%H:%M:%S}  {what}"


def _line(contest: Contest, talk: Talk, key: Key) -> str:
    attempt, offset = contest.attempt(talk), ""
    if attempt is not None and attempt.started_ns is not None:
        offset = f"{contest.offset_ms(talk, key.mono_ns) / 1000:10.3f}"
    shown = shown_as(key.key)
    # An entry's key as received; a judge's as named in the directory.
    name = shown if key.author == "judge" and shown is not None else key.key
    who = "judge" if key.author == "judge" else "entry"
    said = f"  {contest.wall(key.mono_ns):%H:%M:%S.%f}{offset:>11}  {who}  {legible(name)}"
    if key.raw:
        said += f"  {legible(key.raw)}"
    if key.rules:
        said += f"  breaks {', '.join(map(plain, key.rules))}"
    if key.out_of_phase:
        said += f"  not shown: {plain(key.out_of_phase)}"
    elif shown is None:
        said += "  not shown: types nothing"
    return said
