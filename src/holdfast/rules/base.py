"""The base class of release rules: frozen settings, a text form, limits and a price."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator

from holdfast.answers import AnswerModel, NewBestAnswers, RankAnswers
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.problem import Problem
from holdfast.protocols import Evaluation, State
from holdfast.rules.told import OWN_SCORE, Told, Wording, in_words

__all__ = ["PENDING", "Reading", "Rule", "WorksOn"]

# What a look gets while its batch is not full: a float, as every answer, and no number.
PENDING = math.nan


class WorksOn(Enum):
    """The metrics whose values a rule can release. From a whole to a part, in this order."""

    ANY_METRIC = "any metric"
    BOUNDED_METRICS = "metrics with values between two limits, and losses too"
    HITS = "metrics that call each example right or wrong, as accuracies do"
    ACCURACIES = "accuracies alone"


# What a rule that reads values alone is given for the examples: none.
NO_EXAMPLES = Evaluation(0, np.empty(0, np.uint8), np.empty(0, np.uint8))


@dataclass(frozen=True, slots=True, repr=False)
class Reading:
    """What one rule hands to the next: the value so far and the examples it was read from.

    The value is a fraction, so that comparisons with a threshold are exact: an accuracy is a
    count over n, and a step of 0.01 is one hundredth. `told` says whose value it is.
    """

    value: Fraction
    evaluation: Evaluation
    told: Told = OWN_SCORE

    @classmethod
    def of(cls, evaluation: Evaluation) -> Reading:
        """Return the exact accuracy of an evaluation."""
        return cls(Fraction(evaluation.matches, evaluation.n_examples), evaluation)

    @classmethod
    def of_value(cls, value: Fraction) -> Reading:
        """Return a value of any metric, without the examples behind it."""
        return cls(value, NO_EXAMPLES)

    def with_value(self, value: Fraction) -> Reading:
        """Return the same examples with another value."""
        return Reading(value, self.evaluation, self.told)

    def telling(
        self, value: Fraction, *, new_best: bool | None = None, own: bool | None = True
    ) -> Reading:
        """Return the same examples with a value that need not be of this submission."""
        return Reading(value, self.evaluation, replace(self.told, new_best=new_best, own=own))


@dataclass(frozen=True)
class Rule:
    """A release rule. A subclass is a frozen dataclass whose fields are its settings.

    It implements `pass_on`, which turns a reading into the next one; `resolution`;
    `answer_model`; and either `own_nats` or nothing, if the counts behind its answers are all that
    limits it. What the rest of the package asks of every rule is said here; only theorems about one
    rule, and the audit's choice of fixes, look at its type.

    Class attributes
    ----------------
    name
        What the rule is called in the text form.
    source
        The paper and algorithm that it implements.
    shows
        What its answers are: "scores", "ranks" (1 is the best), or one bit for a "new best".
    wants_exact
        It looks at the examples again, so only rules that keep exact values may come before it.
    keeps_exact
        It passes on exact accuracies, of the same examples at every look.
    unbounded
        Its values may lie outside [0, 1]: in a chain, what follows it is mere post-processing.
    selects
        It changes which examples are scored.
    speaks
        It tells whether a look was the best so far, or whose value it answers with (`Told`).
    tells_best
        It says of each look whether it is the best so far.
    adds_noise
        It adds noise to what it releases.
    same_examples
        Two looks are scored on the same examples.
    tells_of_others
        If it remembers looks of several people together, an answer may tell one of them what
        others were told, so that `own_nats` of one's own looks is no limit.
    text_forms
        Text forms that do something on a board of usual size, for tables and comparisons.
    counted
        `own_nats` is the logarithm of a number of possible answer sequences.
    works_on
        The metrics whose values it can release. A rule that looks at examples, chooses some or
        holds answers back works on accuracies alone, or on metrics that count hits.
    accuracies_because
        Why it works on accuracies or hits alone, if it does.
    """

    name: ClassVar[str] = ""
    source: ClassVar[str] = ""
    shows: ClassVar[Literal["scores", "ranks", "new best"]] = "scores"
    wants_exact: ClassVar[bool] = False
    keeps_exact: ClassVar[bool] = False
    unbounded: ClassVar[bool] = False
    selects: ClassVar[bool] = False
    speaks: ClassVar[bool] = False
    tells_best: ClassVar[bool] = False
    adds_noise: ClassVar[bool] = False
    same_examples: ClassVar[bool] = True
    tells_of_others: ClassVar[bool] = True
    counted: ClassVar[bool] = False
    works_on: ClassVar[WorksOn] = WorksOn.BOUNDED_METRICS
    accuracies_because: ClassVar[str] = "it looks at their examples"
    text_forms: ClassVar[tuple[str, ...]] = ()

    def init(self, problem: Problem) -> State:
        """Return the state before the first look: plain data, and empty if nothing is kept."""
        return {}

    def resume(self, state: State, problem: Problem) -> State:
        """Return a stored state as it goes on under a budget that may have changed since."""
        return state

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return what the next rule sees, and the state after this look."""
        raise NotImplementedError

    def answers(
        self, state: State, evaluation: Evaluation, rng: Generator
    ) -> tuple[list[Reading], State]:
        """Return what this look brings out, its own answer last, and the state after it.

        One reading for most rules; none while a batch fills, and all of it when it is full.
        """
        reading, after = self.pass_on(state, Reading.of(evaluation), rng)
        return [reading], after

    def release(self, state: State, evaluation: Evaluation, rng: Generator) -> tuple[float, State]:
        """Return what is released for this look, and the state after it."""
        readings, after = self.answers(state, evaluation, rng)
        return (float(readings[-1].value) if readings else PENDING), after

    @property
    def leaves_range(self) -> bool:
        """Whether a value that it passes on may lie outside [0, 1]."""
        return self.unbounded

    # What it consists of, and what it keeps.

    @property
    def stages(self) -> tuple[Rule, ...]:
        """The rules that an accuracy goes through in turn: this one, or those of a chain."""
        return (self,)

    @property
    def last(self) -> Rule:
        """The rule whose values are released."""
        return self.stages[-1]

    @property
    def keeps_state(self) -> bool:
        """Whether a second account meets another state than the first one left."""
        return any(type(stage).init is not Rule.init for stage in self.stages)

    @property
    def looks_at_examples(self) -> bool:
        """Whether it needs more than values: the examples that a metric calls right or wrong."""
        return self.works_on in (WorksOn.HITS, WorksOn.ACCURACIES)

    @property
    def remembers(self) -> bool:
        """Whether an answer depends on earlier looks of the same state."""
        return any(stage.keeps_state and not stage.waits for stage in self.stages)

    @property
    def batch_size(self) -> int | None:
        """How many looks are answered together; None: each at once."""
        return None

    @property
    def waits(self) -> bool:
        """Whether answers are held back until a batch of looks is full."""
        return self.batch_size is not None

    # What an attack that knows the rule makes of its answers.

    def answer_model(self, problem: Problem) -> AnswerModel | None:
        """Return the answer model that describes the rule best; None: it shows no accuracies.

        >>> from holdfast.rules import parse_rule
        >>> parse_rule("round:2").answer_model(Problem(1000, 10, 5))
        RoundedAnswers(step=0.01)
        >>> parse_rule("rank").answer_model(Problem(1000, 10, 5)) is None
        True
        """
        if self.shows == "scores":
            raise NotImplementedError
        return None

    def informed_model(self, problem: Problem, accuracy: float) -> AnswerModel | None:
        """Return `answer_model` for somebody who starts from a model with this accuracy.

        The same, unless what an answer hides depends on the share of matches.
        """
        return self.answer_model(problem)

    def board_model(self, problem: Problem, *, accuracy: float | None = None) -> AnswerModel:
        """Return the answer model for somebody who looks again and again at the same state.

        `answer_model` is right of a value that is new. A rule that remembers may answer with
        another: where that is the best so far, all that a look tells is whether it climbed.
        `accuracy` is that of the model that he starts from.

        >>> from holdfast.rules import parse_rule
        >>> parse_rule("ladder:0.01").board_model(Problem(1000, 10, 5))
        NewBestAnswers(step=0.01, standard_errors=0.0, bits=False)
        """
        if self.shows == "ranks":
            return RankAnswers()
        if self.shows == "new best":
            return NewBestAnswers(bits=True)
        if self.remembers and self.tells_best:
            return NewBestAnswers(self.climb_step, self.climb_errors)
        model = (
            self.answer_model(problem)
            if accuracy is None
            else self.informed_model(problem, accuracy)
        )
        assert model is not None  # it shows scores
        return model

    @property
    def model_gap(self) -> str | None:
        """Why no answer model foretells its answers; None: `board_model` does."""
        if self.remembers and self.adds_noise:
            return "the rule remembers earlier looks and adds noise to what it says of them"
        if self.remembers and not self.tells_best and self.shows == "scores":
            return "the rule's answers depend on how many looks came before"
        return None

    @property
    def rounds_to(self) -> Fraction | None:
        """The step to whose multiples every look's own value is rounded; None: it is not."""
        return None

    @property
    def climb_step(self) -> float:
        """How far a look has to lie above the standing value to be shown."""
        return 0.0

    @property
    def climb_errors(self) -> float:
        """How many standard errors of the difference it has to lie above the standing one."""
        return 0.0

    # Which other rules its answers stand for.

    def refines(self, other: Rule, problem: Problem) -> bool:
        """Tell whether another rule's answers can be made from this one's.

        Then whatever an attack gains under the other rule, it gains under this one, too.
        """
        return self == other

    @property
    def tells_counts_alone(self) -> bool:
        """Whether its answers follow from match counts on all examples, and from noise."""
        return all(
            not stage.selects and math.isfinite(stage.counts_nats(Problem(2, 2, 1)))
            for stage in self.stages
        )

    # What an answer means.

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase for an answer, from that for the value that the rule was passed."""
        return so_far

    def meaning(self, told: Told, whose: str) -> str:
        """Return in words what an answer is; `whose` names whose looks the rule remembers.

        >>> from holdfast.rules import parse_rule
        >>> parse_rule("subsample:0.3+ladder:0.01").meaning(Told(new_best=True), "team blue")
        'best so far of team blue on a fixed 0.3 of the examples, in steps of 0.01'
        """
        return in_words(self.wording(Wording(whose), told))

    def cautions(self) -> tuple[str, ...]:
        """Return what a host should know before it uses the rule with these settings."""
        return ()

    # What it costs an honest user.

    def resolution(self, problem: Problem) -> float:
        """Return how far an answer may be from the exact accuracy: a step or a standard error."""
        raise NotImplementedError

    def difference_blur(self, problem: Problem, chance: float) -> float:
        """Return how much the difference of two released values may exceed the exact one.

        For two values of the submissions' own, on the examples that were scored, and but for
        this chance; the difference is exact unless the rule rounds or adds noise.
        """
        return 0.0

    # What its answers can tell: limits that `holdfast.certificates` puts together.

    def scored(self, problem: Problem) -> Problem:
        """Return the problem that one look is evaluated on: fewer examples if it selects."""
        return problem

    def exposed(self, problem: Problem) -> Problem:
        """Return the problem with only those examples that any look can ever touch."""
        return problem

    def own_nats(self, problem: Problem) -> float:
        """Return a limit on the information in the k answers of one state, for any labels.

        It holds for any input in [0, 1] and whatever the analyst has learned elsewhere, because it
        counts what can be released or limits every look by itself: those of several states, with
        an account each, add up.
        """
        return math.inf

    def nats_between(self, problem: Problem, low: float, high: float) -> float:
        """Return `own_nats` for values between two limits that need not be 0 and 1.

        Values are handed to the rule so that a higher one is better: those of a loss between
        -high and -low. Infinite where nothing is counted.
        """
        return self.own_nats(problem) if low >= 0.0 and high <= 1.0 else math.inf

    def counts_nats(self, problem: Problem) -> float:
        """Return a limit on the information in the match counts behind the answers.

        It is for uniform labels and for all looks that were ever taken, of all states together:
        what was learned before makes the next look tell more. Infinite if the answers depend on
        more than match counts.
        """
        return nats_adaptive_tilted(problem)

    def counts_nats_of(
        self,
        problem: Problem,
        states: Mapping[int, int],
        *,
        whole: bool = True,
    ) -> float:
        """Return `counts_nats` for several states: how many of them there are, by their looks.

        `problem` has the looks of all of them. `whole` tells whether these are each state's whole
        budget; if not, they are those taken so far, of a budget that is not known.
        """
        return self.counts_nats(problem)

    def blurred_nats(self, problem: Problem) -> float:
        """Return a limit that holds if the input is the exact accuracy on all n examples.

        Like that of the counts it is for uniform labels and for the looks of all states together.
        """
        return math.inf

    def all_at_once(self, looks: int) -> bool:
        """Tell whether one state answers none of so many looks before all are asked."""
        return self.batch_size is not None and self.batch_size >= looks

    def conditions(self, problem: Problem) -> str:
        """Return in words what the limits of this rule rest on."""
        return "a state is never lost"

    # Its text form.

    @classmethod
    def compared(cls, problem: Problem) -> tuple[str, ...]:
        """Return the text forms with which rules are compared if none are named."""
        return cls.text_forms

    @classmethod
    def bare_setting(cls, value: str) -> str:
        """Return which setting a value without a name is of: the first."""
        return fields(cls)[0].name

    def __str__(self) -> str:
        settings = [(f.name, getattr(self, f.name), f.default) for f in fields(self)]
        shown = [(name, value) for name, value, default in settings if _differs(value, default)]
        if not shown:
            return self.name
        if len(shown) == 1 and shown[0][0] == settings[0][0]:
            return f"{self.name}:{_text(shown[0][1])}"
        return f"{self.name}:" + ",".join(f"{name}={_text(value)}" for name, value in shown)


def _differs(value: Any, default: Any) -> bool:
    return default is MISSING or value != default


def _text(value: Any) -> str:
    """Return a setting as text that reads back as the same value, and has no plus sign."""
    if isinstance(value, float | np.floating):
        return repr(float(value)).replace("e+", "e")
    return str(value)
