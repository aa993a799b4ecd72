"""The files that a finished contest leaves beside its record, the code that wrote them, and their
comparison with what the record gives.

Looked at are `results.json` and `results.html` in the contest's folder, and `results.json`,
`results.html` and `events.jsonl` of exports in folders below it.

A file is altered if it says something else than the record. A file that another version of this
program wrote may say the same in another way. The record's last event has the digest of the code
that wrote the two files of results: with that same code here, they have to be the same, character
by character. In all other cases names, numbers, verdicts, ballots and what was typed are compared;
sentences, layout and statistics are not.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any

from contest.errors import RecordTrouble
from contest.history import timeline
from contest.history.publication import Published
from contest.record import reading
from contest.record.bodies import ContestClosed
from contest.record.logs import EventLog, FileLog
from contest.record.store import FILE_NAME as RECORD_FILE
from contest.results.document import Results
from contest.results.page import page_stream, score_table
from contest.setup.settings import FILE_NAME as SETTINGS_FILE
from contest.verify import exported
from contest.verify.findings import Check, Faults, Report, quoted
from contest.verify.verify import verify

RESULTS = "results.json"
PAGE = "results.html"

#: Name of each file that a finished contest leaves beside its record, to what makes it, in parts.
PUBLISHED: Mapping[str, Callable[[Results], Iterator[str]]] = MappingProxyType(
    {RESULTS: Results.stream, PAGE: page_stream}
)

_PACKAGES = ("contest", "lpp", "scheduler")
_SOURCES = (".py", ".html", ".css")
#: Libraries that the text of a page depends on.
_LIBRARIES = ("jinja2", "markupsafe", "numpy", "scipy", "matplotlib", "krippendorff")
#: What an export of pages calls the folder with its record and results.
_DOWNLOADS = "downloads"
#: Values of `results.json` that are sentences, or that versions may compute in different ways.
_WORDS = frozenset(
    {
        *(("format",), ("words",), ("schedule", "words"), ("tally", "warnings")),
        *(("talks", "typing"), ("talks", "lines"), ("incidents",)),
    }
)
#: Objects whose names are ids: in any version these are the same.
_BY_ID = frozenset({"table", "ranks", "values"})
_MISSING = object()
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
    return replace(report, checks=(*report.checks, _published(place)))


def _published(place: Path) -> Check:
    file = exported.file_of(place)
    files = _files_beside(place if file is None else file.parent, file)
    if not files:
        return Check("published", "no published file stands beside the record")
    faults = Faults()
    held: list[str] = []
    passed: list[str] = []
    try:
        record = _Record(place, file)
        for name, beside in files.items():
            found = record.compare(name, beside)
            if found is None:
                passed.append(name)
                continue
            held.append(name)
            if found:
                faults.tell(f"{name}: {found}")
    except RecordTrouble as exc:
        faults.tell(f"{', '.join(files)}: can't be compared with this record: {exc}")
        return faults.check("published", "")
    said = []
    if same := [name for name in held if name not in record.other_code]:
        said.append(f"{', '.join(same)}: as the record gives them")
    if record.other_code:
        names = ", ".join(record.other_code)
        said.append(f"{names}: other code wrote them; their names and numbers are the record's")
    if passed:
        said.append(f"{', '.join(passed)}: not compared, the contest is not finished")
    return faults.check("published", "; ".join(said))


def _files_beside(folder: Path, record: Path | None) -> dict[str, Path]:
    """The files to compare, by their names as seen from the folder.

    Arguments:
        folder: the contest's, or that of a published record.
        record: the published record, if that is verified.
    """
    folders = [folder]
    if record is None:
        for each in sorted(folder.iterdir()):
            # A folder of another contest, such as a rehearsal's, is not about this record.
            is_contest = any((each / name).exists() for name in (SETTINGS_FILE, RECORD_FILE))
            if each.is_dir() and not each.is_symlink() and not is_contest:
                folders += [each, each / _DOWNLOADS]
    return {
        file.relative_to(folder).as_posix(): file
        for each in folders
        for file in (each / RESULTS, each / PAGE, each / exported.FILE_NAME)
        if file.is_file() and file != record and (each == folder or _is_export(each))
    }


def _is_export(folder: Path) -> bool:
    """Whether a folder was made by an export of ours: an entry may keep files of these names."""
    for beside in (folder, folder / _DOWNLOADS):
        try:
            _events_stated(beside / RESULTS)
        except (OSError, ValueError, RecursionError):
            continue
        return True
    return (folder / exported.FILE_NAME).is_file()


def _stated(text: str) -> tuple[Mapping[str, Any], int]:
    """The document in `results.json`, and of how many events it says that it was made.

    Raises:
        ValueError: if it is no such document.
    """
    document = json.loads(text)
    match document:
        case {"record": {"events": int(events), "head": str()}}:
            return document, events
    raise ValueError("it is no document of results")


def _events_stated(file: Path) -> int:
    """Of how many events the document in a `results.json` says that it was made.

    Raises:
        OSError, ValueError: if there is no such document.
    """
    with file.open("rb") as opened:
        size = opened.seek(0, os.SEEK_END)
        opened.seek(max(0, size - _END))
        # As we write it, this is how it ends; the file may be larger than memory.
        found = _RECORD.search(opened.read())
    return int(found[1]) if found else _stated(file.read_text(encoding="utf-8"))[1]


def _holds(file: Path, parts: Iterable[str]) -> bool:
    """Whether a file holds exactly these parts."""
    with file.open("rb") as opened:
        same = all(opened.read(len(part)) == part for part in map(str.encode, parts))
        return same and not opened.read(1)


class _Record:
    """A record, and the results that it gives.

    Arguments:
        place: a contest's folder.
        export: the published record, where there is none in the folder: then an export wrote the
            files beside it, and not the server that closed the contest.

    Attributes:
        other_code: the files that were compared by what they say, and not by their characters.
    """

    def __init__(self, place: Path, export: Path | None) -> None:
        self._log: Callable[[int | None], EventLog] = (
            functools.partial(reading.log, place)
            if export is None
            else functools.partial(FileLog, export)
        )
        self._whole = self._log(None)
        self._count = self._whole.count()
        self._is_export = export is not None
        last = self._whole.last()
        self._is_finished = last is not None and last.kind == ContestClosed.kind
        self._code = str(last.body.get("code", "")) if last is not None and last.body else ""
        self._results: dict[int, Results] = {}
        self.other_code: list[str] = []

    def compare(self, name: str, file: Path) -> str | None:
        """What is wrong with a file, in words; empty if nothing is, None if it can't be said."""
        own = file.name == name and not self._is_export
        try:
            if file.name == exported.FILE_NAME:
                return self._compare_events(file)
            if file.name == RESULTS:
                return self._compare_results(name, file, own)
            if not own:
                return self._compare_copied_page(name, file)
            # Nobody writes a page before the end, and it does not say of which events it was made.
            if not self._is_finished:
                return None
            return self._compare_page(name, file, self._results_after(), own)
        except (OSError, ValueError, RecursionError) as exc:
            return f"it can't be read ({exc})"

    def _results_after(self, events: int | None = None) -> Results:
        """What the record gave after so many of its events; after all if left out."""
        number = self._count if events is None else events
        if number not in self._results:
            log = self._whole if number == self._count else self._log(number)
            self._results[number] = Results(timeline.view_of(Published(log)))
        return self._results[number]

    def _is_same_code(self, name: str, own: bool) -> bool:
        same = own and bool(self._code) and self._code == code_digest()
        if not same:
            self.other_code.append(name)
        return same

    def _compare_results(self, name: str, file: Path, own: bool) -> str:
        if _holds(file, self._results_after().stream()):
            return ""
        text = file.read_bytes().decode()
        try:
            document, events = _stated(text)
        except (ValueError, RecursionError) as exc:
            return f"it can't be used ({exc})"
        whole = own and self._is_finished
        if not whole and not 0 < events <= self._count:
            return f"it was made of {events:,} events; the record has {self._count:,}"
        expected = "".join(self._results_after(None if whole else events).stream())
        if text == expected:
            return ""
        exact = self._is_same_code(name, own)
        differing = next(_differences(document, json.loads(expected), (), exact=exact), "")
        return differing or (_first_line(text, expected) if exact else "")

    def _compare_copied_page(self, name: str, file: Path) -> str | None:
        for beside in (file.parent / RESULTS, file.parent / _DOWNLOADS / RESULTS):
            try:
                events = _events_stated(beside)
            except (OSError, ValueError, RecursionError):
                continue
            if 0 < events <= self._count:
                return self._compare_page(name, file, self._results_after(events), own=False)
        return None

    def _compare_page(self, name: str, file: Path, results: Results, own: bool) -> str:
        if _holds(file, page_stream(results)):
            return ""
        text = file.read_bytes().decode()
        if self._is_same_code(name, own):
            return _first_line(text, "".join(page_stream(results)))
        return _page_differs(text, results)

    def _compare_events(self, file: Path) -> str:
        with file.open("rb") as lines:
            return self._compare_lines(lines)

    def _compare_lines(self, lines: Iterable[bytes]) -> str:
        pairs = zip_longest(lines, self._whole.events())
        for number, (line, event) in enumerate(pairs, 1):
            if line is None:
                break
            if event is None:
                return f"line {number} is no event of the record"
            given, ours = json.loads(line), event.as_json()
            if not isinstance(given, dict):
                return f"line {number} is no event"
            if event.redacted or given.get("redacted"):
                # How much of a body may be published is a matter of later events, too.
                for each in (given, ours):
                    for part in ("body", "actor", "redacted"):
                        each.pop(part, None)
            if given != ours:
                return f"line {number} is not event {event.seq} of the record"
        return ""


