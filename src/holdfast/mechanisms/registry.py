"""All release rules: what `holdfast.mechanisms` imports."""

from __future__ import annotations

from functools import cache

from holdfast import mechanisms
from holdfast.mechanisms.base import Rule
from holdfast.plugins import installed
from holdfast.problem import Problem

__all__ = ["compared_rules", "named_rules", "rule_classes"]


@cache
def rule_classes() -> tuple[type[Rule], ...]:
    """Return every rule, in the order in which tables list them, plug-ins last.

    >>> [rule.__name__ for rule in rule_classes()][:2]
    ['Exact', 'Rounding']
    """
    found = [each for each in vars(mechanisms).values() if isinstance(each, type)]
    own = (each for each in found if issubclass(each, Rule) and each is not Rule)
    return (*own, *installed("holdfast.rules", Rule))


@cache
def named_rules() -> dict[str, list[type[Rule]]]:
    """Return the rules of each name that a text may begin with; two share "ladder".

    >>> named_rules()["ladder"]
    [<class 'holdfast.mechanisms.parameter_free_ladder.ParameterFreeLadder'>, \
<class 'holdfast.mechanisms.ladder.Ladder'>]
    """
    named: dict[str, list[type[Rule]]] = {}
    for rule in rule_classes():
        if rule is not mechanisms.Chain:  # a chain is written as its rules
            named.setdefault(rule.name, []).append(rule)
    return named


def compared_rules(problem: Problem) -> tuple[Rule, ...]:
    """Return the rules that are compared if none are named.

    >>> [str(rule) for rule in compared_rules(Problem(1000, 10, 60))][-2:]
    ['split:10', 'batch:20']
    """
    texts = [text for rule in rule_classes() for text in rule.compared(problem)]
    return tuple(mechanisms.parse_mechanism(text) for text in texts)
