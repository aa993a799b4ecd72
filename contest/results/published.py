"""Published files: those that a finished contest leaves beside its record, the digest of the code
that wrote them, and their comparison with the record.

The comparison covers `results.json` and `results.html` in the contest's folder, and `results.json`,
`results.html` and `events.jsonl` of exports in folders below it. Each file is made again from the
record and compared; the first difference is reported.

The record's last event has the digest of the code that wrote the two files of results. If the code
here has the same digest, the files must match character by character. Another version of this
program may have worded them differently: then names, numbers, verdicts, ballots and typed text are
compared, but sentences, layout and statistics are not.
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
from contest.verify.findings import Check, Fault, Report, quoted
from contest.verify.verify import EXPORT, exported_file, verify

RESULTS = "results.json"
PAGE = "results.html"

#: The files that a finished contest leaves beside its record: name to a function that makes the
#: file in chunks.
PUBLISHED: Mapping[str, Callable[[Results], Iterator[str]]] = MappingProxyType(
    {RESULTS: Results.stream, PAGE: page_stream}
)

_PACKAGES = ("contest", "lpp", "scheduler", "texts")
_SOURCES = (".py", ".html", ".css", ".toml")
#: Libraries that the text of a page depends on.
_LIBRARIES = ("babel", "jinja2", "markupsafe", "numpy", "scipy", "krippendorff")
#: Values of `results.json` that are sentences, or that versions may compute differently.
_WORDS = frozenset(
    {"format", "words", "schedule.words", "tally.warnings", "talks.typing", "incidents"}
)
#: Objects whose names are ids, which are the same in every version.
_BY_ID = frozenset({"table", "ranks", "values"})
_MISSING = object()
#: The outcomes of a comparison without faults.
_SAME = "match the record"
_OTHER = "written by another version of this program; its values match, sentences were not compared"
_OTHER_PAGE = (
    "written by another version of this program; its head, scores, names, typed text and reasons "
    "match, the rest was not compared"
)
_SKIPPED = "not compared, because the contest is not finished"
#: The end of a `results.json` as we write it, and the most bytes that this end has.
_RECORD = re.compile(rb'"record": {\n    "events": ([0-9]+),\n    "head": "[0-9a-f]*"\n  }\n}\n\Z')
_END = 400


@functools.cache
def code_digest() -> str:
    """SHA-256, in hex, of our code, the versions of the libraries that it uses for pages, and the
    kind of machine. Two programs with the same digest write the same files."""
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
    """Verifies a record, and compares the files beside it with the record.

    Arguments:
        place, head: see `contest.verify.verify.verify`.

    Returns:
        The report of `verify` with a check `published` added, whose faults name their files.

    Raises:
        NotAContest: if there is no such folder, or no record in it.
    """
    report = verify(place, head)
    export, faults = exported_file(place), Check("published")
    beside = _files_beside(place if export is None else export.parent, export, faults)
    found: dict[str, list[str]] = {_SAME: [], _OTHER: [], _OTHER_PAGE: [], _SKIPPED: []}
    try:
        # The record is read again only if there are files to compare.
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
    faults.with_summary(
        "; ".join(compared) if beside else "there are no published files beside the record"
    )
    return replace(report, checks=(*report.checks, faults))


def _files_beside(folder: Path, record: Path | None, check: Check) -> dict[str, Path]:
    """The files to compare, by their paths relative to the folder.

    Arguments:
        folder: the contest's folder, or that of a published record.
        record: the published record, if one is being verified.
        check: gets a note for each folder that this user may not read.
    """
    folders = [folder]
    for each in sorted(folder.iterdir()) if record is None else ():
        # Skip folders of other contests, such as a rehearsal's, and folders without results of this
        # program: an entry may keep files of the same names.
        try:
            is_contest = any((each / name).exists() for name in (SETTINGS_FILE, RECORD_FILE))
            if each.is_dir() and not each.is_symlink() and not is_contest:
                for inner in (each, each / "downloads"):
                    if _events_of(inner) is not None or (inner / EXPORT).is_file():
                        folders.append(inner)
        except PermissionError as exc:  # such as `lost+found` on a disk of its own
            name = Path(exc.filename).parent.relative_to(folder).as_posix()
            check.notes.append(Fault(f"{name}: skipped, because this user may not read it"))
    return {
        file.relative_to(folder).as_posix(): file
        for each in folders
        for file in (each / RESULTS, each / PAGE, each / EXPORT)
        if file.is_file() and file != record
    }


def _events_of(folder: Path) -> int | None:
    """The number of events from which the results in a folder were made, according to them; None if
    there are none. It is at the end of our `results.json`, which may be larger than memory."""
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
    """A record, and the results made from it.

    Arguments:
        place: a contest's folder.
        export: the published record, if there is no contest in the folder.
    """

    def __init__(self, place: Path, export: Path | None) -> None:
        def log(end: int | None) -> EventLog:
            return reading.open_log(place, end) if export is None else FileLog(export, end)

        self._whole = log(None)
        self._count, last = self._whole.count(), self._whole.last()
        self._is_finished = last is not None and last.kind == ContestClosed.kind
        self._is_own_code = last is not None and last.body.get("code") == code_digest()
        # Number of events to the results computed from them.
        self._results = functools.cache(lambda events: Results(Contest.of(log(events))))

    def compare(self, file: Path, *, own: bool) -> str:
        """Compares a file with the record.

        Arguments:
            file: one of `_files_beside`.
            own: whether the server wrote it when it closed the contest, rather than an export.

        Returns:
            `_SAME`, `_OTHER`, `_OTHER_PAGE`, `_SKIPPED`, or what is wrong, in words.
        """
        if file.name == EXPORT:
            return self._compare_events(file)
        events = self._count if own and self._is_finished else _events_of(file.parent)
        if file.name == PAGE and (events is None or (not self._is_finished and own)):
            # The server writes no page before the end, and a page doesn't say from which events it
            # was made.
            return _SKIPPED
        if events is None:
            return "it is not a document of results"
        if not 0 < events <= self._count:
            return f"it was made from {events:,} events, but the record has {self._count:,}"
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
        return differs or (_OTHER_PAGE if file.name == PAGE else _OTHER)

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
                    # Later events, too, decide how much of a body may be published.
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
        f"it should be {quoted(record[begin : begin + 60])}"
    )


def _differences(here: Any, record: Any, path: str, words: str = "") -> Iterator[str]:
    """The differences between results that other code wrote and those made from the record.

    Arguments:
        here, record: the value in the file, and the one made from the record.
        path: the names that lead to the value, without list indexes.
        words: the path with indexes, for messages.
    """
    if path in _WORDS:
        return
    if path == "talks.lines":
        if _typed(here) != _typed(record):
            yield f"{words} are not what was typed according to the record"
    elif isinstance(here, dict) and isinstance(record, dict):
        # Another version may have more or fewer values, but common ones must be the same.
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
        yield f"{words} is {said[0]}; it should be {said[1]}"


def _typed(lines: Any) -> dict[str, str]:
    """The text that each author typed in a talk, reduced to what all versions show alike."""
    typed: dict[str, str] = {}
    for line in lines if isinstance(lines, list) else ():
        match line:
            case {"author": str(author), "text": str(text)} if _letters_and_digits(text):
                typed[author] = typed.get(author, "") + _letters_and_digits(text)
    return typed


def _letters_and_digits(text: str) -> str:
    """The letters and digits of a text: versions may differ in all other characters."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text)))


