"""Expected gains of attacks: formulas and measured tables, or simulated games where none holds.

Attacks know nothing of forecasts. What is known of each stands here, one function per attack and a
table of them at the end. A function is given the attack and a `Rehearsal`: it returns what a
formula says, or the mean of games where no formula holds and games are quick. An attack that has no
function is played, and forecast where there is time for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from holdfast.answers import (
    AnswerModel,
    ComparisonAnswers,
    ExactAnswers,
    NewBestAnswers,
    RankAnswers,
    RoundedAnswers,
    SubsetAnswers,
)
from holdfast.attacks import (
    AnytimeChampionChallenger,
    BlockClimb,
    BlockMajority,
    Boosting,
    BoundaryChallenger,
    ChampionChallenger,
    ColumnVote,
    Constant,
    Detecting,
    Exhaustive,
    HadamardBlocks,
    HillClimb,
    HitPools,
    LabelSubset,
    Lattice,
    MessagePassing,
    NaiveBayes,
    PooledDetecting,
    PriorClimb,
    RandomClimb,
    SteeredPools,
    UniformVote,
)
from holdfast.attacks.answer_likelihood import informative_share, normal_nodes
from holdfast.attacks.climbing.belief import Rise, expected_gain
from holdfast.attacks.description import Described
from holdfast.attacks.designs.message_passing import STATE_EVOLUTION_LOOKS
from holdfast.attacks.exact.hit_pools.tested_labels import SUREST_PLAYED
from holdfast.attacks.exact.lindstrom import plan_exact
from holdfast.attacks.paper.boosting import SIGNAL_SHARE
from holdfast.attacks.paper.exhaustive import n_decided
from holdfast.attacks.steering.model_margin import model_ratio
from holdfast.attacks.steering.stages import best_stages
from holdfast.bounds import block_majority
from holdfast.bounds.column_vote import predicted_accuracy
from holdfast.bounds.multinomial import expected_distance
from holdfast.bounds.naive_bayes import expected_bias
from holdfast.bounds.rate_distortion import NATS_PER_LOOK, gain_for_nats, spend
from holdfast.certificates import certify
from holdfast.errors import HoldfastError
from holdfast.measured import along, grid, table
from holdfast.planner.lattice_gain import lattice_estimate
from holdfast.planner.rehearsal import FEWEST_GAMES, Estimate, Rehearsal
from holdfast.planner.steered import few_matches, left_to_luck, steered_gain, unmeasured
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = [
    "block_gain",
    "design_gain",
    "design_ratio",
    "estimate",
    "hits_gain",
    "is_quick",
    "most_accuracy",
    "rough_hits_gain",
]

# Fallback score for ranking only: 0.7 x the rate-distortion gain, set by hand. Not an estimate.
SHARE_OF_MODEL_LAW = 0.7
# With fewer examples per class a count is far from normal, and tables say nothing of it: games are
# played. Pools are normal sooner. Set by hand: they decide which forecasts take a second longer.
EXAMPLES_PER_CLASS, EXAMPLES_PER_CLASS_IN_POOLS = 10, 5
# Times the usual time that simulated games may take where a design starts from a model: nothing
# else is known of it. Set by hand.
PATIENCE_WITH_MODEL = 3.0
# The same of hit pools; their effort there, less per label than that of small games; and from how
# many looks on two games are enough. Set by hand: they decide how long a forecast takes.
PATIENCE_WITH_HITS, EFFORT_WITH_HITS = 2.0, 5.0
LONG_GAME_LOOKS, GAMES_OF_A_LONG_GAME = 300, 2
# The effort of champion-challenger's games from a model: sqrt(m) times this, and no more than the
# other. At n = 200 to 10,000, m = 2 to 500 and k = 150 to 2,500 they took 0.3 to 1.2 times the time
# that follows.
EFFORT_WITH_MODEL, MOST_EFFORT_WITH_MODEL = 60.0, 300.0
# How many times the usual time such simulations may take: the table of models is off by up to
# a fifth where few labels are far ahead of many, and by more with many in the running.
LONGEST_WITH_MODEL = 10.0
# The load k m / n from which on hits gain more than steering: python -m benchmarks.hit_pools --map.
LOAD_HITS_WIN_FROM = 2.0
# In larger blocks the number of scored examples differs little from its mean.
MOST_THINNED = 64


@lru_cache(maxsize=256)
def most_accuracy(problem: Problem, model: float | None = None) -> float:
    """Return the accuracy that no attack on exact answers exceeds in expectation.

    `model`: that of the models that it may start from.
    """
    return certify(problem, knows=model).accuracy


def estimate(cls: type[Described], rehearse: Rehearsal) -> Estimate | None:
    """Return what an attack is expected to gain; None: nothing is known of it.

    >>> round(estimate(BlockMajority, Rehearsal(Setting(Problem(10_000, 10, 101)))).gain, 1)
    177.5
    """
    of = next((FORMULAS[each] for each in cls.__mro__ if each in FORMULAS), None)
    if of is not None:
        return of(cls, rehearse)
    try:
        return rehearse.of(cls)
    except HoldfastError:  # it refuses such a game
        return None


def is_quick(cls: type[Described]) -> bool:
    """Tell whether a formula takes milliseconds: what compares many settings asks no others."""
    return cls in FORMULAS and cls is not MessagePassing


# -- the paper's attacks


def _constant(cls: type[Described], rehearse: Rehearsal) -> Estimate:  # noqa: ARG001
    known = rehearse.setting.prior is not None
    return Estimate(0.0, 0, "asks nothing" + ": the model's own labels" * known)


def _block_majority(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    """Return a sum over a block's surplus."""
    setting = rehearse.setting
    problem = cls.usable(setting.problem)
    reason = "two labels per block: exact sum" if setting.exact else "two labels per block"
    if problem != setting.problem:
        reason += f"; after {problem.n_queries:,} looks every block is one example"
    gain = block_gain(problem, setting.answers)
    return Estimate(gain, problem.n_queries, reason).from_scratch(setting)