def _differences(
    here: Any, record: Any, path: tuple[str, ...], *, exact: bool, words: str = ""
) -> Iterator[str]:
    """Where a document of results differs from what the record gives, in the order of the latter.

    Arguments:
        here, record: a value of both.
        path: the names that lead to it, without the places in lists.
        exact: whether all has to be the same.
        words: the path as messages have it.
    """
    if not exact and path in _WORDS:
        if path == ("talks", "lines"):
            if _typed(here) != _typed(record):
                yield f"{words} are not what was typed by the record"
        elif path == ("incidents",):
            known = {each["seq"]: each for each in record}
            for each in here if isinstance(here, list) else ():
                ours = known.get(each.get("seq")) if isinstance(each, dict) else None
                if ours is not None and (each.get("at"), each.get("kind")) != (
                    *(ours["at"], ours["kind"]),
                ):
                    yield f"{words}: that of event {ours['seq']} is not as the record has it"
        return
    if isinstance(here, dict) and isinstance(record, dict):
        # Another version may have other values; none of those that it has may be different.
        optional = not exact and (not path or path[-1] not in _BY_ID)
        optional = optional and (len(path) < 2 or path[-2] not in _BY_ID)
        for name in dict.fromkeys((*record, *here)):
            pair = here.get(name, _MISSING), record.get(name, _MISSING)
            if not (optional and _MISSING in pair):
                yield from _differences(
                    *pair, (*path, name), exact=exact, words=f"{words}.{name}".lstrip(".")
                )
    elif isinstance(here, list) and isinstance(record, list):
        for at, pair in enumerate(zip_longest(here, record, fillvalue=_MISSING)):
            yield from _differences(*pair, path, exact=exact, words=f"{words}[{at}]")
    elif here != record or type(here) is not type(record):
        yield f"{words} is {_value(here)}; the record gives {_value(record)}"


