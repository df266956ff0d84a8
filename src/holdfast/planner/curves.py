r"""Expected gains of the adaptive attacks: a law for each, corrected by a measured table."""

from __future__ import annotations

import math

import numpy as np

from holdfast.answers import AnswerModel, RoundedAnswers, SubsetAnswers
from holdfast.attacks._answer_likelihood import informative_share
from holdfast.bounds.binomial import entropy
from holdfast.bounds.bisection import least
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats, spend
from holdfast.planner.closed_forms import scored
from holdfast.planner.forecast import Setting
from holdfast.planner.model_margin import left_to_gain, model_ratio, model_worth, openness
from holdfast.planner.tables import along, grid, table
from holdfast.priors import Prior
from holdfast.problem import Problem

__all__ = [
    "answer_worth",
    "anytime_ratio",
    "block_climb_gain",
    "champion_gain",
    "design_ratio",
    "lattice_affordable",
    "lattice_certain",
    "lattice_looks",
]

# Variance of a count, given the answers before, in units of n/m: two labels an example, and those
# examples that are parked add nothing.
PLAYED = 0.3
# What steering to the boundaries of coarse rounding leaves of an answer's information: the gain at
# (10000, 10), k = 128, two decimals is 2/3 of that with exact answers.
AT_BOUNDARY = 0.45
# What is missing from the law if all labels of a scored subset are within reach and nobody knows
# whose they are; what exceeds it otherwise comes from counting the last labels that are open.
UNKNOWN_MEMBERS = 0.12


def champion_gain(setting: Setting, *, at_boundary: bool = False) -> float:
    """Return the expected gain of `ChampionChallenger` above the start.

    k answers are worth k/2 nats, less what noise or rounding hides of them, and the nats are worth
    what rate-distortion theory says; the measured ratio to that law is within a few per cent of 1
    from k = 30 on. `at_boundary`: its queries are steered to the rounding's boundaries.

    >>> 500 < champion_gain(Setting(Problem(10_000, 10, 300))) < 600
    True
    """
    problem = scored(setting.problem, setting.answers)
    n, m, k = problem
    c = table("champion-challenger")
    ratio = grid([c["classes"], c["looks"], c["loads"]], c["ratio"], [m, k, k * m / n])
    worth = answer_worth(setting)
    # With far fewer examples than classes an answer is hardly ever but 0, and not a normal number.
    beyond = k * m / n > c["loads"][-1]
    a_look = min(NATS_PER_LOOK, entropy(n, m)) if beyond else NATS_PER_LOOK
    steered = at_boundary and isinstance(setting.answers, RoundedAnswers)
    if setting.prior is None:
        nats = a_look * k * (max(worth, AT_BOUNDARY) if steered else worth)
        law, most = gain_for_nats(problem, nats), n * (1.0 - 1.0 / m)
        if isinstance(setting.answers, SubsetAnswers):
            ratio = min(ratio, 1.0) * (1.0 - UNKNOWN_MEMBERS * law / most)
        return min(ratio * law, most)
    share = n / setting.problem.n_examples  # of the examples that are scored
    nats = a_look * k / share
    found = spend(setting.prior, nats * worth)
    if steered:  # more challengers bring the count to a boundary, but hardly one to the lead
        lifted = AT_BOUNDARY * openness(left_to_gain(found)[1])
        worth, found = max(worth, lifted), spend(setting.prior, nats * max(worth, lifted))
    gain = share * found.gain * model_ratio(found, k * worth, ratio)
    return min(gain, share * (setting.problem.n_examples - setting.start))


def answer_worth(setting: Setting) -> float:
    """Return which share of an exact answer's information is left to steer by."""
    answers, problem = setting.answers, setting.problem
    if setting.exact or isinstance(answers, SubsetAnswers):
        return 1.0
    if setting.prior is not None:
        return model_worth(setting.prior, answers, problem)
    n, m, _ = problem
    return informative_share(answers, PLAYED * n / m, n / m, problem)


