"""Batches: cells that wait, handed out by a few seconds of work; what is not played comes back."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence

from holdfast.sweeps.cells import COUNTS, Cell, Row
from holdfast.sweeps.references import find_attack

__all__ = ["SECONDS_PER_BATCH", "Batches", "forecast_seconds"]

# Seconds of work that are sent together: a report each few seconds, and little overhead; towards
# the end this share of what is left, so that all workers end at about the same time.
SECONDS_PER_BATCH, SHARE_PER_BATCH = 2.0, 1 / 16
# What a label takes in the simplest attack, a look in any, a play however small, and a block whose
# counts are drawn.
A_LABEL, A_LOOK, A_PLAY, A_BLOCK = 2e-9, 1e-4, 1e-3, 2e-7
# The least share of a forecast that is believed of an attack whose plays were shorter: one that
# waits for something takes no processor time.
LEAST_SHARE = 0.1


def forecast_seconds(cell: Cell) -> float:
    """Return about how long a cell takes on a core of 2025."""
    cls = find_attack(cell.attack)
    if cell.labels == COUNTS:
        return A_PLAY + A_BLOCK * cell.n_queries
    return A_PLAY + A_LABEL * cls.work(cell.problem) * cls.effort + A_LOOK * cell.n_queries


class Batches:
    """Cells in batches of a few seconds of work; a large cell goes alone.

    Forecasts are corrected by what an attack's plays took so far. It has ended when no cell waits,
    and goes on when some have come back.

    Parameters
    ----------
    cells
        What is to be played.
    seconds
        How much work goes together; 0: every cell by itself.
    trusted
        How often a cell's worker may end before the cell is suspected, and played by itself.
    apart
        A suspect waits until nothing else is on its way: who is told that a worker ended can't
        tell which of the worker's tasks ended it.
    """

    def __init__(
        self,
        cells: Iterable[Cell],
        *,
        seconds: float = SECONDS_PER_BATCH,
        trusted: int = 2,
        apart: bool = False,
    ) -> None:
        self._seconds, self._trusted, self._apart = seconds, trusted, apart
        self._waiting: deque[tuple[Cell, float]] = deque()
        self._suspects: deque[Cell] = deque()
        self._losses: Counter[Cell] = Counter()
        self._under_way = 0
        # By attack: forecast seconds that wait, forecast seconds that were played, and what those
        # took.
        self._left: defaultdict[str, float] = defaultdict(float)
        self._forecast: defaultdict[str, float] = defaultdict(float)
        self._taken: defaultdict[str, float] = defaultdict(float)
        self._put_back(cells)

    def __iter__(self) -> Iterator[list[Cell]]:
        """Return itself: cells are handed out once."""
        return self

    def __next__(self) -> list[Cell]:
        """Return the next batch."""
        if self._waiting:
            batch = self._cut()
        elif self._suspects and not (self._apart and self._under_way):
            batch = [self._suspects.popleft()]
        else:
            raise StopIteration
        self._under_way += 1
        return batch

    def done(self, batch: Sequence[Cell], rows: Sequence[Row]) -> None:
        """Learn what the first cells of a batch took; the others wait again."""
        self._under_way -= 1
        for cell, row in zip(batch, rows, strict=False):
            self._forecast[cell.attack] += forecast_seconds(cell)
            self._taken[cell.attack] += row["seconds"]
        self._put_back(batch[len(rows) :])

    def lost(self, batch: Sequence[Cell]) -> bool:
        """Note that a worker ended over a batch; True: over this one cell, again and by itself."""
        self._under_way -= 1
        if len(batch) == 1 and self._losses[batch[0]] >= self._trusted:
            return True
        self._losses.update(batch)
        if max(self._losses[cell] for cell in batch) < self._trusted:
            self._put_back(batch)
        else:
            self._suspects += batch
        return False

    def refused(self, batch: Sequence[Cell]) -> bool:
        """Note that a batch is too large for any worker; True: this one cell is.

        Of several cells some may fit: they are handed out one by one.
        """
        self._under_way -= 1
        if len(batch) == 1:
            return True
        self._suspects += batch
        return False

    def _put_back(self, cells: Iterable[Cell]) -> None:
        forecasts = [(cell, forecast_seconds(cell)) for cell in cells]
        for cell, seconds in forecasts:
            self._left[cell.attack] += seconds
        self._waiting.extendleft(reversed(forecasts))

    def _cut(self) -> list[Cell]:
        shares = {attack: self._share(attack) for attack in self._left}
        left = sum(seconds * shares[attack] for attack, seconds in self._left.items())
        most = min(self._seconds, SHARE_PER_BATCH * left)
        batch: list[Cell] = []
        together = 0.0
        while self._waiting:
            cell, seconds = self._waiting[0]
            together += seconds * shares[cell.attack]
            if batch and together > most:
                break
            self._waiting.popleft()
            self._left[cell.attack] -= seconds
            batch.append(cell)
        return batch

    def _share(self, attack: str) -> float:
        """Return what an attack's plays took so far over their forecast."""
        forecast = self._forecast[attack]
        return max(LEAST_SHARE, self._taken[attack] / forecast) if forecast else 1.0
