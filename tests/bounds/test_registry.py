import dataclasses
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.bounds import Bound, all_bounds
from holdfast.bounds.record import SHOWN
from holdfast.problem import Problem
from tests.bounds.exhaustive import best_adaptive_accuracy, best_fixed_accuracy

PROBLEMS = st.builds(Problem, st.integers(1, 10**12), st.integers(2, 10**6), st.integers(1, 10**12))
# Sizes at which several regimes meet: small n, and k around n.
CROWDED = st.builds(Problem, st.integers(1, 300), st.integers(2, 12), st.integers(1, 400))
STATEMENTS = Path(__file__).parents[2] / "docs" / "paper" / "statements.toml"


@settings(max_examples=50)
@given(PROBLEMS | CROWDED)
def test_achievable_never_exceeds_impossible_and_nothing_exceeds_one(problem: Problem) -> None:
    bounds = [bound for bound in all_bounds(problem) if bound.accuracy is not None]
    for bound in bounds:
        assert 1 / problem.n_classes <= bound.accuracy <= 1  # type: ignore[operator]
    achievable = [b.accuracy for b in bounds if b.side == "achievable"]
    impossible = [b.accuracy for b in bounds if b.side == "impossible"]
    assert impossible
    # All achievable ones come from fixed queries, so the non-adaptive bounds cover them too.
    assert all(b.analyst == "non-adaptive" for b in bounds if b.side == "achievable")
    if achievable:
        assert max(achievable) <= min(impossible)  # type: ignore[type-var]


@settings(max_examples=50)
@given(PROBLEMS | CROWDED, st.integers(1, 1000))
def test_every_bound_is_monotone_in_the_number_of_looks(problem: Problem, more: int) -> None:
    n, m, k = problem
    for fewer, many in zip(all_bounds(problem), all_bounds(Problem(n, m, k + more)), strict=True):
        assert fewer.name == many.name
        if fewer.accuracy is not None and many.accuracy is not None:
            assert fewer.accuracy <= many.accuracy + 1e-13


@pytest.mark.parametrize(
    ("n", "m"), [(1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3), (2, 4)]
)
@pytest.mark.parametrize("k", [1, 2])
def test_every_bound_lies_on_its_side_of_the_true_optimum(n: int, m: int, k: int) -> None:
    best = {"any": best_adaptive_accuracy(n, m, k), "non-adaptive": best_fixed_accuracy(n, m, k)}
    for bound in all_bounds(Problem(n, m, k)):
        if bound.accuracy is None:
            continue
        if bound.side == "achievable":
            assert bound.accuracy <= best[bound.analyst] + 1e-14, bound.name
        else:
            assert bound.accuracy >= best[bound.analyst] - 1e-14, bound.name


@settings(max_examples=50)
@given(CROWDED)
def test_a_bound_gives_either_an_accuracy_or_a_reason(problem: Problem) -> None:
    for bound in all_bounds(problem):
        assert bound.applies == (bound.accuracy is not None) == (bound.reason is None)
        assert bound.statement
        assert bound.conditions
        # A promise says what it takes for granted; parity is used with two classes only.
        assert bool(bound.assumptions) == (bound.side == "impossible")
        assert SHOWN not in bound.assumptions or problem.n_classes == 2 or not bound.applies


def test_names_are_unique_and_records_are_frozen() -> None:
    bounds = all_bounds(Problem(1000, 10, 5))
    assert len({bound.name for bound in bounds}) == len(bounds) == 13
    with pytest.raises(dataclasses.FrozenInstanceError):
        bounds[0].accuracy = 1.0  # type: ignore[misc]


def test_a_record_refuses_both_an_accuracy_and_a_reason_and_accuracies_above_one() -> None:
    def record(**outcome: object) -> Bound:
        return Bound(name="x", side="achievable", statement="s", conditions="c", **outcome)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="either an accuracy or a reason"):
        record()
    with pytest.raises(ValueError, match="either an accuracy or a reason"):
        record(accuracy=0.5, reason="no")
    with pytest.raises(ValueError, match=r"accuracy must be in \[0, 1\], got 1.1"):
        record(accuracy=1.1)


def test_every_statement_that_a_bound_cites_from_the_paper_is_listed() -> None:
    listed = {entry["label"] for entry in tomllib.loads(STATEMENTS.read_text())["statement"]}
    for bound in all_bounds(Problem(1000, 10, 5)):
        paper, label = bound.statement.split()[:2]
        if paper == "acharya2020":
            assert label in listed, bound.statement
