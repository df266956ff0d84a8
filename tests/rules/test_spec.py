import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.certificates import certify_histories
from holdfast.errors import InvalidInput
from holdfast.rules import (
    Batch,
    Chain,
    Exact,
    FreshSubsample,
    Gaussian,
    ImprovedOnly,
    Ladder,
    Laplace,
    ParameterFreeLadder,
    RankOnly,
    Rounding,
    ShakyLadder,
    Split,
    Subsample,
    Thresholdout,
    parse_rule,
)
from holdfast.rules.base import _text


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("exact", Exact()),
        ("round:3", Rounding(decimals=3)),
        ("round:0.005", Rounding(step=0.005)),
        ("ladder:0.01", Ladder(0.01)),
        ("ladder", ParameterFreeLadder()),
        (
            "thresholdout:threshold=0.04,scale=0.01,budget=50",
            Thresholdout(threshold=0.04, scale=0.01, budget=50),
        ),
        ("gaussian:0.005", Gaussian(0.005)),
        (" subsample:0.3 + round:4 ", Chain([Subsample(0.3), Rounding(decimals=4)])),
        ("subsample:fraction=0.3, seed=7", Subsample(0.3, seed=7)),
        ("ladder:1e-05", Ladder(1e-05)),
    ],
)
def test_the_text_forms_that_policies_use(text, rule):
    parsed = parse_rule(text)
    assert parsed == rule
    assert parse_rule(str(parsed)) == parsed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "release rule must be a text such as 'ladder:0.01', got ''."),
        ("exact:", "exact must have settings after the colon, got 'exact:'."),
        ("exact:3", "exact must name its settings (setting=value), got '3'."),
        ("round:three", "round step must be a number, got 'three'."),
        ("round:-1", "step must lie in [1e-09, 1], got -1.0."),
        ("round", "round must have either decimals (round:3) or a step (round:0.005), got none."),
        ("ladder:0", "step must lie in [1e-09, 1], got 0.0."),
        ("ladder:nan", "step must lie in [1e-09, 1], got nan."),
        ("gaussian", "gaussian must give scale, got 'gaussian'."),
        ("gaussian:inf", "scale must lie in [1e-09, 1000], got inf."),
        ("gaussian:0.1,0.2", "gaussian must name its settings (setting=value), got '0.2'."),
        ("batch:size=1,size=2", "batch must give size once, got 'batch:size=1,size=2'."),
        ("gaussian:size=1", "gaussian must have settings among scale, got 'size'."),
        ("thresholdout:0.04", "thresholdout must give scale, budget, got 'thresholdout:0.04'."),
        ("batch:2.5", "batch size must be an integer, got '2.5'."),
        ("batch:0", "size must be at least 1, got 0."),
        ("round:5000", "decimals must be at most 15, got 5000."),
        ("ladder:1e-320", "step must lie in [1e-09, 1], got 1e-320."),
        ("gaussian:1e16", "scale must lie in [1e-09, 1000], got 1e+16."),
        ("laplace:1e+16", "scale must lie in [1e-09, 1000], got 1e+16."),
        ("shaky:step=0.1,scale=1e-12", "scale must lie in [1e-09, 1000], got 1e-12."),
        ("subsample:1e-300", "fraction must lie in [1e-09, 1], got 1e-300."),
        ("round:2+batch:3", "batch:3 must be the first rule of a chain, got place 1."),
        (
            "gaussian:0.1+improved",
            "improved scores earlier submissions again, so only exact, subsample and batch may "
            "come before it, got gaussian:0.1.",
        ),
        (
            "gaussian:1.0+subsample:0.5",
            "subsample:0.5 scores the examples that it chooses again, so only exact, subsample "
            "and batch may come before it, got gaussian:1.0.",
        ),
        (
            "fresh:0.5+split:2",
            "split:2 scores the examples that it chooses again, so only exact, subsample and "
            "batch may come before it, got fresh:0.5.",
        ),
    ],
)
def test_a_bad_text_gets_one_clear_line(text, message):
    with pytest.raises(InvalidInput) as caught:
        parse_rule(text)
    assert str(caught.value) == message


def test_an_empty_chain_is_refused():
    with pytest.raises(InvalidInput, match="at least one release rule"):
        Chain([])


STEPS = st.floats(1e-9, 1.0)
SCALES = st.floats(1e-9, 1e3)
COUNTS = st.integers(1, 2**63 - 1)
RULE_TEXTS = st.one_of(
    st.builds(Exact),
    st.builds(Rounding, decimals=st.integers(0, 15)),
    st.builds(Rounding, step=STEPS),
    st.builds(Ladder, STEPS),
    st.builds(ParameterFreeLadder),
    st.builds(ShakyLadder, STEPS, SCALES),
    st.builds(Thresholdout, STEPS, SCALES, COUNTS, st.none() | st.floats(0.0, 1.0)),
    st.builds(Gaussian, SCALES),
    st.builds(Laplace, SCALES),
    st.builds(Subsample, STEPS, COUNTS),
    st.builds(FreshSubsample, STEPS),
    st.builds(Split, COUNTS, COUNTS),
    st.builds(RankOnly),
    st.builds(ImprovedOnly),
    st.builds(Batch, COUNTS),
)


@given(st.lists(RULE_TEXTS, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_every_rule_and_chain_reads_back_from_its_text(rules):
    for rule in rules:
        assert parse_rule(str(rule)) == rule
    with contextlib.suppress(InvalidInput):  # some orders make no chain
        chain = Chain(rules)
        again = parse_rule(str(chain))
        assert str(again) == str(chain)
        assert again == (chain if len(chain.rules) > 1 else chain.rules[0])


@pytest.mark.parametrize("value", [1e16, 1e22, 1.5e300, 5e-324, np.float64(0.1), 0.1])
def test_a_number_in_a_text_form_reads_back_and_never_joins_rules(value):
    # Settings are smaller today; this is about how any number is written.
    text = _text(value)
    assert "+" not in text
    assert float(text) == value


def test_a_ledger_that_names_a_rule_nobody_knows_is_not_certified():
    with pytest.raises(InvalidInput, match=r"release rule must be one of .*, got 'rung'"):
        certify_histories(1000, 4, {("rung:3", "blue"): 12})


@pytest.mark.parametrize(
    "text", ["round:15", "ladder:1e-09", "round:0.0123456789012345", "shaky:step=1e-9,scale=1e-9"]
)
def test_the_finest_settings_are_certified_like_exact_scores(text):
    found = certify_histories(5000, 4, {(text, "blue"): 50})
    exact = certify_histories(5000, 4, {("exact", "blue"): 50})
    assert math.isfinite(found.nats)
    assert 0.0 < found.gain <= exact.gain * (1 + 1e-9)


def test_a_public_seed_is_warned_about_and_a_secret_one_is_not():
    for text in ("subsample:0.3", "split:4", "subsample:0.3+round:2"):
        (caution,) = parse_rule(text).cautions()
        assert "default seed 0, so that everybody knows which they are" in caution
    for text in ("subsample:fraction=0.3,seed=77", "split:parts=4,seed=5", "exact", "fresh:0.3"):
        assert parse_rule(text).cautions() == ()
