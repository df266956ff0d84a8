"""Conformance checks for release rules: the `Mechanism` protocol, text forms and limits."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from holdfast.certificates import certify
from holdfast.errors import CheckFailed
from holdfast.evaluate import evaluate
from holdfast.problem import Problem
from holdfast.protocols import Evaluation, Mechanism, State
from holdfast.quoting import quoted
from holdfast.rules import Chain, Exact, Rule, is_pending, parse_rule
from holdfast.rules.base import Reading
from holdfast.rules.registry import named_rules
from holdfast.testing.games import expect

__all__ = ["RuleCheck", "check_rule", "rule_checks"]

RuleCheck: TypeAlias = Callable[[Mechanism], None]

# Few enough examples that rules of coarse steps release several values, and looks for full batches.
PROBLEM = Problem(n_examples=60, n_classes=3, n_queries=24)
SUBMISSION_SEED, RULE_SEED = 5, 3


def rule_checks() -> tuple[RuleCheck, ...]:
    """Return every check, for a test runner to name and run each by itself.

    >>> [check.__name__ for check in rule_checks()][:2]
    ['check_it_is_a_frozen_mechanism', 'check_answers_follow_from_the_generator']
    """
    return CHECKS


def check_rule(rule: Mechanism) -> None:
    """Run every check on a release rule.

    Text form, chains and limits are checked of a `Rule`; any other `Mechanism` has none.

    Parameters
    ----------
    rule
        A rule with settings that do something on 60 examples of 3 classes and in 24 looks.

    Raises
    ------
    CheckFailed
        The first check that the rule does not pass, and why.

    Examples
    --------
    >>> from holdfast.rules import Rounding
    >>> check_rule(Rounding(decimals=1))
    """
    for check in rule_checks():
        try:
            check(rule)
        except CheckFailed as failure:
            raise CheckFailed(f"{quoted(rule)}, {check.__name__}: {failure}") from None


def evaluations() -> Iterator[Evaluation]:
    """Return scored submissions, of many accuracies, on one set of hidden labels."""
    n, m, k = PROBLEM
    rng = np.random.default_rng(SUBMISSION_SEED)
    labels = rng.integers(m, size=n).astype(np.uint8)
    for _ in range(k):
        query = np.where(rng.random(n) < rng.random(), labels, rng.integers(m, size=n))
        yield evaluate(query.astype(np.uint8), labels, m)


def _transcript(
    rule: Mechanism, *, through_json: bool = False, seed: int = RULE_SEED
) -> tuple[list[float], State]:
    """Return the answers to all submissions, and the last state."""
    rng, state, answers = np.random.default_rng(seed), rule.init(PROBLEM), []
    for evaluation in evaluations():
        if through_json:
            state = json.loads(json.dumps(state))
        answer, state = rule.release(state, evaluation, rng)
        answers.append(answer)
    return answers, state


def _text(state: State) -> str:
    return json.dumps(state, sort_keys=True)


def _equal(answers: list[float], others: list[float]) -> bool:
    """Tell whether answers are the same, those too that say "not yet"."""
    return bool(np.array_equal(answers, others, equal_nan=True))


def check_it_is_a_frozen_mechanism(rule: Mechanism) -> None:
    """Check that it has the protocol's methods, and settings that nobody can change."""
    expect(isinstance(rule, Mechanism), "it must have init and release.")
    try:
        setattr(rule, "any_setting", 1)  # noqa: B010 - a name that the class does not have
    except AttributeError:
        return
    raise CheckFailed("settings must be frozen, and an attribute could be set.")


def check_answers_follow_from_the_generator(rule: Mechanism) -> None:
    """Check that answers are floats, and the same again from the same generator."""
    first, again = _transcript(rule)[0], _transcript(rule)[0]
    odd = [answer for answer in first if type(answer) is not float]
    expect(not odd, f"an answer must be a float, got {quoted(odd[:1])}.")
    expect(_equal(first, again), "the same generator must give the same answers.")


def check_the_state_survives_json(rule: Mechanism) -> None:
    """Check that a rule goes on from a state that was stored as JSON after every look."""
    plain, state = _transcript(rule)
    through, after = _transcript(rule, through_json=True)
    expect(_equal(plain, through), "a state that went through JSON must give the same answers.")
    expect(_text(state) == _text(after), "a state that went through JSON must end the same.")


def check_a_release_changes_nothing(rule: Mechanism) -> None:
    """Check that the state before a look and its evaluation stay as they were."""
    rng, state = np.random.default_rng(0), rule.init(PROBLEM)
    for evaluation in evaluations():
        before = _text(state), evaluation.query.tolist(), evaluation.labels.tolist()
        _, after = rule.release(state, evaluation, rng)
        found = _text(state), evaluation.query.tolist(), evaluation.labels.tolist()
        expect(found == before, "release must change neither state, query nor labels in place.")
        state = after


def check_an_answer_is_a_number_or_pending(rule: Mechanism) -> None:
    """Check that answers are finite, and wait for others only if the rule says so."""
    answers, _ = _transcript(rule)
    expect(all(is_pending(a) or math.isfinite(a) for a in answers), "an answer must be finite.")
    if isinstance(rule, Rule):
        waits = rule.all_at_once(2)
        expect(
            any(map(is_pending, answers)) == waits,
            f"answers must wait for others if and only if all_at_once(2), which is {waits}.",
        )


