"""Tests the comparison of files beside a record: altered files are named, and files of others are
ignored.

Files of a contest that this code closed are compared character by character, those of other code by
their contents. Files of an earlier version are made here from today's, with other sentences,
another layout, and values that did not exist then.
"""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contest.record import bodies
from contest.results.contest import Contest
from contest.results.document import Results
from contest.results.exports import export
from contest.results.published import PUBLISHED, _differences, _page_differs, code_digest
from contest.results.published import verify_all as verify
from tests.contest.build import Builder, changed, results_json, save, small, tiny

Alter = Callable[[Any], Any]


def finished(folder: Path, code: str) -> Path:
    """A finished contest's folder, as written by a server whose code has this digest."""
    b = changed(tiny(), len(tiny().events), code=code)
    save(folder, b)
    for name, made in PUBLISHED.items():
        (folder / name).write_text("".join(made(Results(b.read()))), encoding="utf-8", newline="\n")
    return folder


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder written by this code; tests must not change it."""
    return finished(tmp_path_factory.mktemp("ours") / "contest", code_digest())


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder written by another version; tests must not change it."""
    folder = finished(tmp_path_factory.mktemp("theirs") / "contest", "0" * 64)
    edit_json(folder / "results.json", as_earlier)
    page = folder / "results.html"
    text = page.read_text(encoding="utf-8")
    assert "<h1" in text
    assert "Transcript" not in text.split("<h1")[0]
    text = text.replace("<h1", '<p class="logo">A contest</p><h1', 1).replace("took ", "chose ")
    page.write_text(text, encoding="utf-8")
    return folder


def as_earlier(document: Any) -> Any:
    """The results as an earlier version with fewer values and other words would write them."""
    document["words"] = {"places": ["It won."]}
    document["tally"]["warnings"] = ["something was noted"]
    del document["rules"], document["rankings"], document["contest"]["program"]
    for talk in document["talks"]:
        del talk["voided"]
        talk["typing"]["judge"]["characters"] += 1
        for line in talk["lines"]:
            line["text"] = line["text"].replace("<", "‹").replace("'", "’")
    for incident in document["incidents"][1:]:
        incident["what"] = "went wrong"
    del document["incidents"][0]
    return document


def copy(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to / "contest"))


def edit_json(file: Path, alter: Alter) -> None:
    document = alter(json.loads(file.read_text(encoding="utf-8")))
    file.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def faults(folder: Path, **options: Any) -> list[str]:
    """The faults of the published files; asserts that no other check fails."""
    report = verify(folder, **options)
    assert [check.name for check in report.checks if not check.ok] in ([], ["published"])
    return [str(fault) for check in report.checks for fault in check.faults]


def put(*path: str | int, value: Any) -> Alter:
    """Alters one value of a document."""

    def alter(document: Any) -> Any:
        at = document
        for step in path[:-1]:
            at = at[step]
        assert at[path[-1]] != value
        at[path[-1]] = value
        return document

    return alter


def drop(*path: str | int) -> Alter:
    def alter(document: Any) -> Any:
        at = document
        for step in path[:-1]:
            at = at[step]
        del at[path[-1]]
        return document

    return alter


#: Alterations that change the meaning in any version, each with a word of the message.
ALTERED: dict[str, tuple[Alter, str]] = {
    "a score": (put("tally", "entries", 0, "score", value=7), "score"),
    "a cell": (put("tally", "table", "J1", "E1", value=5), "J1"),
    "a missing row": (drop("tally", "table", "J1"), "J1"),
    "a winner": (put("tally", "winners", value=["E2"]), "winners"),
    "a name": (put("people", 2, "name", value="Somebody"), "name"),
    "a verdict": (
        put("talks", 0, "verdict", "confidence", value=13),
        "confidence",
    ),
    "a line": (put("talks", 0, "lines", 0, "text", value="Good day."), "lines"),
    "a missing talk": (drop("talks", -1), "talks[1]"),
    "a prize": (put("prizes", 0, "money", value="100000"), "money"),
    "no longer final": (put("final", value=False), "final"),
    "the head": (put("record", "head", value="ab" * 32), "head"),
    "fewer events": (put("record", "events", value=3), "events"),
}