def block_gain(problem: Problem, answers: AnswerModel) -> float:
    r"""Return the expected gain of `BlockMajority`: exact for exact answers and comparisons.

    The surplus D of one label over the other, of variance v = 2b/m in a block of b examples, picks
    the label. Noise of variance s^2 in both answers leaves the share sqrt(v/(v + 2 s^2)) of the
    gain. Rounding to a step of w counts shows a difference with probability min(1, |D|/w).

    Examples
    --------
    >>> round(block_gain(Problem(10_000, 10, 101), ExactAnswers()), 1)
    177.5
    """
    if isinstance(answers, SubsetAnswers) and problem.n_queries > 1:
        return _gain_on_subset(problem, answers.size(problem.n_examples))
    n, m, k = problem
    if k == 1 and isinstance(answers, ComparisonAnswers | RankAnswers):
        return 0.0  # there is nothing to compare the only look with
    exact = n * (block_majority.expected_accuracy(problem) - 1.0 / m)
    hidden = answers.variance(problem)
    if isinstance(answers, SubsetAnswers | ComparisonAnswers | RankAnswers) or hidden == 0.0:
        return exact
    spread = 2.0 * n / (max(k - 1, 1) * m)
    if isinstance(answers, RoundedAnswers):
        nodes, weights = normal_nodes(120)
        surplus = np.abs(nodes) * math.sqrt(spread)
        seen = np.minimum(1.0, surplus / (answers.step * n))
        return exact * float(weights @ (surplus * seen)) / float(weights @ surplus)
    return exact * math.sqrt(spread / (spread + 2.0 * hidden))