def _value(value: Any) -> str:
    return "missing" if value is _MISSING else quoted(json.dumps(value, ensure_ascii=False))


def _typed(lines: Any) -> dict[str, str]:
    """What each author typed in a talk, without what versions may show in different ways."""
    typed: dict[str, str] = {}
    for line in lines if isinstance(lines, list) else ():
        if isinstance(line, dict):
            author = str(line.get("author"))
            typed[author] = typed.get(author, "") + _bare(str(line.get("text")))
    return {author: text for author, text in typed.items() if text}


def _bare(text: str) -> str:
    """The letters and digits of a text: whatever is beside them, a version may show as it likes."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text)))


def _first_line(text: str, expected: str) -> str:
    lines = zip_longest(text.splitlines(), expected.splitlines(), fillvalue="")
    for number, (here, record) in enumerate(lines, 1):
        if here != record:
            at = next(
                (at for at, pair in enumerate(zip(here, record, strict=False)) if len({*pair}) > 1),
                min(len(here), len(record)),
            )
            begin = max(0, at - 20)
            return (
                f"line {number} has {quoted(here[begin : begin + 60])}; "
                f"the record gives {quoted(record[begin : begin + 60])}"
            )
    return "its line ends are not those that were written"


class _Page(HTMLParser):
    """What a page says: its text, and the rows of its tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self._texts: list[str] = []
        self._cell: list[str] | None = None
        self.tables: list[list[list[str]]] = [[]]
        self._ignored = 0
        self.feed(page)
        self.close()
        self.text = _bare("".join(self._texts))

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = []
        elif tag in ("style", "script"):
            self._ignored += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None and self.tables[-1]:
            self.tables[-1][-1].append(" ".join("".join(self._cell).split()))
            self._cell = None
        elif tag in ("style", "script"):
            self._ignored -= 1

    def handle_data(self, data: str) -> None:
        if not self._ignored:
            self._texts.append(data)
            if self._cell is not None:
                self._cell.append(data)


