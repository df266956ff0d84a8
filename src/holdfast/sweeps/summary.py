"""Places in a sweep's grid: the mean over the seeds of all that else is equal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from holdfast.experiments.summary import Mean, mean_of
from holdfast.metrics import Accuracy
from holdfast.metrics.registry import parse_metric
from holdfast.sweeps.cells import Cell, Row

__all__ = ["SMALL_POINTS", "Place", "summarised"]

# Values between 0 and 1, or -1 and 1, are told in points.
WIDEST_IN_POINTS = 2.0
# Gains below so many points would look like none.
SMALL_POINTS = 0.1
GROUPED_BY = tuple(name for name in Cell._fields if name != "seed")


@dataclass(frozen=True)
class Place:
    """One place in the grid: a cell without its seed, and what its plays came to.

    `gain` is above guessing, or above the model's own labels, in the metric's unit; None where no
    play was possible. `accuracy` is None where submissions were no labels.
    `looks` is the mean number taken; `seconds` the median processor time, since the first play of
    a process may load or compile kernels.
    """

    attack: str
    rule: str
    metric: str
    n_examples: int
    n_classes: int
    n_queries: int
    labels: str
    prior: str
    plays: int
    gain: Mean | None
    accuracy: Mean | None
    looks: float
    seconds: float

    @property
    def scale(self) -> float:
        """What a gain is multiplied by for people: 100 where the metric has two near limits."""
        metric = parse_metric(self.metric)
        return 100.0 if metric.high - metric.low <= WIDEST_IN_POINTS else 1.0

    @property
    def unit(self) -> str:
        """What a gain is counted in."""
        if self.metric == Accuracy.name:
            return "points"
        return f"points of {self.metric}" if self.scale > 1.0 else self.metric

    @property
    def points(self) -> str:
        """The gain for people, with its standard error if it is known."""
        if self.gain is None:
            return ""
        mean, stderr = (self.scale * part for part in self.gain)
        # Two digits behind the point, or two that are not zero.
        digits = ".2f" if abs(mean) >= SMALL_POINTS else ".2g"
        error = "" if math.isnan(stderr) else f" ±{stderr:{digits}}"
        return f"{mean:{digits}}{error}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self) | {"gain": self.gain, "accuracy": self.accuracy}


def summarised(rows: Iterable[Row]) -> list[Place]:
    """Gather the rows of every place, in the order in which they first appear."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in GROUPED_BY), []).append(row)
    return [_place(group) for group in groups.values()]


def _mean(values: Iterable[float | None]) -> Mean | None:
    """Return the mean of values that are all known; None: there are none such."""
    known = list(values)
    found = [value for value in known if value is not None]
    return mean_of(found) if found and len(found) == len(known) else None


def _place(group: list[Row]) -> Place:
    played = [row for row in group if row["error"] is None]
    return Place(
        **{name: group[0][name] for name in GROUPED_BY},
        plays=len(played),
        gain=mean_of(row["gain"] for row in played) if played else None,
        accuracy=_mean(row["accuracy"] for row in played),
        looks=sum(row["looks"] for row in played) / max(1, len(played)),
        seconds=median(row["seconds"] for row in played) if played else 0.0,
    )
