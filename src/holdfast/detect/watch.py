"""One bit a look: whether others, or the team itself, explain it, as they explain honest work.

- 1, unexplained: the look is at chance level, or its edit is a coin flip that the team's own past
  does not explain;
- 0, explained: it moves towards or away from a model or a class, or follows a path;
- None, it can't be told: a first look above chance, a constant, a submission that was made before,
  too few rows changed, or a coin's edit before the team has shown which rows it is unsure of.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.detect.direction import LEAST_ROWS, Edit, edit_of, least_p
from holdfast.detect.own_past import KIN_FOR_SIDES, NO_HISTORY, History, history_of
from holdfast.detect.panel import Panel
from holdfast.labels import Labels, as_labels, count_classes

__all__ = ["Judged", "Watch", "Why", "checked"]

# Each of the three statistics is tested at this level: coin flips pass all with .94 at least.
LEVEL = 0.02
# A look is compared with its kin: of so many looks before it those within so many times the nearest
# one's distance, so that a probe among honest looks meets the probe before. Above two, so that the
# last two steps of an even path, of which the first is twice as far away, are both kin.
WINDOW, KIN = 16, 2.5
# A submission with one label on so many rows is constant: it tells the size of one class.
CONSTANT = 0.999


class Why(Enum):
    """Why a look has its bit, as pages say it."""

    CHANCE = "at chance level: it agrees with other models as shuffled rows do"
    COIN = "changed rows as a coin does"
    NEW = "changed rows as a coin does, but too few of the team's own looks are near to explain it"
    FIRST = "first look: there is nothing before it"
    DIRECTED = "moves towards or away from a model or a class"
    EXCUSED = "follows from the team's own earlier looks"
    CONSTANT = "one label nearly everywhere"
    REPEATED = "the same as an earlier look"
    SMALL = "too few rows changed so far"


class Judged(NamedTuple):
    """What one look is: its bit, why, how many rows changed, and the direction per member in sd."""

    bit: bool | None
    why: Why
    rows: int
    towards: NDArray[np.float64] | None


class Watch:
    """The looks of one team, one after another: bits as they come, in memory for 16 looks.

    Parameters
    ----------
    panel
        What the looks are held against; none of its members may be the team's own.
    """

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._past: list[Labels] = []
        self._pool = _Pool()

    def look(self, labels: Labels) -> Judged:
        """Return what a look is, and remember a copy of it."""
        labels = checked(labels, "labels", self._panel.members.shape[1]).copy()
        if np.bincount(labels).max() >= CONSTANT * len(labels):
            return Judged(None, Why.CONSTANT, 0, None)
        past, self._past = self._past, [*self._past, labels][-WINDOW:]
        apart = np.array([np.count_nonzero(labels != each) for each in past])
        if past and apart.min() == 0:
            return Judged(None, Why.REPEATED, 0, None)
        if self._panel.at_chance(labels):
            return Judged(True, Why.CHANCE, int(apart.min()) if past else 0, None)
        if not past:
            return Judged(None, Why.FIRST, 0, None)
        kin = [past[at] for at in np.flatnonzero(apart <= KIN * apart.min())]
        # The latest of the kin: against the nearest one, returns would be too many by selection.
        edit = edit_of(labels, kin[-1], self._panel.members)
        history = history_of(labels, kin)
        if edit.rows < LEAST_ROWS:
            # Rows of which it is not known what they prefer would thin out those of which it is.
            whole = self._pool.add(edit, history) if len(kin) >= KIN_FOR_SIDES else None
            if whole is None:
                return Judged(None, Why.SMALL, edit.rows, edit.towards)
            return _judged(*whole, edit, len(kin))
        return _judged(least_p(edit), history, edit, len(kin))


def checked(labels: Labels, name: str, n_examples: int | None = None) -> Labels:
    """Return a submission as labels in the smallest dtype, or raise `InvalidInput`."""
    return as_labels(labels, count_classes(labels, name=name), name=name, n_examples=n_examples)


class _Pool:
    """Sums of edits that were too small to be judged alone."""

    def __init__(self) -> None:
        self._edits = np.zeros(4)
        self._history = NO_HISTORY

    def add(self, edit: Edit, history: History) -> tuple[float, History] | None:
        """Add an edit; return p-value and history of all of them once they are large enough.

        Looks around one submission need not wait for so many rows, which show directions of honest
        edits: from ten rows on it is known that they are, and honest looks hardly ever are.
        """
        self._edits += [edit.panel, edit.panel_df, edit.classes, edit.classes_df]
        past = History(*map(sum, zip(self._history, history, strict=True)))
        self._history = past
        if past.changed < LEAST_ROWS and not past.around_one:
            return None
        panel, panel_df, classes, classes_df = self._edits.tolist()
        self._edits, self._history = np.zeros(4), NO_HISTORY
        # Sums of chi-squared variables are such; small edits have no joint statistic.
        none, rows = np.zeros(0), int(past.changed)
        pooled = Edit(rows, panel, panel_df, classes, classes_df, 0.0, 0.0, none)
        return least_p(pooled), past


def _judged(p: float, history: History, edit: Edit, kin: int) -> Judged:
    """Return the bit of an edit that is large enough: three tests, then the team's own past.

    Before there are kin enough to know what rows prefer, other seeds are coins, too: no bit.
    """
    if p <= LEVEL:
        return Judged(False, Why.DIRECTED, edit.rows, edit.towards)
    if history.excuses:
        return Judged(False, Why.EXCUSED, edit.rows, edit.towards)
    if kin < KIN_FOR_SIDES:
        return Judged(None, Why.NEW, edit.rows, edit.towards)
    return Judged(True, Why.COIN, edit.rows, edit.towards)