@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_unaltered_files_match(whose: str, request: pytest.FixtureRequest) -> None:
    report = verify(request.getfixturevalue(whose))
    assert report.ok, report.checks[-1]
    summary = report.checks[-1].summary
    assert "results.json" in summary
    assert "results.html" in summary
    assert ("results.json, results.html" in summary) is (whose == "ours")
    assert ("not compared" in summary) is (whose == "theirs")


def test_altered_meaning_is_found_in_files_of_any_version(theirs: Path, ours: Path) -> None:
    for whose in (ours, theirs):
        record = results_json(Contest.load(whose))
        text = (whose / "results.json").read_text(encoding="utf-8")
        assert next(_differences(json.loads(text), record, ""), "") == ""
        for alter, word in ALTERED.values():
            assert word in next(_differences(alter(json.loads(text)), record, ""))


@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_altered_files_are_named(
    whose: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    folder = copy(request.getfixturevalue(whose), tmp_path)
    edit_json(folder / "results.json", ALTERED["a score"][0])
    page = folder / "results.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("Teapot", "Kettle"), encoding="utf-8")
    found = faults(folder)
    assert [fault.split(": ")[0] for fault in found] == ["results.json", "results.html"]
    assert "score" in found[0]
    assert "Teapot" in found[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("To drive nails, I think.", "To cook with, I think."),
        ("Teapot", "Kettle"),
        ('<th scope="row">Score</th><td>', '<th scope="row">Score</th><td>9'),
        ('<th scope="row">Place</th><td>', '<th scope="row">Place</th><td>9'),
        ("HEAD", "ab" * 32),
    ],
)
def test_an_altered_page_is_named(theirs: Path, old: str, new: str) -> None:
    results = Results(Contest.load(theirs))
    text = (theirs / "results.html").read_text(encoding="utf-8")
    old = results.contest.head if old == "HEAD" else old
    assert old in text
    assert _page_differs(text, results) == ""
    assert _page_differs(text.replace(old, new), results)


def test_files_of_the_same_code_must_match_exactly(ours: Path, tmp_path: Path) -> None:
    folder = copy(ours, tmp_path)
    for alter in (
        put("words", "state", value="Final: as we like it."),
        lambda document: dict(reversed(document.items())),
    ):
        edit_json(folder / "results.json", alter)
        (fault,) = faults(folder)
        assert fault.startswith("results.json: ")


