r"""Exact recovery of all labels: an adaptive generalisation of Lindström's detecting matrices.

Every answer is the number of labels that a query gets right. The attack asks in *rounds* of K
queries whose patterns are arranged so that the K counts, transformed linearly, are numbers in mixed
radix, and the digits of these numbers tell labels. What a round leaves open, the next one asks.
Nothing is estimated: a label is certain once the answers imply it.

Start here: `attack` (the course of a game) -> `rounds.recovery` (rounds with few classes) ->
`rounds.offers` (what can be asked). `rounds` has the vocabulary, docs/attacks/lattice.md the
argument and the number of looks.

With many classes there are *clusters*, positions that are tested together, label by label:
`cluster` is one of them, `many_classes` the rounds that they share, `confirmation` makes certain
what was presumed. `tuning` has constants that decide how many looks it takes, never what is right,
and `looks` the looks it was measured to take.
"""

from holdfast.attacks.exact.lattice.attack import Lattice

__all__ = ["Lattice"]
