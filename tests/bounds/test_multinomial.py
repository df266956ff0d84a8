import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.bounds.multinomial import first_or_second, larger_of_two
from holdfast.errors import InvalidInput
from tests.bounds.exhaustive import vectors


def by_counts(n: int, m: int) -> tuple[Fraction, Fraction]:
    """Both expectations from the joint law of (N_1, N_2), in exact arithmetic."""
    one, two = Fraction(0), Fraction(0)
    for a in range(n + 1):
        for b in range(n - a + 1):
            ways = math.comb(n, a) * math.comb(n - a, b) * (m - 2) ** (n - a - b)
            one += ways * (a if m * a >= n else b)
            two += ways * max(a, b)
    return one / m**n, two / m**n


@pytest.mark.statement("acharya2020 lem:bin-1")
@pytest.mark.statement("acharya2020 lem:bin-max")
@pytest.mark.parametrize(
    ("n", "m"), [(1, 2), (2, 2), (3, 2), (9, 2), (2, 3), (6, 3), (4, 4), (3, 7)]
)
def test_both_lemmas_match_full_enumeration(n: int, m: int) -> None:
    everything = vectors(n, m)
    first = sum(z.count(0) if m * z.count(0) >= n else z.count(1) for z in everything)
    larger = sum(max(z.count(0), z.count(1)) for z in everything)
    assert first_or_second(n, m).exact == pytest.approx(first / m**n, rel=1e-13)
    assert larger_of_two(n, m).exact == pytest.approx(larger / m**n, rel=1e-13)


@pytest.mark.statement("acharya2020 lem:bin-1")
@pytest.mark.statement("acharya2020 lem:bin-max")
@pytest.mark.parametrize("m", [2, 3, 10, 100])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_both_lemmas_match_the_joint_law_and_their_stated_bounds(m: int, times: int) -> None:
    for n in {times * m, times * m + 1, max(1, m // 2)}:
        one, two = by_counts(n, m)
        for measured, exact in ((first_or_second(n, m), one), (larger_of_two(n, m), two)):
            assert measured.exact == pytest.approx(float(exact), rel=1e-12)
            if n >= m:
                assert measured.stated == n / m + math.sqrt(n / m) / 4
                assert measured.exact >= measured.stated
            else:
                assert measured.stated is None


@pytest.mark.statement("acharya2020 lem:bin-1")
@pytest.mark.statement("acharya2020 lem:bin-max")
@given(m=st.integers(2, 10**6), extra=st.integers(0, 10**12))
def test_the_stated_lower_bounds_hold_whenever_n_is_at_least_m(m: int, extra: int) -> None:
    for lemma in (first_or_second, larger_of_two):
        exact, stated = lemma(m + extra, m)
        assert stated is not None
        # A large n buries the gain in rounding of n/m.
        assert exact >= stated * (1 - 1e-15)


def test_one_class_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"n_classes must be at least 2, got 1\."):
        larger_of_two(10, 1)
