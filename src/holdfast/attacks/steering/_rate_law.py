r"""The rate-distortion law of champion-challenger, corrected by a measured table."""

from __future__ import annotations

import math

from scipy.special import pdtrc

from holdfast.answers import RoundedAnswers, SubsetAnswers
from holdfast.attacks._answer_likelihood import informative_share
from holdfast.attacks.steering._boundary_reach import left_after_waiting
from holdfast.attacks.steering._candidate_labels import CLASSES_PER_POSITION
from holdfast.attacks.steering._model_margin import (
    left_to_gain,
    model_ratio,
    model_worth,
    openness,
)
from holdfast.attacks.steering._windows import n_windows, remembered_looks
from holdfast.bounds.binomial import entropy
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats, spend
from holdfast.forecasts import Setting
from holdfast.forecasts.tables import along, grid, table
from holdfast.problem import Problem

__all__ = ["answer_worth", "few_matches", "many_in_running", "steered_gain", "unmeasured"]

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


def steered_gain(setting: Setting, measured: str, *, at_boundary: bool = False) -> float:
    """Return the expected gain above the start of steering every example to one level.

    k answers are worth k/2 nats, less what noise or rounding hides of them, and the nats are worth
    what rate-distortion theory says; the measured ratio to that law is within a few per cent of 1
    from k = 30 on.

    Parameters
    ----------
    setting
        What is known before the first look.
    measured
        The table with the ratio.
    at_boundary
        Whether queries are steered to the rounding's boundaries.
    """
    problem = setting.scored
    n, m, k = problem
    worth = answer_worth(setting, measured)
    loads = table(measured)["loads"]
    # With far fewer examples than classes an answer is hardly ever but 0, and not a normal number.
    beyond = k * m / n > loads[-1]
    a_look = min(NATS_PER_LOOK, entropy(n, m)) if beyond else NATS_PER_LOOK
    steered = at_boundary and _within_reach(setting)
    if setting.prior is None:
        nats = a_look * k * (max(worth, WORTH_AT_BOUNDARY) if steered else worth)
        ratio = _law_ratio(problem, measured, worth)
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
    ratio = _law_ratio(running, measured, worth)
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


def many_in_running(setting: Setting) -> bool:
    """Tell whether a model leaves more labels in the running than its table can be read for."""
    if setting.prior is None or not setting.informed:
        return False
    found = spend(setting.prior, NATS_PER_LOOK * setting.problem.n_queries)
    return left_to_gain(found)[0] > FEW_IN_RUNNING


def few_matches(setting: Setting, measured: str) -> bool:
    """Tell whether counts are too small for the law, which takes them for normal numbers.

    Either a query has less than one match on average, or the load is beyond the measured table's.
    """
    n, m, k = setting.scored
    most: float = table(measured)["loads"][-1]
    return n < m or k * m / n > most


def unmeasured(setting: Setting) -> str | None:
    """Return why the law's ratio is not known from a model; None: it is known."""
    if not setting.informed:
        return None
    n, _, k = setting.scored
    fewest: float = table("champion-flat")["examples"][0]
    if n < fewest * k / OUTSIDE:
        return "nothing was measured of a model with so many looks per example"
    if many_in_running(setting):
        return "too little was measured of a model that leaves so many labels in the running"
    return None


def _law_ratio(problem: Problem, measured: str, worth: float) -> float:
    """Return the measured ratio to the law, for answers that are worth a share of exact ones.

    Many looks are split among windows of examples, each a game of its own; what noise leaves of
    the looks is the load.
    """
    n, m, k = problem
    c = table(measured)
    at = [m, max(1.0, k / _windows(problem)), k * m / n * worth]
    return grid([c["classes"], c["looks"], c["loads"]], c["ratio"], at)


def _windows(problem: Problem) -> int:
    n, m, k = problem
    positions = -(-n // max(1, m // CLASSES_PER_POSITION))
    return n_windows(positions, k, remembered_looks(positions, m, informed=False))


def answer_worth(setting: Setting, measured: str | None = None) -> float:
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
        gain = gain_for_nats(problem, NATS_PER_LOOK * k * worth)
        if measured is not None:
            gain *= _law_ratio(problem, measured, worth)
        left = max(open_to_all * (1.0 - gain / most), 1e-9)
        worth = 0.5 * (worth + informative_share(answers, left, n / m, problem))
    return worth
