"""Tests the application around the windows."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from judge_console.application import Collector


class Knot(QObject):
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


def test_garbage_is_collected_in_the_windows_thread_alone(qtbot: QtBot) -> None:
    gc.enable()
    collector = Collector()
    try:
        ended: list[str] = []
        weakref.finalize(Knot(), lambda: ended.append(threading.current_thread().name))

        kept: list[list[int]] = []
        # More than any collection waits for.
        other = threading.Thread(target=lambda: kept.extend([] for _ in range(100_000)))
        other.start()
        other.join()
        assert ended == []
        qtbot.waitUntil(lambda: bool(ended), timeout=60_000)
        assert ended == [threading.main_thread().name]
    finally:
        collector.deleteLater()
