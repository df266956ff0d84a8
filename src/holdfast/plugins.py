"""Plug-ins: attacks, rules and metrics that installed packages bring under entry points.

A package names its classes in its `pyproject.toml`, and they are found like the package's own:

    [project.entry-points."holdfast.attacks"]
    best-of-many = "best_of_many:BestOfMany"
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

__all__ = ["GROUPS", "installed"]

Class = TypeVar("Class")

# Each group of entry points, and what it may bring.
GROUPS = ("holdfast.attacks", "holdfast.rules", "holdfast.metrics")


@cache
def installed(group: str, base: type[Class]) -> tuple[type[Class], ...]:
    """Return the classes that installed packages bring, in the order of their names.

    One that can't be loaded, or is something else, is left out with a warning: what is installed
    beside a guard must not stop it.

    >>> installed("holdfast.attacks", int)
    ()
    """
    points = sorted(entry_points(group=group), key=lambda point: point.name)
    return tuple(cls for point in points if (cls := _loaded(point, base)) is not None)


def _loaded(point: EntryPoint, base: type[Class]) -> type[Class] | None:
    try:
        found = point.load()
    except Exception as error:  # of somebody else's code
        reason = f"{type(error).__name__}: {error}"
    else:
        if isinstance(found, type) and issubclass(found, base):
            return found
        reason = f"it is no {base.__name__}"
    warnings.warn(
        f"the plug-in {point.name} ({point.value}, {point.group}) is left out: {reason}.",
        stacklevel=2,
    )
    return None
