r"""Odds of a group's shortfall: positions that count 1 or 2 less than if their label were right.

A position that has neither of the two labels it shows falls short by 1, one that has the unlikely
label by 2. If g positions fall short by d in all, t of them by 2, there are
C(g, t) C(g - t, d - 2t) ways to choose them, each with odds `twofold`^t against one with t = 0.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, log2

from holdfast.attacks.exact.rounds.variables import entropy

__all__ = ["check_bits", "shortfall_bits", "shortfall_odds", "twofold_odds"]


def check_bits(g: int, doubt: float) -> float:
    """Return the bits that a check of g positions tells: how many labels are wrong.

    Each is wrong with probability `doubt`. One position of a model that is right in 95 of 100 tells
    0.29 bits, and a block takes the same place whatever it tells; 64 of them, with 3.2 errors in
    expectation, tell ten times that.

    >>> [round(check_bits(g, 0.05), 2) for g in (1, 8, 32, 64)]
    [0.29, 1.17, 2.25, 2.81]
    """
    return entropy([comb(g, d) * doubt**d * (1 - doubt) ** (g - d) for d in range(g + 1)])


def twofold_odds(m: int, doubt: float) -> float:
    """Return the odds of falling short by 2 and 0 against 1 and 1, for two positions.

    With the unlikely label as likely as any other wrong one, q = doubt: q/(m-1) (1-q) against
    (q (m-2)/(m-1))^2. Two classes: nothing falls short by 2.

    The surer the model, the more a shortfall of 2 points to one position with the unlikely label,
    and not to two with others: one unlikely event against two.

    >>> [round(twofold_odds(10, doubt), 2) for doubt in (0.1, 0.01)]
    [1.27, 13.92]
    """
    return 0.0 if m == 2 else (1 - doubt) * (m - 1) / (doubt * max(1, m - 2) ** 2)


@lru_cache(maxsize=4096)
def shortfall_odds(d: int, g: int, twofold: float) -> float:
    """Weigh the ways in which g positions fall short by d.

    >>> shortfall_odds(2, 3, 0.5)        # 3 ways by 1 and 1, 3 ways by 2 and 0
    4.5
    """
    return sum(
        comb(g, t) * comb(g - t, d - 2 * t) * twofold**t
        for t in range(min(g, d // 2) + 1)
        if d - 2 * t <= g - t
    )


@lru_cache(maxsize=4096)
def shortfall_bits(d: int, g: int, twofold: float, label_bits: float) -> float:
    """Return the entropy of which positions fall short by 1 or 2, and of the labels of the 1s.

    Parameters
    ----------
    d, g
        The shortfall, and the positions that share it.
    twofold
        The odds of `twofold_odds`.
    label_bits
        Bits of the label of a position that falls short by 1; one that does by 2 has the unlikely
        label, and nothing of it is open.

    Examples
    --------
    Three positions that fall short by 2: three ways by 1 and 1, with two open labels of 1 bit each,
    and three ways by 2 and 0 with none, half as likely: log2(3) + h(1/3) + 2/3 * 2 bits.

    >>> round(shortfall_bits(2, 3, 0.5, 1.0), 3)
    3.837
    """
    ways = [
        comb(g, t) * comb(g - t, d - 2 * t) if d - 2 * t <= g - t else 0
        for t in range(min(g, d // 2) + 1)
    ]
    odds = [w * twofold**t for t, w in enumerate(ways)]
    total = sum(odds)
    bits = 0.0
    for t, w in enumerate(ways):
        if odds[t] > 0.0:
            bits += odds[t] / total * (log2(total / odds[t]) + log2(w) + (d - 2 * t) * label_bits)
    return bits
