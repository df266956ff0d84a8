"""Noise on a grid: whole numbers of cells, with an exact law, so that no digit tells more.

A floating-point sampler adds one of finitely many unevenly spaced numbers, so the last bits of an
answer tell which accuracies could have given it (Mironov 2012), and a bound for ideal noise is
false for it. Here a value is first rounded to a grid that is 2^40 times finer than the noise, and
then moved by a whole number of cells whose law is known exactly: every value of the grid is
possible whatever the accuracy was, and how likely it is follows the law that the bounds are for.
What is done with the answer afterwards, such as storing it as a float, tells no more.

It is drawn from the bits of the generator that is passed in, so that a play can be repeated from
its seed.

What one answer then tells is at most, in nats (`Channel`): in units of a cell, the answer is
Y = X + Z, X the accuracy, rounded to the grid, and Z noise of variance v and entropy H(Z). Both
limits are for any law of X with variance at most R.

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
from fractions import Fraction
from functools import cache
from typing import Literal

import numpy as np
from numpy.random import Generator

from holdfast.bounds.first_rung import nearest_multiple
from holdfast.rules.checks import as_fraction

__all__ = [
    "GRID_BITS",
    "LARGEST_VARIANCE",
    "Channel",
    "ExactSampler",
    "Shape",
    "draw",
    "grid_of",
    "with_noise",
]

Shape = Literal["gaussian", "laplace"]

# A cell is between 2^-41 and 2^-40 times the scale of the noise.
GRID_BITS = 40


@cache
def grid_of(scale: float) -> Fraction:
    """Return the width of a cell: a power of two, so that multiples of it are floats.

    >>> grid_of(1.0) == Fraction(1, 2**40), grid_of(0.005) <= Fraction(1, 200 * 2**40)
    (True, True)
    """
    _, exponent = math.frexp(scale)  # scale = mantissa 2^exponent, mantissa in [1/2, 1)
    return Fraction(2) ** (exponent - 1 - GRID_BITS)


def with_noise(value: Fraction, shape: Shape, scale: float, rng: Generator) -> Fraction:
    """Return a value on the grid plus one draw of noise."""
    grid = grid_of(scale)
    return nearest_multiple(value, grid) * grid + draw(shape, scale, rng)


def draw(shape: Shape, scale: float, rng: Generator) -> Fraction:
    """Return one draw of noise, in units of accuracy: a whole number of cells.

    `scale` is the standard deviation of Gaussian noise and the parameter b of Laplace noise.
    """
    grid, cells, squared = _cells(scale)
    exact = ExactSampler(rng)
    return (exact.gaussian(squared) if shape == "gaussian" else exact.laplace(cells)) * grid


@cache
def _cells(scale: float) -> tuple[Fraction, Fraction, Fraction]:
    """Return the width of a cell, the scale in cells, and the square of that."""
    grid = grid_of(scale)
    cells = as_fraction(scale) / grid
    return grid, cells, cells**2


WORD_BITS = 64
WORDS_AT_ONCE = 32


class ExactSampler:
    """Draws discrete Laplace and Gaussian noise from a generator's bits.

    A draw in floating point has gaps and repetitions by which noise can be told apart (Mironov
    2012); here every probability is a ratio of whole numbers, or exp of one, and is met exactly: a
    trial of probability a/b compares random digits with those of a/b, one of probability exp(-x)
    counts how many of those with x, x/2, x/3, ... succeed in a row.

    >>> sampler = ExactSampler(np.random.default_rng(0))
    >>> draws = [sampler.laplace(Fraction(3)) for _ in range(1000)]
    >>> -0.5 < sum(draws) / 1000 < 0.5
    True
    """

    def __init__(self, rng: Generator) -> None:
        self._rng = rng
        self._words: list[int] = []

    def laplace(self, scale: Fraction) -> int:
        """Return z with probability proportional to exp(-|z| / scale)."""
        top, bottom = scale.numerator, scale.denominator
        while True:
            # u + top v is geometric with ratio exp(-1/top).
            u = self._below(top)
            if not self._exp(u, top):
                continue
            v = 0
            while self._exp(1, 1):
                v += 1
            size, negative = (u + top * v) // bottom, self._flip(1, 2)
            if size or not negative:  # zero has one sign
                return -size if negative else size

    def gaussian(self, variance: Fraction) -> int:
        """Return z with probability proportional to exp(-z^2 / (2 variance))."""
        a, b = variance.numerator, variance.denominator
        scale = math.isqrt(a // b) + 1
        bottom = 2 * a * b * scale * scale
        while True:
            z = self.laplace(Fraction(scale))
            # Accepted with probability exp(-(|z| - variance/scale)^2 / (2 variance)).
            if self._exp((abs(z) * scale * b - a) ** 2, bottom):
                return z

    def _exp(self, top: int, bottom: int) -> bool:
        """Return True with probability exp(-top/bottom)."""
        while top > bottom:
            if not self._exp(1, 1):
                return False
            top -= bottom
        # The number of successes in a row, with chances x, x/2, x/3, ..., is even so often.
        row = 1
        while self._flip(top, bottom * row):
            row += 1
        return row % 2 == 1

    def _flip(self, top: int, bottom: int) -> bool:
        """Return True with probability top/bottom: a uniform number, digit by digit, is below."""
        while True:
            if top >= bottom:
                return True
            digit, top = divmod(top << WORD_BITS, bottom)
            word = self._word()
            if word != digit:
                return word < digit
            if top == 0:
                return False

    def _below(self, limit: int) -> int:
        """Return one of 0 .. limit - 1, all equally likely."""
        bits = (limit - 1).bit_length()
        while True:
            value = 0
            for _ in range(-(-bits // WORD_BITS)):
                value = value << WORD_BITS | self._word()
            value >>= -bits % WORD_BITS
            if value < limit:
                return value

    def _word(self) -> int:
        if not self._words:
            self._words = self._rng.integers(
                0, 1 << WORD_BITS, size=WORDS_AT_ONCE, dtype=np.uint64
            ).tolist()
        return self._words.pop()


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
