"""Losses as accuracies: one probability for the class that a query names, another for the rest.

A loss of such a forecast falls by the same amount with every match, so that any attack on
accuracies plays through it, under any rule that attack knows: noise and steps count in units of
that amount. It is far less than the digits of a loss tell, and all that is left where a rule adds
noise, shows new bests alone, or rounds until no digits are left.

A Brier score of three classes: sure and right costs 0, sure and wrong 2 (the squares of two
classes), so n examples with M matches cost 2 (1 - M/n) on average. A loss of 0.7 is an accuracy of
65 %, and noise of 0.02 in the loss is noise of 0.01 in the accuracy: the attack plays the rule
`gaussian:0.01`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks import Lattice
from holdfast.attacks.through_metrics import Digits
from holdfast.attacks.through_metrics.around_attack import proved_by
from holdfast.audit.metrics.climbers import climbers
from holdfast.audit.metrics.match_counts import informed_attack, on_counts
from holdfast.audit.metrics.starts import Start
from holdfast.errors import NotSupported
from holdfast.labels import Labels
from holdfast.mechanisms import Exact, Rounding, Rule
from holdfast.metrics import Accuracy, Clipped, LogLoss, Metric
from holdfast.metrics.probabilities import ProbabilityMetric
from holdfast.planner import decimals_of
from holdfast.problem import Problem
from holdfast.protocols import Answer, one_number

__all__ = ["NAME", "TwoLevels", "check_blurred", "in_accuracies", "on_two_levels"]

NAME, SUMMARY = "two-levels", "calls each class likely or not"
# A log-loss is clipped far above what one example costs here.
MOST_COST = 30.0


def on_two_levels(metric: Metric, start: Start) -> list[tuple[str, str, Callable[..., Any]]]:
    """Return the attacks on accuracies that play through a loss: name, what it does, and make.

    `make(problem, rng=, rule=, sizes=)` returns a `TwoLevels` around the attack. Any other metric
    than a loss of probabilities: none.
    """
    loss = metric.inner if isinstance(metric, Clipped) else metric
    if not isinstance(loss, ProbabilityMetric):
        return []
    every: list[tuple[str, str, Callable[..., Any]]] = [
        (each.name, each.summary, partial(_scored, start=start, at=at))
        for at, each in enumerate(on_counts(start, Exact()))
    ]
    if start.nothing:
        # Labels that are proved cost nothing in the end, and guesses that are mostly right do.
        proving = partial(informed_attack, cls=Lattice, start=start)
        every.append((Lattice.name, Lattice.summary, proving))
    every += [(cls.name, cls.summary, make) for cls, make in climbers(Accuracy(), start, 2)]
    return [
        (f"{NAME}, {name}", f"{SUMMARY}, {does}", partial(_made, metric=metric, inner=make))
        for name, does, make in every
    ]


def _scored(
    problem: Problem, *, rng: np.random.Generator, rule: Rule, start: Start, at: int
) -> Any:
    """Make the attack on accuracies at a place, for the rule that accuracies seem to go through."""
    return on_counts(start, rule)[at].make(problem, rng=rng, exact=False)


def _made(
    problem: Problem,
    *,
    rng: np.random.Generator,
    rule: Rule,
    metric: Metric,
    inner: Callable[..., Any],
    sizes: tuple[int, ...],
) -> Any:
    """Put an attack on accuracies on a loss; `sizes` are those of the classes, in their order."""
    loss = metric.inner if isinstance(metric, Clipped) else metric
    assert isinstance(loss, ProbabilityMetric)
    check_blurred(rule, partial(Digits, problem, rng=np.random.default_rng(0), metric=loss))
    return TwoLevels(problem, partial(inner, rng=rng), metric=metric, rule=rule, sizes=sizes)


def check_blurred(rule: Rule, digits: Callable[..., Any]) -> None:
    """Raise `NotSupported` where values can be read as digits, which tells far more.

    `digits(decimals=)` makes what reads them, or raises `NotSupported` itself.
    """
    try:
        digits(decimals=decimals_of(rule))
    except NotSupported:
        return
    raise NotSupported("it is made for what digits can't be read from, and the rule shows them.")


class TwoLevels:
    """Play an attack on accuracies where a loss of probabilities is shown.

    A query's labels become probabilities, all alike but for which class is meant; a loss L becomes
    the accuracy (miss - L) / (miss - hit), where hit and miss are what one example costs.

    The last look is at the attack's own guess: it tells how often that is right, and so with which
    probabilities it is submitted in the end. To be sure of a guess that is right in two of three
    cases would cost more than to say nothing; 2/3 is the forecast that costs least.

    Parameters
    ----------
    problem
        The sizes to play for.
    make
        Makes the attack from a problem and the rule that accuracies seem to go through.
    metric
        The loss, clipped or not.
    rule
        The rule that releases it.
    sizes
        The sizes of the classes, which are public.
    """

    # Its forecasts are sure of what the attack inside has proved, but nobody asks it for labels.
    proves_labels: ClassVar[bool] = False
    tells_class_sizes: ClassVar[bool] = False

    def __init__(
        self,
        problem: Problem,
        make: Callable[..., Any],
        *,
        metric: Metric,
        rule: Rule,
        sizes: tuple[int, ...],
    ) -> None:
        n, m, k = problem
        if k < 2:
            raise NotSupported("it needs a look besides that at its guess.")
        self.problem = Problem(n, m, k)
        loss = metric.inner if isinstance(metric, Clipped) else metric
        assert isinstance(loss, ProbabilityMetric)
        sure = loss.costs(np.eye(m)[0])[1] if not isinstance(loss, LogLoss) else MOST_COST
        most = _on_grid(loss, rule, min(float(sure), metric.high))
        self._row = _pointed(loss, m, most)
        costs = [float(cost) for cost in loss.costs(self._row)]
        self._hit, self._miss = costs[0], costs[1]
        self._noisy = any(stage.adds_noise for stage in rule.stages)
        self._sizes = sizes if sum(sizes) == n else None
        self._inner = make(Problem(n, m, k - 1), rule=in_accuracies(rule, self._miss - self._hit))
        self._guess: Labels | None = None
        self._right = 1.0 / m

    def ask(self) -> NDArray[np.float64] | None:
        """Return the attack's next query as probabilities; last its guess."""
        if self._guess is not None:
            return None
        query = self._inner.ask()
        if query is None:
            query = self._guess = np.asarray(self._inner.predict())
        return self._forecast(np.asarray(query), self._row)

    def tell(self, answer: Answer) -> None:
        """Tell the attack the accuracy that a loss stands for."""
        accuracy = (self._miss - one_number(answer)) / (self._miss - self._hit)
        if self._guess is not None:
            self._right = accuracy
        else:
            self._inner.tell(accuracy if self._noisy else min(1.0, max(0.0, accuracy)))

    def predict(self) -> NDArray[np.float64]:
        """Return what is proved, if anything is, or the guess, each class as likely as it seems.

        No probability is closer to 0 or 1 than half an example in n: a log-loss that is wrong once
        and sure is lost. With two classes whose sizes P and n - P are public, matches tell more
        than one share: of c called positive, (matches - n + c + P) / 2 are, since every match is a
        true positive or a true negative.
        """
        n, m, _ = self.problem
        if (sure := proved_by(self._inner, n)).any():
            return self._sure_of(np.asarray(self._inner.predict()), sure)
        guess = np.asarray(self._inner.predict()) if self._guess is None else self._guess
        least = 0.5 / n
        right = min(1.0 - least, max(1.0 / m, self._right))
        if m > 2 or self._sizes is None:
            row = np.full(m, (1.0 - right) / (m - 1))
            row[0] = right
            return self._forecast(guess, row)
        # Matches and the number of positives tell how many of those called positive are.
        called, positives = int(np.count_nonzero(guess)), self._sizes[1]
        hits = (right * n - n + called + positives) / 2.0
        hits = min(min(called, positives), max(0.0, called + positives - n, hits))
        of_called = hits / called if called else 0.0
        of_others = (positives - hits) / (n - called) if called < n else 0.0
        chances = np.where(guess == 1, of_called, of_others)
        found: NDArray[np.float64] = np.clip(chances, least, 1.0 - least)
        return found

    def _sure_of(self, labels: Labels, sure: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return a forecast that is sure of some labels, and of the rest as classes are left."""
        m = self.problem.n_classes
        sizes = np.ones(m) if self._sizes is None else np.array(self._sizes, dtype=np.float64)
        if self._sizes is not None:
            sizes -= np.bincount(labels[sure], minlength=m)
        rows = np.tile(sizes / max(1.0, sizes.sum()), (labels.size, 1))
        rows[sure] = np.eye(m)[labels[sure]]
        found: NDArray[np.float64] = rows[:, 1] if m == 2 else rows
        return found

    def _forecast(self, labels: Labels, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities of each example: the row's first for its label."""
        m = self.problem.n_classes
        found: NDArray[np.float64]
        if m == 2:
            found = np.where(labels == 1, row[0], row[1])
            return found
        found = np.full((labels.size, m), row[1])
        found[np.arange(labels.size), labels] = row[0]
        return found


def _on_grid(loss: ProbabilityMetric, rule: Rule, most: float) -> float:
    """Return the largest cost up to a limit that rounding keeps, so that no match at all is shown.

    Rounded losses then stand for multiples of a rounded accuracy's step.
    """
    step = rule.rounds_to
    if step is None or len(rule.stages) > 1 or not isinstance(rule, Rounding):
        return most
    steps = math.floor(Fraction(most) / step)
    # A sure forecast has one Brier score, and no limit is needed; a log-loss is what one chooses.
    if steps == 0 or (not isinstance(loss, LogLoss) and steps * step != most):
        raise NotSupported(
            f"a miss costs {most:g}, which is no multiple of {float(step):g}, to which the rule "
            "rounds."
        )
    return float(steps * step)


def _pointed(loss: ProbabilityMetric, n_classes: int, most: float) -> NDArray[np.float64]:
    """Return a forecast of one class that costs no more than a limit if it is wrong.

    A log-loss of a class that is called impossible is infinite, or clipped: there the other classes
    keep exp(-most) each.

    >>> from holdfast.metrics import Brier
    >>> _pointed(Brier(), 3, 30.0).tolist(), _pointed(LogLoss(), 2, 2.0).round(3).tolist()
    ([1.0, 0.0, 0.0], [0.865, 0.135])
    """
    small = math.exp(-most) if isinstance(loss, LogLoss) else 0.0
    row = np.full(n_classes, small)
    row[0] = 1.0 - (n_classes - 1) * small
    return row


def in_accuracies(rule: Rule, unit: float) -> Rule:
    """Return a rule in units of accuracy, where a loss falls by so much with each match.

    Settings that are sizes, a Ladder's step and the scale of noise, are divided by `unit`, which
    is what a loss falls by from no match to all.

    >>> from holdfast.mechanisms import Gaussian
    >>> str(in_accuracies(Gaussian(0.02), 2.0))
    'gaussian:0.01'
    """
    if len(rule.stages) > 1 or unit == 1.0:
        return rule
    if isinstance(rule, Rounding):
        step = float(rule.rounds_to) / unit
        if step > 1.0:
            raise NotSupported(f"all matches together weigh {unit:g}, less than a rounding step.")
        return Rounding(step=step)
    settings = {each.name: getattr(rule, each.name) for each in fields(rule)}
    return replace(
        rule,
        **{name: value / unit for name, value in settings.items() if name in ("step", "scale")},
    )
