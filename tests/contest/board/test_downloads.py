"""What the board gives to take home: all formats of exports, pictures too, and what is said where
these can't be made."""

from __future__ import annotations

import io
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contest.board import downloads
from contest.exports.export import FORMATS
from contest.record.logs import ListLog
from contest.statistics import ScienceMissing
from tests.contest.board.house import organizer, staged, visitor
from tests.contest.build import brief, exported

MISSING = "the extra &#39;science&#39;"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numpy, scipy and matplotlib were not installed."""
    for name in ("numpy", "scipy.special", "scipy.optimize", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)


def test_every_format_can_be_taken_home_in_words() -> None:
    assert set(downloads.EXPORTS) == set(FORMATS)
    assert all(len(words) > 15 for words in downloads.EXPORTS.values())


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"pictures"}))
def test_an_archive_holds_the_files_of_the_export(form: str) -> None:
    made = downloads.export(brief().log(), form)
    assert (made.name, made.type) == (f"contest-{form}.zip", "application/zip")
    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == exported(brief().log(), form)


def test_exports_that_are_asked_for_at_once_are_made_one_after_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_once, most = 0, 0
    second = threading.Event()

    def files(_events: object, form: str) -> list[tuple[str, tuple[bytes, ...]]]:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        # Time for the other one to come in, if anything would let it.
        second.wait(0.05)
        at_once -= 1
        return [(form, ())]

    monkeypatch.setattr(downloads, "files_of", files)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda form: downloads.export(ListLog([]), form), ("pictures", "csv")))
    assert [each.name for each in made] == ["contest-pictures.zip", "contest-csv.zip"]
    assert most == 1


async def test_pictures_come_from_the_board(tmp_path: Path) -> None:
    async with staged(tmp_path / "contest") as stage, visitor(stage, organizer(stage)) as client:
        assert "/board/files/export/pictures" in (await client.get("/board/files")).text
        made = await client.get("/board/files/export/pictures")
        assert made.headers["content-disposition"] == 'attachment; filename="contest-pictures.zip"'
        with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
            assert {"square.svg", "square.png"} <= set(archive.namelist())
            assert archive.read("square.png").startswith(b"\x89PNG")


@pytest.mark.usefixtures("bare")
async def test_where_pictures_can_not_be_made_the_board_says_what_is_missing(
    tmp_path: Path,
) -> None:
    with pytest.raises(ScienceMissing):
        downloads.export(brief().log(), "pictures")
    async with staged(tmp_path / "contest") as stage, visitor(stage, organizer(stage)) as client:
        assert MISSING not in (await client.get("/board/files")).text
        refused = await client.get("/board/files/export/pictures")
        assert (refused.status_code, refused.headers["location"]) == (303, "/board/files")
        assert MISSING in (await client.get("/board/files")).text
        # All other formats are there.
        assert (await client.get("/board/files/export/csv")).status_code == 200