def _gain_on_subset(problem: Problem, scored: int) -> float:
    """Return the expected gain where so many examples are scored, and nobody knows which.

    A block of b has Bin(b, scored/n) scored examples, and half the surplus among them is gained.

    >>> round(_gain_on_subset(Problem(400, 2, 250), 200), 1)  # 81.5 +- 2.7 were gained
    81.1
    """
    n, m, k = problem
    size, larger = divmod(n, k - 1)
    if size > MOST_THINNED:
        inner = Problem(scored, m, min(k, scored + 1))
        return scored * (block_majority.expected_accuracy(inner) - 1.0 / m)
    surplus = 0.0
    for each, blocks in ((size, k - 1 - larger), (size + 1, larger)):
        chances = binom.pmf(np.arange(each + 1), each, scored / n)
        distances = [expected_distance(some, m) for some in range(each + 1)]
        surplus += blocks * float(chances @ distances)
    return surplus / 2.0


def _live_columns(cls: type[Described], rehearse: Rehearsal) -> Estimate:  # noqa: ARG001
    problem = rehearse.setting.problem
    gain = problem.n_examples * (predicted_accuracy(problem) - problem.baseline)
    reason = "k/(9 log m) examples, almost surely: normal integral"
    return Estimate(gain, problem.n_queries, reason).from_scratch(rehearse.setting)


