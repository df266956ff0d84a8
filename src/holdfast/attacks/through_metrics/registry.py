"""Attacks through a metric by what they say of themselves: who plays on a board, and as what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from holdfast.attacks import through_metrics
from holdfast.attacks.description import Reads
from holdfast.attacks.through_metrics.description import (
    AroundAttack,
    MetricBoard,
    OnCounts,
    ThroughMetric,
)
from holdfast.attacks.through_metrics.elsewhere import Uncut, with_fallback
from holdfast.errors import NotSupported
from holdfast.metrics import F1, Clipped, LabelMetric, Metric, RocAuc, Submission, TopKAccuracy
from holdfast.problem import Problem

__all__ = ["AttackOnBoard", "attacks_on", "check_covered", "metric_attacks", "readers_of"]


class AttackOnBoard(NamedTuple):
    """An attack through a metric and the board that it is for.

    Parameters
    ----------
    cls
        The attack.
    board
        What is public of the board.
    inner
        The attack on match counts that it plays; None: it plays by itself.
    ranks
        The metric that decides what the final submission should be; None: the board's.
    settings
        Which of its variants it is.
    """

    cls: type[ThroughMetric]
    board: MetricBoard
    inner: OnCounts | None = None
    ranks: Metric | None = None
    settings: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """What tables call it."""
        words = [self.cls.title, *(f"{value} {what}" for what, value in self.settings)]
        named = self._named_inner
        return ", ".join(words if named is None else [*words, named.name])

    @property
    def does(self) -> str:
        """What it does, in few words."""
        named = self._named_inner
        return self.cls.summary if named is None else f"{self.cls.summary}, {named.summary}"

    @property
    def climbs(self) -> bool:
        """Whether it needs to know no more than which look was the best."""
        return self.cls.reads is Reads.NEW_BEST

    def make(self, problem: Problem, *, rng: np.random.Generator) -> Any:
        """Make it for the board, or for a group of it, or raise `NotSupported` with the reason.

        Where it has proved nothing it submits what is best without a look (`with_fallback`).
        """
        self.check_readable()
        board = self.board.about(problem)
        if self.inner is None:
            made = self.cls.on_board(problem, board, rng=rng, **dict(self.settings))
        else:
            assert issubclass(self.cls, AroundAttack)
            made = self.cls.on_board(problem, board, rng=rng, inner=self.inner)
        made = with_fallback(made, self.cls, board, self.ranks)
        is_clipped = board.highest - board.lowest < math.inf
        return Uncut(made, board) if is_clipped and self.cls.proves_labels else made

    @property
    def _named_inner(self) -> OnCounts | None:
        """The attack that it plays, where there may be several of them."""
        several = issubclass(self.cls, AroundAttack) and self.cls.takes_prior
        return self.inner if several else None

    def check_readable(self) -> None:
        """Raise `NotSupported`, with the reason, where the rule leaves no values to read."""
        if self.cls.reads_decimals and self.board.changed is not None:
            raise NotSupported(self.board.changed)


def metric_attacks() -> list[type[ThroughMetric]]:
    """Return the package's attacks through a metric, in the order in which it lists them.

    >>> [cls.name for cls in metric_attacks()][:2]
    ['digits', 'graded']
    """
    found = [each for each in vars(through_metrics).values() if isinstance(each, type)]
    return [each for each in found if issubclass(each, ThroughMetric)]


def readers_of(metric: Metric, n_classes: int) -> list[type[ThroughMetric]]:
    """Return the attacks that read values of this metric.

    >>> from holdfast.metrics import LogLoss, RocAuc
    >>> [cls.name for metric in (LogLoss(), RocAuc()) for cls in readers_of(metric, 2)][:3]
    ['digits', 'linear-reader', 'run-reader']
    """
    return [cls for cls in metric_attacks() if cls.reads_metric(metric, n_classes)]


def attacks_on(
    board: MetricBoard,
    n_classes: int,
    *,
    from_nothing: Sequence[OnCounts] = (),
    informed: Sequence[OnCounts] = (),
    climbing: Sequence[OnCounts] = (),
    from_model: bool = False,
    ranks: Metric | None = None,
) -> list[AttackOnBoard]:
    """Return every attack that plays on a board, as it plays there.

    Which ones, and in which order, does not depend on the rule: one that a rule keeps from playing
    says so when it is made.

    Parameters
    ----------
    board
        What is public of it. Of a clipped metric, that of the metric itself is read.
    n_classes
        The number of classes.
    from_nothing
        Attacks on match counts that start from nothing.
    informed
        Attacks on match counts that start from what is known of the labels, if anything is: they
        are played instead of the others by whatever lets them.
    climbing
        Attacks on match counts that hear only which look was the best.
    from_model
        Whether a model is known. It is more than attacks that read by themselves start from, and
        they are left out.
    ranks
        The metric that ranks; None: the board's.

    Examples
    --------
    >>> from holdfast.metrics import RocAuc
    >>> [each.name for each in attacks_on(MetricBoard(RocAuc()), 2)]
    ['graded', 'linear-reader', 'level-counts']
    """
    if isinstance(board.metric, Clipped):
        inside, low, high = board.metric.inner, board.metric.low, board.metric.high
        board = board._replace(metric=inside, lowest=low, highest=high)
    found: list[AttackOnBoard] = []
    for cls in readers_of(board.metric, n_classes):
        if not cls.fits(board, n_classes):
            continue
        if issubclass(cls, AroundAttack):
            inner = (informed or from_nothing) if cls.takes_prior else from_nothing
            more = climbing if cls.takes_climbers else ()
            found += [AttackOnBoard(cls, board, each, ranks) for each in (*inner, *more)]
        elif not from_model:
            found += [
                AttackOnBoard(cls, board, None, ranks, tuple(each.items()))
                for each in cls.variants(board)
            ]
    return found


def check_covered(metric: Metric, problem: Problem) -> None:
    """Raise `NotSupported`, with the reason, unless some attack plays through the metric.

    >>> from holdfast.metrics import AveragePrecision
    >>> check_covered(AveragePrecision(), Problem(100, 2, 5))
    Traceback (most recent call last):
        ...
    holdfast.errors.NotSupported: average_precision is not covered: no attack here reads what its \
values tell.
    """
    m, metric = problem.n_classes, metric.inside
    if isinstance(metric, F1) and m > 2:
        raise NotSupported(
            f"{metric} is not covered: it is of one class against the other, and these labels have "
            f"{m}: f1_macro and f1_weighted are of all classes."
        )
    if isinstance(metric, TopKAccuracy):
        if m > metric.k:
            return
        reason = f"who names {metric.k} of {m} classes is always right"
    elif isinstance(metric, LabelMetric) or readers_of(metric, m):
        return
    elif isinstance(metric, RocAuc):
        reason = f"an area under a ROC curve is one of two classes, and these labels have {m}"
    elif metric.takes is Submission.LABEL_SETS:
        reason = "it scores sets of labels, and a label file has one label per example"
    else:
        reason = "no attack here reads what its values tell"
    raise NotSupported(f"{metric} is not covered: {reason}.")
