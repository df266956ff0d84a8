"""Any metric that is affine in the labels, read through rounding and noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.answer_likelihood import rounding_share
from holdfast.attacks.base import TurnBased
from holdfast.attacks.through_metrics.affine_forms import (
    AffineValue,
    affine_value,
    has_affine_form,
    label_slopes,
)
from holdfast.attacks.through_metrics.best_expected import best_submission
from holdfast.attacks.through_metrics.description import (
    MetricBoard,
    ThroughMetric,
)
from holdfast.attacks.through_metrics.linear_belief import Released, belief
from holdfast.errors import InconsistentAnswer, InvalidInput, NotSupported
from holdfast.labels import Labels, label_dtype
from holdfast.metrics import Accuracy, LabelMetric, LogLoss, Metric, Submission, TopKAccuracy
from holdfast.metrics.one_submission import embedded, read_of, taker_for
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.problem import Problem
from holdfast.protocols import Answer

__all__ = ["LinearReader"]

# Submissions, examples and classes that are solved for within seconds: k^2 n m.
MOST_WORK = 3e10
# A wrong forecast of a log-loss costs so much at most; clipped losses stay this share below.
MOST_COST, ROOM = 30.0, 0.8
# Shares of class 1 among which the submissions' one is chosen.
SHARES_OF_ONE = (0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005)
# Another composition must tell this much more than one that is nearer to even.
CLEARLY_MORE = 0.02
# Sizes that are not public are estimated so often.
ESTIMATES = 3


class LinearReader(TurnBased[NDArray[np.generic]], ThroughMetric):
    """Read labels from any values that are affine in them, whatever the rule adds or rounds away.

    Once class sizes are public, F1, recalls, balanced accuracy, kappa, the Matthews correlation,
    areas under the ROC curve, top-K accuracies and losses of probabilities are affine in the labels
    for a given submission (`affine_forms`). Random submissions are made beforehand; what is
    released of their values gives a probability of each label of each example (`linear_belief`),
    and the submission with the best expected value comes last.

    How often each class is called is what the rule lets tell most: for F1 about as often as there
    are positives, under coarse rounding so that values lie near a border between two steps.

    Departures
    ----------
    Not in the paper. The best linear estimate from a random design, as `LabelSubset` is for
    accuracies, with the metric's affine form as its only input.
    See docs/attacks/counts.md.

    Parameters
    ----------
    problem
        The sizes to play for.
    rng
        Where the submissions come from.
    metrics
        The numbers of a look, in their order, the metric that ranks first.
    noise
        The standard deviation of what the rule adds to a value.
    step
        The step to which it rounds; 0: it does not.
    sizes
        How many examples each class has, where that is public.
    shares
        The class shares otherwise; None: classes are equally likely.
    highest
        Where values of losses are cut off.

    Examples
    --------
    >>> from holdfast import metrics, oracles
    >>> from holdfast.rules import Rounding
    >>> hidden = (np.arange(1000) % 3 == 0).astype(int)
    >>> board = oracles.MetricOracle(
    ...     hidden, metrics.MatthewsCorrcoef(), n_queries=200, mechanism=Rounding(decimals=2))
    >>> attack = LinearReader(Problem(1000, 2, 200), rng=np.random.default_rng(0),
    ...     metrics=[metrics.MatthewsCorrcoef()], step=0.01, sizes=(666, 334))
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(board.query(query))
    >>> metrics.MatthewsCorrcoef().score(hidden, attack.predict()) > 0.2
    True
    """

    summary = "estimates labels from random submissions' values"
    reads_decimals = False

    @classmethod
    def reads_metric(cls, metric: Metric, n_classes: int) -> bool:
        """Tell whether values are affine in the labels, and more than an accuracy."""
        return has_affine_form(metric, n_classes) and not isinstance(metric, Accuracy)

    @classmethod
    def on_board(
        cls, problem: Problem, board: MetricBoard, *, rng: np.random.Generator
    ) -> LinearReader:
        """Make it for a board that tells something of every look's own value."""
        return cls.on_columns(problem, board, [board.metric], rng=rng)

    @classmethod
    def on_columns(
        cls,
        problem: Problem,
        board: MetricBoard,
        metrics: Sequence[Metric],
        *,
        rng: np.random.Generator,
    ) -> LinearReader:
        """Make it for a board that shows several metrics, each through the same rule."""
        if board.noise is None:
            raise NotSupported("it reads every look's own value, and the rule does not tell it.")
        return cls(
            problem,
            rng=rng,
            metrics=metrics,
            noise=board.noise,
            step=board.rounding,
            sizes=board.sizes,
            shares=board.shares,
            highest=board.highest,
        )

    def __init__(
        self,
        problem: Problem,
        *,
        rng: np.random.Generator,
        metrics: Sequence[Metric],
        noise: float = 0.0,
        step: float = 0.0,
        sizes: Sequence[float] | None = None,
        shares: Sequence[float] | None = None,
        highest: float = math.inf,
    ) -> None:
        super().__init__(problem, rng=rng)
        n, m, _ = self._problem
        for metric in metrics:
            if not has_affine_form(metric, m):
                raise NotSupported(f"{metric} of {m} classes is no affine function of the labels.")
        self._metrics, self._taker = list(metrics), taker_for(list(metrics))
        self._noise, self._step, self._highest = noise, step, highest
        self._sizes_known = sizes is not None
        self._sizes = self._expected_sizes(sizes, shares)
        most = int(math.sqrt(MOST_WORK / (n * m)))
        if most < 1:
            raise NotSupported(f"one look at {n:,} examples of {m:,} classes takes too long.")
        self._looks = min(self._problem.n_queries, max(1, most // len(self._metrics)))
        self._rng = np.random.default_rng(self._seed)
        self._drawn_share = 1.0
        self._asked: NDArray[np.generic] = np.zeros(0)
        self._submissions: list[NDArray[np.generic]] = []
        self._told: list[tuple[float, ...]] = []

    def _query(self, index: int) -> NDArray[np.generic] | None:
        """Return the next random submission."""
        if index >= self._looks:
            return None
        self._asked = self._drawn()
        return self._as_submitted(self._asked)

    def _checked(self, answer: Answer) -> tuple[float, ...]:
        """Return the released values, one of each metric."""
        numbers = answer if isinstance(answer, tuple) else (answer,)
        if len(numbers) != len(self._metrics):
            raise InconsistentAnswer(
                f"answer must have {len(self._metrics)} numbers, got {len(numbers)}."
            )
        checked = super()._checked
        return tuple(checked(each) for each in numbers)

    def _take(self, answer: tuple[float, ...]) -> None:
        self._submissions.append(self._asked)
        self._told.append(answer)

    def chances(self) -> NDArray[np.float64]:
        """Return how likely each example has each label: a row of each example."""
        n = self._problem.n_examples
        sizes = self._sizes
        chances: NDArray[np.float64] = np.tile(sizes / n, (n, 1))
        if not self._told:
            return chances
        told = np.array(self._told).T.ravel()
        released = Released(
            told - self._step / 2.0, told + self._step / 2.0, np.full(told.size, self._noise)
        )
        for _ in range(1 if self._sizes_known else ESTIMATES):
            chances = belief(self._values(sizes), released, sizes, sizes_known=self._sizes_known)
            sizes = np.maximum(chances.sum(axis=0), 0.5)
            sizes *= n / sizes.sum()
        return chances

    def _guess(self) -> NDArray[np.generic]:
        """Return the submission that scores best on average."""
        chances = self.chances()
        sizes = self._sizes if self._sizes_known else chances.sum(axis=0)
        return best_submission(self._metrics[0], chances, sizes)

    def _values(self, sizes: NDArray[np.float64]) -> list[AffineValue]:
        """Return every released value as a function of the labels, metric by metric."""
        return [
            affine_value(metric, self._read(each, metric), sizes, sizes_known=self._sizes_known)
            for metric in self._metrics
            for each in self._submissions
        ]

    def _read(self, drawn: NDArray[np.generic], metric: Metric) -> NDArray[np.generic]:
        given: NDArray[np.generic] = read_of(self._as_submitted(drawn), self._taker, metric)
        return given

    # The random submissions: labels, K labels, or an order of all examples.

    def _drawn(self) -> NDArray[np.generic]:
        n, m, _ = self._problem
        if all(each.takes is Submission.SCORES for each in self._metrics):
            return self._rng.permutation(n).astype(np.float32)
        if self._taker.takes is Submission.RANKED_LABELS:
            assert isinstance(self._taker, TopKAccuracy)
            # K in a row of a random order of the classes, from a random place on.
            first = self._rng.permutation(np.arange(n) % m)
            order = self._rng.permutation(m)
            rows = order[(first[:, None] + np.arange(self._taker.k)) % m]
            return rows.astype(label_dtype(m))
        labels: Labels = np.repeat(np.arange(m), self._called).astype(label_dtype(m))
        return self._rng.permutation(labels)

    def _as_submitted(self, drawn: NDArray[np.generic]) -> NDArray[np.generic]:
        """Return a random submission as the board takes it."""
        if self._taker.takes is not Submission.PROBABILITIES:
            return drawn
        m = self._problem.n_classes
        losses = [each for each in self._metrics if isinstance(each, ProbabilityMetric)]
        if not losses:
            whole: NDArray[np.generic] = embedded(drawn, Accuracy(), self._taker, m)
            return whole
        small = math.exp(-self._most_cost()) if any(isinstance(x, LogLoss) for x in losses) else 0.0
        rows = np.full((drawn.size, m), small)
        rows[np.arange(drawn.size), drawn.astype(np.intp)] = 1.0 - (m - 1) * small
        return rows

    def _most_cost(self) -> float:
        """Return what a wrong forecast costs, so that random ones are not cut off."""
        m = self._problem.n_classes
        return min(MOST_COST, ROOM * self._highest / (1.0 - 1.0 / m))

    # What is known before the first look.

    def _expected_sizes(
        self, sizes: Sequence[float] | None, shares: Sequence[float] | None
    ) -> NDArray[np.float64]:
        n, m, _ = self._problem
        if sizes is not None:
            found = np.array(sizes, dtype=np.float64)
            if found.shape != (m,) or found.min() < 0 or abs(found.sum() - n) > 1e-6 * n:
                raise InvalidInput(
                    f"sizes must be {m} numbers that add up to {n}, got {tuple(sizes)}."
                )
            return found
        even = np.full(m, 1.0 / m) if shares is None else np.array(shares, dtype=np.float64)
        expected: NDArray[np.float64] = even * (n / even.sum())
        return expected

    @cached_property
    def _called(self) -> NDArray[np.int64]:
        """Return how often each class is called: what the rule lets tell most."""
        n, m, _ = self._problem
        shares = self._sizes / n
        options = [np.full(m, 1.0 / m), np.sqrt(shares), shares]
        if m == 2:
            ones = {*SHARES_OF_ONE, *(1.0 - each for each in SHARES_OF_ONE), float(shares[1])}
            spread = sorted(ones, key=lambda each: abs(each - 0.5))
            options = [np.array([1.0 - each, each]) for each in spread]
        metric = next((each for each in self._metrics if isinstance(each, LabelMetric)), None)
        best, most = _whole(options[0], n), -1.0
        if metric is None:
            return best
        for option in options:
            called = _whole(option, n)
            told = self._told_by(metric, called)
            if told > most + CLEARLY_MORE:
                best, most = called, told
        return best

    def _told_by(self, metric: LabelMetric, called: NDArray[np.int64]) -> float:
        """Return which share of the information is left in a value of labels called so often."""
        slopes = label_slopes(
            metric, tuple(self._sizes.tolist()), tuple(called.tolist()), self._sizes_known
        )
        n, shares = self._problem.n_examples, self._sizes / self._problem.n_examples
        # Rows: the label that is called; columns: the label that is true.
        weights = np.diag(slopes.by_label) + slopes.offsets
        if self._sizes_known:
            weights = weights - (called / n) @ weights
        around = weights - (weights @ shares)[:, None]
        return self._left(slopes.expected, float(called @ (around**2 @ shares)))

    @property
    def expected_shares(self) -> NDArray[np.float64]:
        """The class shares that it expects before the first look."""
        return self._sizes / self._problem.n_examples

    def told_share(self, drawn_share: float = 1.0) -> float:
        """Return which share of a random submission's information the rule leaves.

        With `drawn_share` the examples stand for more, of which they are this share: values of all
        vary less.
        """
        self._drawn_share = drawn_share
        drawn, metric = self._drawn(), self._metrics[0]
        value = affine_value(
            metric, self._read(drawn, metric), self._sizes, sizes_known=self._sizes_known
        )
        shares = self._sizes / self._problem.n_examples
        weights = value.weights(slice(0, self._problem.n_examples))
        mean = value.constant + float(np.sum(weights @ shares))
        if self._sizes_known:
            weights = weights - weights.mean(axis=0)
        around = weights - (weights @ shares)[:, None]
        return self._left(mean, float(np.sum(around**2 @ shares)))

    def _left(self, mean: float, variance: float) -> float:
        """Return which share of a normal value's information is left by noise and rounding."""
        variance *= self._drawn_share
        if variance <= 0.0:
            return 0.0
        total = variance + self._noise**2
        left = 1.0 if not self._step else rounding_share(mean, total, self._step)
        return left * variance / total


def _whole(shares: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Return whole numbers in these shares that add up to n."""
    ends = np.rint(np.cumsum(shares / shares.sum()) * n).astype(np.int64)
    ends[-1] = n
    called: NDArray[np.int64] = np.diff(ends, prepend=0)
    return called
