r"""Information bounds where something less than the exact score is released.

They use the same inequality, n KL(a || 1/m) <= I(Z; answers), with less information per look. What
is released is computed from the exact scores (and noise that knows nothing of the labels), so the
bound for exact answers holds as well, and the smaller one is returned.
"""

from __future__ import annotations

import math

from holdfast.bounds.assumptions import with_parity
from holdfast.bounds.information import accuracy_from_information, nats_non_adaptive
from holdfast.bounds.log_binomial import log_binomial
from holdfast.bounds.record import Analyst, Bound
from holdfast.bounds.tilted import nats_adaptive_tilted
from holdfast.errors import InvalidInput
from holdfast.problem import Problem

__all__ = ["gaussian_noise", "ladder"]


def gaussian_noise(problem: Problem, *, scale: float, analyst: Analyst = "any") -> Bound:
    r"""Return the bound for scores with independent Gaussian noise of `scale` matches.

    An answer A with noise of standard deviation s carries at most ln(1 + Var(A)/s^2)/2 nats. Fixed
    queries have Var(A) = n(m-1)/m^2; the variance of an adaptive one, given the answers so far, is
    at most n^2/4. Noise of another shape is not covered: its entropy is smaller, and it hides less.

    Parameters
    ----------
    problem
        The sizes.
    scale
        Standard deviation in matches: n times that of the released accuracy.
    analyst
        "any", or "non-adaptive" if all queries are fixed before the first answer.

    Examples
    --------
    >>> exact = gaussian_noise(Problem(10_000, 10, 100), scale=0.01).accuracy
    >>> round(exact, 4), round(gaussian_noise(Problem(10_000, 10, 100), scale=1000.0).accuracy, 4)
    (0.2376, 0.1579)
    """
    if not (math.isfinite(scale) and scale > 0.0):
        raise InvalidInput(f"scale must be positive and finite, got {scale}.")
    n, m, k = problem
    fixed = _gaussian_nats(n * (m - 1.0) / m**2, scale)
    if analyst == "any":
        nats = fixed + (k - 1) * _gaussian_nats(n**2 / 4.0, scale)
        nats = min(nats, nats_adaptive_tilted(problem))
    else:
        nats = min(k * fixed, nats_non_adaptive(problem))
    return Bound(
        name=f"gaussian-noise-{analyst}",
        side="impossible",
        statement="information inequality, Gaussian noise (docs/bounds.md)",
        conditions="independent Gaussian noise on every answer",
        accuracy=accuracy_from_information(nats, n, m),
        analyst=analyst,
        mechanism=f"Gaussian noise of standard deviation {scale:g} matches",
        assumptions=with_parity(problem),
    )


def ladder(problem: Problem, *, step: float) -> Bound:
    r"""Return the bound for the Ladder with a fixed step, for any analyst.

    The released values fall through the L = floor(1/step + 1/2) + 1 multiples of the step near
    [0, 1], each lower than the last. A transcript is which of them were released and at which of
    the k looks: at most sum_c C(L, c) C(k, c) = C(L + k, k) transcripts, the logarithm of which
    bounds the information. (Blum and Hardt count 2^((1/step + 2) log2(4k/step)).)

    Examples
    --------
    >>> round(ladder(Problem(10_000, 10, 1000), step=0.01).accuracy, 4)
    0.1857
    """
    if not 0.0 < step <= 1.0:
        raise InvalidInput(f"step must be in (0, 1], got {step}.")
    n, m, _ = problem
    return Bound(
        name="ladder",
        side="impossible",
        statement="information inequality, Ladder (docs/bounds.md)",
        conditions="releases are multiples of the step, each an improvement on the one before",
        accuracy=accuracy_from_information(ladder_nats(problem, step=step), n, m),
        mechanism=f"Ladder with step {step:g}",
        assumptions=with_parity(problem),
    )


def ladder_nats(problem: Problem, *, step: float) -> float:
    """Return the logarithm of the number of transcripts, or the exact answers' information."""
    n, _, k = problem
    # A hair more than 1/2, so that a step such as 0.1 never loses a level to rounding.
    levels = min(math.floor(1.0 / step + 0.5 + 1e-9) + 1, n + 1)
    transcripts = log_binomial(levels + k, levels)
    return min(transcripts, nats_adaptive_tilted(problem))


def _gaussian_nats(variance: float, scale: float) -> float:
    return 0.5 * math.log1p(variance / scale**2)
