"""Expected gains of attacks through metrics: formulas, or simulated games where none is known.

As `formulas` does of accuracies: one function per attack, and a table of them at the end. Attacks
on match counts have the forecasts of accuracies; attacks that read labels as digits know beforehand
how many a look reads. An attack that the table does not name is played.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.exact.lattice.looks import lattice_affordable, lattice_looks
from holdfast.attacks.through_metrics import (
    ByGroup,
    ClassPools,
    CountReader,
    Digits,
    Graded,
    JointCounts,
    LevelCounts,
    LinearReader,
    PartsInTurn,
    RunClimb,
    RunReader,
    ShuffleClimb,
    SparseClimb,
    TargetBisection,
    TargetDigits,
    TopK,
    TwoLevels,
    TwoTargets,
)
from holdfast.attacks.through_metrics.affine_forms import affine_value
from holdfast.attacks.through_metrics.best_expected import best_submission, expected_value
from holdfast.attacks.through_metrics.count_reader import whole_parts
from holdfast.attacks.through_metrics.description import (
    LATTICE,
    MetricBoard,
    ThroughMetric,
    Told,
    label_metric,
    proved_by,
)
from holdfast.attacks.through_metrics.digits import looks_for_digits
from holdfast.attacks.through_metrics.fractional_offsets import OffsetDigits
from holdfast.attacks.through_metrics.likely_or_not import LikelyOrNot
from holdfast.attacks.through_metrics.linear_belief import shifted
from holdfast.attacks.through_metrics.registry import AttackOnBoard
from holdfast.attacks.through_metrics.target_bisection import round_looks
from holdfast.attacks.through_metrics.two_points import check_blurred
from holdfast.errors import NotSupported
from holdfast.loop import play
from holdfast.metrics import LabelMetric, Metric, TopKAccuracy
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.oracles import MetricOracle
from holdfast.planner.auto import Auto
from holdfast.planner.plan import plan_under
from holdfast.problem import Problem
from holdfast.rules import Chain, Exact, Gaussian, Rounding, Rule

__all__ = [
    "MetricEstimate",
    "counts_forecast",
    "metric_estimate",
    "rule_told",
    "unexplained",
]

Floats = NDArray[np.float64]

# Accuracies that go through the rule themselves.
AS_RELEASED = Told()
# Of a linear estimate so many examples, and numbers, are drawn at most; and steps to its fixed
# point.
MOST_DRAWN, MOST_NUMBERS, STEPS = 20_000, 4_000_000, 200
# A rule that leaves more than this share of a value's information hides no counts.
HIDES_NOTHING = 0.9999
# Simulated games, and how many labels they may show in all: a few seconds.
SEED, GAMES, MOST_LABELS = 20_261_117, 6, 20_000_000


class MetricEstimate(NamedTuple):
    """What looks at a metric are expected to be worth.

    Attributes
    ----------
    gain
        Examples that are right above guessing.
    certain
        Examples that are proved after all the looks; None: that is not known beforehand.
    looks_for_all
        Looks after which every example is known; None: that is not known beforehand.
    reason
        Where the figures come from.
    attack
        The attack on match counts that the figures are of, where one is chosen; of a plan the
        attack to play, of groups that on the largest.
    in_metric
        The gain in the metric's unit, by which estimates of one board are compared; None: as large
        as the share of examples that `gain` is.
    error
        The standard error of `gain`; None: that of a formula.
    """

    gain: float
    certain: int | None
    looks_for_all: int | None
    reason: str
    attack: str = ""
    in_metric: float | None = None
    error: float | None = None

    @classmethod
    def of_proved(cls, proved: int, looks: int, reason: str, problem: Problem) -> MetricEstimate:
        """Return the estimate of an attack that proves so many labels and guesses the others."""
        return cls(proved * (1.0 - problem.baseline), proved, looks, reason)


# What the attack inside gains on a problem where accuracies are shown, and they reach it so.
Counts = Callable[[Problem, Told], MetricEstimate]


def metric_estimate(attack: AttackOnBoard, problem: Problem, rule: Rule) -> MetricEstimate:
    """Return what an attack is expected to gain, or raise `NotSupported` with the reason.

    Targets are taken for equally likely, and an attack inside for the planned one.
    """
    attack.check_readable()
    cls, board = attack.cls, attack.board
    if cls not in FORMULAS:
        return _played(attack, problem, rule)
    of = FORMULAS[cls]
    if of is None:
        raise NotSupported(
            f"no forecast for {board.metric} of {problem.n_classes} classes: {cls.name} has no "
            "formula. Audit the labels instead."
        )
    if attack.inner is not None and attack.inner.name != Auto.name:
        raise NotSupported("no formula tells what it gains.")
    return of(problem, board, partial(counts_forecast, rule))


# -- match counts


def counts_forecast(rule: Rule, problem: Problem, told: Told = AS_RELEASED) -> MetricEstimate:
    """Return what the best attack on match counts gains where a rule releases accuracies."""
    n, m, k = problem
    rule = rule_told(rule, told)
    chosen = plan_under(rule, problem).chosen
    looks = math.ceil(lattice_looks(n, m)) if all(s.keeps_exact for s in rule.stages) else None
    certain = n if looks is not None and looks <= k else None
    reason = "as accuracies"
    return MetricEstimate(
        chosen.gain or 0.0, certain, looks, reason, chosen.attack, error=chosen.error
    )


def rule_told(rule: Rule, told: Told) -> Rule:
    """Return the rule that accuracies seem to go through, where they are read off a rule's values.

    Settings that are sizes, a Ladder's step and the scale of noise, are divided by what a value
    differs by between no match and all.

    >>> from holdfast.rules import parse_rule
    >>> str(rule_told(parse_rule("gaussian:0.02"), Told(2.0)))
    'gaussian:0.01'
    >>> str(rule_told(parse_rule("round:2"), Told(None, blur=0.5)))
    'gaussian:0.5'
    """
    if told.unit is None:
        return Gaussian(told.blur) if told.blur else Exact()
    if told.unit == 1.0:
        return rule
    stages = [_scaled(stage, told.unit) for stage in rule.stages]
    return stages[0] if len(stages) == 1 else Chain(stages)


def _scaled(rule: Rule, unit: float) -> Rule:
    """Return one rule in units of accuracy."""
    if isinstance(rule, Rounding):
        step = float(rule.rounds_to) / unit
        if step > 1.0:
            raise NotSupported(f"all matches together weigh {unit:g}, less than a rounding step.")
        return Rounding(step=step)
    sizes = {each.name for each in fields(rule)} & {"step", "scale"}
    return replace(rule, **{name: getattr(rule, name) / unit for name in sizes})


def _count_reader(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:
    """Return what the attack gains at accuracies, of equally large classes.

    Of two classes one look less: it counts them.
    """
    n, m, k = problem
    if m > 2 and board.is_group:
        raise NotSupported(
            f"no forecast for {board.metric} of groups of {m} classes: a group's class sizes "
            "are not public."
        )
    if board.noise is None:
        raise NotSupported("it reads every look's own value, and the rule does not tell it.")
    counting = int(m == 2)
    if k <= counting:
        return MetricEstimate(0.0, 0, None, "one look counts the positives")
    made = CountReader(
        problem,
        LATTICE.make,
        rng=np.random.default_rng(0),
        metric=label_metric(board.metric),
        sizes=whole_parts(n, m),
        step=board.rounding,
        noise=board.noise,
    )
    found = counts(Problem(n, m, k - counting), made.told)
    looks = None if found.looks_for_all is None else found.looks_for_all + counting
    less, public = "as accuracies, one look less", "as accuracies, where the class sizes are public"
    found = found._replace(looks_for_all=looks, reason=less if counting else public)
    if made.told == Told():
        return found
    # Beside estimates of the metric itself: above the best constant.
    right = min(float(n), n / m + found.gain)
    constant = max(made.constant_value(label) for label in (0, m - 1))
    return found._replace(in_metric=made.expected(right) - constant)


def _top_k(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:
    """Return what the attack gains at accuracies of as many classes as there are blocks."""
    n, m, k = problem
    assert isinstance(board.metric, TopKAccuracy)
    size = board.metric.k
    if m % size:
        raise NotSupported(
            f"no forecast for {board.metric} of {m} classes: blocks of {size} overlap, and how "
            "far they are climbed has no formula. Audit the labels instead."
        )
    reason = f"as accuracies of {m // size:,} classes"
    found = counts(Problem(n, m // size, k), AS_RELEASED)
    return found._replace(certain=None, looks_for_all=None, reason=reason)


def _two_levels(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:
    """Return what the attack gains at accuracies in the loss's unit, with one look less."""
    n, m, k = problem
    check_blurred(problem, board)
    points = LikelyOrNot.on(problem, board)
    if k < 2:
        return MetricEstimate(0.0, 0, None, "one look is at its guess")
    found = counts(Problem(n, m, k - 1), Told(points.unit))
    right = min(1.0 - 0.5 / n, 1.0 / m + max(0.0, found.gain) / n)
    gain = points.expected_loss(1.0 / m) - points.expected_loss(right)
    reason = "as accuracies, of two probabilities"
    return found._replace(certain=None, looks_for_all=None, reason=reason, in_metric=gain)


