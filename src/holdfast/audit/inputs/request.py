"""Audit requests: labels, a policy, what a look tells, and the attackers to expect.

A request checks itself when it is made: whether an attack reads the metric, whether the rule can
release every shown number, whether an option has a meaning here. Nothing behind it meets a board
that can't be audited. A board that shows one accuracy is one whose `display` says nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.attacks.through_metrics.registry import check_covered
from holdfast.audit.baseline import Baseline
from holdfast.audit.inputs.history import Submission, most_looks
from holdfast.audit.inputs.parts import Parts
from holdfast.audit.inputs.row_order import in_runs
from holdfast.audit.result import TOTAL, Model
from holdfast.audit.unequal_classes import baseline_of
from holdfast.errors import InvalidInput, NotSupported
from holdfast.files.label_files import LabelFile
from holdfast.files.spelling import is_number, steps_per_one
from holdfast.guard import Policy
from holdfast.guard.looks import Looks
from holdfast.labels import Labels
from holdfast.metrics import Breakdown, LabelMetric, Metric, RocAuc, Several, Show
from holdfast.metrics import Submission as Sent
from holdfast.metrics.display import Display
from holdfast.metrics.in_steps import InSteps
from holdfast.priors import Prior
from holdfast.problem import Problem, check_at_least
from holdfast.rules import Rule, check_metric
from holdfast.votes import Votes

__all__ = ["Prediction", "Request"]

DEFAULT_GAP = 1.0
MOST_POINTS = 100.0
# Finer than this, rounding is a slip of the pen: a score of double precision has no such digits.
FINEST_ROUNDING = 10**12


@dataclass(frozen=True, eq=False)
class Prediction:
    """One model's labels for the scored examples."""

    name: str
    labels: Labels = field(repr=False)