def _page_differs(text: str, results: Results) -> str:
    """The first difference of a page of results that other code wrote; empty if there is none."""
    bare = _letters_and_digits(Markup(text).striptags())
    return next(
        (what for what, said in _facts(results) if _letters_and_digits(said) not in bare), ""
    )


def _facts(results: Results) -> Iterator[tuple[str, str]]:
    """Yields a pair for each text that every page of results must contain: the fault to report if
    the text is missing, and the text."""
    contest, score = results.contest, score_table(results)
    yield f"it does not contain the head {contest.head}", contest.head
    for name, cells in [*score["rows"], ("Score", score["score"]), *score["foot"]]:
        said = " ".join("–" if cell is None else str(cell) for cell in cells)
        yield f"the table of scores has no row {name} {said}", f"{name} {said}"
    for id_, name in score["entries"]:
        yield f"it does not contain the name {quoted(name)} of {id_}", name
    for talk in contest.talks:
        shown = results.talk(talk)
        where = f"round {talk.round}, {talk.judge} with {talk.entity}"
        for number, line in enumerate(shown["lines"], 1):
            yield f"{where}: line {number} of the transcript is not what was typed", line["text"]
        reason = (shown["verdict"] or {}).get("reason") or ""
        yield f"{where}: the reason for the verdict is not what the judge gave", reason
