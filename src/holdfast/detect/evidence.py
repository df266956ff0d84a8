"""Evidence against a team: an e-process over its bits, valid at any time and for any season.

*Assumption A.* An honest team has at most three looks that may be anything (a slip, a random sample
file, shuffled rows); each other look that can be decided is a 1 with probability at most p0, given
all before it.

For a share q > p0 and a start s, each 1 from the start on multiplies the evidence by q / p0 and
each 0 by (1 - q) / (1 - p0); three ones are free. Under A every factor has mean at most 1, and
dropping three ones from a product leaves at most what dropping the slips would leave, since all
ones have the same factor, which is above 1. So the mixture

    E = sum over q and s of v(q) w(s) (product from s on, 1 before)

with weights that sum to 1, on q in {.3, .5, .9} above p0 and on s = 1, 2, ..., is below a
supermartingale that starts at 1, and by Ville's inequality P(E ever reaches 100) <= 1 %.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput

__all__ = [
    "FLAG",
    "GRACE",
    "LEAST_RATE",
    "SHARES",
    "SHARE_WEIGHTS",
    "Evidence",
    "evidence_of",
    "start_weight",
]

# Evidence from which on a team is flagged: at most 1 % of honest teams ever get there.
FLAG = 100.0
# Looks of each team that may be anything.
GRACE = 3
# p0 is at least this: honest teams' rates were 0 to .05 on seven real sets, with 1 to 9 members.
LEAST_RATE = 0.1
# Shares of ones that are looked for, nearly all looks, every second and every third, and what each
# weighs; those above p0 share the weight. Weights move power about, never the rate of false alarms:
# with these, six ones in a row flag that begin with the first, second or third decided look, since
# the step from a model to the first probe has a direction. Later starts s weigh 1/4 / (j (j + 1)),
# j = s - 3.
SHARES, SHARE_WEIGHTS = (0.3, 0.5, 0.9), (0.25, 0.25, 0.5)
EARLY_STARTS, EARLY_WEIGHT = 3, 0.25
# Starts that are kept: those that say most. Dropping others only lowers the evidence.
MOST_STARTS = 256


class Evidence:
    """The evidence so far; memory does not grow with the number of looks.

    Parameters
    ----------
    rate
        p0, the rate of ones of an honest team. Shares that are not above it are no evidence.

    Examples
    --------
    >>> found = Evidence(0.1)
    >>> [bool(found.add(True) >= np.log(FLAG)) for _ in range(6)]
    [False, False, False, False, False, True]
    """

    def __init__(self, rate: float = LEAST_RATE) -> None:
        if not 0.0 < rate < 1.0:
            raise InvalidInput(f"rate must be between 0 and 1, got {rate}.")
        above = [pair for pair in zip(SHARES, SHARE_WEIGHTS, strict=True) if pair[0] > rate]
        shares, weights = np.array(above).reshape(-1, 2).T
        self._up, self._down = np.log(shares / rate), np.log((1.0 - shares) / (1.0 - rate))
        self._weights = np.log(weights / weights.sum())
        # A row for each start that is kept, a column for each share.
        self._logs = np.zeros((0, len(shares)))
        self._ones = np.zeros(0)
        self._decided = 0
        self.log = 0.0

    def add(self, bit: bool | None) -> float:
        """Take the bit of one more look into account, and return log E; None changes nothing."""
        if bit is None or not len(self._up):
            return self.log
        self._decided = now = self._decided + 1
        weight, coming = start_weight(now)
        self._logs = np.vstack([self._logs, self._weights + np.log(weight)])
        self._ones = np.append(self._ones, 0.0)
        if bit:
            self._ones += 1.0
            self._logs[self._ones > GRACE] += self._up
        else:
            self._logs += self._down
        # Starts that are still to come stand at 1.
        begun = np.logaddexp.reduce(self._logs, axis=None)
        self.log = float(np.logaddexp(begun, np.log(coming)))
        if len(self._logs) > MOST_STARTS:
            least = int(self._logs.max(axis=1).argmin())
            self._logs = np.delete(self._logs, least, axis=0)
            self._ones = np.delete(self._ones, least)
        return self.log


def start_weight(start: int) -> tuple[float, float]:
    """Return what a start weighs, and all that come after it.

    >>> [start_weight(start) for start in (1, 3, 4, 5)]
    [(0.25, 0.75), (0.25, 0.25), (0.125, 0.125), (0.041666666666666664, 0.08333333333333333)]
    """
    if start <= EARLY_STARTS:
        return EARLY_WEIGHT, 1.0 - start * EARLY_WEIGHT
    late, rest = start - EARLY_STARTS, 1.0 - EARLY_STARTS * EARLY_WEIGHT
    return rest / (late * (late + 1)), rest / (late + 1)


def evidence_of(bits: Iterable[bool | None], rate: float = LEAST_RATE) -> NDArray[np.float64]:
    """Return log E after each look."""
    found = Evidence(rate)
    return np.array([found.add(bit) for bit in bits])
