import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.errors import InvalidInput
from holdfast.guard.windows import Calendar, Rolling, Total, parse_duration, parse_window
from holdfast.ledger.moments import DAY, SECOND, as_datetime, as_microseconds, clock

# 1990 to 2100, to the microsecond.
moments = st.integers(7305 * DAY, 47_482 * DAY)
windows = st.one_of(
    st.sampled_from([Calendar("day"), Calendar("week"), Calendar("month")]),
    st.integers(1, 400 * DAY).map(Rolling),
)


def utc(*parts):
    return as_microseconds(datetime(*parts, tzinfo=UTC))


@given(windows, moments, moments)
def test_what_counts_never_starts_earlier_as_time_goes_on(window, a, b):
    first, second = sorted((a, b))
    assert window.since(first) <= window.since(second)


@given(windows, moments)
def test_a_look_counts_when_made_and_until_the_very_moment_it_is_freed(window, look):
    freed = window.frees(look)
    assert window.since(look) <= look < freed
    assert window.since(freed - 1) <= look
    assert window.since(freed) > look


@given(moments)
def test_a_total_budget_never_frees_a_look(look):
    assert Total().since(look) < look
    assert Total().frees(look) is None


@given(moments)
def test_a_calendar_window_is_the_datetimes_own_period(moment):
    at = as_datetime(moment)
    day = datetime(at.year, at.month, at.day, tzinfo=UTC)
    assert as_datetime(Calendar("day").since(moment)) == day
    assert as_datetime(Calendar("week").since(moment)) == day - timedelta(days=day.weekday())
    assert as_datetime(Calendar("month").since(moment)) == day.replace(day=1)


@given(moments, st.integers(1, 400))
def test_the_same_day_of_another_month_is_not_today(moment, months):
    # The bug of a real host: "today" was "same day of the month".
    at = as_datetime(moment)
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    assume(at.day <= 28 and year < 2300)
    later = as_microseconds(at.replace(year=year, month=month + 1))
    assert Calendar("day").since(later) > moment


@pytest.mark.parametrize(
    ("look", "freed"),
    [
        ((2023, 2, 28, 23, 59, 59), (2023, 3, 1)),
        ((2024, 2, 28), (2024, 3, 1)),
        ((2024, 2, 29, 12), (2024, 3, 1)),
        ((2024, 12, 31, 23, 59, 59, 999_999), (2025, 1, 1)),
        ((2024, 1, 31), (2024, 2, 1)),
        ((2100, 2, 28), (2100, 3, 1)),
    ],
)
def test_months_end_where_the_calendar_says(look, freed):
    assert Calendar("month").frees(utc(*look)) == utc(*freed)


@pytest.mark.parametrize("zone", ["America/New_York", "Europe/Berlin", "Pacific/Apia", "UTC"])
def test_daylight_saving_and_the_local_zone_change_nothing(zone, monkeypatch):
    before = clock()
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        # The nights on which clocks change in Berlin and New York have 24 hours of looks.
        for night in [(2026, 3, 29), (2026, 10, 25), (2026, 3, 8), (2026, 11, 1)]:
            look = utc(*night, 12)
            assert Calendar("day").frees(look) - Calendar("day").since(look) == DAY
            assert Rolling(DAY).frees(look) - look == DAY
        # Less than the smallest step between two zones; a clock that is set meanwhile is no fault.
        assert abs(clock() - before) < 900 * SECOND
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_moment_keeps_its_instant_in_any_zone():
    berlin = timezone(timedelta(hours=2))
    assert as_microseconds(datetime(2026, 7, 1, 2, tzinfo=berlin)) == utc(2026, 7, 1)
    with pytest.raises(InvalidInput, match="must carry a time zone"):
        as_microseconds(datetime(2026, 7, 1))


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("total", Total()),
        ("day", Calendar("day")),
        ("7 days", Rolling(7 * DAY)),
        ("1 day", Rolling(DAY)),
        ("36 hours", Rolling(36 * 3600 * SECOND)),
    ],
)
def test_windows_have_a_text_form(text, window):
    assert parse_window(text) == window


@pytest.mark.parametrize("text", ["", "0 days", "-1 days", "year", "7", "1.5 days", "99999 days"])
def test_other_windows_are_refused_with_their_text(text):
    with pytest.raises(InvalidInput, match="window must be") as caught:
        parse_window(text)
    assert repr(text) in str(caught.value)


def test_a_duration_may_be_zero():
    assert parse_duration("0 seconds") == 0
