"""An attack that reads the last bits of noisy answers: which counts could give this very float.

It asks one query and then the same with each label flipped in turn. With two classes a flip
changes the count by one, so knowing the counts is knowing the labels. For each answer it keeps
the counts that the sampler could have reached it from, weighs them by the noise's density, and
follows the likeliest first count.
"""

import math
from fractions import Fraction

import numpy as np

from holdfast.evaluate import evaluate
from holdfast.problem import Problem

# Ticks of the uniform draw that are tried around the one that fits best.
NEAR = 3
# With more ticks than this in reach an answer tells nothing.
MANY = 12


def possible_with_floats(answer, n, scale):
    """Tell for each count whether count/n plus one of numpy's Laplace draws is this float.

    A draw is log(2U) or -log(2 - 2U) times the scale, U a multiple of 2^-53: only few floats.
    """
    half = Fraction(math.ulp(answer)) / 2
    return np.array([_reached(answer, Fraction(c, n), half, scale) for c in range(n + 1)])


def _reached(answer, value, half, scale):
    noise = Fraction(answer) - value
    tick = math.exp(-abs(float(noise)) / scale) * 2.0**52
    reach = NEAR + math.ceil(tick * float(half) / scale)
    if reach > MANY:
        return True
    for t in range(max(1, round(tick) - reach), min(round(tick) + reach, 2**52) + 1):
        if float(value + Fraction(_drawn(t, noise > 0, scale))) == answer:
            return True
    return False


def _drawn(tick, positive, scale):
    """Return numpy's draw, with its rounding, for U or 1 - U of so many times 2^-53."""
    u = tick / 2.0**53
    if positive:
        u = 1.0 - u
        return -scale * math.log(2.0 - u - u)
    return scale * math.log(u + u)


def accuracy_of_attack(rule, scale, rng, n=100, possible=possible_with_floats):
    """Return the share of labels that the attack gets right."""
    labels = rng.integers(0, 2, n).astype(np.uint8)
    base = rng.integers(0, 2, n).astype(np.uint8)
    queries = [base, *(base ^ np.eye(n, dtype=np.uint8)[j] for j in range(n))]
    state, weights = rule.init(Problem(n, 2, n + 1)), []
    for query in queries:
        answer, state = rule.release(state, evaluate(query, labels, 2), rng)
        able = possible(answer, n, scale)
        if not able.any():
            able[:] = True  # the attack's idea of the sampler does not explain this answer
        log_density = -np.abs(answer - np.arange(n + 1) / n) / scale
        weights.append(np.where(able, log_density, -np.inf))
    first, flipped = weights[0], np.array(weights[1:])
    padded = np.pad(flipped, ((0, 0), (1, 1)), constant_values=-np.inf)
    fewer, more = padded[:, : n + 1], padded[:, 2:]  # given the first count c: c - 1 and c + 1
    total = first + np.logaddexp(fewer, more).sum(axis=0)
    best = int(np.argmax(total)) if np.isfinite(total).any() else n // 2
    # More matches after the flip: the base was wrong there.
    right = more[:, best] <= fewer[:, best]
    ties = more[:, best] == fewer[:, best]
    right = np.where(ties, rng.random(n) < 0.5, right)
    prediction = np.where(right, base, 1 - base)
    return float(np.mean(prediction == labels))
