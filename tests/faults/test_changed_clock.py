"""The wall clock is changed, forwards or backwards, in the middle of a contest: it is only a
label."""

from __future__ import annotations

import datetime as dt
import itertools
from pathlib import Path

import pytest

from contest.record import journal
from contest.record.reading import ListLog
from contest.record.store import Record, sqlite_url
from contest.results.contest import Contest
from contest.verify.verify import verify
from tests.contest.recovery.test_resume import opened, played


class Unsteady(dt.datetime):
    """A clock that is set again and again."""

    turns = itertools.count()

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Unsteady:
        turn = next(cls.turns)
        return cls(2010, 10, 23, 9, 30, tzinfo=tz) + dt.timedelta(
            hours=(-1) ** turn * turn, days=turn % 7
        )


@pytest.mark.looptime
async def test_rounds_keep_their_length_when_the_wall_clock_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Module:
        UTC = dt.UTC
        datetime = Unsteady

    own = opened(tmp_path)
    monkeypatch.setattr(journal, "dt", Module)
    await played(tmp_path, own)
    with Record(sqlite_url(tmp_path / "record.db")) as record:
        events = list(record.events())
    labels = [event.at for event in events]
    assert labels != sorted(labels), "the wall clock was set back"
    assert [event.mono_ns for event in events] == sorted(event.mono_ns for event in events)
    view = Contest.of(ListLog(events))
    for each in view.attempts:
        assert each.started_ns is not None
        assert each.ended_ns is not None
        assert each.ended_ns - each.started_ns == pytest.approx(25 * 60e9, abs=2e9)
    report = verify(tmp_path)
    assert report.ok, report
