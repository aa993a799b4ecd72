"""What the board gives to take home: all formats of exports, pictures too, and what is said where
these can't be made."""

from __future__ import annotations

import asyncio
import io
import sys
import zipfile
from pathlib import Path

import pytest

from contest import apart
from contest.errors import Surroundings
from contest.organizer import downloads
from contest.record.store import Record, sqlite_url
from contest.results.exports import FORMATS
from contest.results.statistics import ScienceMissing
from tests.contest.build import brief, exported
from tests.contest.organizer.house import organizer, staged, visitor

MISSING = "the extra &#39;science&#39;"


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numpy, scipy and matplotlib were not installed, here and in processes of the server."""
    names = ("numpy", "scipy.special", "scipy.optimize", "matplotlib.figure")
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)
    own = tmp_path / "bare"
    own.mkdir()
    # Python runs it before anything else.
    (own / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({names!r}))\n", encoding="ascii"
    )
    monkeypatch.setenv("PYTHONPATH", str(own))


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


async def test_what_is_asked_for_at_once_is_made_one_after_another_and_apart_from_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, at_once, most = apart.run, 0, 0

    async def counted(module: str, question: bytes, longest: float) -> bytes:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        try:
            return await run(module, question, longest)
        finally:
            at_once -= 1

    def here(*_: object) -> None:
        raise AssertionError("made in the server's own process")

    monkeypatch.setattr(apart, "run", counted)
    monkeypatch.setattr(downloads, "files_of", here)
    async with staged(tmp_path / "contest") as stage, visitor(stage, organizer(stage)) as client:
        forms = ("json", "csv")
        made = await asyncio.gather(*(client.get(f"/board/files/export/{form}") for form in forms))
    for answer in made:
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.namelist()
    assert most == 1


async def test_one_that_takes_too_long_is_given_up(record: Record) -> None:
    record.take_over(brief().events)
    question = downloads.Question(sqlite_url(Path(record.name)), "json")
    with pytest.raises(Surroundings, match="`loebner export`"):
        await downloads.made_apart(question, 0.0)


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
