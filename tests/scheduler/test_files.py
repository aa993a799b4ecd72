"""Files as text, and text from outside in messages."""

import io
from pathlib import Path

import pytest

from scheduler import BadInput
from scheduler import files as files_module
from scheduler.errors import place
from scheduler.files import decode, read_text
from scheduler.texts import near, shown


@pytest.mark.parametrize(
    "data", [b"Round 1", b"\xef\xbb\xbfRound 1", "Round 1".encode("utf-16")], ids=repr
)
def test_texts_are_read_without_their_byte_order_mark(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "plan"
    file.write_bytes(data)
    assert read_text(file) == "Round 1"
    assert read_text("-", io.BytesIO(data)) == "Round 1"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "f: is empty"),
        (b" \r\n\t", "f: is empty"),
        (b"a\nb\xff", "f, line 2: byte 4 of the file is no text in utf-8; save the file as UTF-8"),
        (b"\xff\xfe\x00", "f: byte 3 of the file is no text in utf-16; save the file as UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        decode(data, "f")
    assert str(caught.value) == says


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        read_text(tmp_path / "none")
    with pytest.raises(BadInput, match="is a directory"):
        read_text(tmp_path)
    for name in ("nul\0", "x" * 5000):
        with pytest.raises(BadInput, match="can't be read") as caught:
            read_text(name)
        assert str(caught.value).isprintable()
    monkeypatch.setattr(files_module, "MAX_BYTES", 3)
    with pytest.raises(BadInput, match="is larger than"):
        read_text("-", io.BytesIO(b"abcd"))


def test_messages_show_text_on_one_line_and_never_whole_books() -> None:
    assert shown("a\nb\x1b[31m") == r"'a\nb\x1b[31m'"
    assert len(shown("x" * 1000)) == 62
    assert shown(None) == "None"
    assert place("a\nb", 3, "rank") == r"a\nb, line 3, field rank"
    assert place() == ""


@pytest.mark.parametrize(
    ("name", "known", "says"),
    [
        ("e1", ["E1", "E2"], "; did you mean E1?"),
        ("E 1", ["E1", "E2"], "; did you mean E1?"),
        ("Elisa", ["Eliza", "Parry"], "; did you mean Eliza?"),
        ("E9", ["E1", "E2"], "; known: E1 and E2"),
        ("E9", [f"E{i}" for i in range(20, 40)], ""),
        ("E9", [], ""),
    ],
)
def test_the_name_that_may_have_been_meant(name: str, known: list[str], says: str) -> None:
    assert near(name, known) == says
