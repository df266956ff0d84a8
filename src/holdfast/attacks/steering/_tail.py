r"""Length and gain of a champion-challenger tail after pools of a detecting design.

Every example that the pools leave open has one of a few posteriors: by the size and surplus of its
pool, or by how many labels a digit ruled out. The tail's answers are worth half a nat each, and
reverse water-filling says what these buy from such posteriors: what a look gains in the tail falls
with the length of the tail, and what it would gain in the design hardly depends on it. The best
length is where both are equal.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from holdfast.attacks.exact._lindstrom import capacity, plan_pooled
from holdfast.attacks.exact._pool_odds import label_odds
from holdfast.attacks.exact._subset_lattice import node_sizes
from holdfast.attacks.steering._model_margin import model_ratio
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, STEEPEST, LabelLaws, RateAllocation
from holdfast.forecasts.tables import along
from holdfast.problem import Problem

__all__ = ["OpenLabels", "best_tail", "steered", "surpluses"]

Floats = NDArray[np.float64]

# Posteriors that stand for all of them, and standard deviations of a surplus that are looked at.
SAMPLED_POSTERIORS, SURPLUS_DEVIATIONS = 500, 5.0
# Shares of the looks that are tried for the tail, and the share whose loss to the design is priced.
SHARES = (0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.22, 0.3, 0.4)
STEP = 0.05
# What champion-challenger reaches of the law from such posteriors, by the number of classes, and
# what it loses of a short tail and with few labels left: python -m benchmarks.steered_pools
CLASSES = (2, 4, 10, 30, 100)
OF_THE_LAW = (0.96, 0.95, 0.98, 0.85, 0.78)
LOST_LOOKS, LOST_LABELS = 1.5, 1.0


def surpluses(size: int, n_classes: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the likely surpluses of a pool of this size and their probabilities."""
    m = n_classes
    most = min(size, math.ceil(SURPLUS_DEVIATIONS * math.sqrt(2.0 * size / m)) + 3)
    # The law of a lazy walk from its characteristic function; beyond `most` it is folded back.
    points = 2 * most + 1
    angles = 2.0 * np.pi * np.arange(points) / points
    powers = (1.0 - 2.0 / m + 2.0 / m * np.cos(angles)) ** size
    surplus = np.arange(-most, most + 1)
    law = (powers @ np.cos(np.outer(angles, surplus))) / points
    kept = law > 1e-9
    return surplus[kept], law[kept] / law[kept].sum()


def _posteriors(problem: Problem) -> tuple[float, Floats, Floats, Floats]:
    """Return the examples left open by the design, their laws, label counts, and shares of them.

    A law is three probabilities in falling order, and how many labels have each.
    """
    n, m, k = problem
    plan, sizes = plan_pooled(problem), node_sizes(k)
    laws: list[tuple[tuple[float, float, float], tuple[float, float, float]]] = []
    weights = []
    held = hosts = 0
    for bits, count in sizes.items():
        node = plan.nodes[bits]
        held += count * len(node.digits)
        hosts += count * (node.pool > 0)
        for digit in node.digits:
            left = m - digit.labels
            if left >= 2:
                laws.append(((1.0 / left, 0.0, 0.0), (left, m - left, 0)))
                weights.append(count * left / m)
    pooled = n - held
    if pooled > 0 and hosts:
        each, more = divmod(pooled, hosts)
        for size, count in ((each, hosts - more), (each + 1, more)):
            if not size or not count:
                continue
            for s, chance in zip(*surpluses(size, m), strict=True):
                zero, one, third = label_odds(size, int(s), m)
                found = sorted([(zero, 1), (one, 1), (third, m - 2)], reverse=True)
                if found[0][0] < 1.0 - 1e-9:
                    laws.append(tuple(zip(*found, strict=True)))  # type: ignore[arg-type]
                    weights.append(count * size * chance)
    elif pooled > 0:
        laws.append(((1.0 / m, 0.0, 0.0), (m, 0, 0)))
        weights.append(float(pooled))
    rows = np.array([law for law, _ in laws]).reshape(-1, 3)
    alike = np.array([count for _, count in laws], dtype=np.float64).reshape(-1, 3)
    return float(sum(weights)), rows, alike, np.array(weights)


