"""Every bound for one problem: the registry is the modules' ``__all__``."""

from __future__ import annotations

from holdfast.bounds import acharya2020, block_majority, feldman2019, information, tilted
from holdfast.bounds.record import Bound
from holdfast.problem import Problem

__all__ = ["all_bounds"]

# Each name in a module's __all__ takes a problem and bounds its expected accuracy, exact answers.
MODULES = (acharya2020, block_majority, feldman2019, information, tilted)


def all_bounds(problem: Problem) -> list[Bound]:
    """Return every bound on the expected accuracy with exact answers, applicable or not.

    Examples
    --------
    >>> for bound in all_bounds(Problem(10_000, 10, 101)):
    ...     if bound.applies:
    ...         print(f"{bound.side} {bound.accuracy:.4f} {bound.name}")
    achievable 0.1040 small-k
    achievable 0.1020 small-k-without-features
    achievable 0.1178 block-majority
    achievable 0.1177 block-majority-without-features
    impossible 0.2930 description-length
    impossible 0.2502 information-adaptive
    impossible 0.2052 information-non-adaptive
    impossible 0.2384 information-adaptive-tilted
    """
    return [getattr(module, name)(problem) for module in MODULES for name in module.__all__]
