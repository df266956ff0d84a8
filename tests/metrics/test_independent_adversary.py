"""An adversary of its own, with nothing of the package inside: audits' attacks gain no less."""

import numpy as np
import pytest

from holdfast import Problem
from holdfast.attacks.through_metrics.description import MetricBoard
from holdfast.attacks.through_metrics.registry import attacks_on
from holdfast.errors import NotSupported
from holdfast.loop import play
from holdfast.metrics.registry import parse_metric
from holdfast.oracles import MetricOracle
from holdfast.planner import board_under, planned_on_counts
from holdfast.rules import parse_rule

GAMES = 6


def of_counts(metric, true, called, hits):
    """Return a metric's value: examples of each class, called so, and both."""
    true, called, n = true.astype(float), called.astype(float), true.sum()
    if metric == "accuracy":
        return hits.sum() / n
    if metric == "f1":
        return 2 * hits[1] / (true[1] + called[1])
    if metric == "f1_weighted":
        return np.sum(true / n * 2 * hits / (true + called))
    if metric == "balanced_accuracy":
        return np.mean(hits / true)
    by_chance = (true * called).sum() / n**2  # cohen_kappa
    return (hits.sum() / n - by_chance) / (1 - by_chance)


def value(metric, truth, submitted, m):
    true, called = (np.bincount(each, minlength=m) for each in (truth, submitted))
    hits = np.bincount(truth[truth == submitted], minlength=m).astype(float)
    return of_counts(metric, true, called, hits)


def ridge(metric, truth, m, shares, error, release, looks, n_parts, rng):
    """Return the value of the labels that a ridge regression on random submissions finds."""
    n = truth.size
    part = np.arange(n) * n_parts // n
    size = np.bincount(part)
    true = np.bincount(truth, minlength=m)
    weights, told = np.zeros((looks, n_parts, m)), np.zeros(looks)
    for look in range(looks):
        ends = np.rint(np.cumsum(shares) * n_parts).astype(int)
        shown = rng.permutation(np.repeat(np.arange(m), np.diff(ends, prepend=0)))
        called = np.bincount(shown[part], minlength=m)
        chance = true * called / n
        base = of_counts(metric, true, called, chance)
        slope = [of_counts(metric, true, called, chance + row) - base for row in np.eye(m)]
        weights[look, np.arange(n_parts), shown] = np.take(slope, shown) * size
        mean = weights[look].sum(axis=0) / n
        told[look] = release(value(metric, truth, shown[part], m)) - base + slope @ chance
        told[look] -= mean @ true
        weights[look] -= mean * size[:, None]
    p = true / n
    spread = weights @ (np.diag(p) - np.outer(p, p))
    found = np.einsum("kic,lic->kl", weights, spread) + error * np.eye(looks)
    found += 1e-6 * np.trace(found) / looks * np.eye(looks)
    moved = np.einsum("k,kic->ic", np.linalg.solve(found, told), spread)
    chances = (p * np.exp(np.clip(moved / p, -20, 20)))[part]
    for _ in range(100):
        chances *= true / chances.sum(axis=0)
        chances /= chances.sum(axis=1, keepdims=True)
    best = 0.0
    for power in np.linspace(0.0, 1.5, 31):  # from the likeliest label to the rarest classes
        guess = (chances / true**power).argmax(axis=1)
        hits = np.bincount(guess, chances[np.arange(n), guess], minlength=m)
        expected = of_counts(metric, true, np.bincount(guess, minlength=m), hits)
        if expected > best:
            best, found = expected, guess
    return value(metric, truth, found, m)


def gains(metric, truth, m, rule, looks, in_runs):
    """Return the gains of the best attack of the package: chosen by two games, then six more."""
    measure, rule = parse_metric(metric), parse_rule(rule)
    sizes = tuple(np.bincount(truth, minlength=m).tolist())
    board = board_under(rule, MetricBoard(measure, sizes=sizes, in_runs=in_runs))
    best, most = [], -1.0
    for each in attacks_on(board, m, from_nothing=[planned_on_counts(rule)]):

        def ends(seeds, each=each):
            for seed in seeds:
                rng, rule_rng = np.random.default_rng(seed).spawn(2)
                shown = MetricOracle(
                    truth, measure, n_queries=looks, mechanism=rule, rng=rule_rng, n_classes=m
                )
                attack = each.make(Problem(truth.size, m, looks), rng=rng)
                yield measure.score(truth, play(attack, shown))

        try:
            mean = np.mean(list(ends(range(2))))
        except NotSupported:
            continue
        if mean > most:
            best, most = ends, mean
    return list(best(range(100, 100 + GAMES)))


