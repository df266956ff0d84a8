r"""The rate-distortion law of champion-challenger, corrected by a measured table."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, bdtrc, pdtrc

from holdfast.answers import AnswerModel, RoundedAnswers, SubsetAnswers
from holdfast.attacks.answer_likelihood import informative_share, rounding_share
from holdfast.attacks.steering.boundary_challenger import out_of_reach
from holdfast.attacks.steering.candidate_labels import CLASSES_PER_POSITION
from holdfast.attacks.steering.champion_challenger import (
    ChampionChallenger,
    n_windows,
    remembered_looks,
)
from holdfast.attacks.steering.model_margin import left_to_gain, model_ratio, openness
from holdfast.attacks.steering.water_filling import CHAMPION_SHOWN
from holdfast.bounds.binomial import entropy
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, RateAllocation, gain_for_nats, spend
from holdfast.measured import along, grid, table
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = [
    "FEW_IN_RUNNING",
    "crossing_chance",
    "few_matches",
    "left_to_luck",
    "model_worth",
    "steered_gain",
    "unmeasured",
]

# The table with the ratio to the law.
MEASURED = ChampionChallenger.name
# Variance of a count, given the answers before, in units of n/m, while all labels are open, by the
# number of classes: two labels per example, and those examples that are parked add nothing. Fitted
# to noise of variance 0.03, 0.3 and 3 times n/m at n = 300 and 1000, k = 30 to 1300.
VARIANCE_CLASSES, COUNT_VARIANCE = (2, 10, 100), (0.33, 0.55, 0.8)
# The variance and what is gained from it depend on each other: so many steps to where they agree.
FIXED_POINT_STEPS = 8
# How far beyond its end a table of models is still believed.
OUTSIDE = 1.5
# Between 10, 100 and 1,000 labels in the running the table of models falls too steeply to be read:
# it promises up to twice what is gained.
FEW_IN_RUNNING = 16
# What steering to the boundaries of coarse rounding leaves of an answer's information: the gain at
# (10000, 10), k = 128, two decimals is 2/3 of that with exact answers.
WORTH_AT_BOUNDARY = 0.45
# What is missing from the law if all labels of a scored subset are within reach and nobody knows
# whose they are; what exceeds it otherwise comes from counting the last labels that are open.
UNKNOWN_MEMBERS_LOSS = 0.12

# Variance of a count, given the answers before, quarter by quarter of the looks: it falls as
# positions are decided.
VARIANCE_BY_QUARTER = (1.0, 0.6, 0.3, 0.13)
# Empirical fit: Var(count) = .43 q^-.3 Var_0 in the first quarter, where q is the share of examples
# whose runner-up is shown at the first look and Var_0 the variance of its count. Measured with
# exact answers at n = 1000 to 8000, m = 2, 4 and 10, k = 30 to 300.
FIRST_QUARTER_VARIANCE, FIRST_QUARTER_EXPONENT = 0.43, 0.3
# Places of a count between two boundaries of the rounding.
PLACES_PER_STEP = 32
# Steps from a boundary at which a count is still on it, whatever the last digits of its float.
ON_THE_EDGE = 1e-9


def steered_gain(setting: Setting, *, at_boundary: bool = False) -> float:
    """Return the expected gain above the start of steering every example to one level.

    k answers are worth k/2 nats, less what noise or rounding hides of them, and the nats are worth
    what rate-distortion theory says; the measured ratio to that law is within a few per cent of 1
    from k = 30 on.

    Parameters
    ----------
    setting
        What is known before the first look.
    at_boundary
        Whether queries are steered to the rounding's boundaries.
    """
    problem = setting.scored
    n, m, k = problem
    worth = _answer_worth(setting)
    loads = table(MEASURED)["loads"]
    # With far fewer examples than classes an answer is hardly ever but 0, and not a normal number.
    beyond = k * m / n > loads[-1]
    a_look = min(NATS_PER_LOOK, entropy(n, m)) if beyond else NATS_PER_LOOK
    steered = at_boundary and _within_reach(setting)
    if setting.prior is None:
        nats = a_look * k * (max(worth, WORTH_AT_BOUNDARY) if steered else worth)
        ratio = _law_ratio(problem, worth)
        law, most = gain_for_nats(problem, nats), n * (1.0 - 1.0 / m)
        if isinstance(setting.answers, RoundedAnswers) and not setting.exact:
            law *= left_after_waiting(problem, setting.answers)
        if isinstance(setting.answers, SubsetAnswers):
            ratio = min(ratio, 1.0) * (1.0 - UNKNOWN_MEMBERS_LOSS * law / most)
        return min(ratio * law, most)
    share = n / setting.problem.n_examples  # of the examples that are scored
    nats = a_look * k / share
    found = spend(setting.prior, nats * worth)
    if steered:  # more challengers bring the count to a boundary, but hardly one to the lead
        lifted = WORTH_AT_BOUNDARY * openness(left_to_gain(found)[1])
        worth, found = max(worth, lifted), spend(setting.prior, nats * max(worth, lifted))
    # Labels that the model rules out are none of the game's: two candidates play like two classes.
    running = Problem(n, min(m, max(2, round(left_to_gain(found)[0]))), k)
    ratio = _law_ratio(running, worth)
    gain = share * found.gain * model_ratio(found, k * worth, ratio)
    return min(gain, share * (setting.problem.n_examples - setting.start))


def _within_reach(setting: Setting) -> bool:
    """Tell whether some look is expected to reach a boundary of the rounding, from which to steer.

    Counts are Poisson numbers about n/m, or normal ones about what a model has right.

    >>> rounded = RoundedAnswers(step=0.01)
    >>> [_within_reach(Setting(Problem(2668, 443, k), answers=rounded)) for k in (37, 1000)]
    [False, True]
    """
    if not isinstance(setting.answers, RoundedAnswers):
        return False
    n, m, k = setting.problem
    first = math.ceil(setting.answers.step * n / 2.0)
    return k * float(pdtrc(first - 1, max(setting.start, n / m))) >= 1.0


def few_matches(setting: Setting) -> bool:
    """Tell whether counts are too small for the law, which takes them for normal numbers.

    Either a query has less than one match on average, or the load is beyond the measured table's.
    """
    n, m, k = setting.scored
    most: float = table(MEASURED)["loads"][-1]
    return n < m or k * m / n > most


def unmeasured(setting: Setting) -> str | None:
    """Return why the law's ratio is not known from a model; None: it is known."""
    if not setting.informed:
        return None
    n, _, k = setting.scored
    fewest: float = table("champion-flat")["examples"][0]
    if n < fewest * k / OUTSIDE:
        return "nothing was measured of a model with so many looks per example"
    assert setting.prior is not None
    found = spend(setting.prior, NATS_PER_LOOK * setting.problem.n_queries)
    if left_to_gain(found)[0] > FEW_IN_RUNNING:
        return "too little was measured of a model that leaves so many labels in the running"
    return None


