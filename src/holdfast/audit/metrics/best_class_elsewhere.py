"""Final submissions of attacks that prove labels: the best class for the rest, by the metric.

An attack on match counts guesses what is likeliest where it has proved nothing, which is best for
accuracies. Other metrics are lost by it: with half of the examples positive, F1 of everything
called positive is 67 %, and of an even guess 50 %. Proved labels and the sizes of the classes tell
what each constant for the rest would score.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.description import Described
from holdfast.attacks.through_metrics.passed_on import PassedOn, Playing
from holdfast.labels import Labels
from holdfast.metrics import LabelMetric
from holdfast.metrics.confusion import ClassCounts

__all__ = ["BestClassElsewhere"]


class ReadingCounts(Playing, Protocol):
    """An attack that hands match counts to another one."""

    @property
    def inner(self) -> Any:
        """The other one; None before it has started."""

    @property
    def class_sizes(self) -> tuple[int, ...] | None:
        """How many examples each class has; None: that is not known yet."""

    def certain(self) -> NDArray[np.bool_]:
        """Tell which labels are proved."""

    def predict(self) -> Labels:
        """Return the final submission."""


class BestClassElsewhere(PassedOn[ReadingCounts]):
    """Plays an attack, and submits the class that the metric likes best where it proved nothing.

    An attack that has learned something of the other examples, too, submits its own guess.

    Parameters
    ----------
    inner
        The attack.
    metric
        The metric that ranks.
    """

    def __init__(self, inner: ReadingCounts, metric: LabelMetric) -> None:
        super().__init__(inner)
        self._metric = metric

    def predict(self) -> Labels:
        """Return the proved labels, and the guess or the class that is expected to score best."""
        guess, sizes = np.array(self._inner.predict()), self._inner.class_sizes
        if sizes is None or not _knows_only_proved(self._inner.inner):
            return guess
        sure = self._inner.certain()
        if not sure.any():
            return guess
        m = len(sizes)
        proved = np.bincount(guess[sure], minlength=m)
        left = np.asarray(sizes) - proved
        guessed = np.bincount(guess[~sure], minlength=m)
        # Its guess is right about as often as the classes occur among the rest.
        best, most = guess, self._value(sizes, proved, guessed, left)
        for label in range(m):
            everything = np.bincount([label], minlength=m) * int(left.sum())
            value = self._value(sizes, proved, everything, left)
            if value > most:
                best, most = np.where(sure, guess, label).astype(guess.dtype), value
        return best

    def _value(
        self,
        sizes: tuple[int, ...],
        proved: NDArray[np.intp],
        called: NDArray[np.intp],
        left: NDArray[np.intp],
    ) -> float:
        """Return the value expected of the proved labels and so many others of each class.

        Of c others that are called a class, those are right that fall on it by chance: c times the
        class's share among what is left. With 10 of 40 positives proved among 100 examples, calling
        the other 90 positive finds all 40, an F1 of 2 * 40 / (100 + 40) = 57 %; calling them
        negative leaves 2 * 10 / (10 + 40) = 40 %.

        Parameters
        ----------
        sizes
            How many examples each class has.
        proved
            How many of each class are proved.
        called
            How many others are called each class.
        left
            How many of each class are not proved.
        """
        hits = proved + np.rint(called * left / max(1, int(left.sum()))).astype(np.int64)
        rows = zip(range(len(sizes)), sizes, (proved + called).tolist(), hits.tolist(), strict=True)
        classes, true, predicted, both = zip(
            *(row for row in rows if row[1] or row[2]), strict=True
        )
        return float(
            self._metric.from_counts(ClassCounts(sum(sizes), classes, true, predicted, both))
        )


def _knows_only_proved(attack: Any) -> bool:
    """Tell whether an attack on match counts says that it has learned nothing but what it proved.

    One that has not begun, or that is itself made of others, says nothing.
    """
    return isinstance(attack, Described) and attack.knows_only_proved
