r"""Exact recovery of all labels: an adaptive generalisation of Lindström's detecting matrices.

Every answer is the number of labels that a query gets right. The attack asks in *rounds* of K
queries whose patterns are arranged so that the K counts, transformed linearly, are numbers in mixed
radix, and the digits of these numbers tell labels. What a round leaves open, the next one asks.
Nothing is estimated: a label is certain once the answers imply it.

Start here: `attack` (the course of a game) -> `few_classes` (rounds with few classes) ->
`families` (what can be asked). docs/attacks/lattice.md has the argument and the number of looks.

Vocabulary
----------
position
    An example of the hidden test set.
row
    A query of a round. Row x = 0 .. K-1 is read as the set of its bits.
node
    A nonempty set c of bits, 0 < c < K. A position sits at one node, and what it shows in row x
    depends on the bits of x inside c alone. So in the alternating sum of the answers over the
    subsets of c only positions at c, and at nodes that contain c, are left.
capacity
    Of a node with s bits: 2^(s-1), its rows of either sign. A position that shows another label in
    v of them, v up to the capacity, adds v times what the change does to the count.
digit, digit block
    A sum at a node is a number in mixed radix. A digit block is a position, or some positions,
    whose joint value is one digit of it. The *last* block of a node has no digit above it: its
    range is unlimited, so a whole group of positions can share it.
run
    Rows of one sign and consecutive ranks in which the positions of a block show one label.
family
    One way of asking: single positions, group tests, label differences, prior checks.
status, stock
    What is known of a position or group; how many there are in each status.
shadow price
    Bits that a position is charged for sharing a block, because positions run out before nodes do.
cluster
    With many classes: positions that are tested together, label by label.

Modules
-------
From the answers up:

- `kernels`, `layout`: the rows of a round, and the values of its blocks from the counts;
- `digit_blocks`, `error_search`, `rulers`: what blocks there are, as tables;
- `knowledge`: labels known so far;
- `offer`, `families`: which blocks can be made of the positions at hand, and what values tell;
- `packing`, `round_length`, `round_planner`: which of them make the next round;
- `few_classes`, `cluster`, `many_classes`, `confirmation`, `attack`: the game;
- `tuning`: constants that decide how many looks it takes, never what is right.
"""

from holdfast.attacks.exact.lattice.attack import Lattice

__all__ = ["Lattice"]
