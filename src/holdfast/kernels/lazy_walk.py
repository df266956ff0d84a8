"""A lazy random walk after each of many numbers of steps: its distance and its returns."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["expected_distances", "return_probabilities"]


@lru_cache(maxsize=8)
def expected_distances(most: int, inverse_probability: int) -> NDArray[np.float64]:
    """Return `holdfast.bounds.multinomial.expected_distance` after 0 .. most steps, by recurrence.

    A step away from 0 adds 1 to the distance, all others add nothing on average: E|S_g| grows by
    2p P(S_g = 0).

    >>> expected_distances(2, 2)
    array([0., 1., 1.])
    """
    p = 1 / inverse_probability
    found = np.zeros(most + 1)
    np.cumsum(2 * p * return_probabilities(most, inverse_probability)[:most], out=found[1:])
    found.setflags(write=False)
    return found


@lru_cache(maxsize=8)
def return_probabilities(most: int, inverse_probability: int) -> NDArray[np.float64]:
    """Return the probability P_g that the walk is at 0 after g = 0 .. most steps, by recurrence.

    Their generating function is ((1 - bx)^2 - (2px)^2)^(-1/2) with b = 1 - 2p, hence
    g P_g = (2g-1) b P_(g-1) - (g-1)(b^2 - 4p^2) P_(g-2).

    >>> return_probabilities(2, 2)
    array([1. , 0. , 0.5])
    """
    found = np.empty(most + 1)
    _returns(found, 1 / inverse_probability)
    found.setflags(write=False)
    return found


@njit(cache=True)
def _returns(found: NDArray[np.float64], p: float) -> None:  # pragma: no cover
    b = 1 - 2 * p
    before, here = 0.0, 1.0
    found[0] = 1.0
    for g in range(1, found.size):
        before, here = here, ((2 * g - 1) * b * here - (g - 1) * (b * b - 4 * p * p) * before) / g
        found[g] = here
