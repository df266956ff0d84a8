import pytest

from holdfast import Problem
from holdfast.bounds import all_bounds
from holdfast.certificates import safe_looks

SIZES = ("--n-examples", 10_000, "--n-classes", 10)


def test_the_json_has_every_bound_with_an_accuracy_or_a_reason(holdfast):
    outcome = holdfast("bounds", *SIZES, "--looks", 101, "--json")
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.json["problem"] == {"n_examples": 10_000, "n_classes": 10, "n_queries": 101}
    bounds = outcome.json["bounds"]
    known = all_bounds(Problem(10_000, 10, 101))
    assert [bound["name"] for bound in bounds] == [bound.name for bound in known]
    for bound in bounds:
        assert {"name", "side", "accuracy", "reason", "statement"} <= set(bound)
        assert bound["side"] in ("achievable", "impossible")
        assert (bound["accuracy"] is None) != (bound["reason"] is None)
    assert {bound["accuracy"] is None for bound in bounds} == {True, False}


def test_the_table_shows_bounds_and_reasons(holdfast):
    out = holdfast("bounds", *SIZES, "--looks", 101).out
    assert (
        "101 scored submissions (looks) at 10,000 examples of 10 classes; guessing scores 10.000 %"
        in out
    )
    assert "10.397" in out  # theorem 3 in per cent: 1/10 + sqrt(101/100000)/8
    assert "It is proved for k = 1 only" in out


def test_a_largest_bias_is_turned_into_looks(holdfast):
    outcome = holdfast("bounds", *SIZES, "--max-bias", 0.05, "--json").json
    assert list(outcome) == [
        *("n_examples", "n_classes", "max_bias", "max_queries", "queries_to_recover_all")
    ]
    assert outcome["max_queries"]["any"] == safe_looks(10_000, 10, 0.05)
    assert outcome["max_queries"]["any"] <= outcome["max_queries"]["non-adaptive"]
    assert outcome["queries_to_recover_all"]["column_vote"] == 207_212
    text = holdfast("bounds", *SIZES, "--max-bias", 0.05).out
    assert f"{outcome['max_queries']['any']:,} scored submissions (looks) are safe" in text
    assert "an expected gain above guessing of at most 5 points:" in text
    assert "207,212" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (SIZES, "exactly one of --looks and --max-bias must be given."),
        ((*SIZES, "--looks", 5, "--max-bias", 0.1), "exactly one of --looks and --max-bias"),
        ((*SIZES, "--looks", 0), "n_queries must be at least 1, got 0."),
        ((*SIZES, "--max-bias", 0), "max_bias must be above 0"),
        ((*SIZES, "--max-bias", "nan"), "max_bias must be above 0"),
        ((*SIZES, "--n-classes", 1, "--looks", 2), "n_classes must be at least 2, got 1."),
        (("--n-classes", 5, "--looks", 2), "Missing option '--n-examples'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(refused, arguments, message):
    assert refused("bounds", *arguments).startswith(message)


def test_what_is_piped_has_no_spaces_at_the_end_of_a_line(holdfast):
    lines = holdfast("bounds", *SIZES, "--looks", 100).out.splitlines()
    assert len(lines) > 10
    assert [line for line in lines if line != line.rstrip()] == []
