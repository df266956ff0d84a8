"""The setting of a forecast: where it starts, what is scored, and what certain labels gain."""

import numpy as np
import pytest

from holdfast import Problem, attacks
from holdfast.answers import ExactAnswers, RoundedAnswers, SubsetAnswers
from holdfast.attacks.registry import attack_types
from holdfast.planner.forecast import forecast
from holdfast.planner.rehearsal import Estimate
from holdfast.priors import Prior
from holdfast.setting import Setting

PROBLEM = Problem(4, 2, 3)
PRIOR = Prior.dense([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [1.0, 0.0]])


def test_with_a_model_it_starts_from_what_the_model_has_right():
    assert Setting(PROBLEM).start == 2.0
    assert Setting(PROBLEM, PRIOR).start == pytest.approx(0.9 + 0.6 + 0.5 + 1.0)


def test_an_attack_that_ignores_the_model_loses_what_the_model_had():
    found = Estimate(1.5, 3, "why")
    assert found.from_scratch(Setting(PROBLEM)).gain == 1.5
    assert found.from_scratch(Setting(PROBLEM, PRIOR)).gain == pytest.approx(0.5)


def test_certain_labels_gain_what_was_in_doubt_the_most_doubtful_first():
    assert Setting(PROBLEM).sure_gain(3) == 1.5
    assert Setting(PROBLEM, PRIOR).sure_gain(2) == pytest.approx(0.5 + 0.4)


def test_only_the_scored_part_can_be_overfit():
    assert Setting(PROBLEM, answers=SubsetAnswers(0.5)).scored == Problem(2, 2, 3)
    assert Setting(PROBLEM, answers=RoundedAnswers(0.1)).scored == PROBLEM
    assert Setting(PROBLEM, answers=ExactAnswers()).exact


def test_every_attack_says_why_no_plan_has_it_or_what_it_gains():
    setting = Setting(Problem(60, 2, 9))
    for cls in attack_types():
        reason = cls.obstacle(setting)
        assert reason is None or (reason and not reason.endswith("."))
        found = forecast(cls, setting)
        assert found.reason == reason or found.gain is not None
        if found.gain is not None:
            assert np.isfinite(found.gain)
            assert found.error >= 0.0
            assert 0 <= found.looks <= 9


def test_limits_are_named():
    wide = Setting(Problem(100, 2001, 5))
    assert attacks.MessagePassing.obstacle(wide).endswith("too long with over 2000 classes")
    assert attacks.Boosting.obstacle(wide) == "n_classes must be 2, got 2001"
    assert attacks.Exhaustive.obstacle(Setting(Problem(100, 2, 100))) == (
        "n_classes ** 50 labelings are too many to search"
    )
    assert attacks.BlockMajority.usable(Problem(5, 2, 9)) == Problem(5, 2, 6)
