"""Tests the application around the windows."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from judge_console.application import GarbageCollector


class ReferenceCycle(QObject):
    """Garbage that only the cyclic collector finds."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def test_garbage_is_collected_only_in_the_windows_thread(qtbot: QtBot) -> None:
    gc.enable()
    collector = GarbageCollector()
    try:
        ended: list[str] = []
        weakref.finalize(ReferenceCycle(), lambda: ended.append(threading.current_thread().name))

        kept: list[list[int]] = []
        # Longer than the interval between collections.
        other = threading.Thread(target=lambda: kept.extend([] for _ in range(100_000)))
        other.start()
        other.join()
        assert ended == []
        qtbot.waitUntil(lambda: bool(ended), timeout=60_000)
        assert ended == [threading.main_thread().name]
    finally:
        collector.deleteLater()
