"""Roots of functions of one number by Brent's method.

SciPy's optimisation is half of what `import scipy` takes, and most attacks need no root: it is
loaded with the first one.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["root"]

# SciPy's own default.
XTOL = 2e-12


def root(function: Callable[[float], float], low: float, high: float, xtol: float = XTOL) -> float:
    """Return where the function is 0 between two points at which its signs differ.

    Examples
    --------
    >>> round(root(lambda x: x * x - 2.0, 0.0, 2.0), 9)
    1.414213562
    """
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=xtol))
