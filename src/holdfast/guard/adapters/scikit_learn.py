"""scikit-learn: a scorer that looks through a guard, and a holdout for choosing models."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from holdfast.errors import BudgetExhausted, InvalidInput, InvalidQuery, NotSupported
from holdfast.extras import needed_for
from holdfast.guard.adapters.feature_rows import (
    fingerprint_of_rows,
    hidden_labels_after,
    n_rows,
    stacked,
)
from holdfast.guard.guard import Guard
from holdfast.guard.guarded import as_policy
from holdfast.guard.policy import Policy
from holdfast.guard.receipt import Receipt
from holdfast.ledger.chain import Ledger
from holdfast.metrics import Submission
from holdfast.protocols import Classifier
from holdfast.quoting import quoted

__all__ = ["GuardedHoldout", "Loop", "Selection", "guarded_scorer"]


class guarded_scorer:  # noqa: N801 - used like a function, as scikit-learn's make_scorer
    """A scorer for `scoring=...` whose every call is a counted look.

    It predicts on the holdout's rows and lets the guard score the prediction. A call with other
    rows, or with labels for the hidden ones, spends no look and ends the loop with an error that
    says what is wrong, whatever the loop's `error_score` is; `GuardedHoldout.beside` makes the
    rows, labels and splits that fit.

    Parameters
    ----------
    guard
        The guard over the holdout's labels.
    X
        The holdout's features, in the order of the guard's labels. Only a fingerprint is kept.
    team
        Whose looks they are.
    classes
        What the estimators predict for label 0, 1, ...; None: the numbers themselves.
    """

    def __init__(
        self, guard: Guard, X: Any, *, team: str = "scikit-learn", classes: Any = None
    ) -> None:
        self.guard = guard
        self.team = team
        self.classes = None if classes is None else np.asarray(classes)
        self.n_rows = n_rows(X)
        if self.n_rows != guard.problem.n_examples:
            raise InvalidInput(
                f"X must have {guard.problem.n_examples} rows, one per label, got {self.n_rows}."
            )
        self._rows = fingerprint_of_rows(X)

    def __repr__(self) -> str:
        return f"guarded_scorer(team={self.team!r})"

    def __call__(self, estimator: Classifier, X: Any, y: Any = None) -> float:
        """Return what the guard releases about the estimator's predictions.

        NaN: nothing yet, or the best so far, which this estimator is not.
        """
        fault = self._fault(X, y)
        if fault is None:
            own = self._look(estimator, X).score
            # A loop takes the largest, so it is told the negative of a loss, as scikit-learn does.
            return math.nan if own is None else self._sign * own
        if y is None:
            raise InvalidQuery(fault)
        # A loop turns an exception of its scorer into NaN and goes on to an arbitrary best; what
        # is no number it refuses, whatever its error_score is, and quotes.
        return _NoScore(fault)  # type: ignore[return-value]

    def receipt(self, estimator: Classifier, X: Any) -> Receipt:
        """Score an estimator on the holdout's rows and return the whole receipt."""
        fault = self._fault_of_rows(X)
        if fault is not None:
            raise InvalidQuery(fault)
        return self._look(estimator, X)

    def _fault(self, X: Any, y: Any) -> str | None:
        """Return what is wrong with a call, or None."""
        if self.guard.policy.mechanism.shows != "scores":
            return _no_choice(self.guard.policy)
        fault = self._fault_of_rows(X)
        if fault is not None:
            return fault
        if y is not None and not all(_is_missing(value) for value in np.asarray(y).ravel()):
            return (
                "y must be hidden (NaN) in the holdout's rows, got labels; a search with refit "
                "would train on them (use y of GuardedHoldout.beside, and refit=False)."
            )
        return None

    def _fault_of_rows(self, X: Any) -> str | None:
        """Return in what way these are not the holdout's rows, or None."""
        if n_rows(X) == self.n_rows and fingerprint_of_rows(X) == self._rows:
            return None
        return (
            f"X must be the holdout's {self.n_rows} rows in their order, got {n_rows(X)} rows "
            "that are not; a loop must test on just these (cv of GuardedHoldout.beside), "
            "without taking a part of them (HalvingGridSearchCV) and without return_train_score."
        )

    @property
    def _sign(self) -> int:
        return 1 if self.guard.policy.display.metric.higher_is_better else -1

    def _look(self, estimator: Classifier, X: Any) -> Receipt:
        return self.guard.score(self._submission(estimator, X), team=self.team)

    def _submission(self, estimator: Any, X: Any) -> Any:
        """Return what the policy's metrics take: labels, numbers, or probabilities."""
        display = self.guard.policy.display
        takes = display.taker.takes
        match takes:
            case Submission.LABELS:
                return self._numbers(estimator.predict(X))
            case Submission.NUMBERS:
                return estimator.predict(X)
            case Submission.PROBABILITIES | Submission.SCORES:
                return self._probabilities(estimator, X, takes)
        raise NotSupported(f"{display} takes {takes.value}, which no estimator returns.")

    def _probabilities(self, estimator: Any, X: Any, takes: Submission) -> Any:
        if not hasattr(estimator, "predict_proba"):
            raise NotSupported(
                f"{self.guard.policy.display} needs an estimator with predict_proba, got "
                f"{type(estimator).__name__}."
            )
        table = np.asarray(estimator.predict_proba(X))
        known = self._numbers(np.asarray(estimator.classes_))
        if table.ndim != 2 or table.shape[1] != len(known):
            raise InvalidQuery(
                f"predict_proba must have a column for each class, got {table.shape}."
            )
        rows = np.zeros((len(table), self.guard.problem.n_classes))
        rows[:, known] = table
        return rows[:, 1] if takes is Submission.SCORES else rows

    def _numbers(self, predicted: Any) -> Any:
        predicted = np.asarray(predicted)
        if self.classes is None:
            # Beside hidden labels, which are NaN, whole numbers are floats.
            whole = predicted.dtype.kind == "f" and np.array_equal(predicted, np.rint(predicted))
            return predicted.astype(np.int64) if whole else predicted
        order = np.argsort(self.classes)
        try:
            places = np.searchsorted(self.classes, predicted, sorter=order)
        except TypeError:
            raise InvalidQuery(
                f"prediction must hold known classes, got {predicted.dtype} values."
            ) from None
        places = order[places.clip(max=order.size - 1)]
        unknown = np.flatnonzero(self.classes[places] != predicted)
        if unknown.size:
            raise InvalidQuery(
                f"prediction must hold known classes, got {quoted(predicted[unknown[0]])} "
                f"at position {unknown[0]}."
            )
        return places