def _law_ratio(problem: Problem, worth: float) -> float:
    """Return the measured ratio to the law, for answers that are worth a share of exact ones.

    Many looks are split among windows of examples, each a game of its own; what noise leaves of
    the looks is the load.
    """
    n, m, k = problem
    c = table(MEASURED)
    at = [m, max(1.0, k / _windows(problem)), k * m / n * worth]
    return grid([c["classes"], c["looks"], c["loads"]], c["ratio"], at)


def _windows(problem: Problem) -> int:
    n, m, k = problem
    positions = -(-n // max(1, m // CLASSES_PER_POSITION))
    return n_windows(positions, k, remembered_looks(positions, m, informed=False))


def _answer_worth(setting: Setting) -> float:
    """Return which share of an exact answer's information is left to steer by."""
    answers, problem = setting.answers, setting.problem
    if setting.exact or isinstance(answers, SubsetAnswers):
        return 1.0
    if setting.prior is not None:
        return model_worth(setting.prior, answers, problem)
    n, m, k = problem
    open_to_all = along(VARIANCE_CLASSES, COUNT_VARIANCE, m) * n / m / _windows(problem)
    worth, most = 1.0, n * (1.0 - 1.0 / m)
    for _ in range(FIXED_POINT_STEPS):
        gain = gain_for_nats(problem, NATS_PER_LOOK * k * worth) * _law_ratio(problem, worth)
        left = max(open_to_all * (1.0 - gain / most), 1e-9)
        worth = 0.5 * (worth + informative_share(answers, left, n / m, problem))
    return worth


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


def crossing_chance(problem: Problem, answers: RoundedAnswers) -> float:
    """Return the probability that a query about which nothing is known is not rounded as n/m is.

    >>> round(crossing_chance(Problem(10_000, 26, 100), RoundedAnswers(0.01)), 3)
    0.033
    """
    n, m, _ = problem
    width = answers.step * n
    shown = round(n / m / width)
    low, high = (shown + side * (0.5 + ON_THE_EDGE) for side in (-1.0, 1.0))
    low, high = np.ceil(low * width), np.floor(high * width)
    below = float(bdtr(low - 1.0, n, 1.0 / m)) if low > 0.0 else 0.0
    return below + float(bdtrc(min(high, n), n, 1.0 / m))


def left_after_waiting(problem: Problem, answers: RoundedAnswers) -> float:
    """Return the share of a gain, which grows as the root of the looks, that waiting leaves.

    Until a count first falls beyond a boundary nothing can be steered, and whatever is asked has
    the same chance p: the wait is geometric. A near boundary takes no wait to speak of.

    >>> rounded = RoundedAnswers(0.01)
    >>> [round(left_after_waiting(Problem(10_000, m, 300), rounded), 2) for m in (10, 26, 50, 100)]
    [1.0, 0.95, 0.06, 0.0]
    """
    if not out_of_reach(problem, answers):
        return 1.0
    chance, k = crossing_chance(problem, answers), problem.n_queries
    waited = np.arange(k)
    return float(np.sum(chance * (1.0 - chance) ** waited * np.sqrt(1.0 - waited / k)))


def left_to_luck(problem: Problem, answers: AnswerModel) -> bool:
    """Tell whether not one look of a game is expected to fall beyond a boundary.

    Then most games gain nothing, and the mean of a few is that of the lucky ones among them.

    >>> rounded = RoundedAnswers(0.01)
    >>> [left_to_luck(Problem(2668, 443, k), rounded) for k in (37, 1000)]
    [True, False]
    """
    if not (isinstance(answers, RoundedAnswers) and out_of_reach(problem, answers)):
        return False
    return problem.n_queries * crossing_chance(problem, answers) < 1.0
