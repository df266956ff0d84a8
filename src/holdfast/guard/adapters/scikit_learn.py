"""scikit-learn: a scorer that looks through a guard, and a holdout for choosing models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.errors import BudgetExhausted, InvalidQuery
from holdfast.guard.guard import Guard, Receipt
from holdfast.guard.ledger import Ledger
from holdfast.guard.policy import Policy
from holdfast.protocols import Classifier
from holdfast.quoting import quoted

__all__ = ["GuardedHoldout", "Selection", "guarded_scorer"]


@dataclass(frozen=True)
class guarded_scorer:  # noqa: N801 - used like a function, as scikit-learn's make_scorer
    """A scorer for `scoring=...` whose every call is a counted look.

    It predicts on the X that the loop hands it and lets the guard score the prediction, so the
    loop's test rows must be the guarded ones, in their order: use
    `cv=[(train_rows, holdout_rows)]`. The y of the loop is ignored: it may be all zeros there.

    Parameters
    ----------
    guard
        The guard over the holdout's labels.
    team
        Whose looks they are.
    classes
        What the estimators predict for label 0, 1, ...; None: the numbers themselves.
    """

    guard: Guard
    team: str = "scikit-learn"
    classes: Any = None

    def __call__(self, estimator: Classifier, X: Any, y: Any = None) -> float:
        """Return what the guard releases about the estimator's predictions."""
        del y  # the hidden labels are the guard's
        released = self.receipt(estimator, X).released
        return float("nan") if released is None else released

    def receipt(self, estimator: Classifier, X: Any) -> Receipt:
        """Score an estimator and return the whole receipt."""
        return self.guard.score(self._numbers(estimator.predict(X)), team=self.team)

    def _numbers(self, predicted: Any) -> Any:
        predicted = np.asarray(predicted)
        if self.classes is None:
            return predicted
        classes = np.asarray(self.classes)
        order = np.argsort(classes)
        places = order[np.searchsorted(classes, predicted, sorter=order).clip(max=classes.size - 1)]
        unknown = np.flatnonzero(classes[places] != predicted)
        if unknown.size:
            raise InvalidQuery(
                f"prediction must hold known classes, got {quoted(predicted[unknown[0]])} "
                f"at position {unknown[0]}."
            )
        return places


@dataclass(frozen=True)
class Selection:
    """What a selection found: the best name, the released score of each model that was looked at.

    `refused` names the models for which no look was left.
    """

    best: str | None
    released: Mapping[str, float]
    refused: tuple[str, ...]


class GuardedHoldout:
    """A holdout set for choosing models, with every look counted.

    Parameters
    ----------
    X, y
        The holdout's features and labels; the labels may be of any kind that sorts.
    policy, ledger
        As for `Guard`.
    team
        Whose looks they are.

    Examples
    --------
    >>> import tempfile
    >>> class Always:
    ...     def __init__(self, label):
    ...         self.label = label
    ...     def predict(self, X):
    ...         return [self.label] * len(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(folder + "/ledger.db", create=True)
    ...     holdout = GuardedHoldout([[0], [1], [2]], ["a", "b", "b"], Policy("exact"), ledger)
    ...     chosen = holdout.select({"all a": Always("a"), "all b": Always("b")})
    >>> chosen.best
    'all b'
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        policy: Policy | str,
        ledger: Ledger | str,
        *,
        team: str = "scikit-learn",
    ) -> None:
        classes, labels = np.unique(np.asarray(y), return_inverse=True)
        self._X = X
        guard = Guard(labels, policy, ledger, n_classes=max(classes.size, 2))
        self.scorer = guarded_scorer(guard, team, classes)

    def score(self, estimator: Classifier) -> Receipt:
        """Answer one look at a fitted estimator, or refuse it; see `Guard.score`."""
        return self.scorer.receipt(estimator, self._X)

    def select(self, estimators: Mapping[str, Classifier]) -> Selection:
        """Look at fitted estimators in turn and name the best released score; ties: the first."""
        released: dict[str, float] = {}
        refused = []
        for name, estimator in estimators.items():
            try:
                answer = self.score(estimator).released
            except BudgetExhausted:
                refused.append(name)
                continue
            if answer is not None:
                released[name] = answer
        best = max(released, key=released.__getitem__) if released else None
        return Selection(best, released, tuple(refused))
