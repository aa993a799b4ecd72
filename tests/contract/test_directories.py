"""Tests that every Directory must pass; a new one needs only one class here."""

from __future__ import annotations

from pathlib import Path

import pytest

from lpp.directory import Directory, LocalDirectory
from lpp.testing import MemoryDirectory
from tests.lpp.faulty import FaultyDirectory

NAMES = [
    "0000000000.H.other",
    "0000000001.é.other",
    "0000000002. .other",
    "0000000003..other",
    "0000000004.\udcff\udcfe.other",  # not UTF-8
    "0000000005." + "x" * 238 + ".other",  # 255 bytes
]


class DirectoryContract:
    """The contract. A subclass provides the fixture `directory`, an empty one."""

    @pytest.fixture
    def directory(self) -> Directory:
        raise NotImplementedError

    def test_new_directory_is_usable_and_empty(self, directory: Directory) -> None:
        directory.check()
        assert directory.names() == []
        assert list(directory.iter_names()) == []
        assert directory.path

    @pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
    def test_name_is_made_listed_and_removed(self, directory: Directory, name: str) -> None:
        directory.make(name)
        assert directory.names() == list(directory.iter_names()) == [name]
        assert directory.remove(name) is None
        assert directory.names() == []

    def test_existing_name_is_not_made_again(self, directory: Directory) -> None:
        directory.make(NAMES[0])
        with pytest.raises(FileExistsError):
            directory.make(NAMES[0])
        assert directory.names() == [NAMES[0]]

    def test_remove_at_once_says_whether_it_removed_the_name(self, directory: Directory) -> None:
        directory.make(NAMES[0])
        gone = directory.remove_at_once(NAMES[0])
        assert directory.names() == ([] if gone else [NAMES[0]])


class TestMemoryDirectory(DirectoryContract):
    @pytest.fixture
    def directory(self) -> Directory:
        return MemoryDirectory()


class TestFaultyDirectory(DirectoryContract):
    @pytest.fixture
    def directory(self) -> Directory:
        return FaultyDirectory(MemoryDirectory())


class TestLocalDirectoryInMemory(DirectoryContract):
    @pytest.fixture
    def directory(self, room: Path) -> Directory:
        return LocalDirectory(room)


class TestLocalDirectoryOnDisk(DirectoryContract):
    @pytest.fixture
    def directory(self, tmp_path: Path) -> Directory:
        return LocalDirectory(tmp_path)