def _page_differs(text: str, results: Results) -> str:
    """What a page of results that other code wrote says differently; empty if nothing is found."""
    view, page = results.view, _Page(text)
    if view.head not in page.text:
        return f"it does not name the head {view.head}"
    score = score_table(results)
    found = _scores_differ(page, score)
    if found:
        return found
    for entry in score["entries"]:
        if _bare(entry["name"]) not in page.text:
            return f"it does not name {quoted(entry['name'])}, {entry['id']}"
    for talk in results.as_json()["talks"]:
        where = f"round {talk['round']}, {talk['judge']} with {talk['entity']}"
        for number, line in enumerate(talk["lines"], 1):
            if _bare(line["text"]) not in page.text:
                return f"{where}: line {number} of the transcript is not what was typed"
        verdict = talk["verdict"] or {}
        if _bare(verdict.get("reason") or "") not in page.text:
            return f"{where}: the reason of the verdict is not what the judge gave"
    return ""


def _scores_differ(page: _Page, score: Mapping[str, Any]) -> str:
    """What the table of scores on a page says differently; empty if nothing is found."""
    entries = score["entries"]
    expected = {
        row["judge"]: ["–" if cell is None else str(cell) for cell in row["cells"]]
        for row in score["rows"]
    } | {
        "Score": [str(entry["score"]) for entry in entries],
        "Mean rank": [entry["mean"] for entry in entries],
        "Place": [f"{entry['place']}{' =' if entry['tied'] else ''}" for entry in entries],
    }
    for table in page.tables:
        rows = {row[0]: row[1:] for row in table if row}
        for name in expected.keys() & rows.keys() if "Score" in rows else ():
            if rows[name] != expected[name]:
                return (
                    f"the row {name} in the table of scores has {' '.join(rows[name])}; "
                    f"the record gives {' '.join(expected[name])}"
                )
    return ""
