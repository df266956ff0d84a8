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

from holdfast.answers import AnswerModel, RoundedAnswers
from holdfast.attacks._answer_likelihood import informative_share, rounding_share
from holdfast.attacks.steering._water_filling import CHAMPION_SHOWN
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, RateAllocation, spend
from holdfast.forecasts.tables import grid, table
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = ["left_to_gain", "model_ratio", "model_worth", "openness"]

# Variance of a count, given the answers before, quarter by quarter of the looks: it falls as
# positions are decided.
VARIANCE_BY_QUARTER = (1.0, 0.6, 0.3, 0.13)
# Empirical fit: Var(count) = .43 q^-.3 Var_0 in the first quarter, where q is the share of examples
# whose runner-up is shown at the first look and Var_0 the variance of its count. Measured with
# exact answers at n = 1000 to 8000, m = 2, 4 and 10, k = 30 to 300.
FIRST_QUARTER_VARIANCE, FIRST_QUARTER_EXPONENT = 0.43, 0.3
# Places of a count between two boundaries of the rounding.
PLACES_PER_STEP = 32


def left_to_gain(found: RateAllocation) -> tuple[float, float, float]:
    """Return the labels in the running, the share of their mass to gain, and examples in play.

    All three are means over the examples, weighted by what they gain; the share is 1 if the
    labels are equally likely, and 0 if the first is certain.

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


def model_worth(prior: Prior, answers: AnswerModel, problem: Problem) -> float:
    """Return which share of an answer's information is left, if a model is played from.

    What noise or rounding hides is to be compared with the challengers that are shown: from a
    good model they are few. Less information means a lower level, and fewer still.
    """
    worth, shares = 1.0, []
    for stage in VARIANCE_BY_QUARTER:
        found = spend(prior, NATS_PER_LOOK * problem.n_queries * worth)
        worth = min(worth, _share(answers, max(stage * _played(found), 1e-6), problem))
        shares.append(worth)
    # Early looks aim for more than the later ones can pay for: the geometric mean.
    return float(np.exp(np.mean(np.log(np.maximum(shares, 1e-12)))))


def _share(answers: AnswerModel, variance: float, problem: Problem) -> float:
    """Return which share of the information of a count with this variance is left."""
    if not isinstance(answers, RoundedAnswers):
        return informative_share(answers, variance, 0.0, problem)
    width = answers.step * problem.n_examples
    places = (np.arange(PLACES_PER_STEP) + 0.5) / PLACES_PER_STEP * width
    return float(np.mean([rounding_share(float(at), variance, width) for at in places]))


def _played(found: RateAllocation) -> float:
    """Return the variance of a count early in the game, given the answers before."""
    no_lead, power = CHAMPION_SHOWN
    top, second = found.top, found.second
    half = math.tanh(found.slope / 2.0)
    lead = np.minimum((top - second) / np.maximum((top + second) * half, 1e-300), 1.0)
    chance = (1.0 - no_lead) * (1.0 - lead**power)
    first = found.scale * float((chance * (top + second - (top - second) ** 2)).sum())
    share = found.scale * float(chance.sum()) / max(left_to_gain(found)[2], 1.0)
    return first * FIRST_QUARTER_VARIANCE * share**-FIRST_QUARTER_EXPONENT if share > 0.0 else 0.0
