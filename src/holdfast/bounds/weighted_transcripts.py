r"""The Ladder's transcripts, each weighted by what it costs under the law that knows nothing.

For a fixed transcript the final guess is a fixed vector, so its matches are B ~ Bin(n, 1/m), and
E[1(transcript)(B - n/m)] <= P(transcript) s + E(B - n/m - s)^+ for every s. Transcripts with first
rung r and d rungs climbed are N_d = C(k-2+d, d) in number. With thresholds 0 <= s_0 <= s_1 <= ...,
chosen for each r,

    E gain <= sum_r { sum_d (s_d - s_{d-1}) Q_{r,d} + sum_d N_d E(B - n/m - s_d)^+ },

where Q_{r,d} >= P(R_1 = r, R_k >= r+d) by a union bound over the prefixes before the decisive look.
docs/bounds/ladders.md has the proof. Counts and tails are in logarithms, thresholds of the rule in
exact fractions: the bound is attained on some problems and has no slack to hide an error.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.binomial import divergence, log_pmf, mean_absolute_deviation
from holdfast.bounds.bisection import least
from holdfast.bounds.first_rung import BETA_SLACK, first_rung_law, nearest_multiple
from holdfast.bounds.label_model import ROUNDING
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

__all__ = [
    "UpperTails",
    "upper_tails",
    "weighted_accuracy",
]

Floats = NDArray[np.float64]

# Counts or blocks in a table.
MOST_ENTRIES = 1 << 18
# Blocks per standard deviation, where counts are taken in blocks.
BLOCKS_PER_DEVIATION = 64
# The table ends where the tail is below exp(-nats - NATS_BEYOND_TABLE).
NATS_BEYOND_TABLE = 60.0
# By what share logarithms of tails are raised, which covers their rounding.
TAIL_ROUNDING = 1e-12


@dataclass(frozen=True)
class UpperTails:
    """Tables over the counts `start`, `start + block`, ...

    `tail[i]` is at least ln P(B >= count i), `excess[i]` at least ln E(B - count i)^+, `beyond[i]`
    at least ln P(B > count i); `at_mean` is ln E(B - n/m)^+.
    """

    n: int
    start: int
    block: int
    tail: Floats
    beyond: Floats
    excess: Floats
    at_mean: float

    def log_tail(self, counts: NDArray[np.int64]) -> Floats:
        """Return at least ln P(B >= count)."""
        place = np.clip((counts - self.start) // self.block, 0, len(self.tail) - 1)
        found = np.where(counts <= self.start, 0.0, self.tail[place])
        return np.where(counts > self.n, -np.inf, found)


@functools.lru_cache(maxsize=32)
def upper_tails(n: int, m: int, nats: float) -> UpperTails | None:
    """Return the tables as far as a number of transcripts of e^nats can make them matter.

    None if that takes too many entries.
    """
    deviation = math.sqrt(n / m * (1.0 - 1.0 / m))
    last = _last_count(n, m, nats + NATS_BEYOND_TABLE)
    first = max(0, n // m - math.ceil(40.0 + 12.0 * deviation))
    if last - first < MOST_ENTRIES:
        block = 1
    else:
        # Above the mode only: there probabilities fall.
        first, block = (n + 1) // m + 1, max(1, int(deviation / BLOCKS_PER_DEVIATION))
        if (last - first) // block >= MOST_ENTRIES:
            return None
    counts = np.arange(first, last + block, block, dtype=np.int64)
    counts = counts[counts <= n]
    log_p = log_pmf(counts, n, m) + math.log(block)
    # What lies beyond the table: at most exp(-nats - NATS_BEYOND_TABLE) per count, n counts.
    rest = -np.inf if counts[-1] + block > n else -nats - NATS_BEYOND_TABLE
    # Where counts are left out below, they hold next to nothing.
    tail = np.minimum(_sums_from_the_end(log_p, rest), 0.0) * (1.0 - TAIL_ROUNDING)
    end = -np.inf if rest == -np.inf else rest + math.log(n)
    if block == 1:
        beyond = np.append(tail[1:], rest)
    else:
        beyond = tail
        end = np.logaddexp(end, tail[-1] + math.log(block))
    # E(B - c)^+ is the sum of P(B >= b) over b > c.
    excess = np.append(_sums_from_the_end(beyond[:-1] + math.log(block), end), end)
    mean = 0.5 * mean_absolute_deviation(n, m)
    return UpperTails(n, int(first), block, tail, beyond, excess, math.log(mean))


def _last_count(n: int, m: int, nats: float) -> int:
    """Return the least count from which on P(B >= count) <= exp(-nats), or n."""
    # Chernoff: P(B >= c) <= exp(-n KL(c/n || 1/m)).
    return least(lambda c: n * divergence(max(0.0, c / n - 1.0 / m), m) >= nats, n // m, n)


def _sums_from_the_end(logs: Floats, last: float) -> Floats:
    """Return ln(sum of exp(logs[i:]) + exp(last)) for every i."""
    backwards = np.logaddexp.accumulate(np.concatenate([[last], logs[::-1]]))
    sums: Floats = backwards[:0:-1]
    return sums


# More rungs than this are not computed; the bound for the running best is the sharper one there.
MOST_RUNGS = 1 << 14
# Rungs that are reached with less than this probability, as a logarithm and beside 1/n, count as if
# they gave all labels away.
LOG_ODDS_OF_RARE_RUNGS = -50.0
# More transcripts than e to this are not counted; beyond, everything is possible anyway.
MOST_NATS = 1e6
# By what share logarithms of numbers of transcripts are raised, which covers rounding in sums of
# up to `MOST_RUNGS` terms.
SUM_ROUNDING = 1e-11
# What the law of the first rung leaves out.
FIRST_RUNG_LEFT_OUT = math.exp(-60.0)


def weighted_accuracy(problem: Problem, step: Fraction) -> float | None:
    """Return what no analyst exceeds in expectation behind one Ladder state, uniform labels.

    None where it is not computed: too many rungs, or too many counts that matter.
    """
    if not 0 < step <= 1:
        raise InvalidInput(f"step must lie in (0, 1], got {step}.")
    n, m, k = problem
    top, law = nearest_multiple(Fraction(1), step), first_rung_law(n, m, step)
    if law is None or top >= MOST_RUNGS:
        return None
    number = _Transcripts(k, top)
    tails = upper_tails(n, m, number.most) if number.most < MOST_NATS else None
    if tails is None:
        return None
    above, near = _reached(n, step, top, tails)
    lost = math.log(n) - LOG_ODDS_OF_RARE_RUNGS
    gain = n * (law.slack if law.slack >= BETA_SLACK else FIRST_RUNG_LEFT_OUT)
    for rung, probability in zip(law.rungs.astype(int).tolist(), law.probability, strict=True):
        if probability <= math.exp(-lost):
            gain += n * float(probability)
            continue
        chance = _chances(math.log(probability), number, above[rung:], near[rung:])
        gain += min(_gain(chance, number, tails, m), (n - n / m) * float(probability))
    return min(1.0, 1.0 / m + gain * (1.0 + ROUNDING) / n)


class _Transcripts:
    """Logarithms of the numbers of transcripts and of prefixes, by rungs climbed d = 0, 1, ...

    Parameters
    ----------
    k
        Looks.
    top
        The highest rung.
    """

    def __init__(self, k: int, top: int) -> None:
        d = np.arange(top + 1, dtype=np.float64)
        if k == 1:
            self.climbed = np.where(d == 0, 0.0, -np.inf)
            self.prefixes = np.full(top + 1, -np.inf)
        else:
            self.climbed = _log_choose(k - 2.0, d)
            # Prefixes that stand d rungs above the first: k - 1 at d = 0, else C(k-2+d, d+1).
            if k == 2:
                self.prefixes = np.where(d == 0, 0.0, -np.inf)
            else:
                self.prefixes = _log_choose(k - 3.0, d + 1.0)
                self.prefixes[0] = math.log(k - 1.0)
        self.up_to = np.logaddexp.accumulate(self.climbed)
        # Prefixes that stand at least two rungs below the one that is reached.
        self.far = np.concatenate([[-np.inf], np.logaddexp.accumulate(self.prefixes)[:-1]])
        self.most = float(max(self.up_to[-1], self.far[-1], 0.0))


def _log_choose(fixed: float, d: Floats) -> Floats:
    """Return ln C(fixed + d, d) for d = d_0, d_0 + 1, ..., where d_0 is 0 or 1, rounded up."""
    # A sum of ratios: a difference of log factorials of 10^9 would lose six digits.
    terms = np.log1p(fixed / np.maximum(d, 1.0))
    if d[0] == 0.0:
        terms[0] = 0.0
    logs: Floats = np.cumsum(terms) * (1.0 + SUM_ROUNDING)
    return logs


def _reached(n: int, step: Fraction, top: int, tails: UpperTails) -> tuple[Floats, Floats]:
    """Return for every rung v the logarithms of two tails.

    A look that finds rung v - 1 standing and is released at v or higher scores above v steps; one
    that finds a lower rung scores at least v - 1/2 steps.
    """
    matches = step * n
    numerator, denominator = matches.numerator, matches.denominator
    above = [min(n, v * numerator // denominator) + 1 for v in range(top + 1)]
    near = [min(n + 1, -((1 - 2 * v) * numerator // (2 * denominator))) for v in range(top + 1)]
    return tails.log_tail(np.array(above)), tails.log_tail(np.array(near))


def _chances(first: float, number: _Transcripts, above: Floats, near: Floats) -> Floats:
    """Return ln Q_{r,d} for d = 0, 1, ... up to where it is next to nothing."""
    depth = len(above)
    reach = np.logaddexp(
        number.far[: depth - 1] + near[1:], number.prefixes[: depth - 1] + above[1:]
    )
    chances: Floats = np.minimum.accumulate(np.concatenate([[first], reach]))
    return chances


def _gain(chance: Floats, number: _Transcripts, tails: UpperTails, m: int) -> float:
    """Return the least value over all rising thresholds, for one first rung.

    With q_d = Q_d - Q_{d+1} it is the sum of s_d q_d + N_d E(B - n/m - s_d)^+, least where
    P(B - n/m > s_d) = q_d/N_d; where that would make thresholds fall, neighbours are pooled.
    """
    n, lost = tails.n, math.log(tails.n) - LOG_ODDS_OF_RARE_RUNGS
    depth = int(np.searchsorted(-chance, lost))
    rest = n * math.exp(float(chance[depth])) if depth < len(chance) else 0.0
    chance = chance[:depth]
    following = np.append(chance[1:], -np.inf)
    # ln(Q_d - Q_{d+1}); equal ones leave nothing and are pooled with what follows.
    with np.errstate(divide="ignore"):
        mass = chance + np.log(-np.expm1(following - chance))
    where = np.flatnonzero(mass > -np.inf)
    mass, until = mass[where], number.up_to[where]
    before = np.concatenate([[-np.inf], until[:-1]])
    weight = until + np.log(-np.expm1(before - until))
    masses, weights = _pooled(mass.tolist(), weight.tolist())
    # The least count with P(B > count) <= mass/weight; thresholds are at least n/m.
    place = np.searchsorted(-tails.beyond, weights - masses)
    counts = tails.start + tails.block * place.astype(np.float64)
    found = place < len(tails.beyond)
    excess = tails.excess[np.minimum(place, len(tails.excess) - 1)]
    low = counts * m <= n
    threshold = np.where(low, 0.0, np.where(found, counts - n / m, n - n / m))
    excess = np.where(low, tails.at_mean, np.where(found, excess, -np.inf))
    return rest + math.fsum(threshold * np.exp(masses) + np.exp(weights + excess))


def _pooled(masses: list[float], weights: list[float]) -> tuple[Floats, Floats]:
    """Pool neighbours until mass/weight falls from one to the next; all in logarithms."""
    pooled: list[tuple[float, float]] = []
    for mass, weight in zip(masses, weights, strict=True):
        while pooled and pooled[-1][0] - pooled[-1][1] < mass - weight:
            more, also = pooled.pop()
            mass, weight = _log_add(more, mass), _log_add(also, weight)
        pooled.append((mass, weight))
    table = np.array(pooled)
    return table[:, 0], table[:, 1]


def _log_add(x: float, y: float) -> float:
    return max(x, y) + math.log1p(math.exp(-abs(x - y)))
