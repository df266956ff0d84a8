"""The most looks that provably keep every attack's expected gain within a limit."""

from __future__ import annotations

from holdfast.bounds.bisection import fewest
from holdfast.certificates.certify import certify
from holdfast.certificates.knowledge import Known
from holdfast.errors import InvalidInput
from holdfast.mechanisms import Rule
from holdfast.problem import Problem, check_at_least

__all__ = ["safe_looks"]


def safe_looks(
    n_examples: int,
    n_classes: int,
    max_bias: float,
    rule: Rule | None = None,
    *,
    knows: Known = None,
    fixed_queries: bool = False,
    most: int = 10**9,
) -> int:
    """Return the most looks whose certificate leaves a gain of at most `max_bias`.

    Zero if even one look can't be certified.

    Parameters
    ----------
    n_examples, n_classes
        The hidden test set.
    max_bias
        Largest accepted accuracy above what is had without a look, in (0, 1 - 1/m).
    rule, knows, fixed_queries
        As for `certify`; one account.
    most
        Where the search stops.

    Examples
    --------
    >>> safe_looks(50_000, 1000, 0.01)
    147
    """
    n = check_at_least("n_examples", n_examples, 1)
    m = check_at_least("n_classes", n_classes, 2)
    if not 0.0 < max_bias < 1.0 - 1.0 / m:
        raise InvalidInput(
            f"max_bias must be above 0 and below 1 - 1/n_classes = {1.0 - 1.0 / m:g}, "
            f"got {max_bias}."
        )

    def safe(looks: int) -> bool:
        certificate = certify(Problem(n, m, looks), rule, knows=knows, fixed_queries=fixed_queries)
        return certificate.accuracy <= certificate.free + max_bias

    unsafe = fewest(lambda looks: not safe(looks), most=most)
    return most if unsafe is None else unsafe - 1
