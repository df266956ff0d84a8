"""Composition of release rules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from numpy.random import Generator

from holdfast.answers import AnswerModel, ExactAnswers, NoisyAnswers
from holdfast.errors import InvalidInput
from holdfast.problem import Problem
from holdfast.protocols import Evaluation, State
from holdfast.quoting import quoted
from holdfast.rules.base import Reading, Rule, WorksOn
from holdfast.rules.batch import Batch
from holdfast.rules.told import Told, Wording

__all__ = ["Chain"]


@dataclass(frozen=True)
class Chain(Rule):
    """Apply rules in order: each sees what the one before it passed on.

    Text form: the rules' text forms joined by "+", such as `subsample:0.3+round:4`, which scores
    the public part and rounds that. `Chain([Exact()])` is `Exact()`.

    Parameters
    ----------
    rules
        At least one rule. `Batch` may only be the first. `ParameterFreeLadder`, `ImprovedOnly`
        and `RankOnly` score submissions again, and so do rules that choose examples: what was
        done to a score before them would be lost. Only `Exact`, `Subsample` and `Batch` may come
        before these.

    Examples
    --------
    >>> from holdfast.rules.rounding import Rounding
    >>> from holdfast.rules.subsample import Subsample
    >>> str(Chain([Subsample(0.3), Rounding(decimals=4)]))
    'subsample:0.3+round:4'
    """

    rules: Sequence[Rule]

    name: ClassVar[str] = "chain"
    source: ClassVar[str] = "composition of the rules in it"
    text_forms: ClassVar[tuple[str, ...]] = ("subsample:0.3+round:4",)

    def __post_init__(self) -> None:
        flat: list[Rule] = []
        for rule in self.rules:
            if not isinstance(rule, Rule):
                raise InvalidInput(f"rules must be release rules, got {quoted(rule)}.")
            flat.extend(rule.stages)
        if not flat:
            raise InvalidInput("rules must hold at least one release rule, got none.")
        for place, rule in enumerate(flat):
            if rule.waits and place:
                raise InvalidInput(f"{rule} must be the first rule of a chain, got place {place}.")
            before = [r for r in flat[:place] if not r.keeps_exact]
            if (rule.wants_exact or rule.selects) and before:
                what = "earlier submissions" if rule.wants_exact else "the examples that it chooses"
                raise InvalidInput(
                    f"{rule} scores {what} again, so only exact, subsample and batch may come "
                    f"before it, got {before[0]}."
                )
        object.__setattr__(self, "rules", tuple(flat))
        # What one rule of it does, the chain does; what all have to do, it does if all do.
        for trait in ("speaks", "selects", "adds_noise", "tells_best"):
            object.__setattr__(self, trait, any(getattr(rule, trait) for rule in flat))
        for trait in ("keeps_exact", "same_examples"):
            object.__setattr__(self, trait, all(getattr(rule, trait) for rule in flat))
        order = list(WorksOn)
        fewest = max((rule.works_on for rule in flat), key=order.index)
        object.__setattr__(self, "works_on", fewest)
        shown = (rule.shows for rule in flat if rule.shows != "scores")
        object.__setattr__(self, "shows", next(shown, "scores"))

    def init(self, problem: Problem) -> State:
        """Return the states of all rules, each for the examples that reach it."""
        states = []
        for rule in self.rules:
            states.append(rule.init(problem))
            problem = rule.scored(problem)
        return {"rules": states, "released": []}

    def resume(self, state: State, problem: Problem) -> State:
        """Return the states of all rules as they go on."""
        states = []
        for rule, each in zip(self.rules, state["rules"], strict=True):
            states.append(rule.resume(each, problem))
            problem = rule.scored(problem)
        return {**state, "rules": states}

    def pass_on(self, state: State, reading: Reading, rng: Generator) -> tuple[Reading, State]:
        """Return the reading after the last rule; a batch is not possible in here."""
        reading, states = self._through(self.rules, state["rules"], reading, rng)
        return reading, {**state, "rules": states}

    def answers(
        self, state: State, evaluation: Evaluation, rng: Generator
    ) -> tuple[list[Reading], State]:
        """Return what the last rule passes on; with a batch, see `Batch.answers`."""
        first, rest = self.rules[0], self.rules[1:]
        if not isinstance(first, Batch):
            return super().answers(state, evaluation, rng)
        due, batch_state = first.collect(state["rules"][0], evaluation)
        states, readings = list(state["rules"][1:]), []
        for each in due:
            reading, states = self._through(rest, states, Reading.of(each), rng)
            readings.append(reading)
        answers = [float(reading.value) for reading in readings]
        after = {"rules": [batch_state, *states], "released": answers or state["released"]}
        return readings, after

    @staticmethod
    def _through(
        rules: Sequence[Rule], states: Sequence[State], reading: Reading, rng: Generator
    ) -> tuple[Reading, list[State]]:
        after, spoke = [], False
        for rule, state in zip(rules, states, strict=True):
            reading, changed = rule.pass_on(state, reading, rng)
            after.append(changed)
            if spoke and not rule.keeps_exact:
                # Whether an earlier rule climbed does not show in what this one passes on, and
                # its limit on information does not count it.
                reading = reading.telling(reading.value, own=None)
            spoke |= rule.speaks
        return reading, after

    @property
    def stages(self) -> tuple[Rule, ...]:
        """The rules."""
        return tuple(self.rules)

    @property
    def batch_size(self) -> int | None:
        """That of the first rule, which alone may wait."""
        return self.rules[0].batch_size

    @property
    def rounds_to(self) -> Fraction | None:
        """That of the last rule."""
        return self.last.rounds_to

    @property
    def climb_step(self) -> float:
        """That of the last rule."""
        return self.last.climb_step

    @property
    def climb_errors(self) -> float:
        """That of the last rule."""
        return self.last.climb_errors

    def answer_model(self, problem: Problem) -> AnswerModel | None:
        """Return that of the one rule, or noise as large as what all rules hide together."""
        return self._together(problem, [rule.answer_model(problem) for rule in self.rules])

    def informed_model(self, problem: Problem, accuracy: float) -> AnswerModel | None:
        """Return the same of somebody who starts from a model."""
        models = [rule.informed_model(problem, accuracy) for rule in self.rules]
        return self._together(problem, models)

    def _together(
        self, problem: Problem, models: Sequence[AnswerModel | None]
    ) -> AnswerModel | None:
        hiding: list[AnswerModel] = []
        for model in models:
            if model is None:
                return None
            if model.variance(problem) > 0.0:
                hiding.append(model)
        if not hiding:
            return ExactAnswers()
        if len(hiding) == len(self.rules) == 1:
            return hiding[0]
        variance = sum(each.variance(problem) for each in hiding)
        return NoisyAnswers(scale=math.sqrt(variance) / problem.n_examples)

    @property
    def model_gap(self) -> str | None:
        """That of the rules, or what several that hide something do together."""
        hiding = [rule for rule in self.rules if not rule.keeps_exact or rule.selects]
        if len(hiding) > 1:
            return "several rules hide something of a score, one behind the other"
        return next((rule.model_gap for rule in self.rules if rule.model_gap), None)

    def cautions(self) -> tuple[str, ...]:
        """Return those of all rules."""
        return tuple(caution for rule in self.rules for caution in rule.cautions())

    def wording(self, so_far: Wording, told: Told) -> Wording:
        """Return the phrase that all rules make in turn."""
        for rule in self.rules:
            so_far = rule.wording(so_far, told)
        return so_far

    def resolution(self, problem: Problem) -> float:
        """Return the sum of what each rule takes away, one match at least."""
        lost = 0.0
        for rule in self.rules:
            here = rule.resolution(problem)
            lost += here if here > 1.0 / problem.n_examples else 0.0
            problem = rule.scored(problem)
        return min(1.0, max(lost, 1.0 / problem.n_examples))

    def scored(self, problem: Problem) -> Problem:
        """Return the problem that one look is evaluated on."""
        for rule in self.rules:
            problem = rule.scored(problem)
        return problem

    def exposed(self, problem: Problem) -> Problem:
        """Return the problem with the examples that any look can touch."""
        for rule in self.rules:
            problem = rule.exposed(problem)
        return problem

    def own_nats(self, problem: Problem) -> float:
        """Return the smallest limit among the rules up to the first that leaves [0, 1].

        The limits are about input in [0, 1]; what comes later is post-processing.
        """
        least = math.inf
        for rule in self.rules:
            least = min(least, rule.own_nats(problem))
            if rule.leaves_range:
                break
            problem = rule.exposed(problem)
        return least

    def nats_between(self, problem: Problem, low: float, high: float) -> float:
        """Return the limit of the first rule that changes a value; the rest is post-processing."""
        for rule in self.rules:
            if not rule.keeps_exact:
                return rule.nats_between(problem, low, high)
        return math.inf

    def blurred_nats(self, problem: Problem) -> float:
        """Return the smallest limit among the rules that still see exact accuracies."""
        least = math.inf
        for rule in self.rules:
            least = min(least, rule.blurred_nats(problem))
            if not rule.keeps_exact:
                break
            problem = rule.exposed(problem)
        return least

    def counts_nats(self, problem: Problem) -> float:
        """Return the limit of the counts that the last selection leaves, if they are all."""
        return self.counts_nats_of(problem, {problem.n_queries: 1})

    def counts_nats_of(
        self, problem: Problem, states: Mapping[int, int], *, whole: bool = True
    ) -> float:
        """Return the limit of the counts for several states; see `Rule.counts_nats_of`."""
        if any(_uses_more(rule, problem) for rule in self.rules):
            return math.inf
        limit = super().counts_nats(problem)
        for rule in self.rules:
            if rule.selects:
                limit = rule.counts_nats_of(problem, states, whole=whole)
            problem = rule.exposed(problem)
        return limit

    def __str__(self) -> str:
        return "+".join(str(rule) for rule in self.rules)


def _uses_more(rule: Rule, problem: Problem) -> bool:
    """Tell whether the rule's answers depend on more than match counts."""
    return math.isinf(rule.counts_nats(problem))
