"""Tests the board's downloads: all formats of exports, including pictures, and the messages where
these can't be made."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from pathlib import Path

import pytest

from contest.organizer import downloads
from contest.record import bodies
from contest.results.exports import FORMATS
from contest.results.statistics import ScienceMissing
from contest.state.incidents import WITHHELD
from lpp.names import MARK
from tests.contest.build import Builder, brief, contest, exported, small
from tests.contest.organizer.board_server import organizer, staged, visitor

MISSING = "the extra &#39;science&#39;"


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"pictures"}))
def test_an_archive_contains_the_files_of_the_export(form: str) -> None:
    made = downloads.export(brief().log(), form)
    assert (made.name, made.type) == (f"contest-{form}.zip", "application/zip")
    with zipfile.ZipFile(io.BytesIO(made.content)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == exported(brief().log(), form)


@pytest.mark.usefixtures("work_in_this_process")
async def test_the_board_names_the_packages_that_pictures_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if they were not installed.
    for name in ("numpy", "scipy.stats", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ScienceMissing):
        downloads.export(brief().log(), "pictures")
    async with staged(tmp_path / "contest") as stage, visitor(stage, organizer(stage)) as client:
        assert MISSING not in (await client.get("/board/files")).text
        refused = await client.get("/board/files/export/pictures")
        assert (refused.status_code, refused.headers["location"]) == (303, "/board/files")
        assert MISSING in (await client.get("/board/files")).text
        # All other formats are there.
        assert (await client.get("/board/files/export/csv")).status_code == 200


# Wire logs


def wire_log(b: Builder, entry: str = "E1") -> str:
    return downloads.wire_log(b.log(), entry).content.decode()


def test_a_wire_log_has_only_the_keys_of_the_entrys_own_talks() -> None:
    b = contest()
    own = {e.talk for e in b.events if e.kind == "talk-opened" and e.body["entity"] == "E2"}
    keys = [e for e in b.events if e.talk in own and e.kind == "key"]
    made = downloads.wire_log(b.log(), "E2")
    lines = made.content.decode().splitlines()
    assert (made.name, made.type) == ("wire-E2.txt", "text/plain; charset=utf-8")
    assert sum(bool(re.search(r"  (judge|entry)  ", line)) for line in lines) == len(keys) > 50
    raw = [line.split()[4] for line in lines if "  entry  " in line]
    assert raw == [e.body["raw"] for e in keys if e.body["author"] == "entity"]
    assert wire_log(b, "E99").startswith("Wire log of E99")


def test_a_wire_log_names_broken_rules_and_keys_that_were_not_shown() -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        side: bodies.Place = "left" if talks["E1"].endswith("left") else "right"
        key = bodies.Key("entity", side, "\x1b[2J", 1, "x.\x1b[2J.other", ["2.A.a/unique"])
        b.write(key, talks["E1"], actor="E1")
        b.key(talks["E1"], "entity", "E1", "b", out_of_phase="3/waits")
        b.write(bodies.Breach("E1", "2.B/only", "0001.H.judge", "was removed by somebody"))
        for name in ("Shift_L", "\u212a", "\u200b"):
            b.key(talks["E1"], "judge", "J1", name)

    text = wire_log(small(talk))
    assert "breaks 2.A.a/unique" in text
    assert "not shown: 3/waits" in text
    assert "was removed by somebody" in text
    # A judge's key has its name in the directory.
    names = [line.split()[3] for line in text.splitlines() if "  judge  " in line]
    assert names == ["Shift_L", "K", MARK]
    assert text.count("not shown: types nothing") == 2
    assert "\x1b" not in text


def test_a_withheld_talk_is_left_out_of_the_wire_log() -> None:
    def talk(b: Builder, talks: dict[str, str]) -> None:
        b.write(bodies.ConsentGiven("J1", False, 1), actor="J1")
        b.type(talks["E1"], "judge", "J1", "hello")

    text = wire_log(small(talk))
    assert WITHHELD in text
    assert "  judge  " not in text
