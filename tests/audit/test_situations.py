"""Thirty boards: no SAFE that an adversary of its own refutes, and no fix that is not kept.

The adversary is the ridge regression of `tests.metrics.test_independent_adversary` where values are
released, and a climb of a few lines where only bests are: nothing of the package plays for them.
"""

from dataclasses import replace

import numpy as np
import pytest

from holdfast.audit import audit, parse_looks
from holdfast.audit.judgement.verdict import WORDS
from holdfast.metrics.display import Display
from holdfast.rules import parse_rule
from tests.audit.conftest import gaining, make_request
from tests.metrics.test_independent_adversary import ridge, value
from tests.paces import few

GAMES = 6
EVEN, TEN, SKEWED, RARE = (300, 300), (60,) * 10, (420, 120, 60), (950, 50)
LARGE, WIDE = (2000, 2000), (40,) * 50

# What ranks, the class sizes, the rule, the looks, and the ranking gap in points.
BOARDS = [
    ("accuracy", EVEN, "exact", 10, 1.0),
    ("accuracy", LARGE, "ladder:0.01", 20, 2.0),
    ("f1", RARE, "gaussian:0.03", 20, 8.0),
    ("accuracy", TEN, "round:2", 20, 20.0),
    ("accuracy", TEN, "ladder:0.05", 20, 5.0),
    ("accuracy", SKEWED, "exact", 20, 4.0),
    ("balanced_accuracy", SKEWED, "round:2", 20, 30.0),
    ("cohen_kappa", EVEN, "gaussian:0.03", 20, 10.0),
    ("accuracy", EVEN, "ladder:0.05", 20, 5.0),
    ("accuracy", EVEN, "round:1", 20, 10.0),
    ("accuracy", EVEN, "gaussian:0.03", 20, 20.0),
    ("accuracy", EVEN, "improved", 20, 15.0),
    ("accuracy", LARGE, "exact", 10, 5.0),
    ("accuracy", LARGE, "round:3", 40, 3.0),
    ("accuracy", LARGE, "gaussian:0.01", 10, 4.0),
    ("accuracy", TEN, "exact", 40, 10.0),
    ("accuracy", TEN, "gaussian:0.01", 10, 6.0),
    ("accuracy", TEN, "ladder:0.02", 40, 3.0),
    ("accuracy", SKEWED, "round:2", 10, 2.0),
    ("accuracy", SKEWED, "ladder:0.02", 20, 2.0),
    ("accuracy", RARE, "exact", 20, 1.0),
    ("accuracy", WIDE, "exact", 10, 1.0),
    ("accuracy", WIDE, "ladder:0.01", 20, 1.0),
    ("f1", RARE, "round:1", 20, 10.0),
    ("f1", EVEN, "exact", 20, 10.0),
    ("f1", EVEN, "ladder:0.05", 20, 10.0),
    ("balanced_accuracy", EVEN, "exact", 10, 20.0),
    ("balanced_accuracy", SKEWED, "gaussian:0.03", 20, 20.0),
    ("cohen_kappa", TEN, "round:2", 20, 10.0),
    ("f1_weighted", SKEWED, "round:2", 20, 10.0),
]


def climbed(metric, truth, m, shares, step, looks, rng):
    """Return the value of the labels that keep a change where the board shows a new best."""
    best = rng.choice(m, truth.size, p=shares)
    standing = value(metric, truth, best, m)
    for _ in range(looks - 1):
        part = rng.random(truth.size) < 0.2
        tried = np.where(part, rng.choice(m, truth.size, p=shares), best)
        if value(metric, truth, tried, m) >= standing + max(step, 1e-9):
            best, standing = tried, value(metric, truth, tried, m)
    return value(metric, truth, best, m)


def played(metric, truth, m, rule, looks, rng):
    """Return the value of one game of the adversary's."""
    kind, _, number = rule.partition(":")
    shares = np.bincount(truth, minlength=m) / truth.size
    if kind in ("ladder", "improved"):
        return climbed(metric, truth, m, shares, float(number or 0.0), looks, rng)
    sizes = {"exact": lambda: 1e-6, "gaussian": lambda: float(number)}
    size = sizes.get(kind, lambda: 10.0 ** -int(number))()

    def release(shown):
        if kind == "gaussian":
            return shown + size * rng.standard_normal()
        return np.round(shown / size) * size

    error = size**2 if kind == "gaussian" else size**2 / 12
    return ridge(metric, truth, m, shares, error, release, looks, truth.size, rng)


def board_of(metric, truth, m, rule, looks, gap, *, seed=0, **settings):
    request = make_request(
        truth, m=m, release=rule, looks=parse_looks(str(looks)), gap=gap, seed=seed, **settings
    )
    return replace(request, display=Display.of(metric))


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "sizes", "rule", "looks", "gap"), few(6, BOARDS))
def test_no_safe_is_refuted_and_every_fix_is_kept(metric, sizes, rule, looks, gap):
    m = len(sizes)
    truth = np.random.default_rng(7).permutation(np.repeat(np.arange(m), sizes))
    board = board_of(metric, truth, m, rule, looks, gap)
    found = audit(board)
    rng = np.random.default_rng(11)
    own = [played(metric, truth, m, rule, looks, rng) for _ in range(GAMES)]
    constants = [value(metric, truth, np.full(truth.size, label), m) for label in range(m)]
    gains = 100.0 * (np.array(own) - max(constants))
    error = np.std(gains, ddof=1) / np.sqrt(GAMES)
    print(f"{metric} {sizes} {rule} {looks} {gap}: {found.verdict.sentence} | own "
          f"{gains.mean():.2f} ± {error:.2f}", flush=True)  # fmt: skip
    if found.verdict.word == "SAFE":
        assert gains.mean() - 4.0 * error < gap
    for fix in found.verdict.fixes:
        print("   ", fix.verdict, fix.text, flush=True)
        if fix.hold_back:
            held = np.random.default_rng(1).permutation(truth.size) < fix.hold_back
            split = np.where(held, "Private", "Public").tolist()
            after = audit(
                board_of(metric, truth, m, rule, looks, gap, split=split), play=gaining(0.5)
            )
        else:
            changed = replace(
                board,
                rule=parse_rule(fix.rule),
                looks=parse_looks(str(fix.looks)),
                seed=1000,
            )
            after = audit(changed)
        print("    ->", after.verdict.word, flush=True)
        assert WORDS.index(after.verdict.word) >= WORDS.index(fix.verdict)
