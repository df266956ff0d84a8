r"""Upper tails of Bin(n, 1/m) in logarithms: P(B >= c) and E(B - c)^+, exact or rounded up.

Both underflow long before they stop to matter: they are multiplied by numbers of transcripts that
exceed e^700. Up to some hundred thousand counts every one is summed. Beyond, counts are taken in
blocks: above the mode a block has at most its size times the probability of its first count.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast.bounds.binomial import divergence, log_pmf, mean_absolute_deviation
from holdfast.bounds.bisection import least

__all__ = ["UpperTails", "upper_tails"]

Floats = NDArray[np.float64]

# Counts or blocks in a table.
MOST_ENTRIES = 1 << 18
# Blocks per standard deviation, where counts are taken in blocks.
BLOCKS_PER_DEVIATION = 64
# The table ends where the tail is below exp(-nats - NATS_BEYOND_TABLE).
NATS_BEYOND_TABLE = 60.0
# By what share logarithms of tails are raised, which covers their rounding.
ROUNDING = 1e-12


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
    tail = np.minimum(_sums_from_the_end(log_p, rest), 0.0) * (1.0 - ROUNDING)
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
