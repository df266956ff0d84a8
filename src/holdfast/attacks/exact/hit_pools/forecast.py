"""Expected gain of hit pools: a measured multiple of the rate-distortion law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.hit_pools.tested_labels import SUREST_PLAYED
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats
from holdfast.forecasts.tables import grid, table
from holdfast.problem import Problem

__all__ = ["expected_gain", "rough_gain_above"]

# The load k m / n from which on hits gain more than steering: python -m benchmarks.hit_pools --map.
LOAD_HITS_WIN_FROM = 2.0


def expected_gain(problem: Problem, measured: str) -> float:
    """Return the expected gain: more than the law from about k = 3 n/m on.

    The law for hits (`sizes`) says why; it is off by up to a tenth, and says nothing of few looks.
    The rate-distortion law at half a nat per look is a measure here, no bound: exact answers carry
    more.

    Parameters
    ----------
    problem
        The sizes.
    measured
        The table with the ratio, by classes, looks and load k m / n.
    """
    n, m, k = problem
    c = table(measured)
    ratio = grid([c["classes"], c["looks"], c["loads"]], c["ratio"], [m, k, k * m / n])
    return min(ratio * gain_for_nats(problem, NATS_PER_LOOK * k), n * (1.0 - 1.0 / m))


def rough_gain_above(top: NDArray[np.float64], problem: Problem, measured: str) -> float:
    """Return about what is gained above a prior's own guess: no forecast, an order of attacks.

    `top` has how likely the likeliest labels are, of every example or of as many as stand for all.

    From the shares of unequal classes it is about the gain from nothing, of the examples that are
    played at all: what is known makes hits likelier, and what it has right must be made up. Over
    (2000 to 10000, 20 to 300) and 400 to 1,500 looks, with shares that fall as rank to the power
    -0.3, -0.7 or -1, games gained 0.87 to 1.35 times as much. With fewer looks than hits win with
    they don't make up so much: there only the gain from nothing is sure.
    """
    n, m, k = problem
    gain = expected_gain(problem, measured)
    if k * m < LOAD_HITS_WIN_FROM * n:
        return max(0.0, gain + n / m - n * float(np.mean(top)))
    return gain * float(np.mean(top <= SUREST_PLAYED))
