"""Expected gain of hit pools: a measured multiple of the rate-distortion law."""

from __future__ import annotations

from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats
from holdfast.forecasts.tables import grid, table
from holdfast.problem import Problem

__all__ = ["expected_gain"]


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
