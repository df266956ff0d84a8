"""The team's own past, which explains honest edits that have no direction.

Another seed of a large ensemble flips its uncertain rows like coins, as a probe does. But these
coins are not fair: a row that is uncertain has preferences, and a look sides with what the row had
before. Such looks could come in any order, so of the rows that the last one changed, half come back
and no more: a design that takes back what it did is none of them. And a sweep over a parameter goes
along a path: rows that changed do not come back. A look that changes little takes little back,
whatever it follows; so of what it changes itself, too, fewer than half must be rows that come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from holdfast.labels import Labels

__all__ = ["KIN_FOR_SIDES", "NO_HISTORY", "History", "history_of"]

# Returns are below a half by so many standard errors on a path, and above it where looks alternate.
RETURNS_Z = 3.0
# They are below a half of what the look itself changes, too, by so many.
CHANGED_Z = 1.0
# Looks side with the past by at least so many standard errors where rows have preferences ...
SIDES_Z = 3.0
# ... and by a share of rows between these: other seeds of forests, trees and networks by .36 to
# .68, champion and challenger by .13 to .38, a star around one submission by .97 to 1. These were
# chosen by looking at data: ten sweeps on UCI Letter, and the attacks.
LEAST_SHARE, STAR_SHARE = 0.3, 0.85
# From this share on looks are around one submission, and small edits need not wait for more rows.
# It and CHANGED_Z were chosen by attacks and look-alikes, too, of seeds that are not reported.
ONE_BASE_SHARE = 0.98
# The kin that each question needs.
KIN_FOR_PATHS, KIN_FOR_SIDES = 2, 4


class History(NamedTuple):
    """What a look does on the rows that the last step of its kin changed, from b to a.

    Attributes
    ----------
    rows
        How many take either label.
    changed
        How many rows the look itself changes.
    returns
        How many of the first take b again.
    sides, squares
        Sum and sum of squares over rows of (looks with a minus looks with b before) times (+1 if
        the look takes a, -1 if it takes b).
    """

    rows: float
    changed: float
    returns: float
    sides: float
    squares: float

    @property
    def excuses(self) -> bool:
        """Whether the past explains an edit: by a path, or by rows with preferences."""
        returns = self._returns_of(self.rows)
        if abs(returns) > RETURNS_Z:
            return returns < 0.0 and self._returns_of(self.changed) < -CHANGED_Z
        return LEAST_SHARE < self._share < STAR_SHARE

    @property
    def around_one(self) -> bool:
        """Whether looks are around one submission: each takes back all that the last one did."""
        return self._share >= ONE_BASE_SHARE

    @property
    def _share(self) -> float:
        """By what share rows side with the past; 0 where that may be luck."""
        z = self.sides / np.sqrt(self.squares) if self.squares > 0 else 0.0
        return float(z / np.sqrt(self.rows)) if z > SIDES_Z else 0.0

    def _returns_of(self, rows: float) -> float:
        """Return by how many standard errors returns are above a half of so many rows."""
        return float((2.0 * self.returns - rows) / np.sqrt(rows)) if rows else 0.0


NO_HISTORY = History(0.0, 0.0, 0.0, 0.0, 0.0)


def history_of(look: Labels, kin: Sequence[Labels]) -> History:
    """Return what a look does where the last step of its kin, oldest first, changed something."""
    if len(kin) < KIN_FOR_PATHS:
        return NO_HISTORY
    step = np.flatnonzero(kin[-1] != kin[-2])
    after, before, now = kin[-1][step], kin[-2][step], look[step]
    stays, returns = now == after, now == before
    sides = squares = 0.0
    if len(kin) >= KIN_FOR_SIDES:
        votes = np.zeros(len(step))
        for each in kin[:-2]:
            said = each[step]
            votes += said == after
            votes -= said == before
        votes *= stays.astype(float) - returns
        sides, squares = float(votes.sum()), float(votes @ votes)
    rows, changed = (stays | returns).sum(), np.count_nonzero(look != kin[-1])
    return History(float(rows), float(changed), float(returns.sum()), sides, squares)
