"""Independent coins with known laws: the price of accuracy, for tests of bounds with a model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from holdfast.bounds.label_model import LabelModel


def coin_entropy(p: float) -> float:
    return -sum(x * math.log(x) for x in (p, 1.0 - p) if x > 0.0)


def coins(likelier: Sequence[float]) -> LabelModel:
    """Return the model of coins whose likelier sides have these probabilities.

    R_j(a) = h(p_j) - h(a) for a >= p_j. All rows that are improved have the same slope, so end at
    one accuracy s: row j at max(p_j, s).
    """
    n = len(likelier)
    before = [coin_entropy(p) for p in likelier]

    def least_nats(accuracy: float) -> float:
        low, high = 0.5, 1.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if sum(max(p, middle) for p in likelier) <= n * accuracy:
                low = middle
            else:
                high = middle
        return sum(h - coin_entropy(max(p, low)) for p, h in zip(likelier, before, strict=True))

    return LabelModel(n, sum(likelier) / n, least_nats, 1.0 - sum(likelier) / n)
