"""The dense r-label design, decoded by approximate message passing."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.answers import AnswerModel, ExactAnswers
from holdfast.attacks.answer_likelihood import Floats, effective_variance, slopes
from holdfast.attacks.designs.subset_design import (
    SubsetDesign,
    add_rows,
    best_of,
    label_counts,
    one_step_accuracy,
    row_totals,
)
from holdfast.labels import label_dtype
from holdfast.problem import Problem
from holdfast.setting import Setting

__all__ = ["MessagePassing", "state_evolution"]

# The iteration stops when the probabilities move less than this on average, or after so many.
SETTLED, ROUNDS = 1e-4, 60

# With fewer looks beliefs are worth less than the state evolution says: (1635, 16) with 4 looks
# gains 10.0 +- 0.6, and it says 12.5, one step 10.7; (3000, 100) with 6, 7.1 +- 0.7 : 8.5 : 7.7.
STATE_EVOLUTION_LOOKS = 8

# Evidence drawn for one step of the state evolution: so many numbers, r per example.
SAMPLED_EVIDENCE = 40_000

# The state evolution, which also makes the attack, takes minutes with more classes.
MOST_CLASSES = 2000

# Rows are kept between rounds if they take at most this many bytes, else made again.
MOST_BYTES_KEPT = 1 << 28


def _posterior(evidence: Floats, odds: Floats, rest: Floats | float) -> Floats:
    """Return the probabilities of the shown labels; `rest` is the mass of all the others."""
    top = evidence.max(axis=1, keepdims=True)
    mass = np.asarray(rest).reshape(-1, 1)
    # Labels not shown have evidence 0; where there are none, 0 is no competitor.
    top = np.where(mass > 0.0, np.maximum(top, 0.0), top)
    weights = odds * np.exp(evidence - top)
    others = np.where(mass > 0.0, mass * np.exp(np.minimum(-top, 0.0)), 0.0)
    return np.asarray(weights / (weights.sum(axis=1, keepdims=True) + others))


@lru_cache(maxsize=1024)
def state_evolution(problem: Problem, n_labels: int, answers: AnswerModel) -> float:
    """Return the accuracy that message passing reaches for many examples, with r labels.

    An example then sees independent normal evidence, of mean +d^2/2 for the true label and
    -d^2/2 for others relative to one not shown, variance d^2 = (k/r)/(v + s); the posteriors
    leave a variance v for the next round, and so on to the fixed point.
    """
    n, m, k = problem
    r = n_labels
    # The same sample for every problem: the curve in k is smooth. The true label, if shown, is
    # label 0; examples that show it and examples that don't are weighed as they occur.
    sample = max(400, SAMPLED_EVIDENCE // r)
    noise = np.random.default_rng(r).normal(size=(2, sample, r))
    noise -= noise.mean(axis=2, keepdims=True)
    hit = np.zeros((2, 1, r))
    hit[0, 0, 0] = 1.0
    hit -= hit.mean(axis=2, keepdims=True)
    odds, rest = np.full((1, r), 1 / m), 1 - r / m
    share = np.array([r / m, rest])
    spread = (n - 1) / m * (1 - 1 / r)
    offset = n / (r * m) * rest
    for _ in range(ROUNDS):
        hidden = effective_variance(answers, max(spread, 1 / 12), offset, problem)
        strength = k / r / (max(spread, 1 / 12) + hidden)
        evidence = strength * (hit - (1 - 1 / r) / 2) + math.sqrt(strength) * noise
        p = _posterior(evidence.reshape(-1, r), odds, rest).reshape(2, sample, r)
        total = p.sum(axis=2)
        left = total * (1 - 1 / r) - (p**2).sum(axis=2) + total**2 / r
        fresh = n / r * float(share @ left.mean(axis=1))
        if abs(fresh - spread) < 1e-3 * spread + 1e-6:
            break
        spread = fresh
    # Among the r the true label wins with the chance of one normal step at the final strength,
    # unless all r look worse than a label not shown; which one of those is then a guess.
    won = best_of(r, strength)
    if r == m:
        return won
    rejected = p.max(axis=2) < (1 - total) / (m - r)
    lost = float((rejected[0] & (p[0].argmax(axis=1) == 0)).mean())
    return (won - lost) * r / m + rest * float(rejected[1].mean()) / (m - r)


class MessagePassing(SubsetDesign):
    r"""Decode the r-label design by passing beliefs between answers and examples.

    The queries show each example r labels in random columns. Group means, which `LabelSubset`
    stops at, treat all other examples as noise of known variance; but once some examples are
    better known than before, they are less noise to the others. Message passing repeats the step
    with the current beliefs p_j:

        V     = variance of a count under the beliefs, centred within each column
        om_i  = sum over j of p_j(q_ij), centred, minus V g_i   (without an answer's own echo)
        g_i   = (A_i - level - om_i) / (V + noise)
        h_j(l) = sum over {i: q_ij = l} of g_i + (k/r)/(V + noise) (p_j(l) - mean p_j - (1-1/r)/2)
        p_j   = prior times exp(h_j), normalised, labels not shown with evidence 0

    the TAP form of approximate message passing. Everything is centred over the r labels of a
    column, so that the number of examples whose label is among their r, which shifts all answers
    alike, drops out; without that the iteration diverges. For large n the accuracy follows the
    state evolution, and above a threshold of k/n that depends on m alone (about .5 for m = 2,
    1.8 for m = 10) every label is found.

    Departures
    ----------
    Not in the paper: it asks for k > 9 m log m and decides k/(9 log m) examples.

    Parameters
    ----------
    prior
        What a model says of the labels. An example's r labels are then its most likely ones, and
        examples that so many answers can't change show their most likely label throughout.
    answers
        What a released answer tells.
    n_labels
        r, from 2 to n_classes; None: the number with the largest expected accuracy.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> attack = MessagePassing(Problem(300, 2, 240), rng=rng)
    >>> hidden = rng.integers(2, size=300)
    >>> while (query := attack.ask()) is not None:
    ...     attack.tell(np.mean(query == hidden))
    >>> bool((attack.predict() == hidden).all())
    True
    """

    family = "designs"
    summary = "passes beliefs between answers and examples"
    effort = 45.0
    rounds = ROUNDS

    @classmethod
    def obstacle(cls, setting: Setting) -> str | None:
        """Return why it can't be played: the state evolution would take too long."""
        slow = f"its state evolution takes too long with over {MOST_CLASSES} classes"
        many = setting.problem.n_classes > MOST_CLASSES
        return super().obstacle(setting) or (slow if many else None)

    @classmethod
    def best_label_count(cls, problem: Problem, answers: AnswerModel) -> int:
        """Return the number of labels with the largest accuracy by state evolution."""
        return max(
            label_counts(problem.n_classes), key=lambda r: state_evolution(problem, r, answers)
        )

    @classmethod
    def expected_accuracy(cls, problem: Problem, *, answers: AnswerModel | None = None) -> float:
        """Return the accuracy by state evolution, with the best r and without a prior."""
        model = ExactAnswers() if answers is None else answers
        if problem.n_queries < STATE_EVOLUTION_LOOKS:
            return max(
                one_step_accuracy(problem, r, model) for r in label_counts(problem.n_classes)
            )
        return max(state_evolution(problem, r, model) for r in label_counts(problem.n_classes))

    def _scores(self) -> Floats:
        odds = self._odds[self._used]
        rest = 1.0 - odds.sum(axis=1)
        r, seen = self._n_labels, self._answered
        released = self._released.first(seen)
        base, common = self._offset(odds)
        rows_at_hand = self._kept_chunks()
        p, g = np.array(odds), np.zeros(seen)
        evidence = np.zeros_like(p)
        damping, last = 1.0, math.inf
        for _ in range(self.rounds):
            variance = self._spread(p)
            hidden = effective_variance(self._answers, variance, common, self._problem)
            precision = 1.0 / (variance + hidden)
            own = p - p.mean(axis=1, keepdims=True)
            means = np.empty(seen)
            for here, rows in rows_at_hand or self._chunks():
                row_totals(rows, own, means[here])
            means += base - variance * g
            level = self._level(means, variance, common)
            g = slopes(self._answers, released, means + level, variance, self._problem)
            sums = np.zeros_like(p)
            for here, rows in rows_at_hand or self._chunks():
                add_rows(rows, g[here], sums)
            fresh = sums - g.mean() * seen / r
            fresh += seen / r * precision * (own - (1 - 1 / r) / 2)
            evidence = fresh if math.isinf(last) else damping * fresh + (1 - damping) * evidence
            moved = _posterior(evidence, odds, rest)
            change = float(np.abs(moved - p).mean())
            p = moved
            if change < SETTLED:
                break
            # A step that grows is the first sign of an oscillation; shorter ones end it.
            damping = max(0.3, damping * 0.8) if change > last else damping
            last = change
        return evidence

    def _kept_chunks(self) -> list[tuple[slice, NDArray[Any]]]:
        """Return all rows if they fit in memory, else nothing: they are then made every time."""
        if (
            self._answered * self._used.size * label_dtype(self._n_labels).itemsize
            > MOST_BYTES_KEPT
        ):
            return []
        return [(here, rows.copy()) for here, rows in self._chunks()]
