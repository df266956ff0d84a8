"""Theorems on the accuracy under given rules, each asked where its assumptions hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property

from holdfast.bounds import fixed_queries, running_best, spread_of_answers, two_classes
from holdfast.bounds.label_model import LabelModel
from holdfast.bounds.record import Analyst, Bound
from holdfast.bounds.registry import all_bounds
from holdfast.bounds.weighted_transcripts import weighted_accuracy
from holdfast.certificates.asked import Asked, first_change
from holdfast.certificates.knowledge import Knowledge
from holdfast.certificates.limits import (
    DIFFERENT_PARTS,
    MORE_THAN_COUNTS,
    OTHER_ANALYSTS,
    UNIFORM_ONLY,
    Analysts,
)
from holdfast.problem import Problem
from holdfast.rules import (
    ImprovedOnly,
    Ladder,
    ParameterFreeLadder,
    Rounding,
)
from holdfast.rules.checks import as_fraction

__all__ = ["theorems"]

# Reasons why a theorem does not cover the looks.
UNKNOWN_SCORED_ROWS = "it is not known what the model knows of the examples that are scored"
SEVERAL_STATES = "the first look of a second account may depend on what the first one was told"
ABSTENTIONS_BREAK_PARITY = "looks that abstain do not keep the parity of match counts"
FIRST_LOOK_ABSTAINS = "a first look that abstains may start on any rung"


def theorems(asked: Asked, knowledge: Knowledge, analysts: Analysts) -> Iterator[Bound]:
    """Yield every theorem about the accuracy on the examples that these looks expose."""
    yield from _Theorems(asked, knowledge, analysts).all()


class _Theorems:
    """The theorems about one set of looks, by what the rule releases.

    Whatever is computed from match counts obeys the bounds for exact answers. Rounding, Ladders
    and improvement bits tell less, and have theorems of their own; they are applied to the first
    rule of a chain that changes a score, since what follows it is post-processing.
    """

    def __init__(self, asked: Asked, knowledge: Knowledge, analysts: Analysts) -> None:
        self._asked, self._knowledge, self._analysts = asked, knowledge, analysts
        self._problem = Problem(asked.exposed, asked.n_classes, asked.total)
        self._others_look = analysts.shared and asked.remembers

    @cached_property
    def _model(self) -> LabelModel | None:
        """What is known of the scored labels; None: they are uniform, or not known of a part."""
        if self._analysts.uniform:
            return None
        return self._knowledge.labels(self._asked.exposed)

    def _obstacle(self, *, uniform: bool = False, counts: bool = True) -> str | None:
        """Return why a theorem does not apply; None: it does."""
        if self._others_look:
            return OTHER_ANALYSTS
        if not self._asked.same_examples:
            return DIFFERENT_PARTS
        if counts and not self._asked.by_counts:
            return MORE_THAN_COUNTS
        if uniform and not self._analysts.uniform:
            return UNIFORM_ONLY
        if not self._analysts.uniform and self._model is None:
            return UNKNOWN_SCORED_ROWS
        return None

    def all(self) -> Iterator[Bound]:
        """Yield those for exact answers, and those for the one rule that all looks are under."""
        yield from self._for_exact_answers()
        only = self._asked.only
        if only is None:
            return
        match first_change(only.rule):
            case Rounding() as rule:
                yield self._rounded(rule.rounds_to)
            case Ladder() as rule:
                yield from self._ladder(as_fraction(rule.step), only.accounts)
            case ParameterFreeLadder():
                yield self._running("running-best-exact", running_best.exact_best_accuracy)
            case ImprovedOnly():
                yield self._running("running-best-improved", running_best.improved_accuracy)

    def _for_exact_answers(self) -> Iterator[Bound]:
        """Yield bounds for exact answers: what is computed from the counts tells no more."""
        problem, abstentions = self._problem, self._analysts.abstentions
        obstacle = self._obstacle(uniform=True)
        if obstacle is not None:
            yield Bound(name="bounds-for-exact-answers", statement="", reason=obstacle)
        elif problem.n_classes > 2 or not abstentions or problem.n_queries == 1:
            analyst: Analyst = "non-adaptive" if self._analysts.fixed else "any"
            for bound in all_bounds(problem, analyst=analyst):
                if bound.applies:
                    yield bound
            return
        else:
            reason = ABSTENTIONS_BREAK_PARITY
            yield Bound(name="bounds-for-exact-answers", statement="", reason=reason)
            yield two_classes.two_classes(problem, abstentions=True)
            if self._analysts.fixed:
                yield fixed_queries.fixed_queries(problem, abstentions=True)
        yield self._theorem(
            "spread-of-answers",
            spread_of_answers.STATEMENT,
            self._obstacle(),
            lambda: spread_of_answers.exact_accuracy(
                problem, model=self._model, abstentions=abstentions
            ),
        )

    def _rounded(self, step: Fraction) -> Bound:
        return self._theorem(
            "spread-of-rounded-answers",
            spread_of_answers.STATEMENT,
            self._obstacle(),
            lambda: spread_of_answers.rounded_accuracy(
                self._problem, step, model=self._model, abstentions=self._analysts.abstentions
            ),
        )

    def _ladder(self, step: Fraction, accounts: int) -> Iterator[Bound]:
        yield self._theorem(
            "running-best-ladder",
            running_best.STATEMENT,
            self._obstacle(),
            lambda: running_best.ladder_accuracy(
                self._problem,
                step,
                accounts=accounts,
                model=self._model,
                abstentions=self._analysts.abstentions,
            ),
        )
        yield self._theorem(
            "weighted-transcripts",
            "weighted transcripts of the Ladder (docs/bounds.md)",
            self._obstacle(uniform=True)
            or (SEVERAL_STATES if accounts > 1 else None)
            or (FIRST_LOOK_ABSTAINS if self._analysts.abstentions else None),
            lambda: weighted_accuracy(self._problem, step),
        )

    def _running(self, name: str, accuracy: Callable[..., float]) -> Bound:
        only = self._asked.only
        assert only is not None
        return self._theorem(
            name,
            running_best.STATEMENT,
            self._obstacle(counts=False),
            lambda: accuracy(
                self._problem,
                accounts=only.accounts,
                model=self._model,
                abstentions=self._analysts.abstentions,
            ),
        )

    @staticmethod
    def _theorem(
        name: str, statement: str, obstacle: str | None, accuracy: Callable[[], float | None]
    ) -> Bound:
        value = accuracy() if obstacle is None else None
        if value is None and obstacle is None:
            obstacle = "it is not computed for so large a problem"
        return Bound(name=name, statement=statement, accuracy=value, reason=obstacle)
