"""Hosts' own configuration files: findings, line by line, and what the looks expose."""

from holdfast.lint.record import CODES, Exposure, Issue, Phase, Report
from holdfast.lint.run import lint

__all__ = ["CODES", "Exposure", "Issue", "Phase", "Report", "lint"]
