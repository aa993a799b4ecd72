"""Tests the refusals of `loebner serve` before it starts."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from contest.record.store import FILE_NAME
from contest.setup import folder
from loebner import serve
from loebner.cli import main

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _no_collection_of_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collecting the garbage of all tests before each refusal would take long."""
    monkeypatch.setattr(serve, "ready_for_keys", contextlib.nullcontext)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder.make(tmp_path / "contest")
    return tmp_path / "contest"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--host", "x" * 64], 2, "is not an address of this machine"),
        (["--host", "203.0.113.9"], 1, "can't listen on 203.0.113.9"),
        (["--database", "nonsense"], 2, "SQLite or PostgreSQL"),
        (["--database", "unheard-of://x"], 2, "SQLite or PostgreSQL"),
        (["--database", "sqlite:////nowhere/x.db"], 1, "there is no folder /nowhere"),
        (["--port", "70000"], 2, "70000"),
        (["--speed", "0"], 2, "0.0"),
    ],
)
def test_unusable_options_and_contests_are_refused(
    place: Path, words: list[str], code: int, said: str, capsys: Output
) -> None:
    text = (place / "contest.toml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("command")]
    (place / "contest.toml").write_text("\n".join(lines), encoding="utf-8")
    assert main(["serve", str(place), *words]) == code
    told = capsys.readouterr()
    assert said in told.err
    assert told.err.count("\n") == 1
    assert not (place / FILE_NAME).exists(), "the folder can be used"


def test_a_missing_folder_is_refused(tmp_path: Path, capsys: Output) -> None:
    assert main(["serve", str(tmp_path / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err
    for name, said in (
        ("contest.toml", f"name its folder, {tmp_path}"),
        ("c.db", "FILE --out DIR"),
    ):
        (tmp_path / name).touch()
        assert main(["serve", str(tmp_path / name)]) == 2
        assert f"{name}: this is a file; name" in (told := capsys.readouterr().err)
        assert said in told