class OpenLabels:
    """The labels that a design leaves open, and what a tail gains on them."""

    def __init__(self, problem: Problem) -> None:
        n_open, rows, alike, weights = _posteriors(problem)
        self._any = weights.size > 0
        if not self._any:
            return
        # Each posterior as often as it occurs among a sample.
        ends = np.cumsum(weights) / n_open
        chosen = np.searchsorted(
            ends, (np.arange(SAMPLED_POSTERIORS) + 0.5) / SAMPLED_POSTERIORS * ends[-1]
        )
        self._scale, self._laws = (
            n_open / SAMPLED_POSTERIORS,
            LabelLaws(rows[chosen], alike[chosen]),
        )
        self._top = rows[chosen, 0]
        self._second = np.where(alike[chosen, 0] > 1, self._top, rows[chosen, 1])
        self._share = along(CLASSES, OF_THE_LAW, problem.n_classes)

    def law(self, looks: int) -> float:
        """Return what the rate-distortion law says that so many looks gain."""
        return self._spent(looks).gain if self._any else 0.0

    def gain(self, looks: int) -> float:
        """Return what so many looks are expected to gain above the design's own guess."""
        if not self._any:
            return 0.0
        found, n_open = self._spent(looks), self._scale * SAMPLED_POSTERIORS
        reached = self._share * looks / (looks + LOST_LOOKS) * n_open / (n_open + LOST_LABELS)
        return reached * found.gain * min(1.0, model_ratio(found, float(looks), 1.0))

    def _spent(self, looks: int) -> RateAllocation:
        """Return the best way to share the nats of so many looks."""
        nats = NATS_PER_LOOK * looks

        def left(slope: float) -> float:
            return self._scale * float(self._laws.at(slope).nats.sum()) - nats

        slope = STEEPEST
        if left(slope) > 0.0:
            slope = float(brentq(left, 0.0, STEEPEST, xtol=1e-4))
        _, best, running, mass = self._laws.at(slope)
        return RateAllocation(slope, self._scale, self._top, self._second, best, running, mass)


def steered(problem: Problem, tail: int) -> float:
    """Return the expected gain of a design on all looks but `tail`, and a tail on these."""
    n, m, k = problem
    design = Problem(n, m, k - tail)
    return plan_pooled(design).gain + (OpenLabels(design).gain(tail) if tail else 0.0)


@lru_cache(maxsize=256)
def best_tail(problem: Problem) -> int:
    """Return how many looks to leave to the tail; 0: none.

    The design loses what its last looks gain, and the tail is taken to find what the whole
    design leaves open; near the maximum the gain is flat.

    >>> 20 <= best_tail(Problem(10_000, 10, 1000)) <= 100
    True
    """
    n, m, k = problem
    fewer = k - max(1, round(STEP * k))
    if fewer < 2 or capacity(m, k) >= n:
        return 0
    per_look = (plan_pooled(problem).gain - plan_pooled(Problem(n, m, fewer)).gain) / (k - fewer)
    open_ = OpenLabels(problem)
    lengths = sorted({round(share * k) for share in SHARES} - {0, 1})
    net = {looks: open_.gain(looks) - looks * per_look for looks in lengths}
    best = max(lengths, key=lambda looks: net[looks], default=0)
    if not best or net[best] <= 0.0:
        return 0
    # The design does not lose evenly: near a power of two a look is worth more.
    near = lengths[max(0, lengths.index(best) - 1) : lengths.index(best) + 2]
    return max(near, key=lambda looks: steered(problem, looks))