def check_the_text_form_reads_back(rule: Mechanism) -> None:
    """Check `str(rule)`, if `parse_rule` knows the rule's name."""
    if not isinstance(rule, Rule):
        return
    text = str(rule)
    expect(text, "str(rule) must name the rule: set its attribute name.")
    if not {part.partition(":")[0] for part in text.split("+")} <= set(named_rules()):
        return
    again = parse_rule(text)
    expect(str(again) == text, f"{text} must read back as itself, got {again}.")
    expect(
        _equal(_transcript(again)[0], _transcript(rule)[0]),
        f"the rule read back from {text} must give the same answers.",
    )
    expect(again.stages == rule.stages, f"{text} must read back as an equal rule.")


def check_a_chain_with_exact_answers_the_same(rule: Mechanism) -> None:
    """Check the rule in a chain of its own, and after `Exact` unless it must come first."""
    if not isinstance(rule, Rule):
        return
    expected = _transcript(rule)[0]
    expect(_equal(_transcript(Chain([rule]))[0], expected), "Chain([rule]) must answer as it does.")
    if not rule.all_at_once(1):
        expect(
            _equal(_transcript(Chain([Exact(), rule]))[0], expected),
            "Chain([Exact(), rule]) must answer as the rule alone.",
        )


def check_source_price_and_certificate(rule: Mechanism) -> None:
    """Check that a rule says where it is from, what it costs, and what its answers tell."""
    if not isinstance(rule, Rule):
        return
    n = PROBLEM.n_examples
    expect(rule.source, "source must name the paper or practice that the rule implements.")
    resolution, found = rule.resolution(PROBLEM), certify(PROBLEM, rule)
    exact = certify(PROBLEM, Exact()).accuracy
    expect(
        1 / n <= resolution <= 1.0,
        f"resolution must lie between one match, 1/{n}, and 1, got {resolution}.",
    )
    expect(
        PROBLEM.baseline < found.accuracy <= exact,
        f"the certified accuracy must lie above {PROBLEM.baseline:.6g} and not above that of exact "
        f"scores, {exact:.6g}, got {found.accuracy:.6g}.",
    )
    expect(
        0.0 < found.bits_per_look <= math.log2(n + 1),
        f"an answer must tell more than 0 and at most log2({n + 1}) bits, "
        f"got {found.bits_per_look:.6g}.",
    )


def check_it_is_what_it_says(rule: Mechanism) -> None:
    """Check the attributes that others rely on against the answers: noise, exactness, scores."""
    if not isinstance(rule, Rule):
        return
    answers, other = _transcript(rule)[0], _transcript(rule, seed=RULE_SEED + 1)[0]
    if rule.same_examples and not rule.adds_noise:
        expect(_equal(answers, other), "another generator changes answers: set adds_noise.")
    told = [answer for answer in answers if not is_pending(answer)]
    if rule.keeps_exact:
        size = rule.scored(PROBLEM).n_examples
        expect(
            all(abs(answer * size - round(answer * size)) < 1e-9 for answer in told),
            f"a rule that keeps_exact must answer with counts over {size}.",
        )
    try:
        modelled = rule.answer_model(PROBLEM) is not None
    except NotImplementedError:
        modelled = False
    expect(
        modelled == (rule.shows == "scores"),
        "a rule must have an answer_model if and only if it shows scores, "
        f"and this one shows {rule.shows}.",
    )


def check_bounds_grow_with_the_looks(rule: Mechanism) -> None:
    """Check that more looks are never certified to tell less."""
    if not isinstance(rule, Rule):
        return
    n, m, _ = PROBLEM
    nats = [certify(Problem(n, m, k), rule).nats for k in (2, 6, 12, 24)]
    expect(nats == sorted(nats), f"2, 6, 12 and 24 looks must tell ever more nats, got {nats}.")


def check_it_releases_the_metrics_that_it_says(rule: Mechanism) -> None:
    """Check that it works on values of any metric that `works_on` names, gains and losses alike."""
    if not isinstance(rule, Rule):
        return
    at_examples = [s for s in rule.stages if s.wants_exact or s.selects or s.waits]
    if rule.looks_at_examples:
        return
    expect(
        not at_examples,
        "works_on must be WorksOn.ACCURACIES or HITS where a rule looks at examples, chooses some "
        f"or waits, got {rule.works_on}.",
    )
    rng = np.random.default_rng(RULE_SEED)
    # A score in [0, 1], one in [-1, 1], and the negatives of losses in [0, 1] and in [0, 36].
    for low, high in ((0, 1), (-1, 1), (-1, 0), (-36, 0)):
        state = rule.init(PROBLEM)
        for _ in range(PROBLEM.n_queries):
            value = low + (high - low) * Fraction(int(rng.integers(1001)), 1000)
            reading, state = rule.pass_on(state, Reading.of_value(value), rng)
            expect(
                math.isfinite(reading.value),
                f"a value in [{low}, {high}] must be released as a number, got {reading.value}.",
            )
        expect(json.loads(json.dumps(state)) == state, "the state must be plain data.")


CHECKS: tuple[RuleCheck, ...] = (
    check_it_is_a_frozen_mechanism,
    check_answers_follow_from_the_generator,
    check_the_state_survives_json,
    check_a_release_changes_nothing,
    check_an_answer_is_a_number_or_pending,
    check_the_text_form_reads_back,
    check_a_chain_with_exact_answers_the_same,
    check_source_price_and_certificate,
    check_it_is_what_it_says,
    check_bounds_grow_with_the_looks,
    check_it_releases_the_metrics_that_it_says,
)
