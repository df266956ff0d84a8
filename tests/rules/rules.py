"""One of every rule, with settings that do something on a small problem."""

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
    Rule,
    ShakyLadder,
    Split,
    Subsample,
    Thresholdout,
    parse_rule,
    rule_classes,
)

ALL: list[Rule] = [
    Exact(),
    Rounding(decimals=1),
    Rounding(step=0.15),
    Ladder(step=0.1),
    ParameterFreeLadder(),
    ShakyLadder(step=0.05, scale=0.02),
    Thresholdout(threshold=0.1, scale=0.02, budget=100),
    Thresholdout(threshold=0.1, scale=0.02, budget=100, reference=0.4),
    Gaussian(0.05),
    Laplace(0.05),
    Subsample(0.3),
    Subsample(0.5, seed=9),
    FreshSubsample(0.4),
    RankOnly(),
    ImprovedOnly(),
    Batch(3),
    Split(4),
    Chain([Subsample(0.5), Rounding(decimals=1)]),
    Chain([Gaussian(0.05), Rounding(decimals=2)]),
    Chain([Batch(2), Subsample(0.5), ParameterFreeLadder()]),
    Chain([Exact()]),
]
# Rules that are not named above, as they name themselves.
_new = [rule for rule in rule_classes() if rule not in map(type, ALL)]
ALL += [parse_rule(text) for rule in _new for text in rule.text_forms]
