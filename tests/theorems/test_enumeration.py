"""Expected accuracies of the randomised attacks against full enumeration.

The reference enumerates every query matrix and every label vector, decodes with plain Python
fractions straight from the definitions, and averages over ties. The attack plays every label
vector under many seeds.
"""

import itertools
from fractions import Fraction
from math import log

import numpy as np
import pytest

from holdfast import Problem, attacks, oracles, play


def sequences(m, k, *, balanced):
    """Return all columns that the design may draw, equally likely."""
    every = itertools.product(range(m), repeat=k)
    if not balanced:
        return list(every)
    low, high = k // m, -(-k // m)
    return [c for c in every if all(low <= c.count(label) <= high for label in range(m))]


def share_of_truth(scores, truth):
    """Return the chance that a fair choice among the best labels is the true one."""
    best = max(scores)
    winners = [label for label, score in enumerate(scores) if score == best]
    return Fraction(truth in winners, len(winners))


def by_votes(weight, *, average):
    """Return a decoder: per example, the label with the largest total or average weight."""

    def expected_matches(columns, hidden, answers, m, n):
        weights = [weight(answer, n, m) for answer in answers]
        overall = sum(weights) / len(weights)
        total = Fraction(0)
        for column, truth in zip(columns, hidden, strict=False):
            scores = []
            for label in range(m):
                votes = [w for w, shown in zip(weights, column, strict=True) if shown == label]
                if average:
                    scores.append(sum(votes) / len(votes) if votes else overall)
                else:
                    scores.append(round(sum(votes), 9))
            total += share_of_truth(scores, truth)
        return total

    return expected_matches


def by_search(columns, hidden, answers, m, n):
    """Decode like `Exhaustive`: the labeling with the most constant unexplained answers."""
    misfits = {}
    for labeling in itertools.product(range(m), repeat=len(columns)):
        rest = [
            answer - sum(c[i] == label for c, label in zip(columns, labeling, strict=True))
            for i, answer in enumerate(answers)
        ]
        level = 0 if len(columns) == n else Fraction(sum(rest), len(rest))
        misfits[labeling] = sum((r - level) ** 2 for r in rest)
    best = min(misfits.values())
    winners = [labeling for labeling, misfit in misfits.items() if misfit == best]
    right = sum(sum(a == b for a, b in zip(w, hidden, strict=False)) for w in winners)
    return Fraction(right, len(winners))


def expected_accuracy(n, m, k, live, decode, *, balanced):
    """Return the exact mean over all live columns and all label vectors."""
    total, games = Fraction(0), 0
    for columns in itertools.product(sequences(m, k, balanced=balanced), repeat=live):
        for hidden in itertools.product(range(m), repeat=n):
            answers = [
                Fraction(
                    sum(c[i] == z for c, z in zip(columns, hidden, strict=False))
                    + sum(z == 0 for z in hidden[live:])
                )
                for i in range(k)
            ]
            total += decode(columns, hidden, answers, m, n) + sum(z == 0 for z in hidden[live:])
            games += 1
    return total / (games * n)


def log_odds(answer, n, m):
    alpha = min(max(float(answer) / n, 0.5 / n), 1 - 0.5 / n)
    return log((m - 1) * alpha / (1 - alpha))


def every_example(cls):
    return lambda problem, rng: cls(problem, rng=rng, queries_per_nat=1e-6)


def exhaustive(n_live):
    return lambda problem, rng: attacks.Exhaustive(problem, rng=rng, n_live=n_live)


AVERAGES = by_votes(lambda answer, n, m: answer, average=True)
CASES = {
    "ColumnVote (2,2,4)": (every_example(attacks.ColumnVote), (2, 2, 4), 2, AVERAGES, True),
    "ColumnVote (2,3,3)": (every_example(attacks.ColumnVote), (2, 3, 3), 2, AVERAGES, True),
    "ColumnVote (2,2,3)": (every_example(attacks.ColumnVote), (2, 2, 3), 2, AVERAGES, True),
    "ColumnVote t=1 (3,3,4)": (attacks.ColumnVote, (3, 3, 4), 1, AVERAGES, True),
    "UniformVote (2,2,3)": (every_example(attacks.UniformVote), (2, 2, 3), 2, AVERAGES, False),
    "UniformVote t=1 (3,3,3)": (attacks.UniformVote, (3, 3, 3), 1, AVERAGES, False),
    "NaiveBayes (2,3,2)": (
        attacks.NaiveBayes,
        (2, 3, 2),
        2,
        by_votes(log_odds, average=False),
        False,
    ),
    "NaiveBayes (3,2,3)": (
        attacks.NaiveBayes,
        (3, 2, 3),
        3,
        by_votes(log_odds, average=False),
        False,
    ),
    "Boosting (3,2,3)": (
        attacks.Boosting,
        (3, 2, 3),
        3,
        by_votes(lambda answer, n, m: int(2 * answer > n), average=False),
        False,
    ),
    "Exhaustive t=n (3,2,2)": (exhaustive(3), (3, 2, 2), 3, by_search, False),
    "Exhaustive t=2 (3,3,2)": (exhaustive(2), (3, 3, 2), 2, by_search, False),
}


