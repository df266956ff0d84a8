r"""Upper bounds on the information in one answer with noise on a grid, in nats.

In units of a cell, the answer is Y = X + Z: X the accuracy, rounded to the grid, and Z noise of
variance v and entropy H(Z). Both limits are for any law of X with variance at most R.

- I(X; Y) = H(Y) - H(Z), and a whole number of variance R + v has entropy at most
  ln(2 pi e (R + v + 1/12))/2: add a uniform number of one cell's width, which changes the entropy
  into a differential one and the variance by 1/12, and no density of that variance has more than
  the Gaussian one.
- I(X; Y) <= E KL(law of Y given X || law of Y given x) for every fixed x, here the grid's point
  next to the mean of X. With e = 1/scale and a = e/sinh(e), discrete Laplace noise that is moved
  by k cells has the divergence ek - (1 - exp(-ek)) a <= (1 - a) ek + a (ek)^2/2.

For discrete Gaussian noise of parameter s, v <= s^2 and the sum of exp(-z^2/2s^2) is at least
s sqrt(2 pi) (Poisson summation), so that ln(2 pi e v)/2 - H(Z) <= 0, and v = s^2 but for a factor
1 - exp(-s^2), which no digit shows at s >= 2^40. For discrete Laplace noise in closed form
v = 1/(2 sinh(e/2)^2) and ln(2 pi e v)/2 - H(Z) = ln(pi e)/2 - ln cosh(e/2) - e/sinh(e).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from holdfast.mechanisms.noise import Shape, grid_of

__all__ = ["LARGEST_VARIANCE", "Channel"]

# An accuracy lies in [0, 1], and so does the point of the grid next to it.
LARGEST_VARIANCE = 0.25
# Added to each limit, so that rounding never makes it too low.
ROUNDING_SLACK = 1e-12


@dataclass(frozen=True)
class Channel:
    """Noise of a shape and scale on a grid whose cells are at most half as wide as the scale.

    >>> round(Channel.of("gaussian", 0.5).most, 4), round(Channel.of("laplace", 0.5).most, 4)
    (0.3466, 0.2751)
    """

    shape: Shape
    scale: float
    cell: float

    @classmethod
    def of(cls, shape: Shape, scale: float) -> Channel:
        """Return the noise that `noise.with_noise` adds, on its grid."""
        return cls(shape, scale, float(grid_of(scale)))

    @property
    def most(self) -> float:
        """The most that one answer can tell, whatever is known and asked."""
        return self._tells(LARGEST_VARIANCE)

    def most_between(self, low: float, high: float) -> float:
        """Return the most that one answer can tell of a value between two limits.

        The grid's point next to it may lie half a cell beyond them.

        >>> channel = Channel.of("gaussian", 0.5)
        >>> channel.most_between(-1.0, 1.0) > channel.most_between(0.0, 1.0) >= channel.most
        True
        """
        half = (high - low + self.cell) / 2.0
        return self._tells(half * half)  # a square that is too large for a float is infinite

    def tells(self, variance: float) -> float:
        """Return what an answer can tell of an accuracy whose variance is at most this.

        Rounding to the grid moves it by half a cell at most, and its standard deviation too. The
        limit grows with the variance and is concave in it.
        """
        return self._tells(min((math.sqrt(variance) + self.cell / 2.0) ** 2, LARGEST_VARIANCE))

    def _tells(self, variance: float) -> float:
        e = self.cell / self.scale
        extra = variance + self.cell**2 / 12.0
        if self.shape == "gaussian":
            return 0.5 * math.log1p(extra / self.scale**2) + ROUNDING_SLACK
        spread = self.cell**2 / (2.0 * math.sinh(e / 2.0) ** 2)
        gap = 0.5 * math.log(math.pi * math.e) - math.log(math.cosh(e / 2.0)) - e / math.sinh(e)
        widened = 0.5 * math.log1p(extra / spread) + gap
        moved = math.sqrt(variance + self.cell**2 / 4.0) / self.scale
        a = e / math.sinh(e)
        diverged = (1.0 - a) * moved + a * moved**2 / 2.0
        return min(widened, diverged) + ROUNDING_SLACK
