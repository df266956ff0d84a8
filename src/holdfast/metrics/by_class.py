"""Numbers of each class that a board shows beside its metric: recalls, or a confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.errors import InvalidInput
from holdfast.metrics.base import FunctionOf, Metric
from holdfast.metrics.labels import Accuracy
from holdfast.metrics.shows import CellShare, ConfusionMatrix, PerClassRecall, Show

__all__ = ["BY_CLASS", "ByClass"]

# A look of more numbers would fill ledgers and pages; nobody shows so many.
MOST_NUMBERS = 10_000


@dataclass(frozen=True)
class ByClass:
    """A kind of numbers, before the classes are known.

    Attributes
    ----------
    name
        What a policy calls it among further metrics.
    metric
        The metric behind each number: an accuracy of one class, or a share of all examples.
    function_of
        What of the hidden labels all the numbers together depend on.
    reveals
        What a look tells, in words.
    """

    name: str
    metric: Metric
    function_of: FunctionOf
    reveals: str

    def numbers(self, n_classes: int) -> int:
        """Return how many numbers a look shows.

        >>> [each.numbers(10) for each in BY_CLASS.values()]
        [10, 100]
        """
        return n_classes if self.metric == Accuracy() else n_classes**2

    def show(self, n_classes: int) -> Show:
        """Return what computes them; their names begin with this one's.

        >>> BY_CLASS["recall_per_class"].show(2).names
        ('recall_per_class=0', 'recall_per_class=1')
        """
        if self.numbers(n_classes) > MOST_NUMBERS:
            raise InvalidInput(
                f"{self.name} of {n_classes:,} classes must be left out: it has "
                f"{self.numbers(n_classes):,} numbers, and a look tells at most {MOST_NUMBERS:,}."
            )
        if self.metric == Accuracy():
            return PerClassRecall(n_classes, column=self.name)
        return ConfusionMatrix(n_classes, column=self.name, shares=True)

    def __str__(self) -> str:
        return self.name


BY_CLASS = {
    each.name: each
    for each in (
        ByClass(
            "recall_per_class",
            Accuracy(),
            FunctionOf.CLASS_HITS,
            "how many examples of each class are right, one count per class",
        ),
        ByClass(
            "confusion_matrix",
            CellShare(),
            FunctionOf.CONFUSIONS,
            "how many examples of each class are given each label, all these counts at once",
        ),
    )
}
