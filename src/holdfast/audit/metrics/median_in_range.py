"""Final submissions of attacks that narrow targets down: the median of what is still possible.

Such an attack submits the middle of each range. Whoever knows how often each value is a target, as
the best constant submission supposes, submits the median of those in the range: where a few targets
are large, the middle of a range that has lost nothing else is far from all others.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.passed_on import PassedOn, Playing

__all__ = ["MedianInRange"]


class Narrowing(Playing, Protocol):
    """An attack that tells what each target can still be."""

    def ranges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the least and the largest value that each target can still have."""


class MedianInRange(PassedOn[Narrowing]):
    """Plays an attack, and submits the median of the targets in each range.

    Parameters
    ----------
    inner
        The attack.
    targets
        All targets, in no matter which order.
    """

    def __init__(self, inner: Narrowing, targets: NDArray[Any]) -> None:
        super().__init__(inner)
        self._sorted = np.sort(np.asarray(targets, dtype=np.float64))

    def predict(self) -> NDArray[np.float64]:
        """Return the median of the targets in each range."""
        low, high = self._inner.ranges()
        first = np.searchsorted(self._sorted, low, side="left")
        last = np.searchsorted(self._sorted, high, side="right") - 1
        # A proved range holds its target, so there is one.
        lower, upper = (first + last) // 2, (first + last + 1) // 2
        medians: NDArray[np.float64] = (self._sorted[lower] + self._sorted[upper]) / 2.0
        return medians