@dataclass(frozen=True, eq=False)
class Request:
    """All that an audit starts from.

    Parameters
    ----------
    name
        What the page calls the test set.
    file
        The labels as they were read, with ids and class names.
    parts
        Which of them looks are scored on.
    rule
        The release rule.
    looks
        Looks of one account: as stated (`stated_looks`), or as a team of the history took if that
        is more.
    accounts
        Accounts that work together: each has its own looks.
    teams
        Teams on the board, colluding or not.
    memory
        Whose past the rule remembers: a "team"'s, or the "data_set"'s.
    looks_per_data_set
        Most looks of all teams together; None: no limit.
    final_choices
        Submissions that a team may name for the final result; 0: the best of all is taken.
    predictions
        Models whose predictions an attacker may start from.
    history
        Past submissions; None: not given.
    gap
        Ranking gap in points that the board should be able to show; None: from the history's
        median gap, or one point.
    most_gap
        The largest gap that makes sense: 100 points, or infinity for a loss in its own unit.
    policy
        The policy file that the settings come from; None: they were given one by one.
    group_columns
        Columns of the label file that look like groups, and were not asked about.
    display
        What a look tells: the metric that ranks, of which groups, and metrics beside it. By default
        one accuracy.
    groups
        The group of each scored example; None: the board shows no groups.
    said
        How the files are read and what decides, by the policy's keys.

    Raises
    ------
    NotSupported
        If no attack reads the metric, or the rule does not work on it; the reason says which.
    """

    name: str
    file: LabelFile
    parts: Parts
    rule: Rule
    looks: Looks
    accounts: int = 1
    teams: int = 1
    memory: str = "team"
    looks_per_data_set: int | None = None
    final_choices: int = 2
    predictions: Sequence[Prediction] = ()
    history: Sequence[Submission] | None = None
    gap: float | None = None
    most_gap: float = MOST_POINTS
    seed: int = 0
    policy: Policy | None = None
    group_columns: tuple[str, ...] = ()
    display: Display = field(default_factory=Display)
    groups: NDArray[Any] | None = field(default=None, repr=False)
    said: Mapping[str, str] = field(default_factory=dict)
    stated_looks: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "stated_looks", self.looks.count)
        most = most_looks(self.history or ())
        if most > self.looks.count:
            object.__setattr__(self, "looks", Looks(most, f"{most:,} looks, as the history shows"))
        check_at_least("accounts", self.accounts, 1)
        check_at_least("teams", self.teams, 1)
        check_at_least("seed", self.seed, 0)
        check_at_least("final_choices", self.final_choices, 0)
        if self.teams < self.accounts:
            object.__setattr__(self, "teams", self.accounts)
        if self.gap is not None and not (math.isfinite(self.gap) and 0 < self.gap <= self.most_gap):
            allowed = "lie in (0, 100] points" if math.isfinite(self.most_gap) else "be above 0"
            raise InvalidInput(f"gap must {allowed}, got {self.gap}.")
        for stage in self.rule.stages:
            if stage.rounds_to is not None and stage.rounds_to * FINEST_ROUNDING < 1:
                raise InvalidInput(
                    f"mechanism must not round finer than 1/{FINEST_ROUNDING:,}, got {self.rule}."
                )
        self.rule.init(self.problem)  # a rule that does not fit must say so before any play
        for model in self.predictions:
            if model.labels.size != self.parts.scored.size:
                raise InvalidInput(
                    f"predictions {model.name} must have {self.parts.scored.size} labels, "
                    f"got {model.labels.size}."
                )
        if not self.display.plain:  # every rule and every option has a meaning for one accuracy
            self._check_display()

    def _check_display(self) -> None:
        """Refuse what an audit of this metric can't use, with the reason."""
        if (self.display.breakdown is None) != (self.groups is None):
            raise InvalidInput("breakdown and groups must be given together.")
        if self.history is not None:
            raise InvalidInput(
                f"history must be left out for {self.display}: how far chance moves a score, which "
                "a history is compared with, is known for plain accuracies alone."
            )
        if self.predictions and not isinstance(self.metric.inside, LabelMetric | RocAuc):
            raise InvalidInput(
                f"predictions must be left out for {self.metric}: its attacks read the truth as "
                "digits or blocks, and start from no model's labels."
            )
        if 0.0 < self.parts.final_share < 1.0 and not self.metric.averages_examples:
            raise InvalidInput(
                f"final must be private or public for {self.metric}, got {self.parts.final}: it is "
                "no average over examples, so a gain on the public part has no fixed worth in the "
                "whole."
            )
        for metric in self.display.metrics:
            check_covered(metric, self.problem)
        for metric in self.display.released:
            check_metric(self.rule, metric)
        if self.rule.waits:
            raise NotSupported(f"{self.rule} holds answers back: no attack is told any.")
        for show in self.shows.values():
            show.truth(self.hidden)

    @property
    def release(self) -> str:
        """The rule as text."""
        return str(self.rule)

    @property
    def labels(self) -> Labels:
        """The labels that looks are scored on."""
        return self.parts.scored

    @property
    def n_looks(self) -> int:
        """Looks of all colluding accounts together."""
        return self._capped(self.accounts * self.looks.count)

    @property
    def everyone_looks(self) -> int:
        """Looks of all teams together."""
        return self._capped(self.teams * self.looks.count)

    @property
    def histories(self) -> int:
        """How many separate pasts of the rule the colluding accounts meet."""
        return 1 if self.memory == "data_set" else min(self.accounts, self.n_looks)

    @property
    def problem(self) -> Problem:
        """The sizes that an attacker plays for."""
        return Problem(self.labels.size, max(2, self.file.n_classes), self.n_looks)

    @cached_property
    def baseline(self) -> Baseline:
        """What everybody has without a look."""
        return baseline_of(self.labels, self.problem.n_classes)

    @cached_property
    def in_runs(self) -> bool:
        """Whether the scored rows come in runs of one label: certificates are for no order."""
        return in_runs(self.labels)

    @property
    def capped(self) -> bool:
        """Whether a limit for the data set leaves the accounts fewer looks than each may take."""
        return self.n_looks < self.accounts * self.looks.count

    @property
    def metric(self) -> Metric:
        """What the ranking goes by; of targets with decimals, as `hidden` counts them."""
        return InSteps.of(self.display.metric, self.per_one)

    @property
    def also(self) -> tuple[Metric, ...]:
        """Metrics that the board shows beside it."""
        return tuple(InSteps.of(each, self.per_one) for each in self.display.also)

    @cached_property
    def per_one(self) -> int:
        """How many steps of the finest decimal of the hidden numbers make one: 100 for cents."""
        if self.display.metric.takes is not Sent.NUMBERS:
            return 1
        return steps_per_one(self.file.class_names)

    @property
    def breakdown(self) -> str | None:
        """What the groups are called."""
        return self.display.breakdown

    @cached_property
    def beliefs(self) -> Prior | None:
        """The given models' best weighted vote as a prior; None: there is no model.

        The labels enter by the accuracies alone: of each model and of the vote itself, which an
        attacker learns with one look each.
        """
        if not self.predictions:
            return None
        given = np.stack([model.labels for model in self.predictions], axis=1)
        votes = Votes(given, self.problem.n_classes)
        stack = votes.stack({i: self._right(p.labels) for i, p in enumerate(self.predictions)})
        return stack.prior(self._right(stack.top()))

    @property
    def stated_model(self) -> float | None:
        """What the models' vote scores as an accuracy, or the majority if that is more; rounded.

        None: there is no model.
        """
        if self.beliefs is None:
            return None
        n, m, _ = self.problem
        right = max(self._right(self.beliefs.top()), self.baseline.matches / n)
        return min(1.0, max(1.0 / m, self.baseline.rounding_unit.round(100.0 * right) / 100.0))

    def described_models(self) -> tuple[Model, ...]:
        """Return the models for the record, their accuracies rounded."""
        unit = self.baseline.rounding_unit
        return tuple(
            Model(each.name, unit.round(100.0 * self._right(each.labels)))
            for each in self.predictions
        )

    def _right(self, guess: Labels) -> float:
        return float(np.mean(guess == self.labels))

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """How many examples each class has."""
        m = self.problem.n_classes
        return tuple(np.bincount(self.labels, minlength=m).tolist())

    @cached_property
    def best_constant_label(self) -> int:
        """The label that scores best if every example gets it, where labels rank; else 0.

        Best is lowest for a loss. It is what a submission calls the examples that nobody has read.
        """
        if self.metric.takes is not Sent.LABELS:
            return 0
        n, m, _ = self.problem
        values = [self.metric.score(self.hidden, np.full(n, label)) for label in range(m)]
        return int(np.argmax(values) if self.metric.higher_is_better else np.argmin(values))

    @property
    def n_groups(self) -> int:
        """How many groups the board shows."""
        return 0 if self.groups is None else int(np.unique(self.groups).size)

    @property
    def shown(self) -> str:
        """What the board shows, in words.

        It stands in the first line of everything that an audit prints or writes.
        """
        words = str(self.display)
        if self.groups is None:
            return words
        return f"{words}, {self.n_groups:,} group{'' if self.n_groups == 1 else 's'}"

    @property
    def told_apart_by(self) -> tuple[bytes, ...]:
        """What plays of it are told from those of other boards with the same labels by.

        Kept plays are found by a digest of labels and job, and two boards with the same labels may
        show other metrics or other groups, or divide the looks into other numbers of pasts.
        """
        groups = b"" if self.groups is None else repr(self.groups.tolist()).encode()
        histories = str(self.histories).encode()
        shown = self.display.as_text() + (f" in 1/{self.per_one}" if self.per_one > 1 else "")
        return shown.encode(), self.hidden.tobytes(), groups, histories

    @cached_property
    def hidden(self) -> NDArray[Any]:
        """The hidden truth: labels, or numbers where the metric is about numbers.

        A label file has names of classes; where a metric takes numbers, the names are the targets.
        They are counted in steps of their finest decimal, whole numbers.
        """
        if self.display.metric.takes is not Sent.NUMBERS:
            return self.labels
        try:
            values = np.array([float(name) for name in self.file.class_names])
        except ValueError:
            got = next(name for name in self.file.class_names if not is_number(name))
            points = ""
            if is_number(with_point := got.replace(",", ".", 1)):
                points = f"; write it with a decimal point, {with_point}"
            raise InvalidInput(
                f"labels must be numbers for {self.metric}, got {got!r}{points}."
            ) from None
        whole: NDArray[np.float64] = np.rint(values * self.per_one)
        return whole[self.labels]

    @cached_property
    def shows(self) -> dict[str, Show]:
        """What a look may show, by name: the metric alone, then all that the board adds.

        One thing at a time, each beside the total: groups, other metrics together, and every set of
        numbers of each class. So an audit tells which of them does the damage.
        """
        found: dict[str, Show] = {TOTAL: self.metric}
        if self.groups is not None:
            found[f"with {self.breakdown} scores"] = Breakdown(self.groups, self.metric, total=True)
        if self.also:
            found[f"with {' and '.join(map(str, self.also))}"] = Several([self.metric, *self.also])
        for each in self.display.by_class:
            by_class = each.show(self.problem.n_classes)
            found[f"with {each}"] = Several([self.metric, by_class])
        return found

    def _capped(self, looks: int) -> int:
        return looks if self.looks_per_data_set is None else min(looks, self.looks_per_data_set)
