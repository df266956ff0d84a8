"""The strongest attacks of the suite on a grid of problems: none ends above the certificate."""

import itertools

import numpy as np
import pytest

from holdfast.audit.baseline import Baseline
from holdfast.audit.scenarios.plays import Job, play_job
from holdfast.certificates import certify
from holdfast.experiments.summary import mean_of
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.rules import parse_rule
from tests.audit.conftest import played_on

TRIALS = 8
# The attack that is strongest against each rule in most of the grid.
ATTACKS = {
    "exact": "champion-challenger",
    "round:2": "champion-challenger",
    "round:1": "hadamard-blocks",
    "gaussian:0.05": "champion-challenger",
    "ladder:0.02": "random-climb",
    "ladder": "block-climb",
    "improved": "block-climb",
    "subsample:0.5": "hadamard-blocks",
    "batch:1000": "hadamard-blocks",
}
FROM_A_MODEL = ("exact", "round:2", "gaussian:0.05", "ladder:0.02")
SIZES = list(itertools.product((20, 60, 200), (2, 4, 10), (3, 12, 40)))


def measured(
    problem: Problem, rule: str, accounts: int, prior: Prior | None, seed: int
) -> tuple[float, float] | None:
    """Return mean and standard error of the gain over what is free; None: it can't be played."""
    n, m, k = problem
    gains = []
    for trial in range(TRIALS):
        rng = np.random.default_rng([seed, trial])
        if prior is None:
            labels = rng.integers(m, size=n)
        else:
            rows = prior.dense_rows().cumsum(axis=1)
            labels = (rng.random((n, 1)) > rows[:, :-1]).sum(axis=1)
        setting = "features" if prior is None else "model"
        attack = ATTACKS[rule] if prior is None else "champion-challenger"
        context = played_on(labels.astype(np.uint8), Baseline(n, m), seed, prior)
        played = play_job(context, Job(setting, parse_rule(rule), attack, k, trial, accounts))
        if played.reason is not None:
            return None
        gains.append(played.bias)
    found = mean_of(gains)
    return found.mean, found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("rule", ATTACKS)
def test_attacks_that_know_nothing_stay_below(rule: str) -> None:
    played = 0
    for at, (n, m, k) in enumerate(SIZES):
        accounts = (1, 3, k)[at % 3]
        problem = Problem(n, m, k)
        gain = measured(problem, rule, accounts, None, seed=at)
        if gain is None:
            continue
        played += 1
        mean, error = gain
        found = certify(problem, parse_rule(rule), accounts=accounts)
        assert mean <= found.gain + 4.0 * max(error, 0.5 / np.sqrt(n * TRIALS)), (problem, found)
    assert played >= 20


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, marks=pytest.mark.slow if at < 1 else pytest.mark.long)
        for at, rule in enumerate(FROM_A_MODEL)
    ],
)
def test_attacks_from_a_model_stay_below(rule: str) -> None:
    rng = np.random.default_rng(4)
    played = 0
    for at, (n, m, k) in enumerate(SIZES):
        accounts = (1, 3)[at % 2]
        prior = Prior.dense(rng.dirichlet(np.full(m, (0.3, 1.0)[at % 2]), size=n))
        problem = Problem(n, m, k)
        gain = measured(problem, rule, accounts, prior, seed=100 + at)
        if gain is None:
            continue
        played += 1
        mean, error = gain
        right = float(prior.ranked(1)[1].mean())
        for known in (prior, right):
            found = certify(problem, parse_rule(rule), accounts=accounts, knows=known)
            assert mean <= found.gain + 4.0 * max(error, 0.5 / np.sqrt(n * TRIALS)), (
                problem,
                found,
            )
    assert played >= 20
