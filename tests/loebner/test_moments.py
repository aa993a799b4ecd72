"""Times of the record on the wall of the hall."""

from __future__ import annotations

import datetime as dt

from loebner.common import time_of_day


def test_a_time_of_the_record_is_told_in_the_zone_of_the_hall() -> None:
    los_angeles = dt.timezone(dt.timedelta(hours=-7))
    assert time_of_day("2010-10-23T16:30:30.250000Z", los_angeles) == "09:30:30"
