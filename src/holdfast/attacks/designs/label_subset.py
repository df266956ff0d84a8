"""The dense r-label design, decoded by centred group means."""

from __future__ import annotations

import numpy as np

from holdfast.answers import AnswerModel, ExactAnswers
from holdfast.attacks._answer_likelihood import Floats, effective_variance, slopes
from holdfast.attacks.designs._forecast import design_estimate
from holdfast.attacks.designs._subset_design import (
    SubsetDesign,
    add_rows,
    label_counts,
    one_step_accuracy,
    row_totals,
)
from holdfast.forecasts import Estimate, Setting
from holdfast.problem import Problem

__all__ = ["LabelSubset"]


class LabelSubset(SubsetDesign):
    r"""Give each example r of the m labels in random queries; take the best group mean.

    Two labels per block stop at 2/m, and all m labels spread the answers too thin until
    k > 9 m log m: between n/m and m log m queries the paper proves nothing. Here each example
    shows r labels of its own, each in k/r of the queries. The answers of the queries that show
    its true label are one higher on average, so the label with the best mean, above the mean of
    all answers, is the guess.

    The more labels, the likelier the true one is among them, and the fewer answers each one has:

        accuracy = (r/m) integral phi(x) Phi(x + d)^(r-1) dx,   d^2 = k m / ((r-1) n)

    for exact answers, and r is chosen to make it largest. For few queries r = 3 has the largest
    constant over r, .598 sqrt(k/(mn)), against .564 for two labels.

    Departures
    ----------
    Not in the paper; it fills the gap between its two regimes (1 + n/2m < k <= 9 m log m).

    Parameters
    ----------
    problem
        The sizes to play for; any number of queries.
    rng
        Where the attack's seed is drawn from.
    permuted
        Play through a random per-example permutation of the labels (Theorem 2).
    prior
        What a model says of the labels. An example's r labels are then its most likely ones, and
        examples that so many answers can't change show their most likely label throughout.
    answers
        What a released answer tells.
    n_labels
        r, from 2 to n_classes; None: the number with the largest expected accuracy.

    Examples
    --------
    >>> attack = LabelSubset(Problem(10_000, 100, 1000), rng=np.random.default_rng(0))
    >>> attack.n_labels
    8
    >>> round(LabelSubset.expected_accuracy(attack.problem), 4)
    0.036
    """

    family = "designs"
    summary = "averages random queries of few labels"
    effort = 40.0

    @classmethod
    def forecast(cls, setting: Setting) -> Estimate:
        """Return the expected gain."""
        reason = "r labels per example: normal integral"
        return design_estimate(cls, setting, reason, measured=cls.name)

    @classmethod
    def expected_accuracy(cls, problem: Problem, *, answers: AnswerModel | None = None) -> float:
        """Return the accuracy in the Gaussian limit, with the best r and without a prior."""
        model = ExactAnswers() if answers is None else answers
        return max(one_step_accuracy(problem, r, model) for r in label_counts(problem.n_classes))

    def _scores(self) -> Floats:
        odds = self._odds[self._used]
        seen, r = self._answered, self._n_labels
        sums = np.zeros((self._used.size, r))
        if self._flat:
            means = np.full(seen, self._problem.n_examples / self._problem.n_classes)
        else:
            means = self._expected_counts(odds)
        spread = self._spread(odds)
        _, common = self._offset(odds)
        level = self._level(means, spread, common)
        weights = slopes(
            self._answers, self._released.first(seen), means + level, spread, self._problem
        )
        times = np.zeros((self._used.size, r))
        for here, rows in self._chunks():
            add_rows(rows, weights[here], sums)
            add_rows(rows, np.ones(rows.shape[0]), times)
        hidden = effective_variance(self._answers, spread, common, self._problem)
        # One answer that is higher by one has log-likelihood slope + (prior - 1/2)/variance.
        own = odds - odds.sum(axis=1, keepdims=True) / r
        return np.asarray(sums + times * (own - (1 - 1 / r) / 2) / (spread + hidden))

    def _expected_counts(self, odds: Floats) -> Floats:
        """Return each answered query's expected count under the prior."""
        means = np.empty(self._answered)
        still = np.delete(self._odds[:, 0], self._used).sum()
        for here, rows in self._chunks():
            row_totals(rows, odds, means[here])
        return np.asarray(means + still)