def design_ratio(name: str, problem: Problem) -> float:
    """Return which share of its own forecast a design gains.

    The forecast is true of many examples. With few, counts are no normal numbers and beliefs pass
    in small circles; the share was measured up to 1,000 examples, and what is missing from 1
    shrinks with their number beyond.

    >>> 0.9 < design_ratio("message-passing", Problem(100_000, 10, 100)) < 1.1
    True
    """
    n, m, k = problem
    c = table("designs")
    share = grid([c["classes"], c["examples"], c["loads"]], c[name], [m, n, k / n])
    most: float = c["examples"][-1]
    return 1.0 + (share - 1.0) * min(1.0, most / n)


def anytime_ratio(n_queries: int) -> float:
    """Return which share of the gain is left if the number of looks is not known."""
    t = table("anytime")
    return min(1.0, along(t["looks"], t["ratio"], n_queries))


def block_climb_gain(problem: Problem, answers: AnswerModel) -> float:
    """Return the expected gain of `BlockClimb`: a measured constant times sqrt((k-1) n/m).

    The first look is at the labels that are challenged by the others.

    >>> from holdfast.answers import ExactAnswers
    >>> block_climb_gain(Problem(1000, 10, 1), ExactAnswers())
    0.0
    """
    n, m, k = scored(problem, answers)
    b = table("block-climb")
    gain = along(b["classes"], b["constant"], m) * math.sqrt((k - 1) * n / m)
    return min(gain, n * (1.0 - 1.0 / m))


def lattice_looks(n_positions: int, n_classes: int) -> float:
    """Return how many looks `Lattice` takes for every label of so many positions.

    A measured multiple of the information limit t ln m / H(Bin(t, 1/m)).

    >>> 6000 < lattice_looks(10_000, 10) < 8000
    True
    """
    c = table("lattice")
    return grid([c["classes"], c["positions"]], c["ratio"], [n_classes, max(1, n_positions)]) * (
        _limit(n_positions, n_classes)
    )


def lattice_affordable(n_queries: float, problem: Problem) -> int:
    """Return of how many positions so many looks tell every label, on average."""
    n, m, _ = problem
    return least(lambda t: lattice_looks(t, m) > n_queries, 0, n + 1) - 1


def lattice_certain(setting: Setting) -> tuple[int, int]:
    """Return how many labels `Lattice` makes certain with all the looks, and the looks it takes.

    A model's labels are checked and only those that fail are asked: a multiple of the entropy
    that the model leaves. With too few looks for all labels it must be careful, which costs some:
    another measured multiple.
    """
    n, m, k = setting.problem
    every = lattice_looks(n, m)
    if setting.prior is not None:
        every = min(every, _prior_looks(setting.prior))
    every = math.ceil(every)
    if every <= k:
        return n, every
    c = table("lattice-budget")
    ratio = grid([c["classes"], c["looks"]], c["ratio"], [m, k])
    return least(lambda t: ratio * _limit(t, m) > k, 0, n + 1) - 1, k


def _prior_looks(prior: Prior) -> float:
    """Return how many looks it takes to check and mend a model's labels."""
    c = table("lattice-prior")
    _, rows = prior.ranked(min(prior.n_classes, 64))
    rest = np.maximum(0.0, 1.0 - rows.sum(axis=1))
    others = max(1, prior.n_classes - rows.shape[1])
    nats = -float((rows * np.log(np.maximum(rows, 1e-300))).sum())
    nats -= float((rest * np.log(np.maximum(rest / others, 1e-300))).sum())
    top = rows[:, 0]
    spread = max(1.0, float((top * (1.0 - top)).sum()))
    an_answer = 0.5 * math.log(2.0 * math.pi * math.e * spread)
    size = [prior.n_classes, prior.n_examples]
    return grid([c["classes"], c["examples"]], c["ratio"], size) * nats / an_answer


def _limit(n_positions: int, n_classes: int) -> float:
    if n_positions == 0:
        return 0.0
    return n_positions * math.log(n_classes) / entropy(n_positions, n_classes)
