import pytest

from holdfast.errors import InvalidInput
from holdfast.mechanisms import (
    Chain,
    Exact,
    Gaussian,
    Ladder,
    ParameterFreeLadder,
    Rounding,
    Subsample,
    Thresholdout,
    parse_mechanism,
)


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
    parsed = parse_mechanism(text)
    assert parsed == rule
    assert parse_mechanism(str(parsed)) == parsed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "release rule must be a text such as 'ladder:0.01', got ''."),
        ("exact:", "exact must have settings after the colon, got 'exact:'."),
        ("exact:3", "exact must name its settings (setting=value), got '3'."),
        ("round:three", "round step must be a number, got 'three'."),
        ("round:-1", "step must lie in (0, 1], got -1.0."),
        ("round", "round must have either decimals or a step, got decimals=None, step=None."),
        ("ladder:0", "step must lie in (0, 1], got 0.0."),
        ("ladder:nan", "step must lie in (0, 1], got nan."),
        ("gaussian", "gaussian must give scale, got 'gaussian'."),
        ("gaussian:inf", "scale must lie in [1e-09, 1000], got inf."),
        ("gaussian:0.1,0.2", "gaussian must name its settings (setting=value), got '0.2'."),
        ("batch:size=1,size=2", "batch must give size once, got 'batch:size=1,size=2'."),
        ("gaussian:size=1", "gaussian must have settings among scale, sampler, got 'size'."),
        ("thresholdout:0.04", "thresholdout must give scale, budget, got 'thresholdout:0.04'."),
        ("batch:2.5", "batch size must be an integer, got '2.5'."),
        ("batch:0", "size must be at least 1, got 0."),
        ("round:2+batch:3", "batch:3 must be the first rule of a chain, got place 1."),
        (
            "gaussian:0.1+improved",
            "improved scores earlier submissions again, so only exact, subsample and batch may "
            "come before it, got gaussian:0.1.",
        ),
    ],
)
def test_a_bad_text_gets_one_clear_line(text, message):
    with pytest.raises(InvalidInput) as caught:
        parse_mechanism(text)
    assert str(caught.value) == message


def test_an_empty_chain_is_refused():
    with pytest.raises(InvalidInput, match="at least one release rule"):
        Chain([])
