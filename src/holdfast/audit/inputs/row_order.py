"""Order of rows: whether neighbours share a label more often than chance lets them."""

from __future__ import annotations

import math

import numpy as np

from holdfast.labels import Labels

__all__ = ["GROUPED_FROM_DEVIATIONS", "in_runs", "neighbours_agree"]

# Neighbours share a label this many standard deviations more often than in a shuffled file.
GROUPED_FROM_DEVIATIONS = 6.0


def in_runs(labels: Labels) -> bool:
    """Tell whether rows come in runs of one label, as videos cut into frames do.

    >>> blocks = np.arange(1000) // 10 % 2
    >>> in_runs(blocks), in_runs(np.random.default_rng(1).permutation(blocks))
    (True, False)
    """
    if labels.size < 3 or np.unique(labels).size < 2:
        return False
    return neighbours_agree(labels) > GROUPED_FROM_DEVIATIONS


def neighbours_agree(labels: Labels) -> float:
    """Return by how many standard deviations neighbours agree more often than by chance.

    In a shuffled file two neighbours share their label with probability sum p_c^2, p_c being the
    class shares, and the n - 1 pairs are nearly independent.

    Examples
    --------
    A thousand labels of two classes in blocks of ten: nine of ten neighbours agree where half
    would, 25 standard deviations too many. Labels in turn never agree, 32 too few.

    >>> blocks, turns = np.arange(1000) // 10 % 2, np.arange(1000) % 2
    >>> round(neighbours_agree(blocks)), round(neighbours_agree(turns))
    (25, -32)
    """
    n = labels.size
    shares = np.bincount(labels) / n
    alike = float((shares**2).sum())
    agreeing = float(np.count_nonzero(labels[1:] == labels[:-1]))
    deviation = math.sqrt(max(alike * (1.0 - alike) * (n - 1), 1e-12))
    return (agreeing - alike * (n - 1)) / deviation
