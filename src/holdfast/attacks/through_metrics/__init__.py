"""Attacks on boards that show other numbers than one accuracy."""

from holdfast.attacks.through_metrics.by_group import ByGroup
from holdfast.attacks.through_metrics.digits import Digits
from holdfast.attacks.through_metrics.graded import Graded

__all__ = ["ByGroup", "Digits", "Graded"]
