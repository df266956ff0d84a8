r"""Loss of gain to a model's margin: steering is easy where labels are near a tie.

The law counts nats. But an answer moves all positions a little, up or down, and a guess changes
only where a challenger overtakes: if the model's own label leads by far, few ever do, and what
the answers said of the others was for nothing. How much of the law is reached was measured with
models that are equally sure of every example. Any other model is looked up by the labels that the
law finds in the running and by how far ahead the first of them is.
"""

from __future__ import annotations

import math

import numpy as np

from holdfast.bounds.rate_distortion import RateAllocation
from holdfast.measured import grid, table

__all__ = ["left_to_gain", "model_ratio", "openness"]


def left_to_gain(found: RateAllocation) -> tuple[float, float, float]:
    """Return the labels in the running, the share of their mass to gain, and examples in play.

    All three are means over the examples, weighted by what they gain; the share is 1 if the
    labels are equally likely, and 0 if the first is certain.

    >>> from holdfast.bounds.rate_distortion import spend
    >>> from holdfast.priors import Prior
    >>> left_to_gain(spend(Prior.uniform(1000, 10), 50.0))
    (10.0, 1.0, 1000.0)
    """
    gains = found.gains
    total = float(gains.sum())
    if total <= 0.0:
        return 2.0, 0.0, 1.0
    rivals = np.maximum(found.running - 1.0, 1.0)
    left = (1.0 - found.top / found.mass) * (1.0 + 1.0 / rivals)
    logs = np.log(np.clip(left, 1e-9, 1.0))
    return (
        round(math.exp(float(gains @ np.log(1.0 + rivals)) / total), 9),
        round(math.exp(float(gains @ logs) / total), 9),
        round(found.scale * total**2 / float(gains @ gains), 9),
    )


def model_ratio(found: RateAllocation, looks: float, without: float) -> float:
    """Return which part of the law `ChampionChallenger` reaches from a model.

    Parameters
    ----------
    found
        What the law does with the nats there are.
    looks
        The looks, less what noise or rounding hides of them.
    without
        The ratio if all labels are equally likely.
    """
    c = table("champion-flat")
    classes, left, examples = left_to_gain(found)
    if left <= 0.0 or looks <= 0.0:
        return without
    axes = [c["classes"], c["left"], c["looks"], c["examples"]]
    ratio = grid(axes, c["ratio"], [classes, left, looks, examples / looks])
    return ratio + (without - ratio) * openness(left)


def openness(left: float) -> float:
    """Return 0 for a model as it was measured, 1 if it says nothing."""
    flattest: float = table("champion-flat")["left"][-1]
    return max(0.0, (left - flattest) / (1.0 - flattest))
