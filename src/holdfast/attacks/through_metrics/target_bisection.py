"""Bisection of targets in parallel: whole numbers read off mean absolute errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice import Lattice
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported, OutOfTurn
from holdfast.labels import Labels
from holdfast.problem import Problem, check_at_least
from holdfast.protocols import Answer, Attack, one_number

__all__ = ["TargetBisection"]

# A sum of whole numbers that was divided by n comes back within far less than this.
COUNT_SLACK = 1e-3


class TargetBisection:
    """Read whole-number targets by halving each one's range, all examples at once.

    Raise one submitted number from c to c + 1, and its absolute error falls by 1 if the target is
    above c, and else rises by 1. So raising a set of numbers tells how many of these targets are
    above their c: a match count of two classes. An attack on accuracies plays with these counts
    until it knows on which side each target is; then every range is half as long. Each round takes
    two more looks, at no number raised and at all of them.

    Every target comes with a proof if the inner attack proves its labels, as `Lattice` does.

    Departures
    ----------
    Not in the paper.

    Parameters
    ----------
    n_examples, n_queries
        The sizes to play for.
    low, high
        The least and the largest target that is possible, whole numbers.
    rng
        Where the inner attacks' seeds come from.
    make
        The inner attack, called with a problem of two classes and `rng`; None: `Lattice`.
    decimals
        How many decimals are released; None: all that a float has.

    Examples
    --------
    >>> from holdfast import metrics, oracles
    >>> hidden = np.random.default_rng(1).integers(0, 8, size=60)
    >>> board = oracles.MetricOracle(hidden, metrics.MeanAbsoluteError(), n_queries=200)
    >>> attack = TargetBisection(60, 200, low=0, high=7, rng=np.random.default_rng(0))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> bool((attack.targets() == hidden).all()), board.looks < 3 * 45
    (True, True)
    """

    def __init__(
        self,
        n_examples: int,
        n_queries: int,
        *,
        low: int,
        high: int,
        rng: np.random.Generator,
        make: Callable[..., Attack[Labels]] | None = None,
        decimals: int | None = None,
    ) -> None:
        self._n = check_at_least("n_examples", n_examples, 1)
        self._budget = check_at_least("n_queries", n_queries, 1)
        if high <= low:
            raise InvalidInput(f"high must lie above low = {low}, got {high}.")
        if decimals is not None and self._n >= 10 ** check_at_least("decimals", decimals, 0):
            raise NotSupported(
                f"{decimals} decimals do not show one of {self._n} errors: two sums whose "
                "difference is read may each be off by half of the last one."
            )
        self._slack = COUNT_SLACK if decimals is None else self._n / 10.0**decimals
        self._make, self._rng = make or Lattice, rng
        self._low = np.full(self._n, low, dtype=np.int64)
        self._high = np.full(self._n, high, dtype=np.int64)
        self._inner: Attack[Labels] | None = None
        self._open: NDArray[np.intp] = np.arange(self._n)
        self._base: float | None = None
        self._above: int | None = None
        self._raised: NDArray[np.bool_] | None = None
        self._answered = 0

    @property
    def answered(self) -> int:
        """How many looks were answered so far."""
        return self._answered

    def ask(self) -> NDArray[np.float64] | None:
        """Return the next submission; None when all targets are known or the budget is used up."""
        if self._raised is not None:
            raise OutOfTurn("ask() needs the answer to the last query first: call tell().")
        if self._answered >= self._budget:
            return None
        raised = self._next_raised()
        if raised is None:
            return None
        self._raised = raised
        shown = self.targets().astype(np.float64)
        shown[self._open[raised]] += 1.0
        return shown

    def tell(self, answer: Answer) -> None:
        """Take the released error of the last submission."""
        if self._raised is None:
            raise OutOfTurn("tell() needs an open query: call ask() first.")
        total = one_number(answer) * self._n
        raised, size = self._raised, self._open.size
        if self._base is None:
            self._base = total
        else:
            above = self._read(int(np.count_nonzero(raised)), total - self._base)
            if self._above is None:
                self._above = above
            else:
                assert self._inner is not None
                matches = 2 * above + size - int(np.count_nonzero(raised)) - self._above
                self._inner.tell(matches / size)
        self._raised = None
        self._answered += 1

    def targets(self) -> NDArray[np.int64]:
        """Return the target of each example; the middle of its range where it is not known."""
        return (self._low + self._high) // 2

    def predict(self) -> NDArray[np.float64]:
        """Return the targets as a submission."""
        return self.targets().astype(np.float64)

    def certain(self) -> NDArray[np.bool_]:
        """Tell which targets are proved."""
        known: NDArray[np.bool_] = self._low == self._high
        return known

    def _next_raised(self) -> NDArray[np.bool_] | None:
        """Return which of the open examples are raised next; None: nothing is left to ask."""
        if self._base is None:
            return np.zeros(self._open.size, dtype=np.bool_)
        if self._above is None:
            return np.ones(self._open.size, dtype=np.bool_)
        query = self._asked()
        if query is not None:
            return query
        if not self._halve():
            return None
        return self._next_raised()

    def _asked(self) -> NDArray[np.bool_] | None:
        assert self._above is not None
        if self._above in (0, self._open.size):
            return None  # the side of each is known
        if self._inner is None:
            left = self._budget - self._answered
            self._inner = self._make(Problem(self._open.size, 2, left), rng=self._rng)
        query = self._inner.ask()
        return None if query is None else np.asarray(query) == 1

    def _halve(self) -> bool:
        """Take over on which side each target is; tell whether another round is worth it."""
        size = self._open.size
        assert self._above is not None
        if self._above in (0, size):
            side = np.full(size, self._above > 0)
            known = np.ones(size, dtype=np.bool_)
        else:
            assert self._inner is not None
            side = np.asarray(self._inner.predict()) == 1
            proved = getattr(self._inner, "certain", None)
            known = np.zeros(size, dtype=np.bool_) if proved is None else proved()
        middle, here = self.targets(), self._open[known]
        above = side[known]
        self._low[here[above]] = middle[here[above]] + 1
        self._high[here[~above]] = middle[here[~above]]
        self._open = np.flatnonzero(self._low < self._high)
        self._inner = self._base = self._above = None
        return bool(known.any()) and self._open.size > 0

    def _read(self, raised: int, change: float) -> int:
        """Return how many raised targets are above, or raise `InconsistentAnswer`."""
        above = (raised - change) / 2.0
        found = round(above)
        if abs(above - found) > self._slack / 2.0 + COUNT_SLACK or not 0 <= found <= raised:
            raise InconsistentAnswer(
                f"answer must differ from the first by a whole number of errors between "
                f"{-raised} and {raised}, got {change}."
            )
        return found
