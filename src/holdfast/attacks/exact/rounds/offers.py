"""Offers: the blocks that can be made of variables of each kind, and how many bits they tell.

Planning sees neither positions nor labels, only kinds, how many variables there are of each, and
offers. A block's value must determine what it adds to every row, and its values differ modulo its
radix, so that blocks can stand below each other at a node.

==========  =====================================  ===================  ==========================
block       made of                                radix, need          leaves
==========  =====================================  ===================  ==========================
full        any variable that can be told at once  its values           nothing
signed h    a position, no label known wrong:      h + 1,               c - h labels, one wrong
            h of c labels, as -h/2 .. h/2          (h/2)(h/2 + 1)/2
part r      a position with a wrong label:         r + 1,               c - r labels
            r of c labels                          as many for r/2
sum g       g variables of v = 2 .. 5 values       the sums, 1          a group, told apart later
test g      g positions with a wrong label:        g + 1, 1             none, all or a group of
            how many have their last candidate                          hits
pair        two positions, two labels each:        5, 1                 both known (+-2), a group
            the first ones less the second ones                         of hits (+-1), a tie (0)
==========  =====================================  ===================  ==========================
"""

from __future__ import annotations

from functools import cache
from math import comb, log2
from typing import Any, NamedTuple

from holdfast.attacks.exact.rounds.variables import Equal, Kind, Lone, Options, entropy
from holdfast.attacks.exact.rounds.weights import WEIGHTS, options

__all__ = ["Offer", "again_tied", "offers"]

LARGEST_SUMS = {2: 6, 3: 4, 4: 3, 5: 2}
"""Variables that are summed, by their values: the weights of larger groups are not known."""

LARGEST_TEST = 6
"""Positions that are tested together, as the sums of two-valued variables."""

PAIRED_FROM, PAIRED_AGAIN_FROM = 6, 6
"""Likely labels from which two positions are paired, and paired again when they are tied."""


class Offer(NamedTuple):
    """A kind of block: `amount` variables of one kind make it."""

    name: str
    kind: Kind
    amount: int
    radix: int
    """Number of values; 0: only as a node's last block."""
    need: int
    """Rows of one sign that it takes, in units."""
    bits: float
    settles: float = 0.0
    """Share of its positions whose labels are known afterwards, as far as one block can tell."""
    later_need: float = 0.0
    """Rows of one sign that the groups it leaves take, in units, on average."""
    detail: Any = None
    """What the name leaves open: how many labels it asks for; checks of a model have a plan."""


@cache
def offers(kind: Kind) -> tuple[Offer, ...]:
    """Return all that can be made of variables of a kind.

    >>> [(o.name, o.amount, o.radix, round(o.bits, 2)) for o in offers(Equal(2))]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('full', 1, 2, 1.0), ('sum', 2, 3, 1.5), ('sum', 3, 4, 1.81), ('sum', 4, 5, 2.03),
     ('sum', 5, 6, 2.2), ('sum', 6, 7, 2.33)]
    """
    if isinstance(kind, Options):
        return (Offer("full", kind, 1, kind.radix, kind.need, log2(kind.options), 1.0),)
    if isinstance(kind, Equal):
        full = Offer("full", kind, 1, kind.values, 1, log2(kind.values), 1.0)
        return (full, *_sums(kind, kind.values))
    assert isinstance(kind, Lone)
    return tuple(_of_positions(kind))


def _sums(kind: Kind, values: int) -> list[Offer]:
    out = []
    for g in range(2, LARGEST_SUMS.get(values, 1) + 1):
        ways = {total: float(len(each)) for total, each in options(values, g).items()}
        need = _later_need(values, g, ways)
        bits = entropy(list(ways.values()))
        out.append(Offer("sum", kind, g, len(ways), 1, bits, later_need=need))
    return out


def _later_need(values: int, members: int, ways: dict[int, float]) -> float:
    """Return the need of the group that a sum leaves, on average over its totals."""
    needs = {
        total: WEIGHTS[values, members, total].need
        for total, each in options(values, members).items()
        if len(each) > 1
    }
    return sum(ways[total] * need for total, need in needs.items()) / sum(ways.values())


def _of_positions(kind: Lone) -> list[Offer]:
    """Return the blocks of positions with c likely labels of probability q each."""
    c, all_likely = kind.likely, not kind.unlikely
    q = (1.0 - kind.doubt) / c
    out = _sums(kind, c) if all_likely else []
    if kind.wrong:
        if all_likely:
            out.append(Offer("full", kind, 1, c, _need(c - 1), log2(c), 1.0))
        for r in range(1, c + (not all_likely)):
            bits = entropy([q] * r + [1 - r * q])
            out.append(Offer("part", kind, 1, r + 1, _need(r), bits, r * q, detail=r))
        for g in range(2, LARGEST_TEST + 1) if all_likely else ():
            ways = {w: comb(g, w) * q**w * (1 - q) ** (g - w) for w in range(g + 1)}
            need = _later_need(2, g, ways)
            bits = entropy(list(ways.values()))
            out.append(Offer("test", kind, g, g + 1, 1, bits, later_need=need))
    else:
        for h in range(2, c + 1, 2):
            bits = entropy([q] * h + [1 - h * q])
            out.append(Offer("signed", kind, 1, h + 1, _need(h), bits, h * q, detail=h))
    if c >= PAIRED_FROM and kind.unlikely in (0, 2):
        one = 2 * q * (1 - 2 * q)
        neither = (1 - 2 * q) ** 2 + 2 * q * q
        out.append(Offer("pair", kind, 2, 5, 1, entropy([q * q, one, neither, one, q * q])))
    return out


def _need(labels: int) -> int:
    """Return the rows of one sign that digits other than 0 take, as even around it as they can be.

    >>> [_need(labels) for labels in (1, 2, 3, 4, 10)]
    [1, 1, 3, 3, 15]
    """
    most = (labels + 1) // 2
    return most * (most + 1) // 2


def again_tied(likely: int, doubt: float) -> float:
    """Return how likely two paired positions are to have the tied labels, if their sum is 0.

    >>> round(again_tied(10, 0.0), 3)
    0.03
    """
    q = (1.0 - doubt) / likely
    neither = 1.0 - 2.0 * q
    return 2.0 * q * q / (neither * neither + 2.0 * q * q)
