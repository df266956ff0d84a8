r"""Certified accuracy where looks show other metrics, several numbers, or groups.

What is counted is how many sequences of released numbers there can be, so nothing is asked of the
metric but what its value depends on (`bounds.metric_values`), and how many values the rule leaves
(`Rule.nats_between`). Two steps, proved in docs/bounds/metrics.md:

- Let the labels of different groups be independent. Given the labels outside of group g, all that
  k looks show is a function of what the numbers depend on inside of g, so the answers hold at
  most c_g nats about its n_g labels, where c_g counts the sequences of the numbers that touch it.
- By rate-distortion nobody knows more of the group's labels than c_g nats allow; the accuracy on
  all examples is the mean over groups, weighted by their sizes. For labels that are not uniform the
  sum of all c_g goes into the bound for the whole.

Where the class sizes and the match count fix every number that is shown, as those of two classes
do for every metric of labels, k looks tell no more than exact accuracies do: of the k submissions,
and of the constants that tell the class sizes. Then the bounds for these hold as well.

A metric of one's own may have no value for a submission. That is one more answer that a look can
have, for all its numbers together, and is counted as such (`or_no_value`).

It is a bound on labels that are known, in accuracy; `metric_gains` has bounds in other units.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from holdfast.bounds.label_model import LabelModel
from holdfast.bounds.metric_values import nats_of_values
from holdfast.certificates.asked import shared_evenly
from holdfast.certificates.certify import (
    Histories,
    certify,
    certify_histories,
    log_transcripts,
    of_all_teams,
)
from holdfast.certificates.knowledge import Known, knowledge_of
from holdfast.certificates.record import Certificate, NotCovered
from holdfast.errors import InvalidInput, NotSupported
from holdfast.metrics import Metric, Submission
from holdfast.metrics.base import FunctionOf
from holdfast.metrics.display import Display
from holdfast.problem import Problem
from holdfast.rules import Rule, recorded_look

__all__ = [
    "ShownLooks",
    "certify_display",
    "certify_recorded",
    "certify_shown",
    "log_transcripts_of",
    "numbers_alone",
    "or_no_value",
    "shown_nats",
]

BOUND = "numbers-counted"
STATEMENT = "counted numbers, group by group, and rate-distortion (docs/bounds.md)"

NO_LABELS = "numbers or label sets are hidden, and the bound is for one label per example"
TOLD_OF_OTHERS = "others, who may know more of the labels, look at the same state of the rule"

AS_EXACT = "functions of exact accuracies, class sizes given (docs/bounds.md)"

# What of two classes the class sizes and the match count fix.
OF_TWO_CLASSES = {FunctionOf.CLASS_HITS, FunctionOf.CONFUSIONS}
# What a value may depend on to be a function of certain counts of labels.
OF_CLASS_HITS = {FunctionOf.MATCHES, FunctionOf.MATCHES_AND_SIZES, FunctionOf.CLASS_HITS}
FOLLOWS_FROM = {
    FunctionOf.MATCHES: {FunctionOf.MATCHES},
    FunctionOf.CLASS_HITS: OF_CLASS_HITS,
    FunctionOf.CONFUSIONS: OF_CLASS_HITS | {FunctionOf.CONFUSIONS},
}


@dataclass(frozen=True)
class ShownLooks:
    """Looks under one rule that show the same numbers.

    Parameters
    ----------
    rule
        The release rule.
    display
        What each look shows.
    sizes
        On how many examples each number is computed: the groups, all examples, and all again for
        each further metric. Numbers of each class are not listed.
    states
        How many states of the rule there are, by the number of their looks.
    shared
        Whether others, who may know more of the labels, take looks from the same state.
    everyone
        Whether the looks of those others are counted here.
    """

    rule: Rule
    display: Display
    sizes: tuple[int, ...]
    states: Mapping[int, int]
    shared: bool = False
    everyone: bool = False

    def __post_init__(self) -> None:
        groups = 0 if self.display.breakdown is None else len(self.sizes) - 1 - self.n_also
        expected = groups + 1 + self.n_also
        if len(self.sizes) != expected or (self.display.breakdown is not None and groups < 1):
            raise InvalidInput(
                f"sizes must have one number of examples for each number of {self.display}, got "
                f"{len(self.sizes)}."
            )
        if groups and sum(self.sizes[:groups]) != self.sizes[groups]:
            raise InvalidInput("sizes of the groups must add up to that of all examples.")

    @property
    def n_also(self) -> int:
        """Number of further metrics."""
        return len(self.display.also)

    @property
    def every(self) -> list[tuple[Metric, int]]:
        """The metric behind each number that has a size, and that size."""
        parts = [self.display.metric] * (len(self.sizes) - 1 - self.n_also)
        return list(zip([*parts, *self.display.metrics], self.sizes, strict=True))

    @property
    def groups(self) -> tuple[int, ...]:
        """The sizes of the groups; all examples are one where there is no breakdown."""
        if self.display.breakdown is None:
            return self.sizes[:1]
        return self.sizes[: -1 - self.n_also]


def certify_display(
    problem: Problem,
    rule: Rule,
    display: Display,
    sizes: Sequence[int] | None = None,
    *,
    accounts: int = 1,
    knows: Known = None,
) -> Certificate:
    """Return the expected accuracy that nobody exceeds who is shown a display.

    Parameters
    ----------
    problem
        The sizes; `n_queries` is the number of looks of all accounts together.
    rule
        What is released of each number.
    display
        What each look shows.
    sizes
        The sizes of the groups, for a breakdown.
    accounts
        Accounts that share the looks evenly, each met by a state of its own.
    knows
        As for `certify`.

    Examples
    --------
    >>> from holdfast.rules import parse_rule
    >>> rule, problem = parse_rule("round:2"), Problem(10_000, 10, 100)
    >>> f1 = certify_display(problem, rule, Display.of("f1_macro"))
    >>> by_group = Display.of("accuracy", breakdown="subject")
    >>> certificate = certify_display(problem, rule, by_group, [100] * 100)
    >>> f1.bound, round(f1.gain, 3), round(certificate.gain, 3)
    ('numbers-counted', 0.102, 0.9)
    """
    if display.plain:
        return certify(problem, rule, accounts=accounts, knows=knows)
    n, m, k = problem
    groups = [] if display.breakdown is None else list(sizes or ())
    if display.breakdown is not None and sum(groups) != n:
        raise InvalidInput(f"sizes of the groups must add up to {n}, got {sum(groups)}.")
    every = (*groups, *[n] * (1 + len(display.also)))
    looks = ShownLooks(rule, display, every, shared_evenly(k, accounts))
    return certify_shown(n, m, [looks], knows=knows)


def certify_shown(
    n_examples: int, n_classes: int, looks: Sequence[ShownLooks], *, knows: Known = None
) -> Certificate:
    """Return what looks allow that show displays, each under its rule."""
    total = sum(count * times for each in looks for count, times in each.states.items())
    problem = Problem(n_examples, n_classes, max(1, total))
    knowledge = knowledge_of(knows, problem)
    reason = next(filter(None, map(_not_covered, looks)), None)
    nats, accuracy = math.inf, 1.0
    if reason is None:
        by_group = [shown_nats(each, n_classes) for each in looks]
        nats = min(n_examples * math.log(n_classes), sum(map(sum, by_group)))
        accuracy = knowledge.accuracy(nats, n_examples)
        alone = len(looks) == 1 and len(by_group[0]) == len(looks[0].groups)
        if alone and knowledge.uniform:
            accuracy = min(accuracy, _weighted(looks[0].groups, by_group[0], n_classes))
    missing = () if reason is None else (NotCovered(BOUND, reason),)
    constants = _constants(looks, n_classes)
    if constants is not None:
        as_exact = certify(
            Problem(n_examples, n_classes, problem.n_queries + constants), knows=knows
        )
        nats = min(nats, as_exact.nats)
        if as_exact.accuracy < accuracy:
            statement = f"{AS_EXACT}; {as_exact.statement}"
            return replace(
                as_exact, nats=nats, looks=total, statement=statement, not_covered=missing
            )
    covered = accuracy < 1.0
    return Certificate(
        accuracy=min(1.0, max(accuracy, knowledge.free)),
        free=knowledge.free,
        nats=nats,
        looks=total,
        bound=BOUND if covered else "none",
        statement=STATEMENT if covered else "no bound excludes that every label is known",
        binds=knowledge.who,
        not_covered=missing,
    )


def _constants(looks: Sequence[ShownLooks], n_classes: int) -> int | None:
    """Return how many constant submissions make all numbers functions of exact accuracies.

    None: they are functions of more. Rules that look at examples are left out, and states that
    others change, who may know more of the labels.
    """
    most = 0
    for each in looks:
        if each.rule.looks_at_examples or (each.shared and each.rule.remembers):
            return None
        if each.display.breakdown is not None:
            return None
        for metric in each.display.metrics:
            if metric.takes is not Submission.LABELS:
                return None
        depends_on = {metric.function_of for metric in each.display.metrics}
        for depends in depends_on | {numbers.function_of for numbers in each.display.by_class}:
            if depends is not FunctionOf.MATCHES:
                sized = depends is FunctionOf.MATCHES_AND_SIZES
                if not sized and not (n_classes == 2 and depends in OF_TWO_CLASSES):
                    return None
                most = n_classes - 1
    return most


def shown_nats(looks: ShownLooks, n_classes: int) -> list[float]:
    """Return how many nats all looks hold of each group's labels, given those outside of it.

    Where others' looks change what a state answers, the labels outside don't fix that: then there
    is one number, what all groups' answers together can release.
    """
    if looks.shared and looks.rule.remembers:
        return [or_no_value(looks, partial(numbers_alone, looks, n_classes, by_values=False))]
    return [
        min(
            size * math.log(n_classes),
            or_no_value(looks, partial(_state_nats, looks, size, n_classes)),
        )
        for size in looks.groups
    ]


def or_no_value(looks: ShownLooks, nats: Callable[[int], float]) -> float:
    r"""Return what all states' answers tell, where a look may also find that there is no value.

    `nats` bounds what the released numbers of so many looks of one state tell. Which of the looks
    have none is one of 2^k patterns, and given the pattern the others tell no more than all would:
    at most nats(k) + k log 2. Where the rule remembers nothing, each look has one answer more than
    the e^nats(1) it has, so that k of them tell at most k log(1 + e^nats(1)).
    """
    if not any(metric.may_fail for metric in looks.display.metrics):
        return sum(times * nats(count) for count, times in looks.states.items())
    total = 0.0
    for count, times in looks.states.items():
        most = nats(count) + count * math.log(2.0)
        if not looks.rule.remembers:
            most = min(most, count * float(np.logaddexp(0.0, nats(1))))
        total += times * most
    return total


def numbers_alone(
    looks: ShownLooks,
    n_classes: int,
    count: int,
    *,
    by_rule: bool = True,
    by_values: bool = True,
    sizes_public: bool = False,
) -> float:
    """Return what every number of one state's looks tells by itself, added up.

    It is the least of what the rule lets it tell and of what its values can, of all examples that
    it is of; nothing is asked of the labels. Values are not counted of a rule that looks at
    examples, which releases more than functions of them.
    """
    whole, shown = looks.sizes[-1], looks.display
    numbers = [(metric, metric.function_of, size, 1) for metric, size in looks.every]
    for each in shown.by_class:
        numbers.append((each.metric, each.function_of, whole, each.numbers(n_classes)))
    return sum(
        min(
            together * rule_nats(looks.rule, metric, size, n_classes, count)
            if by_rule
            else math.inf,
            nats_of_values(
                depends, size, n_classes, count, sizes_public=sizes_public, numbers=together
            )
            if by_values
            else math.inf,
        )
        for metric, depends, size, together in numbers
    )


def _state_nats(looks: ShownLooks, size: int, n_classes: int, count: int) -> float:
    """Return the nats in one state's answers to so many looks about a group of this size.

    Given the labels outside, the metrics of the group and those of all examples are functions of
    the same counts inside of it, where they are metrics of labels and the rule sees values alone.
    A rule that looks at examples may choose others for each number: then each is counted by itself,
    that of all examples with all its values.
    """
    rule, wholes = looks.rule, looks.display.metrics
    parts = [looks.display.metric] if looks.display.breakdown is not None else []
    by_values = not rule.looks_at_examples
    whole_size = size if by_values else looks.sizes[-1]
    released = 0.0
    for metric, here in [(each, size) for each in parts] + [(each, whole_size) for each in wholes]:
        counted = nats_of_values(metric.function_of, here, n_classes, count, among=looks.sizes[-1])
        released += min(rule_nats(rule, metric, here, n_classes, count), counted)
    by_class = looks.display.by_class
    for each in by_class:  # no class has more examples than all
        numbers = each.numbers(n_classes)
        most = numbers * rule_nats(rule, each.metric, looks.sizes[-1], n_classes, count)
        if by_values:
            values = nats_of_values(each.function_of, size, n_classes, count, numbers=numbers)
            most = min(most, values)
        released += most
    shown = (*parts, *wholes)
    depends = {metric.function_of for metric in shown} | {each.function_of for each in by_class}
    numbers = len(shown) + sum(each.numbers(n_classes) for each in by_class)
    if by_values and all(metric.takes is Submission.LABELS for metric in shown):
        for whole in (FunctionOf.MATCHES, FunctionOf.CLASS_HITS, FunctionOf.CONFUSIONS):
            if depends <= FOLLOWS_FROM[whole]:
                counted = nats_of_values(whole, size, n_classes, count, numbers=numbers)
                return min(released, counted)
    return released


def rule_nats(rule: Rule, metric: Metric, size: int, n_classes: int, looks: int) -> float:
    """Return what the rule lets one number tell, whatever it is computed from."""
    low, high = metric.low, metric.high
    if not metric.higher_is_better:
        low, high = -high, -low
    return rule.nats_between(Problem(size, n_classes, looks), low, high)


def _weighted(groups: Sequence[int], nats: Sequence[float], n_classes: int) -> float:
    """Return the mean over groups of the accuracy that the nats about each allow."""
    known = 0.0
    for size, each in zip(groups, nats, strict=True):
        known += size * LabelModel.uniform(size, n_classes).largest_accuracy(each)
    return known / sum(groups)


def _not_covered(looks: ShownLooks) -> str | None:
    takes = {metric.takes for metric in looks.display.metrics}
    if takes & {Submission.NUMBERS, Submission.LABEL_SETS}:
        return NO_LABELS
    if looks.shared and looks.rule.remembers:
        rule = looks.rule
        counted = rule.counted and (looks.everyone or not rule.tells_of_others)
        return None if counted else TOLD_OF_OTHERS
    return None


def certify_recorded(
    n_examples: int, n_classes: int, histories: Histories, *, everyone: bool = True
) -> Certificate:
    """Return what recorded looks allow, of accuracies or of anything else.

    As `certify_histories`, which it is where accuracies alone were shown. Otherwise the numbers of
    all histories are counted, those of accuracies too.

    >>> f1 = '{"metric": "f1", "sizes": [1000]} round:2'
    >>> certify_recorded(1000, 2, {("exact", "red"): 5, (f1, "red"): 5}).bound
    'two-classes'
    """
    if not any(text.startswith("{") for text, _ in histories):
        return certify_histories(n_examples, n_classes, histories, everyone=everyone)
    found: dict[tuple[str, bool], Counter[int]] = defaultdict(Counter)
    for (text, memory), count in histories.items():
        if count:
            found[text, of_all_teams(memory)][count] += 1
    looks = []
    for (text, shared), states in found.items():
        told = recorded_look(text)
        sizes = told.sizes or (n_examples,)
        looks.append(ShownLooks(told.rule, told.display, sizes, states, shared, everyone))
    return certify_shown(n_examples, n_classes, looks)


def log_transcripts_of(n_examples: int, n_classes: int, histories: Histories) -> float:
    """Return the logarithm of the number of answer sequences that recorded looks could have shown.

    As `log_transcripts`, which counts accuracies alone.

    Raises
    ------
    NotSupported
        Nothing counts the answers, as where numbers are hidden.
    """
    plain = {key: count for key, count in histories.items() if not key[0].startswith("{")}
    total = log_transcripts(n_examples, plain)
    for (text, _), count in histories.items():
        if text.startswith("{"):
            told = recorded_look(text)
            looks = ShownLooks(told.rule, told.display, told.sizes, {count: 1})
            reason = _not_covered(looks)
            if reason is not None:
                raise NotSupported(f"looks at {told.display} are not counted: {reason}.")
            # No value is an answer, too: of the 2^64 floats that are counted not all are numbers.
            total += count * numbers_alone(looks, n_classes, 1, by_rule=False)
    return total