def _naive_bayes(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    setting = rehearse.setting
    problem = setting.problem
    # With few examples per class a query has hardly a match, and nothing is normal.
    few = problem.n_examples < EXAMPLES_PER_CLASS * problem.n_classes and not setting.informed
    if few and (played := rehearse.of(cls)):
        return played
    # The normal integral fails with few examples as that of the design with r labels does.
    gain = problem.n_examples * expected_bias(problem) * design_ratio(LabelSubset.name, problem)
    reason = "all m labels, uniform queries: normal integral"
    return Estimate(gain, problem.n_queries, reason).from_scratch(setting)


def _boosting(cls: type[Described], rehearse: Rehearsal) -> Estimate:  # noqa: ARG001
    """Return a normal integral.

    >>> told = _boosting(Boosting, Rehearsal(Setting(Problem(4000, 2, 400))))
    >>> round(told.gain / 4000, 3)
    0.071
    """
    n, _, k = rehearse.setting.problem
    gain = n * (float(ndtr(SIGNAL_SHARE * math.sqrt(k / n))) - 0.5)
    reason = "majority of the queries above 1/2: normal integral"
    return Estimate(gain, k, reason).from_scratch(rehearse.setting)


def _exhaustive(cls: type[Described], rehearse: Rehearsal) -> Estimate:  # noqa: ARG001
    """Return every label of t examples that was shown."""
    _, m, k = rehearse.setting.problem
    decided = n_decided(rehearse.setting.problem)
    # One example needs 2 log2(m) looks as well; with fewer each look rules out one label.
    # A label that was never shown can't be found: k random queries show this share of them.
    shown = -math.expm1(k * math.log1p(-1.0 / m))
    found = decided * min(1.0 - 1.0 / m, shown)
    gain = found if k >= 2 * math.log2(m) else min(k, m - 1) / m
    reason = f"searches all labelings of {decided} examples"
    return Estimate(gain, k, reason).from_scratch(rehearse.setting)


# -- climbs


def _climb(cls: type[Described], rehearse: Rehearsal) -> Estimate | None:
    """Return the mean of games, of one at least: nothing else is known."""
    return rehearse.mean_gain(cls)


def _block_climb(cls: type[Any], rehearse: Rehearsal) -> Estimate | None:
    """Return a sum over the histories that a block can have.

    The first look is at the labels that are challenged by the others.

    >>> _block_climb(BlockClimb, Rehearsal(Setting(Problem(1000, 10, 1)))).gain
    0.0
    """
    setting, answers = rehearse.setting, rehearse.setting.answers
    errors = 0.0
    if isinstance(answers, NewBestAnswers):
        if answers.step:
            return _climb(cls, rehearse)
        errors = answers.standard_errors
    _, m, k = setting.scored
    rise = Rise(errors, isinstance(answers, RankAnswers))
    blocks = cls.number_of_blocks(setting.scored, rise)
    gain = expected_gain(setting.scored, blocks, rise, cls.in_turn)
    looks = min(k, 1 + blocks * (m - 1))
    reason = "labels challenged in blocks: sum over histories"
    return Estimate(gain, looks, reason).from_scratch(setting)


# -- designs that predict their own accuracy


@lru_cache(maxsize=1024)
def _expected_accuracy(design: Any, problem: Problem, answers: Any) -> float:
    # A state evolution takes a second or so, and every trial of an experiment plans anew.
    accuracy: float = design.expected_accuracy(problem, answers=answers)
    return accuracy


def design_gain(design: Any, problem: Problem, answers: Any) -> float:
    """Return the expected gain of a design that predicts its own accuracy.

    >>> round(design_gain(HadamardBlocks, Problem(10_000, 10, 128), ExactAnswers()))
    201
    """
    accuracy = _expected_accuracy(design, problem, answers)
    return problem.n_examples * (accuracy - problem.baseline)


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


def _hadamard_blocks(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    return _design(cls, rehearse, "two labels per block, spread over all answers: closed form")


def _label_subset(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    return _design(cls, rehearse, "r labels per example: normal integral", measured=cls.name)


def _message_passing(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    reason = "r labels per example, beliefs passed: state evolution"
    setting = rehearse.setting
    if setting.problem.n_queries < STATE_EVOLUTION_LOOKS and not setting.informed:
        reason = "r labels per example: normal integral; so few looks pass no beliefs on"
    return _design(cls, rehearse, reason, measured=cls.name, linear=False)


def _design(
    design: type[Described],
    rehearse: Rehearsal,
    reason: str,
    *,
    measured: str | None = None,
    linear: bool = True,
) -> Estimate:
    """Return the expected gain of a design that predicts itself.

    `measured` names the table that says what few examples leave of it. From a model, or with few
    examples per class, it is simulated. Where games take too long no figure from a model
    is honest: what scaling promises is sometimes twice what is gained, and only orders attacks.
    `linear` designs pass no beliefs.
    """
    setting = rehearse.setting
    n, m, k = setting.problem
    if n < EXAMPLES_PER_CLASS * m or rehearse.is_needed:
        patience = PATIENCE_WITH_MODEL if setting.informed else 1.0
        if played := rehearse.of(design, patience=patience):
            return played
    gain = _scaled_gain(design, setting, measured=measured, linear=linear)
    if setting.informed:
        why = "no formula covers a fixed design that starts from a model"
        if isinstance(setting.answers, SubsetAnswers):
            # Whose labels are scored is unknown: it may lose more than it gains.
            gain = min(gain, 0.0)
        return Estimate(SHARE_OF_MODEL_LAW * gain, k, why, known=False)
    return Estimate(gain, k, reason)


def _scaled_gain(
    design: Any, setting: Setting, *, measured: str | None = None, linear: bool = True
) -> float:
    """Return the expected gain of a design that predicts itself; with a model it is scaled.

    The scale is that of the rate-distortion law with the model against that without; a guess from
    `linear` estimates gets as little past a model's lead as steering does, or less.
    """
    problem, answers = setting.problem, setting.answers
    if setting.prior is not None and not isinstance(answers, SubsetAnswers):
        answers = ExactAnswers()  # what is hidden depends on the model, see below
    gain = design_gain(design, problem, answers)
    if measured is not None:
        most = problem.n_examples * (most_accuracy(problem) - problem.baseline)
        gain = min(gain, most) * design_ratio(measured, problem)
    if setting.prior is not None:
        looks = problem.n_queries * _share_of_answers(setting)
        found = spend(setting.prior, NATS_PER_LOOK * looks)
        gain *= found.gain / gain_for_nats(problem, NATS_PER_LOOK * problem.n_queries)
        gain *= model_ratio(found, looks, 1.0) if linear else 1.0
    return gain


def _share_of_answers(setting: Setting) -> float:
    """Return which share of an answer's information is left to a design that starts from a model.

    An example shows its two likeliest labels as often, and so much does a count vary.
    """
    assert setting.prior is not None
    shown = setting.prior.ranked(2)[1].mean(axis=1)
    variance = float((shown * (1.0 - shown)).sum())
    return informative_share(setting.answers, max(variance, 1e-9), variance, setting.problem)


# -- exact counts


def _detecting(cls: type[Any], rehearse: Rehearsal) -> Estimate:
    setting = rehearse.setting
    problem, plan = setting.problem, plan_exact(setting.problem)
    gain = plan.gain
    if setting.prior is not None:
        gain = setting.sure_gain(cls.capacity(problem.n_classes, problem.n_queries))
    return Estimate(gain, plan.n_queries, "one round that proves as many labels as fit")


def _pooled_detecting(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    setting = rehearse.setting
    gain = design_gain(cls, setting.problem, setting.answers)
    reason = "one round: digits, and a block's majority in what room they leave; exact sum"
    return Estimate(gain, setting.problem.n_queries, reason).from_scratch(setting)


def _hit_pools(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    """Return the rate-distortion law times a measured ratio; from a model games, or an order."""
    setting = rehearse.setting
    n, m, k = setting.problem
    played = None
    if setting.informed:
        played = rehearse.of(
            cls,
            effort=EFFORT_WITH_HITS,
            patience=PATIENCE_WITH_HITS,
            fewest=GAMES_OF_A_LONG_GAME if k >= LONG_GAME_LOOKS else FEWEST_GAMES,
        )
    # With few looks, or hardly more examples than classes, the table says nothing.
    elif k < table(HitPools.name)["looks"][0] or n < EXAMPLES_PER_CLASS * m or rehearse.is_needed:
        played = rehearse.of(cls)
    if played is not None:
        return played
    if setting.prior is not None and setting.informed:
        gain = rough_hits_gain(setting.prior.ranked(1)[1], setting.problem)
        return Estimate(gain, k, "no formula covers hits from a model", known=False)
    reason = "tests blocks for hits, exact sums: rate-distortion law, measured ratio"
    return Estimate(hits_gain(setting.problem), k, reason).from_scratch(setting)


def hits_gain(problem: Problem) -> float:
    """Return what hit pools gain: more than the law from about k = 3 n/m on.

    The law for hits (`exact/hit_pools/sizes`) says why; it is off by up to a tenth, and says
    nothing of few looks. The rate-distortion law at half a nat per look is a measure here, no
    bound: exact answers carry more. The ratio to it was measured, by classes, looks and load
    k m / n.

    >>> 400 < hits_gain(Problem(50_000, 1000, 1000)) < 480
    True
    """
    n, m, k = problem
    c = table(HitPools.name)
    ratio = grid([c["classes"], c["looks"], c["loads"]], c["ratio"], [m, k, k * m / n])
    return min(ratio * gain_for_nats(problem, NATS_PER_LOOK * k), n * (1.0 - 1.0 / m))


def rough_hits_gain(top: Any, problem: Problem) -> float:
    """Return about what hits gain above a prior's own guess: no forecast, an order of attacks.

    `top` has how likely the likeliest labels are, of every example or of as many as stand for all.

    From the shares of unequal classes it is about the gain from nothing, of the examples that are
    played at all: what is known makes hits likelier, and what it has right must be made up. Over
    (2000 to 10000, 20 to 300) and 400 to 1,500 looks, with shares that fall as rank to the power
    -0.3, -0.7 or -1, games gained 0.87 to 1.35 times as much. With fewer looks than hits win with
    they don't make up so much: there only the gain from nothing is sure.
    """
    n, m, k = problem
    gain = hits_gain(problem)
    if k * m < LOAD_HITS_WIN_FROM * n:
        return max(0.0, gain + n / m - n * float(np.mean(top)))
    return gain * float(np.mean(top <= SUREST_PLAYED))


# -- steering


def _champion_challenger(
    cls: type[Described],  # noqa: ARG001 - what is derived from it plays as it does
    rehearse: Rehearsal,
) -> Estimate:
    reason = "steers every example to one level: rate-distortion law, measured ratio"
    return _steered(ChampionChallenger, rehearse, reason)


def _boundary_challenger(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    """Return the same law with what steering leaves of the answers."""
    setting = rehearse.setting
    if setting.exact or not isinstance(setting.answers, RoundedAnswers):
        return _champion_challenger(cls, rehearse)
    reason = "champion-challenger that asks where rounding tells most: measured share"
    return _steered(cls, rehearse, reason, at_boundary=True)


def _anytime(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    """Return a measured share of what is gained if the looks are known."""
    measured, k = table("anytime"), rehearse.setting.problem.n_queries
    share = min(1.0, along(measured["looks"], measured["ratio"], k))
    reason = "champion-challenger that could be stopped at any look: measured ratio"
    fixed = _champion_challenger(cls, rehearse)
    why = reason if fixed.known else fixed.reason
    return fixed._replace(gain=fixed.gain * share, reason=why)


def _steered(
    cls: type[Described], rehearse: Rehearsal, reason: str, *, at_boundary: bool = False
) -> Estimate:
    """Return the rate-distortion law times a measured ratio, or games where it fails."""
    setting, played = rehearse.setting, None
    if setting.informed:
        effort = EFFORT_WITH_MODEL * math.sqrt(setting.problem.n_classes)
        effort = min(effort, MOST_EFFORT_WITH_MODEL)
        played = rehearse.of(cls, effort=effort, longest=LONGEST_WITH_MODEL)
    else:
        # What is left of rounded answers depends on where counts lie between two boundaries.
        rounds = isinstance(setting.answers, RoundedAnswers) and not setting.exact
        luck = rounds and left_to_luck(setting.scored, setting.answers)
        few = few_matches(setting)
        if (rounds or few or rehearse.is_needed) and not luck:
            # All labels of a subset within reach: what looks beyond are worth has no formula.
            beyond = setting.problem.n_queries > setting.scored.n_examples
            played = rehearse.of(cls, longest=LONGEST_WITH_MODEL if beyond else 1.0)
    if played is not None:
        return played
    gain = steered_gain(setting, at_boundary=at_boundary)
    why = unmeasured(setting)
    return Estimate(gain, setting.problem.n_queries, why or reason, known=why is None)


def _steered_pools(cls: type[Described], rehearse: Rehearsal) -> Estimate:
    """Return the design's exact sum, and the law on what it leaves open."""
    setting = rehearse.setting
    n, m, k = setting.problem
    second, tail, gain = best_stages(setting.problem)
    # With hardly more examples than classes nothing about a pool is normal; without a second
    # stage the sum is exact.
    few = n < EXAMPLES_PER_CLASS_IN_POOLS * m and not setting.informed
    if few and (second or tail) and (played := rehearse.of(cls)):
        return played
    again = f" a second round of {second:,} looks," if second else ""
    source = "rate-distortion law" if second or tail else "exact sum"
    reason = f"pools,{again} then {tail:,} looks steered: {source}"
    return Estimate(gain, k, reason).from_scratch(setting)


FORMULAS: dict[type[Described], Callable[[Any, Rehearsal], Estimate | None]] = {
    Constant: _constant,
    BlockMajority: _block_majority,
    ColumnVote: _live_columns,
    UniformVote: _live_columns,
    NaiveBayes: _naive_bayes,
    Boosting: _boosting,
    Exhaustive: _exhaustive,
    BlockClimb: _block_climb,
    HillClimb: _block_climb,
    PriorClimb: _climb,
    RandomClimb: _climb,
    HadamardBlocks: _hadamard_blocks,
    LabelSubset: _label_subset,
    MessagePassing: _message_passing,
    Detecting: _detecting,
    PooledDetecting: _pooled_detecting,
    HitPools: _hit_pools,
    Lattice: lattice_estimate,
    ChampionChallenger: _champion_challenger,
    BoundaryChallenger: _boundary_challenger,
    AnytimeChampionChallenger: _anytime,
    SteeredPools: _steered_pools,
}
