"""The former name of `holdfast.rules`, for one version more."""

import warnings
from typing import Any

from holdfast import rules

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """Return what `holdfast.rules` has under this name, and warn."""
    value = getattr(rules, "parse_rule" if name == "parse_mechanism" else name)
    warnings.warn(
        "holdfast.mechanisms is holdfast.rules now, and parse_mechanism is parse_rule.",
        DeprecationWarning,
        stacklevel=2,
    )
    return value
