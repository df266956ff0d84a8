"""Hosts' own configuration files: unsafe settings, line by line, and what they expose."""

from holdfast.lint.record import Exposure, Issue, Phase, Report
from holdfast.lint.run import lint

__all__ = ["Exposure", "Issue", "Phase", "Report", "lint"]
