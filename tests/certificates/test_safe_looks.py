import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.certificates import certify, safe_looks
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from holdfast.rules import parse_rule


@settings(max_examples=4)  # each example evaluates the bounds some sixty times
@given(
    n=st.integers(2, 10**9),
    m=st.integers(2, 1000),
    share=st.floats(1e-4, 0.99),
    fixed=st.booleans(),
)
def test_the_last_certified_look_is_certified_and_the_next_is_not(
    n: int, m: int, share: float, fixed: bool
) -> None:
    limit = share * (1 - 1 / m)
    k = safe_looks(n, m, limit, fixed_queries=fixed)
    assert certify(Problem(n, m, k + 1), fixed_queries=fixed).accuracy > 1 / m + limit
    if k:
        assert certify(Problem(n, m, k), fixed_queries=fixed).accuracy <= 1 / m + limit


def test_fixed_queries_are_certified_for_at_least_as_many_looks() -> None:
    for bias in (0.01, 0.3):
        anyone = safe_looks(50_000, 1000, bias)
        assert anyone <= safe_looks(50_000, 1000, bias, fixed_queries=True)


def test_a_single_look_is_certified_from_the_exact_optimum_on() -> None:
    # One look at (10000, 10) gains 0.001330 exactly.
    assert safe_looks(10_000, 10, 0.0013) == 0
    assert safe_looks(10_000, 10, 0.0014) == 1


@pytest.mark.parametrize("max_bias", [0.0, -0.1, 0.9, 1.0, math.nan])
def test_a_limit_outside_its_range_is_refused(max_bias: float) -> None:
    with pytest.raises(InvalidInput, match=r"max_bias must be above 0 and below 1 - 1/n_classes"):
        safe_looks(100, 10, max_bias)


def test_a_coarser_rule_leaves_more_safe_looks() -> None:
    exact, coarse = (
        safe_looks(10_000, 10, 0.05, parse_rule(text)) for text in ("exact", "ladder:0.01")
    )
    assert exact < coarse


def test_the_search_stops_where_it_is_told_to() -> None:
    assert safe_looks(10_000, 10, 0.05, parse_rule("round:0"), most=1000) == 1000
