"""Each check of release rules catches the mistake that it is for."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

from holdfast.rules import Exact, Rounding
from holdfast.testing import CheckFailed, check_rule, rule_checks
from tests.testing.toys import Halves


def test_a_toy_rule_passes_all_checks():
    check_rule(Halves())


class Plain:
    """A `Mechanism` that is no `Rule`: it has no text form and no limits."""

    __slots__ = ()

    def init(self, problem):
        return {}

    def release(self, state, evaluation, rng):
        return evaluation.matches / evaluation.n_examples, state


def test_a_mechanism_that_is_no_rule_passes_what_applies_to_it():
    check_rule(Plain())


class Loose(Plain):
    pass


@dataclass(frozen=True)
class Integer(Halves):
    def release(self, state, evaluation, rng):
        return int(evaluation.matches > 30), state


@dataclass(frozen=True)
class Undecided(Halves):
    def pass_on(self, state, reading, rng):
        return reading.with_value(Fraction(float(np.random.default_rng().random()))), state


@dataclass(frozen=True)
class TuplesForKeys(Halves):
    """State of JSON that reads back as something else."""

    def init(self, problem):
        return {"seen": ()}

    def pass_on(self, state, reading, rng):
        told = Fraction(isinstance(state["seen"], tuple))
        return reading.with_value(told), {"seen": (*state["seen"], 1)}


@dataclass(frozen=True)
class Overwriting(Halves):
    def init(self, problem):
        return {"looks": 0}

    def pass_on(self, state, reading, rng):
        state["looks"] += 1
        return reading, state


@dataclass(frozen=True)
class Endless(Halves):
    def release(self, state, evaluation, rng):
        return math.inf, state


@dataclass(frozen=True)
class Silent(Halves):
    def release(self, state, evaluation, rng):
        return math.nan, state


@dataclass(frozen=True)
class Nameless(Halves):
    name = ""


@dataclass(frozen=True)
class Impostor(Exact):
    """Calls itself by another rule's name, and answers otherwise."""

    def release(self, state, evaluation, rng):
        return 0.5, state


@dataclass(frozen=True)
class Skipping(Halves):
    """Answers differently in a chain, which passes readings on."""

    def release(self, state, evaluation, rng):
        return 0.25, state


@dataclass(frozen=True)
class Anonymous(Halves):
    source = ""


@dataclass(frozen=True)
class Sharper(Rounding):
    decimals: int | None = field(default=1)

    def resolution(self, problem):
        return 0.0


@dataclass(frozen=True)
class Forgetful(Halves):
    def own_nats(self, problem):
        return 10.0 / problem.n_queries


@dataclass(frozen=True)
class Unmodelled(Halves):
    def answer_model(self, problem):
        return None


@dataclass(frozen=True)
class ClosetNoise(Halves):
    def pass_on(self, state, reading, rng):
        return reading.with_value(Fraction(int(rng.integers(2)))), state


@dataclass(frozen=True)
class Imprecise(Exact):
    def pass_on(self, state, reading, rng):
        return reading.with_value(reading.value / 7), state

    def release(self, state, evaluation, rng):
        return evaluation.matches / evaluation.n_examples / 7, state


BROKEN = [
    (Loose(), "it_is_a_frozen_mechanism", "settings must be frozen"),
    (object(), "it_is_a_frozen_mechanism", "must have init and release"),
    (Integer(), "answers_follow_from_the_generator", r"must be a float, got \[1\]"),
    (Undecided(), "answers_follow_from_the_generator", "must give the same answers"),
    (TuplesForKeys(), "the_state_survives_json", "must give the same answers"),
    (Overwriting(), "a_release_changes_nothing", "must change neither state"),
    (Endless(), "an_answer_is_a_number_or_pending", "must be finite"),
    (Silent(), "an_answer_is_a_number_or_pending", r"all_at_once\(2\), which is False"),
    (Nameless(), "the_text_form_reads_back", "must name the rule"),
    (Impostor(), "the_text_form_reads_back", "the rule read back from exact must give the same"),
    (Skipping(), "a_chain_with_exact_answers_the_same", "must answer as it does"),
    (Anonymous(), "source_price_and_certificate", "source must name"),
    (Sharper(), "source_price_and_certificate", "resolution must lie between one match, 1/60"),
    (Unmodelled(), "it_is_what_it_says", "and this one shows scores"),
    (ClosetNoise(), "it_is_what_it_says", "set adds_noise"),
    (Imprecise(), "it_is_what_it_says", "must answer with counts over 60"),
    (Forgetful(), "bounds_grow_with_the_looks", "must tell ever more nats"),
]


@pytest.mark.parametrize(
    ("rule", "name", "message"), BROKEN, ids=[type(b[0]).__name__ for b in BROKEN]
)
def test_a_mistake_is_caught_by_the_check_for_it(rule, name, message):
    [check] = [check for check in rule_checks() if check.__name__ == f"check_{name}"]
    with pytest.raises(CheckFailed, match=message):
        check(rule)


def test_a_failure_names_rule_and_check():
    with pytest.raises(CheckFailed, match=r"Anonymous\(\), check_source_price_and_certificate: "):
        check_rule(Anonymous())
