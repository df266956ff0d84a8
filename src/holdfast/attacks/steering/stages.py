r"""Lengths and gains of a second round and of a champion-challenger tail after pools of a design.

Every example that the pools leave open has one of a few posteriors: by the size and surplus of its
pool, or by how many labels a digit ruled out. The tail's answers are worth half a nat each, and
reverse water-filling says what these buy from such posteriors: what a look gains in the tail falls
with the length of the tail, and what it would gain in the design hardly depends on it. The best
length is where both are equal. A second round turns these posteriors into others and gains by
itself: digits prove labels with few candidates, pools lift those that have no likeliest label.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lindstrom import capacity, plan_pooled
from holdfast.attacks.exact.pool_odds import label_odds
from holdfast.attacks.exact.second_round import MOST_CANDIDATES, fillings, pool_gain
from holdfast.attacks.exact.subset_lattice import node_sizes
from holdfast.attacks.steering.model_margin import model_ratio
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, STEEPEST, LabelLaws, RateAllocation
from holdfast.measured import along, table
from holdfast.problem import Problem
from holdfast.roots import root

__all__ = ["OpenLabels", "Stages", "best_stages", "best_tail", "steered", "surpluses"]

Floats = NDArray[np.float64]

# Posteriors that stand for all of them, and standard deviations of a surplus that are looked at.
SAMPLED_POSTERIORS, SURPLUS_DEVIATIONS = 500, 5.0
# Shares of the looks that are tried for the tail, and the share whose loss to the design is priced.
# By hand, as the shares and limits of rounds below: `best_stages` forecasts the same within 0.2 %
# with twice as many shares, with 0.02 or 0.1 priced, with a shorter tail of 0.5 to 1, with more
# rounds compared, and with rounds of 0.15 to 0.4 of the looks, at (10000, 10) with 300, 1,000 and
# 3,000 looks, and (10000, 2) and (10000, 100) with 1,000; with half as many shares, or one round
# compared, 2 % less somewhere.
TAIL_SHARES_TRIED = (0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.22, 0.3, 0.4)
DESIGN_SHARE_PRICED = 0.05
# What champion-challenger reaches of the law from such posteriors, by the number of classes, and
# what it loses of a short tail and with few labels left: python -m benchmarks.steered_pools. More
# classes are in a table: there a tail may be long, and the more it has to tell of each label the
# less of the law it reaches.
CLASSES_MEASURED = (2, 4, 10, 30)
SHARE_OF_LAW_REACHED = (0.96, 0.95, 0.95, 0.85)
LOOKS_LOST_BY_TAIL, LABELS_LOST_BY_TAIL = 1.5, 1.0
# Rows that are tried for a second round, then half as many more; the largest share of the looks,
# and the least load k m / n. With three classes nothing is left of which two candidates or two
# fresh labels could be shown, and with many a digit of the first round rules out too few.
ROUND_ROWS_TRIED = (16, 32, 64, 128, 256, 512, 1024, 2048)
ROUND_SHARE_AT_MOST, ROUND_LOAD_AT_LEAST, ROUND_CLASSES_FROM_TO = 0.25, 0.2, (4, 32)
# So many of them are looked at closely; and the share of the tail that is tried behind the best.
ROUNDS_COMPARED, SHORTER_TAIL_SHARE = 3, 0.7


def surpluses(size: int, n_classes: float) -> tuple[NDArray[np.int64], Floats]:
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


class Laws(NamedTuple):
    """Posteriors of open labels, one per line, and how many examples have each.

    A posterior is three probabilities in falling order, and how many labels have each.
    """

    rows: Floats
    alike: Floats
    weights: Floats


Posterior = tuple[float, tuple[tuple[float, float], ...]]
"""How many examples have it, and pairs of a probability and how many labels have it."""


def _laws(found: list[Posterior]) -> Laws:
    """Collect posteriors, except those that leave nothing open."""
    kept = []
    for weight, pairs in found:
        ordered = sorted((pair for pair in pairs if pair[1] > 0.0), reverse=True)
        if weight > 0.0 and ordered[0][0] < 1.0 - 1e-9:
            kept.append((weight, [*ordered, (0.0, 0.0), (0.0, 0.0)][:3]))
    listed = np.array([pairs for _, pairs in kept]).reshape(-1, 3, 2)
    return Laws(listed[:, :, 0], listed[:, :, 1], np.array([weight for weight, _ in kept]))


@lru_cache(maxsize=64)
def _posteriors(problem: Problem) -> Laws:
    """Return what the design leaves open."""
    n, m, k = problem
    plan, sizes = plan_pooled(problem), node_sizes(k)
    found: list[Posterior] = []
    held = hosts = 0
    for bits, count in sizes.items():
        node = plan.nodes[bits]
        held += count * len(node.digits)
        hosts += count * (node.pool > 0)
        for digit in node.digits:
            left = m - digit.labels
            if left >= 2:
                found.append((count * left / m, ((1.0 / left, left), (0.0, m - left))))
    pooled = n - held
    if pooled > 0 and hosts:
        each, more = divmod(pooled, hosts)
        for size, count in ((each, hosts - more), (each + 1, more)):
            if size and count:
                for s, chance in zip(*surpluses(size, m), strict=True):
                    zero, one, third = label_odds(size, int(s), m)
                    found.append((count * size * chance, ((zero, 1), (one, 1), (third, m - 2))))
    elif pooled > 0:
        found.append((float(pooled), ((1.0 / m, m),)))
    return _laws(found)


def _second_round(laws: Laws, n_rows: int) -> tuple[float, Laws]:
    """Return what a second round gains, and what it leaves open."""
    top, alike = laws.rows[:, 0], laws.alike[:, 0]
    # Likeliest labels that are equally likely; all there is, for the digits.
    level = alike >= 2.0
    digits = level & (alike * top > 1.0 - 1e-9) & (alike <= MOST_CANDIDATES)
    candidates = alike.astype(np.int64)
    stock: dict[int, int] = {}
    for c in np.unique(candidates[digits]).tolist():
        stock[c] = int(laws.weights[digits & (candidates == c)].sum())
    pooled = level & ~digits
    n_pooled = float(laws.weights[pooled].sum())
    share = float(laws.weights[pooled] @ top[pooled]) / n_pooled if n_pooled else 0.0
    hosts, placed = 0, dict.fromkeys(stock, 0)
    for _, node in fillings(n_rows, stock, n_pooled, share):
        hosts += node.pool > 0
        for c in node.digits:
            placed[c] += 1
    gain = sum(count * (1.0 - 1.0 / c) for c, count in placed.items())
    found: list[Posterior] = []
    weights = laws.weights.copy()
    for c, count in placed.items():
        here = digits & (candidates == c)
        weights[here] *= 1.0 - count / max(stock[c], 1, float(weights[here].sum()))
    size = max(1, round(float(weights[level].sum()) / hosts)) if hosts else 0
    for row, labels, weight, flat in zip(laws.rows, laws.alike, weights, level, strict=True):
        if not flat or not size:
            found.append((weight, tuple(zip(row.tolist(), labels.tolist(), strict=True))))
            continue
        p = min(0.5, float(row[0]))
        gain += weight / size * pool_gain(size, p)
        # A pool's posterior has three values: both labels shown, and all others, lumped into one
        # class of `others` effective labels.
        others = labels[0] - 2.0 + float(row[1:] @ labels[1:]) / p
        for s, chance in zip(*surpluses(size, 1.0 / p), strict=True):
            second, first, _ = label_odds(size, int(s), 1.0 / p)
            rest = max(0.0, 1.0 - first - second) / others if others > 1e-9 else 0.0
            pairs = ((first, 1.0), (second, 1.0), (rest, others))
            found.append((weight * float(chance), pairs))
    return float(gain), _laws(found)


class OpenLabels:
    """The labels that a design leaves open, and what a second round and a tail gain on them.

    Parameters
    ----------
    problem
        The sizes of the design.
    second
        Rows of a second round after it; 0: none.
    """

    def __init__(self, problem: Problem, second: int = 0) -> None:
        self._problem = problem
        laws = _posteriors(problem)
        self.second_gain = 0.0
        if second and laws.weights.size:
            self.second_gain, laws = _second_round(laws, second)
        rows, alike, weights = laws
        self._any = weights.size > 0
        if not self._any:
            return
        n_open = float(weights.sum())
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

    def law(self, looks: int) -> float:
        """Return what the rate-distortion law says that so many looks gain."""
        return self._spent(looks).gain if self._any else 0.0

    def best(self, looks: int) -> float:
        """Return what is left of the law with few looks, few labels, and posteriors far ahead."""
        if not self._any:
            return 0.0
        found, n_open = self._spent(looks), self._scale * SAMPLED_POSTERIORS
        reached = looks / (looks + LOOKS_LOST_BY_TAIL) * n_open / (n_open + LABELS_LOST_BY_TAIL)
        return reached * found.gain * min(1.0, model_ratio(found, float(looks), 1.0))

    def gain(self, looks: int) -> float:
        """Return what so many looks are expected to gain above the design's own guess."""
        n, m, _ = self._problem
        return _share(m, looks * m / n) * self.best(looks) if looks else 0.0

    def _spent(self, looks: int) -> RateAllocation:
        """Return the best way to share the nats of so many looks."""
        nats = NATS_PER_LOOK * looks

        def left(slope: float) -> float:
            return self._scale * float(self._laws.at(slope).nats.sum()) - nats

        slope = STEEPEST
        if left(slope) > 0.0:
            slope = root(left, 0.0, STEEPEST, xtol=1e-4)
        _, best, running, mass = self._laws.at(slope)
        return RateAllocation(slope, self._scale, self._top, self._second, best, running, mass)


