"""Audit requests: labels, a policy, and the attackers to expect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.audit.baseline import Baseline
from holdfast.audit.inputs.history import Submission, most_looks
from holdfast.audit.inputs.looks import Looks
from holdfast.audit.inputs.parts import Parts
from holdfast.audit.inputs.row_order import in_runs
from holdfast.audit.unequal_classes import baseline_of
from holdfast.errors import InvalidInput
from holdfast.files.label_files import LabelFile
from holdfast.guard import Policy
from holdfast.labels import Labels
from holdfast.mechanisms import Rule
from holdfast.problem import Problem, check_at_least

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

    def _capped(self, looks: int) -> int:
        return looks if self.looks_per_data_set is None else min(looks, self.looks_per_data_set)