@pytest.mark.parametrize("name", CASES)
def test_the_measured_mean_is_the_enumerated_one(name):
    build, sizes, live, decode, balanced = CASES[name]
    problem = Problem(*sizes)
    n, m, k = problem
    exact = expected_accuracy(n, m, k, live, decode, balanced=balanced)
    means = []
    for child in np.random.SeedSequence(12).spawn(120):
        attack_seed = int(np.random.default_rng(child).integers(2**32))
        matched = 0
        for hidden in itertools.product(range(m), repeat=n):
            attack = build(problem, rng=np.random.default_rng(attack_seed))
            guess = play(attack, oracles.LabelOracle(np.array(hidden), problem=problem))
            matched += int(np.sum(guess == np.array(hidden)))
        means.append(matched / (n * m**n))
    # Seeds are independent; within one seed the label vectors are all played.
    stderr = np.std(means, ddof=1) / np.sqrt(len(means))
    # Some means do not depend on the seed at all; 1e-12 allows for rounding.
    assert abs(np.mean(means) - float(exact)) <= 4 * stderr + 1e-12


@pytest.mark.parametrize(
    ("n", "m", "k"), [(4, 2, 2), (4, 2, 3), (5, 2, 4), (4, 3, 3), (5, 3, 2), (4, 3, 5)]
)
def test_block_majority_scores_the_more_frequent_label_of_every_block(n, m, k):
    problem = Problem(n, m, k)
    edges = [n * block // (k - 1) for block in range(k)]
    for hidden in itertools.product(range(m), repeat=n):
        attack = attacks.BlockMajority(problem, rng=np.random.default_rng(0), permuted=False)
        guess = play(attack, oracles.LabelOracle(np.array(hidden), problem=problem))
        blocks = [hidden[low:high] for low, high in itertools.pairwise(edges)]
        assert np.sum(guess == np.array(hidden)) == sum(
            max(block.count(0), block.count(1)) for block in blocks
        )


def climbed(hidden, m, k, n_blocks):
    """Return the matches of the climb by its definition, whole vectors compared every time."""
    n = len(hidden)
    edges = [n * block // n_blocks for block in range(n_blocks + 1)]

    def matches(labels):
        return sum(a == b for a, b in zip(labels, hidden, strict=True))

    best, looks = [0] * n, k - 1
    changes = itertools.product(range(1, m), itertools.pairwise(edges))
    for label, (low, high) in changes:
        # A single example whose challenge rose is right, and is left alone.
        if looks == 0 or (best[low] and high - low == 1):
            continue
        looks -= 1
        trial = best[:low] + [label] * (high - low) + best[high:]
        best = trial if matches(trial) > matches(best) else best
    return matches(best)


@pytest.mark.parametrize(
    ("n", "m", "k", "n_blocks"),
    [(4, 2, 3, None), (5, 2, 4, None), (4, 3, 1, None), (3, 4, 20, 3), (3, 4, 6, 3)],
)
def test_hill_climb_scores_what_its_definition_says(n, m, k, n_blocks):
    problem = Problem(n, m, k)
    for hidden in itertools.product(range(m), repeat=n):
        attack = attacks.HillClimb(
            problem, rng=np.random.default_rng(0), permuted=False, n_blocks=n_blocks
        )
        guess = play(attack, oracles.LabelOracle(np.array(hidden), problem=problem))
        expected = climbed(hidden, m, k, n_blocks or max(k - 1, 1))
        assert np.sum(guess == np.array(hidden)) == expected


@pytest.mark.parametrize(("n", "m"), [(1, 2), (4, 3), (3, 5)])
def test_a_constant_guess_scores_one_in_m_over_all_label_vectors(n, m):
    attack = attacks.Constant(Problem(n, m, 1), rng=np.random.default_rng(3))
    guess = attack.predict()
    every = list(itertools.product(range(m), repeat=n))
    assert sum(int(np.sum(guess == np.array(hidden))) for hidden in every) * m == n * len(every)
