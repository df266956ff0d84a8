"""Every bound for one problem: what the modules' ``__all__`` and the theorems list."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.bounds import acharya2020, block_majority, feldman2019, information, tilted
from holdfast.bounds.fixed_queries import fixed_queries
from holdfast.bounds.record import Analyst, Bound
from holdfast.bounds.spread_of_answers import exact_answers
from holdfast.bounds.two_classes import pairs_of_classes, two_classes
from holdfast.problem import Problem

__all__ = ["all_bounds"]

# Each name in a module's __all__ takes a problem and bounds its expected accuracy, exact answers.
MODULES = (acharya2020, block_majority, feldman2019, information, tilted)
# So do these; their modules have more to offer.
THEOREMS = (exact_answers, two_classes, pairs_of_classes, fixed_queries)
# The impossible ones that bind only who fixes all queries in advance.
FIXED_ONLY = (information.information_non_adaptive, fixed_queries)


def _functions() -> list[Callable[[Problem], Bound]]:
    listed = [getattr(module, name) for module in MODULES for name in module.__all__]
    return [*listed, *THEOREMS]


def all_bounds(problem: Problem, *, analyst: Analyst | None = None) -> list[Bound]:
    """Return every bound on the expected accuracy with exact answers, applicable or not.

    Parameters
    ----------
    problem
        The sizes.
    analyst
        Leave out what does not bind this analyst: achievable bounds, and for "any" those about
        fixed queries. Nothing is computed for them.

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
    impossible 0.2226 spread-of-answers
    impossible 0.6569 pairs-of-classes
    impossible 0.1589 fixed-queries
    """
    if analyst is None:
        return [bound(problem) for bound in _functions()]
    binding = [f for f in _functions() if analyst != "any" or f not in FIXED_ONLY]
    return [found for f in binding if (found := f(problem)).side == "impossible"]