CELLS = [
    # metric, rule, class sizes, looks, shares that the adversary calls, parts of the rows
    ("f1", "gaussian:0.01", (1900, 100), 60, (0.95, 0.05), None),
    ("f1", "round:1", (1900, 100), 60, (0.95, 0.05), None),
    ("cohen_kappa", "round:2", (600, 600), 60, (0.5, 0.5), None),
    ("balanced_accuracy", "gaussian:0.01", (500, 250, 150, 70, 30), 60, (0.2,) * 5, None),
    ("f1_weighted", "round:2", (500, 250, 150, 70, 30), 60, (0.5, 0.25, 0.15, 0.07, 0.03), None),
    ("f1", "round:2", (800, 800), 20, (0.7, 0.3), 32),
    ("balanced_accuracy", "gaussian:0.03", (800, 800), 20, (0.5, 0.5), 32),
]


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "rule", "sizes", "looks", "shares", "n_parts"), CELLS)
def test_a_ridge_regression_gains_no_more(metric, rule, sizes, looks, shares, n_parts):
    rng, m = np.random.default_rng(11), len(sizes)
    examples = sizes if n_parts is None else tuple(size * n_parts // sum(sizes) for size in sizes)
    truth = rng.permutation(np.repeat(np.arange(m), examples))
    truth = truth if n_parts is None else np.repeat(truth, sum(sizes) // n_parts)
    kind, _, number = rule.partition(":")
    size = float(number) if kind == "gaussian" else 10.0 ** -int(number)

    def release(shown):
        if kind == "gaussian":
            return shown + size * rng.standard_normal()
        return np.round(shown / size) * size

    error = size**2 if kind == "gaussian" else size**2 / 12
    parts = truth.size if n_parts is None else n_parts
    theirs = [
        ridge(metric, truth, m, shares, error, release, looks, parts, rng) for _ in range(GAMES)
    ]
    ours = gains(metric, truth, m, rule, looks, n_parts is not None)
    error = np.hypot(np.std(theirs, ddof=1), np.std(ours, ddof=1)) / np.sqrt(GAMES)
    assert np.mean(ours) >= np.mean(theirs) - 4 * error
    # The adversary is one: it gains something itself.
    nothing = max(value(metric, truth, np.full(truth.size, label), m) for label in range(m))
    assert np.mean(theirs) > nothing + 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "rule", "sizes"),
    [("f1", "round:1", (950, 50)), ("f1_weighted", "round:2", (420, 120, 60))],
)
def test_few_rounded_looks_stay_within_the_reserve_of_audits(metric, rule, sizes):
    """The ridge regression gains more here, 1.4 and 1.6 times as much: audits keep twice."""
    m, n, looks, step = len(sizes), sum(sizes), 20, 10.0 ** -int(rule[-1])
    truth = np.random.default_rng(7).permutation(np.repeat(np.arange(m), sizes))
    shares, rng = np.divide(sizes, n), np.random.default_rng(11)

    def rounded(shown):
        return np.round(shown / step) * step

    theirs = [
        ridge(metric, truth, m, shares, step**2 / 12, rounded, looks, n, rng)
        for _ in range(2 * GAMES)
    ]
    ours = gains(metric, truth, m, rule, looks, False)
    nothing = max(value(metric, truth, np.full(n, label), m) for label in range(m))
    error = np.hypot(np.std(theirs) / np.sqrt(2 * GAMES), 2.0 * np.std(ours) / np.sqrt(GAMES))
    assert 2.0 * (np.mean(ours) - nothing) >= np.mean(theirs) - nothing - 3.0 * error