def _share(n_classes: int, load: float) -> float:
    """Return the measured share of the law that a tail of this load, looks m / n, reaches."""
    many = table("tail-after-pools")
    shares = [along(many["loads"], row, load) for row in many["ratio"]]
    return along([*CLASSES_MEASURED, *many["classes"]], [*SHARE_OF_LAW_REACHED, *shares], n_classes)


def steered(problem: Problem, tail: int, second: int = 0) -> float:
    """Return the expected gain of a design, a second round, and a tail on so many looks."""
    n, m, k = problem
    design = Problem(n, m, k - tail - second)
    gain = plan_pooled(design).gain
    if tail or second:
        open_ = OpenLabels(design, second)
        gain += open_.second_gain + (open_.gain(tail) if tail else 0.0)
    return gain


@lru_cache(maxsize=256)
def best_tail(problem: Problem) -> int:
    """Return how many looks to leave to the tail of one round; 0: none.

    The design loses what its last looks gain, and the tail is taken to find what the whole
    design leaves open; near the maximum the gain is flat.

    >>> 20 <= best_tail(Problem(10_000, 10, 1000)) <= 100
    True
    """
    k = problem.n_queries
    per_look = _per_look(problem)
    if per_look is None:
        return 0
    open_ = OpenLabels(problem)
    lengths = sorted({round(share * k) for share in TAIL_SHARES_TRIED} - {0, 1})
    net = {looks: open_.gain(looks) - looks * per_look for looks in lengths}
    best = max(lengths, key=lambda looks: net[looks], default=0)
    if not best or net[best] <= 0.0:
        return 0
    # The design does not lose evenly: near a power of two a look is worth more.
    near = lengths[max(0, lengths.index(best) - 1) : lengths.index(best) + 2]
    return max(near, key=lambda looks: steered(problem, looks))


