"""All release rules, and rules as text, for the command line and for policy files."""

from __future__ import annotations

import re
import types
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, get_args, get_type_hints

from holdfast import rules
from holdfast.errors import InvalidInput
from holdfast.plugins import installed
from holdfast.problem import Problem
from holdfast.quoting import choice, quoted
from holdfast.rules.base import Rule
from holdfast.rules.chain import Chain

__all__ = ["compared_rules", "named_rules", "parse_rule", "rule_classes"]


@cache
def rule_classes() -> tuple[type[Rule], ...]:
    """Return every rule, in the order in which tables list them, plug-ins last.

    >>> [rule.__name__ for rule in rule_classes()][:2]
    ['Exact', 'Rounding']
    """
    found = [each for each in vars(rules).values() if isinstance(each, type)]
    own = (each for each in found if issubclass(each, Rule) and each is not Rule)
    return (*own, *installed("holdfast.rules", Rule))


@cache
def named_rules() -> dict[str, list[type[Rule]]]:
    """Return the rules of each name that a text may begin with; two share "ladder".

    >>> named_rules()["ladder"]
    [<class 'holdfast.rules.parameter_free_ladder.ParameterFreeLadder'>, \
<class 'holdfast.rules.ladder.Ladder'>]
    """
    named: dict[str, list[type[Rule]]] = {}
    for rule in rule_classes():
        if rule is not rules.Chain:  # a chain is written as its rules
            named.setdefault(rule.name, []).append(rule)
    return named


def compared_rules(problem: Problem) -> tuple[Rule, ...]:
    """Return the rules that are compared if none are named.

    >>> [str(rule) for rule in compared_rules(Problem(1000, 10, 60))][-2:]
    ['split:10', 'batch:20']
    """
    texts = [text for rule in rule_classes() for text in rule.compared(problem)]
    return tuple(rules.parse_rule(text) for text in texts)


# Settings that rules had up to version 0.4, with their values. None of these changed what is
# released, so that texts of policies and ledgers keep their meaning without them.
FORMER = {"gaussian": {"sampler": ("grid", "opendp")}, "laplace": {"sampler": ("grid", "opendp")}}

# A plus sign joins rules, unless it belongs to a number such as 1e+16.
PLUS = re.compile(r"(?<![0-9.][eE])\+")


def parse_rule(text: str) -> Rule:
    """Return the rule that a text names; `str(rule)` gives the text back.

    A rule is `name`, `name:value` for its first setting, or `name:setting=value,...`; rules
    joined by "+" form a chain.

    Examples
    --------
    >>> parse_rule("thresholdout:threshold=0.04,scale=0.01,budget=50").budget
    50
    >>> str(parse_rule("subsample:0.3+round:4"))
    'subsample:0.3+round:4'
    >>> parse_rule("ladder:0.01"), parse_rule("ladder")
    (Ladder(step=0.01), ParameterFreeLadder())
    >>> parse_rule("rung:3")
    Traceback (most recent call last):
        ...
    holdfast.errors.InvalidInput: release rule must be one of batch, exact, fresh, gaussian, \
improved, ladder, laplace, rank, round, shaky, split, subsample, thresholdout, got 'rung'; did you \
mean round?
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput(
            f"release rule must be a text such as 'ladder:0.01', got {quoted(text)}."
        )
    rules = [_rule(part) for part in PLUS.split(text)]
    return rules[0] if len(rules) == 1 else Chain(rules)


def _rule(text: str) -> Rule:
    name, colon, settings = (part.strip() for part in text.partition(":"))
    named = named_rules().get(name)
    if named is None:
        raise InvalidInput(f"release rule must be {choice(name, sorted(named_rules()))}")
    if colon and not settings:
        raise InvalidInput(
            f"{name} must have settings after the colon, got {quoted(text.strip())}."
        )
    # Of two rules of one name, one has no settings: "ladder" alone is the parameter-free one.
    rule = next((each for each in named if bool(fields(each)) == bool(settings)), named[-1])
    known = [field.name for field in fields(rule)]
    given: dict[str, Any] = {}
    for item in filter(None, settings.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals:
            if not known or given:
                raise InvalidInput(
                    f"{name} must name its settings (setting=value), got {quoted(key)}."
                )
            key, value = rule.bare_setting(key), key
        if value in FORMER.get(name, {}).get(key, ()):
            continue
        if key not in known:
            raise InvalidInput(
                f"{name} must have settings among {', '.join(known) or 'none'}, got {quoted(key)}."
            )
        if key in given:
            raise InvalidInput(f"{name} must give {key} once, got {quoted(text.strip())}.")
        given[key] = _value(rule, key, value)
    missing = [f.name for f in fields(rule) if f.default is MISSING and f.name not in given]
    if missing:
        raise InvalidInput(f"{name} must give {', '.join(missing)}, got {quoted(text.strip())}.")
    return rule(**given)


def _value(rule: type[Rule], key: str, value: str) -> Any:
    """Return a setting's value in the type of its field."""
    hint = get_type_hints(rule)[key]
    wanted = get_args(hint)[0] if isinstance(hint, types.UnionType) else hint
    try:
        return wanted(value)
    except ValueError:
        kind = {int: "an integer", float: "a number"}.get(wanted, "a text")
        raise InvalidInput(f"{rule.name} {key} must be {kind}, got {quoted(value)}.") from None