@pytest.mark.parametrize("text", ["", "{}", "\udcff", "[" * 100_000])
def test_malformed_results_are_named(text: str, ours: Path, tmp_path: Path) -> None:
    folder = copy(ours, tmp_path)
    (folder / "results.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    (fault,) = faults(folder)
    assert fault.startswith("results.json: ")


def test_the_first_different_line_of_the_page_is_named(ours: Path, tmp_path: Path) -> None:
    folder = copy(ours, tmp_path)
    page = folder / "results.html"
    lines = page.read_text(encoding="utf-8").split("\n")
    at = next(at for at, line in enumerate(lines) if "Under" not in line and "</h1>" in line)
    lines[at] += "<p>added</p>"
    page.write_text("\n".join(lines), encoding="utf-8")
    (fault,) = faults(folder)
    assert f"line {at + 1} " in fault
    assert "added" in fault


def test_the_head_file_is_compared_even_if_a_head_is_given(ours: Path, tmp_path: Path) -> None:
    folder = copy(ours, tmp_path)
    head = (folder / "head.txt").read_text().strip()
    (folder / "head.txt").write_text("ab" * 32 + "\n")
    report = verify(folder, head)
    assert [(c.name, "head.txt" in str(c.faults[0])) for c in report.checks if not c.ok] == [
        ("heads", True)
    ]


def test_missing_files_are_not_faults(ours: Path, tmp_path: Path) -> None:
    folder = copy(ours, tmp_path)
    for missing in ("results.json", "results.html", "head.txt"):
        (folder / missing).unlink()
    assert verify(folder).ok


# Unfinished contests


def replace_record(folder: Path, b: Builder) -> None:
    """Replaces a contest's record by one with later events."""
    with without_record(folder):
        save(folder, b)


class without_record:
    """Removes a folder's record, so that another one can be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        for file in self._folder.glob("record.db*"):
            file.unlink()

    def __exit__(self, *_: object) -> None:
        (self._folder / "head.txt").unlink(missing_ok=True)


def test_an_interim_export_is_compared_with_the_events_of_its_time(tmp_path: Path) -> None:
    folder = tmp_path / "contest"
    b = small()
    save(folder, b)
    export(folder, "json", folder / "first")
    export(folder, "html", folder / "pages")
    for at in range(3):
        b.wait(1)
        b.write(bodies.Trouble(f"link {at}", "was slow"))
    replace_record(folder, b)
    report = verify(folder)
    assert report.ok, report.checks[-1]
    for name in ("first/events.jsonl", "first/results.json", "pages/results.html"):
        assert name in report.checks[-1].summary
    edit_json(folder / "first" / "results.json", put("record", "events", value=len(b.events)))
    (fault,) = faults(folder)
    assert fault.startswith("first/results.json: ")


def test_the_page_of_an_unfinished_contest_is_not_compared(tmp_path: Path) -> None:
    folder = save(tmp_path / "contest", small())
    (folder / "results.html").write_text("<p>Soon!</p>")
    report = verify(folder)
    assert report.ok
    assert "results.html: not compared" in report.checks[-1].summary


# Exports in the folder


def test_exports_in_the_folder_are_compared(ours: Path, tmp_path: Path) -> None:
    folder = copy(ours, tmp_path)
    export(folder, "json", folder / "json")
    export(folder, "html", folder / "pages")
    report = verify(folder)
    assert report.ok, report.checks[-1]
    inner = ("json/events.jsonl", "json/results.json", "pages/results.html")
    for name in (*inner, "pages/downloads/events.jsonl", "pages/downloads/results.json"):
        assert name in report.checks[-1].summary
    # A published record, with results beside it.
    assert verify(folder / "json").ok
    assert "results.json" in verify(folder / "json").checks[-1].summary
    for name in ("json/results.json", "pages/downloads/results.json"):
        edit_json(folder / name, ALTERED["a score"][0])
    file = folder / "json" / "events.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if '"kind":"key"' in line)
    (fault,) = faults(folder / "json")
    assert fault.startswith("results.json: ")
    lines[at] = lines[at].replace('"key":"', '"key":"Q')
    file.write_text("".join(lines), encoding="utf-8")
    found = [fault.split(": ") for fault in faults(folder)]
    assert [name for name, *_ in found] == [
        *("json/results.json", "json/events.jsonl", "pages/downloads/results.json")
    ]
    assert found[1][1].startswith(f"line {at + 1} ")


def test_folders_of_others_are_ignored(ours: Path, tmp_path: Path) -> None:
    folder = copy(ours, tmp_path)
    entry = folder / "entries"
    entry.mkdir()
    (entry / "results.json").write_text('{"games": 3}')
    (entry / "results.html").write_text("<p>Mine</p>")
    finished(folder / "rehearsal", code_digest())
    edit_json(folder / "rehearsal" / "results.json", ALTERED["a score"][0])
    assert verify(folder).ok


@pytest.mark.parametrize("name", ["lost+found", "lost+found/downloads"])
def test_unreadable_folders_are_named(
    ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Such as `lost+found`, if the contest's folder is a disk."""
    folder = copy(ours, tmp_path)
    (folder / "lost+found" / "downloads").mkdir(parents=True)

    def refuse(found: Callable[[Path], bool]) -> Callable[[Path], bool]:
        def refusing(path: Path) -> bool:
            if path.parent == folder / name:
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return found(path)

        return refusing

    for method in ("exists", "is_file"):
        monkeypatch.setattr(Path, method, refuse(getattr(Path, method)))
    report = verify(folder)
    assert report.ok
    assert [str(note) for note in report.checks[-1].notes] == [
        f"{name}: skipped, because this user may not read it"
    ]