def _no_choice(policy: Policy) -> str:
    """Return why nothing is chosen by the answers of a rule such as `rank`."""
    return (
        "release must be a rule whose answers are scores where models are chosen by them, got "
        f"{policy.release}: its highest answer is not the best model's."
    )


class _NoScore:
    """What a loop gets instead of a score when it is wrong."""

    def __init__(self, fault: str) -> None:
        self._fault = fault

    def __repr__(self) -> str:
        return f"no score: {self._fault}"

    def __float__(self) -> float:
        raise InvalidQuery(self._fault)


def _is_missing(value: Any) -> bool:
    return not isinstance(value, str) and str(value).lower() in ("nan", "none", "<na>")


class Loop(NamedTuple):
    """Training rows with the holdout's below: what a loop of scikit-learn takes.

    The labels of the holdout's rows are NaN, so that nothing can be trained on them by mistake.
    """

    X: Any
    y: Any
    cv: list[tuple[Any, Any]]


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
    picklable
        As for `Guard`: needed for `n_jobs`, whose workers then have the hidden labels.

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
        picklable: bool = False,
    ) -> None:
        policy = as_policy(policy)
        classes: Any
        classes, labels = np.unique(np.asarray(y), return_inverse=True)
        n_classes: int | None = max(classes.size, 2)
        if policy.display.metric.takes is Submission.NUMBERS:
            classes, labels, n_classes = None, np.asarray(y), None
        self._X = X
        guard = Guard(labels, policy, ledger, n_classes=n_classes, picklable=picklable)
        self.scorer = guarded_scorer(guard, X, team=team, classes=classes)

    def score(self, estimator: Classifier) -> Receipt:
        """Answer one look at a fitted estimator, or refuse it; see `Guard.score`."""
        return self.scorer.receipt(estimator, self._X)

    def select(self, estimators: Mapping[str, Classifier]) -> Selection:
        """Look at fitted estimators in turn and name the best released score; ties: the first.

        A model that did not beat the best so far, where the rule tells that alone, has no score.

        Raises
        ------
        InvalidInput
            The rule tells no scores (`rank`, `improved`): its highest answer is not the best
            model's. Nothing is looked at.
        """
        self._refuse_without_scores()
        released: dict[str, float] = {}
        refused = []
        for name, estimator in estimators.items():
            try:
                answer = self.score(estimator).score
            except BudgetExhausted:
                refused.append(name)
                continue
            if answer is not None:
                released[name] = answer
        sign = 1 if self.scorer.guard.policy.display.metric.higher_is_better else -1
        best = max(released, key=lambda name: sign * released[name]) if released else None
        return Selection(best, released, tuple(refused))

    def beside(self, X: Any, y: Any) -> Loop:
        """Return training rows and labels with the holdout's rows below, labels hidden.

        `cross_val_score(model, loop.X, loop.y, cv=loop.cv, scoring=holdout.scorer)` trains on the
        one and looks at the other.
        """
        n, hidden = n_rows(X), self.scorer.n_rows
        labels = hidden_labels_after(y, hidden)
        if labels.size != n + hidden:
            raise InvalidInput(f"y must have {n} labels, one per row, got {labels.size - hidden}.")
        cv = [(np.arange(n), np.arange(n, n + hidden))]
        return Loop(stacked(X, self._X), labels, cv)

    def search(self, search: Any, X: Any, y: Any) -> Any:
        """Let a search choose by released scores, and train its choice on the training rows.

        Parameters
        ----------
        search
            A `GridSearchCV`, a `RandomizedSearchCV` or alike, without `cv` and `scoring`. It is
            not changed.
        X, y
            Training rows and their labels.

        Returns
        -------
        A fitted copy: `best_params_`, `best_score_`, `cv_results_`, and, unless `refit` is False,
        `best_estimator_`, trained on these rows alone.

        Raises
        ------
        InvalidInput
            The search can't be guarded, or no score was released; the former before any look.
        BudgetExhausted
            No look was left for a candidate. What was answered before is answered again, at no
            cost, when a smaller search is run.
        """
        with needed_for("a guarded search"):
            from sklearn.base import clone

        _check_search(search)
        self._refuse_without_scores()
        loop, refit = self.beside(X, y), search.refit
        guarded = clone(search).set_params(
            cv=loop.cv, scoring=self.scorer, refit=False, error_score="raise"
        )
        guarded.fit(loop.X, loop.y)
        if math.isnan(guarded.best_score_):
            raise InvalidInput(
                f"search must have a score to choose by, got none: the rule "
                f"{self.scorer.guard.policy.release} told of no candidate, or none beat the best "
                "so far."
            )
        guarded.set_params(refit=refit)
        if refit:
            best = clone(search.estimator).set_params(**clone(guarded.best_params_, safe=False))
            guarded.best_estimator_ = best.fit(X, y)
        return guarded

    def _refuse_without_scores(self) -> None:
        policy = self.scorer.guard.policy
        if policy.mechanism.shows != "scores":
            raise InvalidInput(_no_choice(policy))


def _check_search(search: Any) -> None:
    """Raise `InvalidInput` if a search would look at something else than the holdout."""
    settings = search.get_params(deep=False) if hasattr(search, "get_params") else {}
    for name in ("cv", "scoring", "refit", "error_score", "estimator"):
        if name not in settings:
            raise InvalidInput(
                f"search must be a search such as GridSearchCV, got {type(search).__name__} "
                f"without {name}."
            )
    defaults = inspect.signature(type(search)).parameters
    for name in ("cv", "scoring"):
        if settings[name] is not None and settings[name] != defaults[name].default:
            raise InvalidInput(
                f"{name} of the search must be left out, as the holdout gives it, "
                f"got {quoted(settings[name])}."
            )
    if settings.get("resource") == "n_samples":
        raise InvalidInput(
            "search must score each candidate on the whole holdout, got "
            f"{type(search).__name__} with resource='n_samples', which scores on parts of it; "
            "name another resource."
        )
    if settings.get("return_train_score"):
        raise InvalidInput(
            "return_train_score of the search must be False, as the guard scores the holdout "
            "alone, got True."
        )
    if not isinstance(settings["refit"], bool):
        raise InvalidInput(
            f"refit of the search must be True or False, got {quoted(settings['refit'])}."
        )
