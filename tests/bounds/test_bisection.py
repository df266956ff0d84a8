"""Bisection against counting up, with every answer there can be."""

from holdfast.bounds.bisection import fewest, largest, least


def test_counts_are_found_as_by_counting_up():
    for start in (1, 3, 7):
        for first in range(start, 40):
            assert fewest(lambda k, first=first: k >= first, start=start) == first
            for most in range(start, 40):
                found = fewest(lambda k, first=first: k >= first, start=start, most=most)
                assert found == (first if first <= most else None)
    for most in range(1, 40):
        for first in range(1, most + 1):
            assert least(lambda k, first=first: k >= first, 0, most) == first


def test_what_is_known_is_not_asked():
    asked = []
    assert least(lambda k: bool(asked.append(k)) or k >= 100, 0, 100) == 100
    assert 0 not in asked
    assert 100 not in asked


def test_numbers_are_rounded_up_by_a_digit_at_most():
    for third in (1 / 3, 1e-9, 0.999):
        found = largest(lambda x, end=third: x <= end, 0.0)
        assert third < found <= third * (1 + 5e-16)
        near = largest(lambda x, end=third: x <= end, 0.0, tolerance=0.01)
        assert third < near <= third * 1.01
    assert largest(lambda _: True, 0.0, 3.0) == 3.0
