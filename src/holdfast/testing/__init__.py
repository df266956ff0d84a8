"""Conformance checks for attacks and release rules, for the package's own and anybody else's.

An attack or a rule that passes can be used wherever the package uses its own. Nothing here needs a
test runner: a check is a function that raises `CheckFailed`, and says what must be so.
"""

from holdfast.errors import CheckFailed
from holdfast.testing.attack_checks import attack_checks, check_attack
from holdfast.testing.games import PROBLEMS
from holdfast.testing.rule_checks import check_rule, rule_checks

__all__ = [
    "PROBLEMS",
    "CheckFailed",
    "attack_checks",
    "check_attack",
    "check_rule",
    "rule_checks",
]
