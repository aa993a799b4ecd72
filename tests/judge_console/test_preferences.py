"""Tests the preferences: only their owner can read them, they are written completely or not at all,
and failures do no harm."""

from __future__ import annotations

import json
import logging
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge_console.model.joining import REMEMBERED
from judge_console.preferences import LIMIT, Preferences, PreferencesFile

ALL = Preferences(
    servers=["192.168.1.10:8765", "old:1"],
    code="J1-7KQ2-M4XD-9TRA",
    theme="dark",
    text_size=150,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "console.json"


def test_all_preferences_are_restored(file: Path) -> None:
    first = PreferencesFile(file)
    assert first.preferences == Preferences()
    first.preferences = ALL
    assert first._write() == ""
    second = PreferencesFile(file)
    assert second.preferences == ALL
    assert [path.name for path in file.parent.iterdir()] == ["console.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such bits")
def test_only_the_owner_can_read_the_file(file: Path) -> None:
    """Even if the file existed before, with other permissions."""
    file.parent.mkdir()
    file.write_text("{}")
    file.chmod(0o644)
    remembered = PreferencesFile(file)
    remembered.preferences.code = ALL.code
    assert remembered._write() == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"null",
        b'{"text_size": "large"}',
        b'{"text_size": 1e9}',
        b'{"servers": "here"}',
        b'{"code": "\\ud800"}',
        b'{"x": ' + b"[" * 100_000,
        json.dumps({"servers": ["a"] * (REMEMBERED + 1)}).encode(),
        json.dumps({"code": "a" * 5000}).encode(),
        b" " * (LIMIT + 1),
    ],
)
def test_a_broken_file_is_renamed_and_logged(
    file: Path, broken: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    file.parent.mkdir()
    file.write_bytes(broken)
    with caplog.at_level(logging.WARNING):
        remembered = PreferencesFile(file)
    assert remembered.preferences == Preferences()
    assert file.with_name("console.broken.json").read_bytes() == broken
    assert "console.broken.json" in caplog.text
    assert not file.exists()
    assert remembered._write() == ""
    assert PreferencesFile(file).preferences == Preferences()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


@settings(max_examples=30)
@given(
    st.binary(max_size=200)
    | st.dictionaries(st.sampled_from(Preferences.__struct_fields__), VALUES, max_size=4).map(
        lambda answers: json.dumps(answers).encode()
    )
)
def test_no_content_of_the_file_crashes_the_program(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    """Preferences that were read can be saved, and are read back equal."""
    file = tmp_path_factory.mktemp("answers") / "console.json"
    file.write_bytes(raw)
    remembered = PreferencesFile(file)
    assert remembered._write() == ""
    again = PreferencesFile(file)
    assert again.preferences == remembered.preferences


def test_a_failing_disk_leaves_the_file_unchanged(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered = PreferencesFile(file)
    remembered.preferences.code = "J1"
    assert remembered._write() == ""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    remembered.preferences.code = "J2"
    assert remembered._write() == "No space left on device"
    assert PreferencesFile(file).preferences.code == "J1"
    assert [path.name for path in file.parent.iterdir()] == ["console.json"]
