"""Attacks on boards that show other numbers than one accuracy."""

from holdfast.attacks.through_metrics.by_group import ByGroup

__all__ = ["ByGroup"]
