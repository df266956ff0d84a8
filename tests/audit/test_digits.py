"""Numbers for reading: no digits below the rounding unit, and never above what is allowed."""

from dataclasses import replace

import pytest

from holdfast.audit import page
from holdfast.audit.result import Interval, in_digits
from holdfast.audit.scenarios.rules import blur_of
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.audit.sample import sample_audit


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (90.0, 0.5, "90.0"),
        (90.0, 5.0, "90"),
        (-1.5, 0.5, "-1.5"),
        (0.34, 0.02, "0.34"),
        (0.005, 0.005, "0.005"),
        (-0.0, 0.1, "0.0"),
    ],
)
def test_a_number_on_the_rounding_unit_has_just_its_digits(value, unit, text):
    assert in_digits(value, unit) == text


def test_what_was_measured_is_never_shown_above_what_is_allowed():
    """Measured 0.9, rounded to a unit of 0.5, where 1.0 is allowed: 1 to 1.5 was shown."""
    assert Interval(1.0, 0.5, 1.5).at_most(1.0) == Interval(1.0, 0.5, 1.0)
    assert Interval(0.5, 0.0, 1.0).at_most(0.243) == Interval(0.24, 0.0, 0.24)
    assert Interval(0.5, None, None).at_most(0.0266) == Interval(0.026, None, None)


@pytest.mark.parametrize(
    ("rule", "points"),
    [
        ("exact", 0.0),
        ("round:3", 0.0),
        ("round:2", 1.0),
        ("ladder:0.005", 0.5),
        ("improved", 100.0),
    ],
)
def test_the_blur_for_honest_teams_is_nothing_where_matches_are_told(rule, points):
    assert blur_of(parse_rule(rule), Problem(899, 10, 5)) == points


@pytest.mark.slow
def test_the_page_shows_no_digits_below_the_rounding_unit():
    audit = sample_audit()
    verdict = replace(audit.verdict, points=Interval(90.0, 89.5, 90.0))
    text = page.render(replace(audit, verdict=verdict, rounding_unit=0.5))
    assert "+90.0<" in text
    assert "+90.00" not in text
    assert "100.000" not in text
