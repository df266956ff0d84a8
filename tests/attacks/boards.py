"""Attacks against release rules, for tests: gains over many trials."""

import numpy as np

from holdfast import play
from holdfast.oracles import LabelOracle
from holdfast.rules import parse_rule


def gains(build, rule, problem, trials, seed=0):
    """Accuracy above 1/m of `build(problem, rng)` against the rule, one value a trial."""
    n, m, _ = problem
    found = []
    for trial in range(trials):
        for_labels, for_attack, for_rule = (
            np.random.default_rng([seed, trial, part]) for part in range(3)
        )
        hidden = for_labels.integers(m, size=n)
        oracle = LabelOracle(hidden, problem=problem, mechanism=parse_rule(rule), rng=for_rule)
        guess = play(build(problem, for_attack), oracle)
        found.append(np.mean(guess == hidden) - 1 / m)
    return np.array(found)


def error(values):
    """The standard error of the mean."""
    return values.std(ddof=1) / np.sqrt(values.size)
