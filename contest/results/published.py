"""The files that a finished contest leaves beside its record, the code that wrote them, and their
comparison with what the record gives.

Compared are `results.json` and `results.html` in the contest's folder, and `results.json`,
`results.html` and `events.jsonl` of exports in folders below it. Each is made again from the record
and compared, and the first difference is named.

The record's last event has the digest of the code that wrote the two files of results: with that
same code here, they have to be the same, character by character. Another version of this program
may have said the same in another way: then names, numbers, verdicts, ballots and what was typed are
compared; sentences, layout and statistics are not.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import takewhile, zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from contest.errors import RecordTrouble
from contest.record import reading
from contest.record.bodies import ContestClosed
from contest.record.reading import EventLog, FileLog
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.page import page_stream, score_table
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.verify.findings import Check, Report, quoted
from contest.verify.verify import EXPORT, exported_file, verify

RESULTS = "results.json"
PAGE = "results.html"

#: Name of each file that a finished contest leaves beside its record, to what makes it, in parts.
PUBLISHED: Mapping[str, Callable[[Results], Iterator[str]]] = MappingProxyType(
    {RESULTS: Results.stream, PAGE: page_stream}
)

_PACKAGES = ("contest", "lpp", "scheduler")
_SOURCES = (".py", ".html", ".css", ".toml")
#: Libraries that the text of a page depends on.
_LIBRARIES = ("jinja2", "markupsafe", "numpy", "scipy", "krippendorff")
#: Values of `results.json` that are sentences, or that versions may compute in different ways.
_WORDS = frozenset(
    {"format", "words", "schedule.words", "tally.warnings", "talks.typing", "incidents"}
)
#: Objects whose names are ids: these are the same in any version.
_BY_ID = frozenset({"table", "ranks", "values"})
_MISSING = object()
#: How files compare that nothing is wrong with.
_SAME = "as the record gives them"
_OTHER = "other code wrote them; their names and numbers are the record's"
_PASSED = "not compared, the contest is not finished"
#: How a `results.json` of ours ends, in no more bytes than that.
_RECORD = re.compile(rb'"record": {\n    "events": ([0-9]+),\n    "head": "[0-9a-f]*"\n  }\n}\n\Z')
_END = 400


@functools.cache
def code_digest() -> str:
    """SHA-256, in hex, of our code, of the versions of the libraries that it makes pages with, and
    of the kind of machine. Two programs with the same digest write the same files."""
    digest = hashlib.sha256()
    for line in (platform.python_version(), platform.system(), platform.machine()):
        digest.update(f"{line}\n".encode())
    for library in _LIBRARIES:
        try:
            digest.update(f"{library} {version(library)}\n".encode())
        except PackageNotFoundError:
            digest.update(f"{library} is not installed\n".encode())
    for package in _PACKAGES:
        _add(digest.update, files(package), package)
    return digest.hexdigest()


def _add(update: Callable[[bytes], None], folder: Traversable, name: str) -> None:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            _add(update, each, f"{name}/{each.name}")
        elif each.name.endswith(_SOURCES):
            content = each.read_bytes()
            update(f"{name}/{each.name} {len(content)}\n".encode() + content)


def verify_all(place: Path, head: str | None = None) -> Report:
    """Verifies a record, and compares the files beside it with what it gives.

    Arguments:
        place, head: see `contest.verify.verify.verify`.

    Returns:
        What `verify` found, and a check `published`; each fault of it names its file.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
    """
    report = verify(place, head)
    export, faults = exported_file(place), Check("published")
    beside = _files_beside(place if export is None else export.parent, export)
    found: dict[str, list[str]] = {_SAME: [], _OTHER: [], _PASSED: []}
    try:
        # Without such files nothing of the record is read again.
        record = functools.cache(functools.partial(_Record, place, export))
        for name, file in beside.items():
            try:
                said = record().compare(file, own=file.name == name and export is None)
            except (OSError, ValueError, RecursionError) as exc:
                said = f"it can't be read ({exc})"
            if said in found:
                found[said].append(name)
            else:
                faults.tell(f"{name}: {said}")
    except RecordTrouble as exc:
        faults.tell(f"{', '.join(beside)}: can't be compared with this record: {exc}")
    compared = [f"{', '.join(names)}: {said}" for said, names in found.items() if names]
    faults.said("; ".join(compared) if beside else "no published file is beside the record")
    return replace(report, checks=(*report.checks, faults))


def _files_beside(folder: Path, record: Path | None) -> dict[str, Path]:
    """The files to compare, by their names as seen from the folder.

    Arguments:
        folder: the contest's, or that of a published record.
        record: the published record, if that is verified.
    """
    folders = [folder]
    for each in sorted(folder.iterdir()) if record is None else ():
        # A folder of another contest, such as a rehearsal's, is not about this record; an entry may
        # keep files of these names.
        is_contest = any((each / name).exists() for name in (SETTINGS_FILE, RECORD_FILE))
        if each.is_dir() and not each.is_symlink() and not is_contest:
            for inner in (each, each / "downloads"):
                if _events_of(inner) is not None or (inner / EXPORT).is_file():
                    folders.append(inner)
    return {
        file.relative_to(folder).as_posix(): file
        for each in folders
        for file in (each / RESULTS, each / PAGE, each / EXPORT)
        if file.is_file() and file != record
    }


def _events_of(folder: Path) -> int | None:
    """Of how many events the results in a folder say that they were made; None if there are none.
    As we write `results.json`, its end says it: the file may be larger than memory."""
    for file in (folder / RESULTS, folder / "downloads" / RESULTS):
        try:
            with file.open("rb") as opened:
                size = opened.seek(0, os.SEEK_END)
                opened.seek(max(0, size - _END))
                if found := _RECORD.search(opened.read()):
                    return int(found[1])
            match json.loads(file.read_text(encoding="utf-8")):
                case {"record": {"events": int(events), "head": str()}}:
                    return events
        except (OSError, ValueError, RecursionError):
            pass
    return None


class _Record:
    """A record, and the results that it gives.

    Arguments:
        place: a contest's folder.
        export: the published record, where there is none in the folder.
    """

    def __init__(self, place: Path, export: Path | None) -> None:
        def log(end: int | None) -> EventLog:
            return reading.log(place, end) if export is None else FileLog(export, end)

        self._whole = log(None)
        self._count, last = self._whole.count(), self._whole.last()
        self._is_finished = last is not None and last.kind == ContestClosed.kind
        self._is_own_code = last is not None and last.body.get("code") == code_digest()
        # What the record gives after so many of its events.
        self._results = functools.cache(lambda events: Results(Contest.of(log(events))))

    def compare(self, file: Path, *, own: bool) -> str:
        """Compares a file with what the record gives.

        Arguments:
            file: one of `_files_beside`.
            own: whether the server that closed the contest wrote it, and no export did.

        Returns:
            `_SAME`, `_OTHER`, `_PASSED`, or what is wrong, in words.
        """
        if file.name == EXPORT:
            return self._compare_events(file)
        events = self._count if own and self._is_finished else _events_of(file.parent)
        if file.name == PAGE and (events is None or (not self._is_finished and own)):
            # Nobody writes a page before the end, and it does not say of which events it was made.
            return _PASSED
        if events is None:
            return "it is not a document of results"
        if not 0 < events <= self._count:
            return f"it was made of {events:,} events; the record has {self._count:,}"
        made = functools.partial(PUBLISHED[file.name], self._results(events))
        with file.open("rb") as opened:
            same = all(opened.read(len(part)) == part for part in map(str.encode, made()))
            if same and not opened.read(1):
                return _SAME
        text = file.read_bytes().decode()
        if file.name == PAGE:
            differs = _page_differs(text, self._results(events))
        else:
            differs = next(_differences(json.loads(text), json.loads("".join(made())), ""), "")
        if not differs and own and self._is_own_code:
            differs = _first_line(text, "".join(made()))
        return differs or _OTHER

    def _compare_events(self, file: Path) -> str:
        with file.open("rb") as lines:
            for number, (line, event) in enumerate(zip_longest(lines, self._whole.events()), 1):
                if line is None:
                    break
                given = json.loads(line)
                if event is None or not isinstance(given, dict):
                    return f"line {number} is not an event of the record"
                ours = event.as_json()
                if event.redacted or given.get("redacted"):
                    # How much of a body may be published is a matter of later events, too.
                    for part in ("body", "actor", "redacted"):
                        given.pop(part, None), ours.pop(part, None)
                if given != ours:
                    return f"line {number} is not event {event.seq} of the record"
        return _SAME


def _first_line(text: str, expected: str) -> str:
    lines = zip_longest(text.split("\n"), expected.split("\n"), fillvalue="")
    number, (here, record) = next(
        (number, pair) for number, pair in enumerate(lines, 1) if len({*pair}) > 1
    )
    same = takewhile(lambda pair: pair[0] == pair[1], zip(here, record, strict=False))
    begin = max(0, len(list(same)) - 20)
    return (
        f"line {number} has {quoted(here[begin : begin + 60])}; "
        f"the record gives {quoted(record[begin : begin + 60])}"
    )


def _differences(here: Any, record: Any, path: str, words: str = "") -> Iterator[str]:
    """Where the results that other code wrote differ from what the record gives.

    Arguments:
        here, record: a value of both.
        path: the names that lead to it, without the places in lists.
        words: the same with them, as messages have it.
    """
    if path in _WORDS:
        return
    if path == "talks.lines":
        if _typed(here) != _typed(record):
            yield f"{words} are not what was typed by the record"
    elif isinstance(here, dict) and isinstance(record, dict):
        # Another version may have other values; none of those that it has may be different.
        optional = not _BY_ID & set(path.split(".")[-2:])
        for name in dict.fromkeys((*record, *here)):
            pair = here.get(name, _MISSING), record.get(name, _MISSING)
            if not (optional and _MISSING in pair):
                each = f"{path}.{name}".lstrip("."), f"{words}.{name}".lstrip(".")
                yield from _differences(*pair, *each)
    elif isinstance(here, list) and isinstance(record, list):
        for at, pair in enumerate(zip_longest(here, record, fillvalue=_MISSING)):
            yield from _differences(*pair, path, f"{words}[{at}]")
    elif here != record or type(here) is not type(record):
        said = [
            "missing" if each is _MISSING else quoted(json.dumps(each, ensure_ascii=False))
            for each in (here, record)
        ]
        yield f"{words} is {said[0]}; the record gives {said[1]}"


def _typed(lines: Any) -> dict[str, str]:
    """What each author typed in a talk, without what versions may show in different ways."""
    typed: dict[str, str] = {}
    for line in lines if isinstance(lines, list) else ():
        match line:
            case {"author": str(author), "text": str(text)} if _bare(text):
                typed[author] = typed.get(author, "") + _bare(text)
    return typed


def _bare(text: str) -> str:
    """The letters and digits of a text: versions may differ in everything beside them."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text)))


def _page_differs(text: str, results: Results) -> str:
    """What a page of results that other code wrote says differently; empty if nothing is found."""
    bare = _bare(Markup(text).striptags())
    return next((what for what, said in _facts(results) if _bare(said) not in bare), "")


def _facts(results: Results) -> Iterator[tuple[str, str]]:
    """What each page of results has to say, and how a page is wrong that does not say it."""
    contest, score = results.contest, score_table(results)
    yield f"it does not name the head {contest.head}", contest.head
    for name, cells in [*score["rows"], ("Score", score["score"]), *score["foot"]]:
        said = " ".join("–" if cell is None else str(cell) for cell in cells)
        yield f"the table of scores has no row {name} {said}", f"{name} {said}"
    for id_, name in score["entries"]:
        yield f"it does not name {quoted(name)}, {id_}", name
    for talk in contest.talks:
        shown = results.talk(talk)
        where = f"round {talk.round}, {talk.judge} with {talk.entity}"
        for number, line in enumerate(shown["lines"], 1):
            yield f"{where}: line {number} of the transcript is not what was typed", line["text"]
        reason = (shown["verdict"] or {}).get("reason") or ""
        yield f"{where}: the reason of the verdict is not what the judge gave", reason
