"""Gain of the lattice: labels that it makes certain, by measured looks, or simulated games."""

from __future__ import annotations

import math

import numpy as np

from holdfast.attacks.description import Described
from holdfast.attacks.exact.lattice import tuning
from holdfast.attacks.exact.lattice.attack import one_by_one
from holdfast.attacks.exact.lattice.looks import information_limit, lattice_looks
from holdfast.bounds.bisection import least
from holdfast.measured import grid, table
from holdfast.planner.rehearsal import (
    A_LABEL,
    FEWEST_GAMES,
    Estimate,
    Rehearsal,
    remembered_share,
)
from holdfast.priors import Prior
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = ["CLUSTER_EFFORT", "lattice_certain", "lattice_estimate", "seconds_from_model"]

# These decide no game, only which forecasts are simulated, and for how long. Seconds are
# of a core of 2025. What a game takes and gains beside what they promise:
# python -m benchmarks.lattice forecast --problem 2000,100 --looks 300 [--model constant]

# Effort, in the sense of `Described.effort`, where looks are too few for all labels of many
# classes: most rounds are tests of whole clusters, a twenty-fifth of the usual work.
CLUSTER_EFFORT = 10.0
# Seconds of a game from a model, for each example and for each label of each look. With those
# below, games of 500 to 100,000 examples and 20 to 3,000 looks took 0.4 to 1.8 times the sum when
# they were chosen.
SECONDS_PER_EXAMPLE, SECONDS_PER_LABEL_SHOWN = 5e-6, 4e-9
# The same for each look: groups are checked, and their number hardly depends on that of the
# examples; with few classes a round is planned for each.
SECONDS_PER_LOOK, SECONDS_PER_LOOK_FEW_CLASSES = 1e-4, 4e-4
# Times the usual time that a few games of clusters may take: with 60 classes the formula promises
# a third too much. The same from a model: nothing else is known of it.
LONGEST_WITH_CLUSTERS, LONGEST_WITH_MODEL = 3.0, 10.0
# The measured multiples begin with so many positions and looks. Smaller games are played in the
# head, unless there are so many examples per look that hardly any label is found; and times the
# usual time that such games may take.
FEW_POSITIONS, FEW_LOOKS, EXAMPLES_PER_LOOK, PATIENCE_WITH_FEW = 30, 30, 12, 0.3
# From so many looks on, games from a model or of clusters differ by a few per cent: two do.
LONG_GAME_LOOKS, GAMES_OF_A_LONG_GAME = 1000, 2
# What is measured without a model promises up to 1.4 times what is gained with one and many
# classes: this share of it orders attacks, and is no forecast.
GAIN_SHARE_WITH_MODEL = 0.7
# With many classes a game takes up to so many times the looks of the measured multiple, and before
# the last of them nothing may be gained.
LOOKS_MOST_TIMES = 1.5


def lattice_estimate(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    """Return the expected gain of the labels that it makes certain.

    From measured multiples of the information limit where there are any. Four kinds of settings
    have none, and small games are played instead, if these are cheap enough: a model, whose errors
    decide; many classes with too few looks for all labels; both; and hardly any examples or looks.
    """
    setting = rehearse.setting
    sure, looks = lattice_certain(setting)
    n, m, k = setting.problem
    # With many classes the rounds that it can afford come in leaps, and are quickly played.
    many = not one_by_one(n, m, model=setting.prior is not None)
    short = sure < n or LOOKS_MOST_TIMES * looks > k
    leaps, checks = many and sure < n and not setting.informed, setting.informed
    tiny = n < FEW_POSITIONS or (k < FEW_LOOKS and n <= EXAMPLES_PER_LOOK * k)
    few = tiny and short and not checks
    effort, longest = (CLUSTER_EFFORT, LONGEST_WITH_CLUSTERS) if leaps else (None, 1.0)
    if checks:
        # Labels matter little there.
        usual = A_LABEL * n * k * remembered_share(k)
        effort, longest = seconds_from_model(setting.problem) / usual, LONGEST_WITH_MODEL
    long = (checks or leaps) and k >= LONG_GAME_LOOKS
    if leaps or few or rehearse.is_needed:
        played = rehearse.of(
            cls,
            effort=effort,
            patience=PATIENCE_WITH_FEW if few else 1.0,
            longest=longest,
            fewest=GAMES_OF_A_LONG_GAME if long else FEWEST_GAMES,
            grows_with_n=False,
        )
        if played is not None:
            return played
    if many and checks and short:
        why = "nothing was measured of a model's many classes with few looks for all labels"
        gain = GAIN_SHARE_WITH_MODEL * setting.sure_gain(sure)
        return Estimate(gain, looks, why, known=False)
    reason = f"makes {sure:,} labels certain: measured multiple of the limit"
    return Estimate(setting.sure_gain(sure), looks, reason)


def seconds_from_model(problem: Problem) -> float:
    """Return about how many seconds of a core a game from a model takes.

    A sum of three costs: reading the model, once per example; writing labels, per example and look;
    and planning rounds, per look. With few classes planning dominates, since every round is packed
    anew.

    >>> round(seconds_from_model(Problem(10_000, 10, 1000)), 2)
    0.49
    """
    n, m, k = problem
    few = m <= tuning.FEW_CLASSES_AT_MOST
    per_look = SECONDS_PER_LOOK_FEW_CLASSES if few else SECONDS_PER_LOOK
    return (SECONDS_PER_EXAMPLE + SECONDS_PER_LABEL_SHOWN * k) * n + per_look * k


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
    return least(lambda t: ratio * information_limit(t, m) > k, 0, n + 1) - 1, k


def _prior_looks(prior: Prior) -> float:
    """Return how many looks it takes to check and mend a model's labels.

    What is left to learn is the model's entropy over all examples, in nats, as far as its 64
    likeliest labels go; the rest of its probability is spread evenly. An answer about labels shown
    as the model has them varies with the number of its errors: a normal number with the variance
    of that sum, whose entropy is at most what an answer tells.
    """
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