# -- digits


def _digits(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:  # noqa: ARG001
    """Return labels read as digits, and others that the counts above them tell."""
    digits = Digits.digits_fitting(problem, board)
    known = digits * problem.n_queries + lattice_affordable(problem.n_queries, problem)
    why = f"{digits} labels per look as digits, others from match counts"
    looks = looks_for_digits(digits, problem)
    return MetricEstimate.of_proved(min(problem.n_examples, known), looks, why, problem)


def _graded(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:  # noqa: ARG001
    """Return the labels that ranks of one's choice tell, where half are positive."""
    known = looks = 0
    for labels, times in Graded.schedule(problem, board.decimals):
        known += labels * max(0, min(times, problem.n_queries - looks))
        looks += times
    found = MetricEstimate.of_proved(known, looks, "rank sums, half positives", problem)
    # Examples that are not known stand between known ones: only pairs of two such are guessed.
    share = known / problem.n_examples
    return found._replace(in_metric=share * (1.0 - share / 2.0))


def _target_digits(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:  # noqa: ARG001
    """Return targets read as digits, after the looks that tell their squares."""
    reader = TargetDigits.on_board(problem, board, rng=np.random.default_rng(0))
    n, _, k = problem
    first, digits = reader.looks_before, reader.digits_of_uniform_targets()
    known = min(n, digits * max(0, k - first))
    why = f"{digits} targets {board.low} to {board.high} per look as digits"
    return MetricEstimate.of_proved(known, first + math.ceil(n / digits), why, problem)


def _target_bisection(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:  # noqa: ARG001
    """Return what is known of equally frequent targets, round by round."""
    # Decimals that are too few are refused where the attack refuses them.
    TargetBisection.on_board(problem, board, rng=np.random.default_rng(0))
    n, _, left = problem
    right, certain = problem.baseline, 0.0
    rounds = _halvings(n, board.high - board.low + 1, board.decimals)
    for each in rounds:
        part = min(1.0, left / each.looks)
        right += part * (each.right - right)
        certain += part * (each.certain - certain)
        left -= min(left, each.looks)
    looks = sum(each.looks for each in rounds)
    times = f"targets {board.low} to {board.high} halved {len(rounds)} times"
    gain = n * (right - problem.baseline)
    why = f"ranges of {times}, by digits and counts"
    return MetricEstimate(gain, math.floor(n * certain), looks, why)


class _Halving(NamedTuple):
    """A round in which each range is halved: its looks, and shares of the targets after it.

    `right` of them are hit by the middles of the ranges, `certain` are known.
    """

    looks: int
    right: float
    certain: float


def _halvings(n_examples: int, radix: int, decimals: int | None) -> list[_Halving]:
    """Return the rounds for targets 0 to radix - 1 that are equally frequent.

    >>> [each.looks for each in _halvings(20, 4, None)]
    [1, 1]
    """
    rounds, ranges = [], Counter({radix: 1})
    each = n_examples / radix
    while max(ranges) > 1:
        middles = {size: (size - 1) // 2 for size in ranges}
        most = each * sum(n * s * (s - 1 - middles[s]) for s, n in ranges.items())
        base = each * sum(n * sum(abs(t - middles[s]) for t in range(s)) for s, n in ranges.items())
        first, later = (
            len(
                OffsetDigits.largest_set(
                    n_examples, total, span=span, largest=radix - 1.0, decimals=decimals
                ).sizes
            )
            for total, span in ((most, 1), (base, 2))
        )
        size = math.ceil(each * sum(n * s for s, n in ranges.items() if s > 1)) - first
        looks = 1 if size <= 0 else 1 + round_looks(later, size, 3 * size + 3)
        halves: Counter[int] = Counter()
        for s, n in ranges.items():
            halves[middles[s] + 1] += n
            if s > 1:
                halves[s - 1 - middles[s]] += n
        ranges = halves
        rounds.append(_Halving(looks, ranges.total() / radix, ranges[1] / radix))
    return rounds


# -- linear estimates


def _linear_reader(problem: Problem, board: MetricBoard, counts: Counts) -> MetricEstimate:  # noqa: ARG001
    r"""Return what the best linear estimate gains, where a rule blurs what values tell.

    Of a value with variance s^2 a rule leaves the share eta of its information, as noise of
    variance s^2 (1 - eta) / eta would: `unexplained` says what that leaves of the labels. Beliefs
    with this share are drawn, and the best submission is valued by them.
    """
    n, m, k = problem
    if isinstance(board.metric, ProbabilityMetric):
        raise NotSupported(f"no forecast for {board.metric}: {LinearReader.name} has no formula.")
    drawn = min(n, MOST_DRAWN)
    if board.sizes is not None:
        ends = np.rint(np.cumsum(board.sizes) / sum(board.sizes) * drawn).astype(int)
        board = board._replace(sizes=tuple(np.diff(ends, prepend=0).tolist()))
    rng = np.random.default_rng(0)
    made = LinearReader.on_board(Problem(drawn, m, k), board, rng=rng)
    told = made.told_share(drawn / n)
    if told > HIDES_NOTHING:
        raise NotSupported(
            f"no forecast for {board.metric} of {m} classes: {LinearReader.name} is "
            "made for values that a rule blurs, and these tell counts. Audit the labels "
            "instead."
        )
    return _gain_of_beliefs(board.metric, problem, made.expected_shares, told)


def unexplained(told: float, problem: Problem) -> float:
    r"""Return the share of the labels' variance that looks leave, each telling a share of a value.

    K values of random submissions leave the share e of the variance of n (m - 1) coordinates
    unexplained, the fixed point of

        e = 1 / (1 + K / (n (m - 1)) / ((1 - eta) / eta + e))

    (linear estimates from random designs; Tse & Hanly 1999).

    >>> round(unexplained(0.5, Problem(1000, 2, 100)), 3)
    0.951
    """
    n, m, k = problem
    load, noise, left = k / (n * (m - 1)), (1.0 - told) / max(told, 1e-12), 1.0
    for _ in range(STEPS):
        left = 1.0 / (1.0 + load / max(noise + left, 1e-12))
    return left


def _gain_of_beliefs(
    metric: Metric, problem: Problem, shares: Floats, told: float
) -> MetricEstimate:
    """Return what the best submission is worth once looks have told such a share of each value."""
    n, m, _ = problem
    drawn = max(2, min(n, MOST_DRAWN, MOST_NUMBERS // m))
    rho = max(1e-12, 1.0 - unexplained(told, problem))
    rng = np.random.default_rng(0)
    ends = np.rint(np.cumsum([0.0, *shares]) * drawn).astype(int)
    labels = np.repeat(np.arange(m), np.diff(ends))
    # Noise with the covariance diag(p) - p p' of one label, as the estimate's observation has it.
    normal = rng.standard_normal((labels.size, m))
    noise = normal * np.sqrt(shares) - np.outer(normal @ np.sqrt(shares), shares)
    seen = np.eye(m)[labels] + noise * np.sqrt((1.0 - rho) / rho)
    logits = np.log(shares) + rho / (1.0 - rho) * (seen - 0.5) / shares
    own_sizes = np.bincount(labels, minlength=m).astype(np.float64)
    chances = shifted(logits, own_sizes)
    nothing = np.tile(shares, (labels.size, 1))
    gains = _expected(metric, chances, own_sizes) - _expected(metric, nothing, own_sizes)
    right = float(np.mean(chances.max(axis=1))) - float(shares.max())
    reason = "the best linear estimate from random submissions"
    return MetricEstimate(max(right, 0.0) * n, None, None, reason, in_metric=max(gains, 0.0))


def _expected(metric: Metric, chances: Floats, sizes: Floats) -> float:
    """Return what the best submission is expected to score."""
    best = best_submission(metric, chances, sizes)
    if isinstance(metric, LabelMetric):
        return expected_value(metric, best, chances, sizes)
    value = affine_value(metric, best, sizes, sizes_known=True)
    return value.constant + float(np.sum(value.weights(slice(0, len(best))) * chances))


# -- simulated games


def _played(attack: AttackOnBoard, problem: Problem, rule: Rule) -> MetricEstimate:
    """Return the mean of games on equally large classes: above what it submits without a look."""
    n, m, k = problem
    metric = attack.board.metric
    if GAMES * n * k > MOST_LABELS:
        raise NotSupported(
            f"no forecast for {metric} of {m} classes: {attack.cls.name} has no formula, and its "
            "games take too long. Audit the labels instead."
        )
    rng, gains, proved = np.random.default_rng([SEED, *problem]), [], []
    for _ in range(GAMES):
        hidden = rng.permutation(np.arange(n) % m)
        made = attack.make(problem, rng=rng)
        before = metric.score(hidden, made.predict())
        oracle = MetricOracle(hidden, metric, n_queries=k, mechanism=rule, rng=rng, n_classes=m)
        gains.append(metric.score(hidden, play(made, oracle, until_refused=True)) - before)
        proved.append(int(proved_by(made, n).sum()))
    gain = float(np.mean(gains)) * (1.0 if metric.higher_is_better else -1.0)
    error = n * float(np.std(gains, ddof=1)) / math.sqrt(GAMES)
    reason = f"simulated {GAMES} times on labels drawn at random"
    return MetricEstimate(
        n * gain, math.floor(np.mean(proved)), None, reason, in_metric=gain, error=error
    )


# None: of these nothing is known, and their games take too long for a plan.
FORMULAS: dict[
    type[ThroughMetric], Callable[[Problem, MetricBoard, Counts], MetricEstimate] | None
] = {
    Digits: _digits,
    Graded: _graded,
    TargetDigits: _target_digits,
    TargetBisection: _target_bisection,
    CountReader: _count_reader,
    TopK: _top_k,
    LinearReader: _linear_reader,
    TwoLevels: _two_levels,
    **dict.fromkeys((JointCounts, LevelCounts, PartsInTurn, ByGroup, ClassPools)),
    **dict.fromkeys((RunReader, RunClimb, SparseClimb, ShuffleClimb, TwoTargets)),
}