class Stages(NamedTuple):
    """Looks of the second round and of the tail, and what is gained in all."""

    second: int
    tail: int
    gain: float


@lru_cache(maxsize=256)
def best_stages(problem: Problem) -> Stages:
    """Return how to divide the looks between a design, a second round and a tail.

    The lengths of the second round are compared as those of the tail are, and the best of them is
    played if it is expected to gain more than one round and its tail.

    >>> best_stages(Problem(10_000, 10, 3000)).second >= 64
    True
    >>> best_stages(Problem(10_000, 2, 3000)).second
    0
    """
    n, m, k = problem
    tail = best_tail(problem)
    one = Stages(0, tail, steered(problem, tail))
    suits = (
        ROUND_CLASSES_FROM_TO[0] <= m <= ROUND_CLASSES_FROM_TO[1]
        and k * m >= ROUND_LOAD_AT_LEAST * n
    )
    per_look = _per_look(problem) if suits else None
    if per_look is None:
        return one
    alone = OpenLabels(problem).gain(tail)
    more = {}
    for rows in (rows for rows in ROUND_ROWS_TRIED if rows <= ROUND_SHARE_AT_MOST * k):
        open_ = OpenLabels(problem, rows)
        more[rows] = open_.second_gain + open_.gain(tail) - rows * per_look - alone
    likely = sorted((rows for rows in more if more[rows] > 0.0), key=lambda rows: -more[rows])
    # The design does not lose evenly: see `best_tail`.
    two = [
        Stages(rows, tail, steered(problem, tail, rows))
        for each in likely[:ROUNDS_COMPARED]
        for rows in ((each, each * 3 // 2) if each in likely[:2] else (each,))
        if rows <= ROUND_SHARE_AT_MOST * k
    ]
    best = max([one, *two], key=_gained)
    shorter = round(SHORTER_TAIL_SHARE * tail)
    if best.second and shorter >= 2:
        gain = steered(problem, shorter, best.second)
        best = max(best, Stages(best.second, shorter, gain), key=_gained)
    return best


def _gained(stages: Stages) -> float:
    return stages.gain


def _per_look(problem: Problem) -> float | None:
    """Return what a look of the design gains; None: there are too few, or all labels are proved."""
    n, m, k = problem
    fewer = k - max(1, round(DESIGN_SHARE_PRICED * k))
    if fewer < 2 or capacity(m, k) >= n:
        return None
    return (plan_pooled(problem).gain - plan_pooled(Problem(n, m, fewer)).gain) / (k - fewer)
