"""Tests that two small records of earlier versions, both of whole contests, can still be verified,
replayed, tallied and exported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from contest.record.store import Record, sqlite_url
from contest.results.published import verify_all
from contest.state.reducer import fold
from loebner.cli import main

EARLIER = Path(__file__).parent / "earlier"


@pytest.mark.parametrize("name", ["format-1", "format-2"])
def test_record_of_an_earlier_version_can_still_be_used(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(EARLIER / name, tmp_path / "contest"))
    head = (folder / "head.txt").read_text().strip()
    assert main(["verify", str(folder), "--head", head]) == 0
    capsys.readouterr()
    assert main(["tally", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["winners"] == ["E1"]
    said = []
    for talk in ("1.1.J1.left", "1.1.J1.right"):
        words = ["replay", str(folder), "--talk", talk, "--text", "--speed", "0"]
        assert main(words) == 0
        said.append(capsys.readouterr().out)
    assert any("Hi there." in each for each in said)
    for form in ("json", "csv", "text", "html", "lpp2012"):
        assert main(["export", str(folder), "--format", form, "--out", str(folder / form)]) == 0
    assert verify_all(folder, head).ok, "the published files agree with the record"
    with Record(sqlite_url(folder / "record.db"), create=True) as record:
        state = fold(record.events())
        assert state.closed
        assert state.result is not None
        assert record.chains.head(None) == head
