"""Rows of the performance record: two things timed in turns, and what they come to."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Row", "exponent", "in_turns", "ratio_row"]

# Turns at least; quick ones are repeated until all have taken so many seconds, but not more often.
REPEATS, SECONDS, MOST_REPEATS = 5, 0.5, 40


@dataclass(frozen=True)
class Row:
    """One figure of the record.

    Parameters
    ----------
    name
        What tells it apart, the same on every commit.
    group
        kernel, game, scaling, cores or start.
    value
        The figure that commits are compared by; less is better.
    unit
        What it is: "times the limit", "exponent", ...
    spread
        By which share it differed between repeats: the noise of this run.
    seconds
        The shortest time.
    faster
        How many times faster than the plain way; None: there is none to compare with.
    failed
        Why it could not be measured; then `value` is 0.
    """

    name: str
    group: str
    value: float
    unit: str
    spread: float = 0.0
    seconds: float = 0.0
    faster: float | None = None
    failed: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def in_turns(*runs: Callable[[], object], repeats: int = REPEATS) -> list[list[float]]:
    """Return the seconds of each, taken in turns, after one round that is not counted.

    One repeat is one turn, for trying whether all of it runs.
    """
    for run in runs:
        run()
    taken: list[list[float]] = [[] for _ in runs]
    begin = time.perf_counter()
    for turn in range(MOST_REPEATS):
        if turn >= repeats and (repeats == 1 or time.perf_counter() - begin > SECONDS):
            break
        for run, seconds in zip(runs, taken, strict=True):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
    return taken


def ratio_row(
    name: str,
    group: str,
    unit: str,
    run: Callable[[], object],
    limit: Callable[[], object],
    *,
    limit_share: float = 1.0,
    plain: Callable[[], object] | None = None,
    plain_share: float = 1.0,
    repeats: int = REPEATS,
) -> Row:
    """Time something against its limit, and against the plain way if there is one.

    All are run in turns. `limit_share` and `plain_share` are which share of the work the limit
    and the plain way stand for: a limit of 0.1 is a tenth of what was run, and a plain way of 0.1
    did a tenth of the work, where all of it would take too long.
    """
    taken = in_turns(run, limit, *([plain] if plain else []), repeats=repeats)
    seconds, least = min(taken[0]), min(taken[1]) * limit_share
    return Row(
        name,
        group,
        seconds / least,
        unit,
        spread=_spread(taken[0], taken[1]),
        seconds=seconds,
        faster=None if plain is None else min(taken[2]) / plain_share / seconds,
    )


def _spread(mine: list[float], theirs: list[float]) -> float:
    """Return by which share the ratio of the shortest times differs between halves of the turns.

    Single turns are disturbed too often to tell how well the shortest is known.
    """
    if len(mine) < 2:
        return 0.0
    found = [min(mine[at::2]) / min(theirs[at::2]) for at in (0, 1)]
    return abs(found[0] - found[1]) / min(found)


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Return the slope of log time against log size, by least squares.

    >>> round(exponent([10, 100, 1000], [1.0, 100.0, 10000.0]), 6)
    2.0
    """
    from math import log

    x, y = [log(size) for size in sizes], [log(each) for each in seconds]
    at_x, at_y = statistics.fmean(x), statistics.fmean(y)
    above = sum((a - at_x) * (b - at_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - at_x) ** 2 for a in x)
